"""Judges that know nothing: are intervals of single systems and of the whole wider than those of labels alone?

python -m benchmarks.judging_worthless [DRAWS]        # prints a table of benchmarks/JUDGING.md
"""

import sys
from collections.abc import Callable

import numpy as np

from trialogue.records import Estimate
from trialogue.seeds import rng_for
from trialogue.stats.arrays import Floats, Ints
from trialogue.stats.correction.means import Correction, corrected_means
from trialogue.stats.correction.table import Estimand, judged_table

EACH = 100  # units of a system
LABELS = (10, 15, 20, 30, 50)
HEAD = (
    "| judge | labels of each system | systems | one system: mean, largest of systems | overall | coverage of one system, "
    "corrected (alone) |\n|---|---|---|---|---|---|"
)

Judge = Callable[[np.random.Generator, Ints, Floats], Floats]
JUDGES: dict[str, Judge] = {
    "random, continuous": lambda rng, system, noise: rng.standard_normal(len(system)),
    "random, 1 to 5": lambda rng, system, noise: rng.integers(1, 6, len(system)).astype(float),
    "knows the systems alone": lambda rng, system, noise: system + rng.standard_normal(len(system)),
    "contrary": lambda rng, system, noise: -0.6 * noise + 0.8 * rng.standard_normal(len(system)),
    "nearly constant": lambda rng, system, noise: (rng.random(len(system)) < 0.02).astype(float),
}


def drawn(
    judge: Judge, labels: int, systems: int, kind: str, rng: np.random.Generator
) -> tuple[list[Correction], Floats]:
    """(corrections of all systems and of the whole, their truths)."""
    system = np.arange(EACH * systems) % systems
    noise = rng.standard_normal(len(system))
    quality = np.linspace(-0.6, 0.6, systems)[system] + noise
    truth = (quality > 0.2).astype(float) if kind == "binary" else np.digitize(quality, [-1.0, -0.2, 0.6, 1.4]) + 0.0
    given = np.full(len(system), np.nan)
    for each in range(systems):
        chosen = rng.permutation(np.flatnonzero(system == each))[:labels]
        given[chosen] = truth[chosen]
    names = [f"s{each}" for each in system.tolist()]
    found = corrected_means(judged_table(names, judge(rng, system, noise), given), estimand=Estimand.THESE)
    means = np.array([truth[system == each].mean() for each in range(systems)])
    return [*(found.systems[f"s{each}"] for each in range(systems)), found.overall], np.append(means, truth.mean())


def row(name: str, judge: Judge, labels: int, systems: int, kind: str, draws: int) -> str:
    """One line of the table."""
    widths, held = np.zeros((2, systems + 1, draws)), np.zeros((2, draws))
    for draw in range(draws):
        rng = rng_for(0, "worthless", name, f"{labels} {systems} {kind} {draw}")
        found, truths = drawn(judge, labels, systems, kind, rng)
        for side in range(2):
            estimates = [each.alone if side else each.corrected for each in found]
            widths[side, :, draw] = [_width(each) for each in estimates]
            held[side, draw] = np.mean([_holds(*each) for each in zip(estimates[:-1], truths.tolist(), strict=False)])
    ours, theirs = widths
    known = ~np.isnan(ours + theirs)
    ratios = [ours[p][known[p]].mean() / theirs[p][known[p]].mean() for p in range(systems + 1)]
    mean = ours[:-1][known[:-1]].mean() / theirs[:-1][known[:-1]].mean()
    return (
        f"| {name}, {kind} | {labels} | {systems} | {mean:.3f}, {max(ratios[:-1]):.3f} | {ratios[-1]:.3f} | "
        f"{held[0].mean():.3f} ({held[1].mean():.3f}) |"
    )


def _width(found: Estimate) -> float:
    return float("nan") if found.interval is None else found.interval.high - found.interval.low


def _holds(found: Estimate, truth: float) -> bool:
    return found.interval is not None and found.interval.low - 1e-9 <= truth <= found.interval.high + 1e-9


def main() -> None:
    """Print the table."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print(HEAD)
    for name, judge in JUDGES.items():
        for kind in ("ordinal", "binary"):
            for systems in (1, 4):
                for labels in LABELS:
                    print(row(name, judge, labels, systems, kind, draws), flush=True)


if __name__ == "__main__":
    main()

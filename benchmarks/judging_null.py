"""How often do corrected judges call a difference between equal systems?

Three systems of 80 dialogues each draw their labels from one distribution; the judge adds noise, and two points to the last
system. Some labels of each system are drawn at random. A draw errs if any of the pairs differs after Bonferroni's
correction, as ``trialogue judge`` does it.

    python -m benchmarks.judging_null [DRAWS]     # prints a section of benchmarks/JUDGING.md
"""

import sys

import numpy as np

from trialogue.seeds import rng_for
from trialogue.stats.comparison.families import bonferroni
from trialogue.stats.correction.means import corrected_means
from trialogue.stats.correction.table import Estimand, judged_table

SYSTEMS = ("A", "B", "C")
SIZE = 80
ALPHA = 0.05


def errs(rng: np.random.Generator, kind: str, labels: int, estimand: Estimand) -> bool:
    """Whether one draw finds a difference."""
    names = np.repeat(SYSTEMS, SIZE)
    if kind == "ordinal":
        truth = np.clip(np.round(rng.normal(3, 1, len(names))), 1, 5)
    else:
        truth = (rng.random(len(names)) < 0.3).astype(float)
    judge = truth + rng.normal(0, 1, len(names)) + 2.0 * (names == SYSTEMS[-1])
    given = np.full(len(names), np.nan)
    for system in SYSTEMS:
        chosen = rng.choice(np.flatnonzero(names == system), labels, replace=False)
        given[chosen] = truth[chosen]
    found = corrected_means(judged_table(list(names), judge, given), estimand=estimand)
    return any(
        p is not None and p <= ALPHA for p in bonferroni([each.corrected.p for each in found.differences.values()])
    )


def main() -> None:
    """Print the section."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("## Equal systems\n")
    print("Share of draws in which any of three pairs of equal systems differs, ± one Monte Carlo standard error")
    print(f"(`python -m benchmarks.judging_null {draws}`).\n")
    print("| labels | of each 80 | `population` (default) | `these` |")
    print("|---|---|---|---|")
    for kind in ("ordinal", "binary"):
        for labels in (15, 40):
            cells = []
            for estimand in (Estimand.POPULATION, Estimand.THESE):
                rng = rng_for(0, "judging_null", kind, str(labels))
                share = sum(errs(rng, kind, labels, estimand) for _ in range(draws)) / draws
                cells.append(f"{share:.3f} ± {(share * (1 - share) / draws) ** 0.5:.3f}")
            print(f"| {kind} | {labels} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

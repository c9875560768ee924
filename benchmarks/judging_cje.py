"""Ours beside ``cje-eval`` (calibrated means): coverage and width of the mean of the population that units were drawn from.

    pip install cje-eval && python -m benchmarks.judging_cje [DRAWS]        # prints a table of benchmarks/JUDGING.md

The calibration of ``cje-eval`` is isotonic or two-stage, ours is linear; both then correct with the mean residual.
"""

import importlib
import sys
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.judging import invented
from trialogue.stats.arrays import Floats
from trialogue.stats.correction.means import corrected_means
from trialogue.stats.correction.table import Estimand, judged_table

UNITS = 200
HEAD = (
    "| labels are, judge | labels of 200 | coverage: labels alone | ours | cje, weight 1 | cje, tuned | "
    "width: labels alone | ours | cje, weight 1 | "
    "cje, tuned | bias: ours | cje, tuned |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)
Interval = tuple[float, float, float]
"""Value, and the ends of its interval."""


def ours(judge: Floats, given: Floats) -> tuple[Interval, Interval]:
    """Labels alone, and corrected."""
    found = corrected_means(judged_table(["a"] * len(judge), judge, given), estimand=Estimand.POPULATION).overall
    made = []
    for each in (found.alone, found.corrected):
        assert each.value is not None
        interval = each.interval
        made.append((each.value, interval.low, interval.high) if interval else (each.value, np.nan, np.nan))
    return made[0], made[1]


def theirs(judge: Floats, given: Floats, high: float, weight: str) -> Interval:
    """The same by ``cje-eval``, which takes labels from 0 to 1."""
    calibrated = importlib.import_module("cje").calibrated_mean_ci
    found = calibrated(judge, given / high, correction_weight=weight)
    return high * found.estimate, high * found.ci[0], high * found.ci[1]


def draws_of(kind: str, within: float, labels: int, draws: int) -> Iterator[list[Interval]]:
    """Labels alone, ours, and both of theirs, of each draw."""
    high = 1.0 if kind == "binary" else 4.0
    for draw in range(draws):
        rng = np.random.default_rng([draw, labels, round(100 * within), len(kind)])
        drawn = invented(rng, UNITS * 9, within=within, kind=kind)
        kept = rng.permutation(len(drawn.truth))[:UNITS]
        judge, truth = drawn.judge[kept], drawn.truth[kept]
        given = np.full(UNITS, np.nan)
        chosen = rng.permutation(UNITS)[:labels]
        given[chosen] = truth[chosen]
        yield [*ours(judge, given), theirs(judge, given, high, "one"), theirs(judge, given, high, "tuned")]


def row(kind: str, within: float, labels: int, draws: int) -> str:
    """One line of the table."""
    whole = float(invented(np.random.default_rng(0), 900_000, within=within, kind=kind).truth.mean())
    found = np.array(list(draws_of(kind, within, labels, draws)))
    held = np.mean((found[:, :, 1] <= whole) & (whole <= found[:, :, 2]), axis=0)
    widths, errors = np.nanmean(found[:, :, 2] - found[:, :, 1], axis=0), found[:, :, 0].mean(axis=0) - whole
    cells = [*(f"{each:.3f}" for each in (*held, *widths)), *(f"{errors[place]:+.3f}" for place in (1, 3))]
    return f"| {kind}, {within:.2f} | {labels} | {' | '.join(cells)} |"


def main(show: Callable[[str], None] = print) -> None:
    """Print the table."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    show(HEAD)
    for kind in ("ordinal", "binary"):
        for within in (0.0, 0.6, 0.85):
            for labels in (20, 50):
                show(row(kind, within, labels, draws))
                sys.stdout.flush()


if __name__ == "__main__":
    main()

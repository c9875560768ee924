"""Correlations of a column with people's answers, from a few labels and a judge: bias, coverage and width.

python -m benchmarks.judging_correlations [DRAWS]        # prints a table of benchmarks/JUDGING.md
"""

import sys

import numpy as np
from scipy import stats

from trialogue.stats.arrays import Floats
from trialogue.stats.correction.association import Statistic, corrected_correlation
from trialogue.stats.correction.table import judged_table

STATISTICS: tuple[Statistic, ...] = ("pearson", "spearman", "kendall")
SIZE = 300
GRADES = (-1.0, -0.2, 0.5, 1.3)
HEAD = (
    f"| statistic, labels are | judge | labels of {SIZE} | bias | coverage, labels alone | coverage, corrected | "
    "width, corrected over labels alone |\n|---|---|---|---|---|---|---|"
)


def world(rng: np.random.Generator, judge: float, kind: str) -> tuple[Floats, Floats, Floats]:
    """(column, answers, the judge's scores)."""
    truth = rng.standard_normal(SIZE)
    column = 0.5 * truth + 0.75**0.5 * rng.standard_normal(SIZE)
    scores = judge * truth + (1 - judge**2) ** 0.5 * rng.standard_normal(SIZE)
    if kind == "ordinal":
        return column, np.digitize(truth, GRADES).astype(np.float64), np.clip(np.round(3 + 1.2 * scores), 1, 5)
    return column, truth, scores


def of_all(statistic: Statistic, x: Floats, y: Floats) -> float:
    """The statistic of all units."""
    if statistic == "pearson":
        return float(np.corrcoef(x, y)[0, 1])
    return float(stats.spearmanr(x, y)[0]) if statistic == "spearman" else float(stats.kendalltau(x, y)[0])


def row(statistic: Statistic, kind: str, judge: float, labels: int, draws: int) -> str:
    """One line of the table."""
    rng = np.random.default_rng(5)
    errors, held, widths = [], [], []
    for _ in range(draws):
        column, truth, scores = world(rng, judge, kind)
        given = np.full(SIZE, np.nan)
        chosen = rng.permutation(SIZE)[:labels]
        given[chosen] = truth[chosen]
        found = corrected_correlation(judged_table(["a"] * SIZE, scores, given), column, statistic=statistic)
        whole = of_all(statistic, column, truth)
        sides = [each.interval for each in (found.alone, found.corrected)]
        assert found.corrected.value is not None
        errors.append(found.corrected.value - whole)
        held.append([each is not None and each.contains(whole) for each in sides])
        widths.append([np.nan if each is None else each.high - each.low for each in sides])
    alone, corrected = np.mean(held, axis=0)
    ratio = np.divide(*np.mean(widths, axis=0)[::-1])
    measured = f"{np.mean(errors):+.3f} | {alone:.3f} | {corrected:.3f} | {ratio:.3f}"
    return f"| {statistic}, {kind} | {judge} | {labels} | {measured} |"


def main() -> None:
    """Print the table."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(HEAD)
    for statistic in STATISTICS:
        for kind in ("normal", "ordinal"):
            for judge in (0.0, 0.85):
                for labels in (20, 30, 50):
                    print(row(statistic, kind, judge, labels, draws), flush=True)


if __name__ == "__main__":
    main()

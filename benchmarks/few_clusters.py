"""Coverage of 95 % intervals of agreement and AUC with few clusters. Writes ``benchmarks/FEW_CLUSTERS.md``.

    python -m benchmarks.few_clusters

*alpha*: items of three raters, five points from normal numbers of which an item explains .6. *kappa*: clusters of four
items that two raters call yes or no. *AUC*: two normal groups. *before*: percentile intervals of 500 resamples, and DeLong's
on the scale itself; *now*: what ``stats`` gives.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.coverage_cells import generator
from benchmarks.tables import table
from trialogue.records import Estimate, Interval
from trialogue.stats import auc, cohen_kappa, krippendorff_alpha
from trialogue.stats.raters.alpha import Level
from trialogue.stats.resampling import replicates

PAGE = Path(__file__).parent / "FEW_CLUSTERS.md"
RUNS, BEFORE = 2_000, 500  # data sets, and of the intervals before


def alpha(level: Level, items: int, rng: np.random.Generator) -> Estimate:
    values = 0.6**0.5 * rng.normal(size=(items, 1)) + 0.4**0.5 * rng.normal(size=(items, 3))
    return krippendorff_alpha(np.digitize(values, [-1, -0.3, 0.3, 1]) + 1.0, level=level, rng=rng, resamples=500)


def kappa(clusters: int, rng: np.random.Generator) -> Estimate:
    things = 0.5 * rng.normal(size=(clusters, 1)) + 0.8 * rng.normal(size=(clusters, 4))
    one, other = ((things + 0.6 * rng.normal(size=things.shape) > 0).ravel().tolist() for _ in range(2))
    keys = np.repeat(np.arange(clusters), 4).tolist()
    return cohen_kappa(one, other, clusters=keys, rng=rng, resamples=500)


def area(gap: float, true: int, false: int, rng: np.random.Generator) -> Estimate:
    scores = np.concatenate([rng.normal(gap, 1, true), rng.normal(0, 1, false)])
    return auc(scores, [True] * true + [False] * false)


def held(draw: Callable[[np.random.Generator], Estimate], truth: float, runs: int, seed: str) -> tuple[float, float]:
    """Share of the intervals that hold the truth, and of data sets without one."""
    rng = generator("few", seed)
    found = [draw(rng).interval for _ in range(runs)]
    known = [each for each in found if each is not None]
    return sum(each.low <= truth <= each.high for each in known) / max(len(known), 1), 1 - len(known) / runs


def wald(
    value: float, error: float, freedom: float, ends: tuple[float, float], confidence: float, method: str
) -> Interval:
    """DeLong's interval on the scale itself, by the normal quantile whatever the ``freedom``."""
    low, high = max(ends[0], value - 1.96 * error), min(ends[1], value + 1.96 * error)
    return Interval(low=low, high=high, confidence=confidence, method=method)


def cells() -> Iterator[tuple[str, Callable[[np.random.Generator], Estimate], float]]:
    from scipy.special import ndtr

    levels: tuple[Level, ...] = ("nominal", "ordinal", "interval")
    for level in levels:
        truth = alpha(level, 20_000, np.random.default_rng(1)).value or 0.0
        for items in (8, 10, 12, 20, 40):
            yield f"alpha, {level}, {items} items", partial(alpha, level, items), truth
    truth = kappa(20_000, np.random.default_rng(1)).value or 0.0
    for clusters in (5, 10, 12, 20, 40):
        yield f"kappa, {clusters} clusters of four", partial(kappa, clusters), truth
    for gap in (0.8, 1.5):
        truth = float(ndtr(gap / 2**0.5))
        for true, false in ((5, 30), (10, 10), (8, 40), (10, 100), (20, 20), (50, 50)):
            yield f"AUC {truth:.2f}, {true} true and {false} false", partial(area, gap, true, false), truth


def main() -> None:
    from trialogue.stats.association import auc as areas

    started, rows = time.process_time(), []
    for name, draw, truth in cells():
        covered, missing = held(draw, truth, RUNS, name)
        with patch.object(replicates, "MANY", 0), patch.object(areas, "logit_interval", wald):
            before, _ = held(draw, truth, BEFORE, name)
        rows.append([name, f"{before:.3f}", "refused" if missing == 1 else f"{covered:.3f}", f"{missing:.3f}"])
        print(*rows[-1], flush=True)
    page = [
        "# Intervals of agreement and AUC with few clusters",
        "",
        "Written by `python -m benchmarks.few_clusters`, which says what is drawn.",
        f"{RUNS:,} data sets a cell (Monte Carlo error .005 at .95; before: {BEFORE}, .010), "
        f"{time.process_time() - started:.0f} CPU s.",
        "",
        *table(["statistic", "before", "now", "without an interval"], rows),
    ]
    PAGE.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()

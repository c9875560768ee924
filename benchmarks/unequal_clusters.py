"""Shares of clusters of very unequal sizes: other tests than ours, tried. Writes ``benchmarks/UNEQUAL_CLUSTERS.md``.

    python -m benchmarks.unequal_clusters

Two independent groups of clusters with lognormal sizes (``benchmarks/coverage_outcomes.py``), whose units are 0 or 1 and
share .3 or .8 of their variance. Ours is the hybrid of score intervals on effective units with the degrees of freedom of
(sum m)^2 / sum m^2 clusters. Tried beside it:

* *Bell-McCaffrey*: the same with Satterthwaite's degrees of freedom of the jackknife variance, for units with the intraclass
  correlation that is estimated of both groups (Bell & McCaffrey 2002; Imbens & Kolesar 2016).
* *Kish*: the same with the effective size no larger than n / (1 + (sum m^2 / sum m - 1) rho) (Kish 1965).
* *permutation*: of the studentised difference, as means are compared; ours where that has no variance.
"""

import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.coverage_outcomes import Sizes, cluster_sizes
from benchmarks.tables import table
from trialogue.seeds import rng_for
from trialogue.stats.arrays import Floats
from trialogue.stats.comparison.permutation import MatchedSums, PermutationTest
from trialogue.stats.comparison.shares import Share, intraclass_correlation, share_difference, share_of
from trialogue.stats.resampling.clusters import ClusterSums

PAGE = Path(__file__).parent / "UNEQUAL_CLUSTERS.md"
DATA_SETS = 300
ARRANGEMENTS = 499
LEVEL = 0.05
METHODS = ("ours", "Bell-McCaffrey", "Kish", "permutation")
ALTERNATIVES = (
    (0.1, 0.6, 10, 1),
    (0.1, 0.4, 20, 1),
    (0.3, 0.5, 50, 1),
    (0.1, 0.3, 20, 4),
    (0.1, 0.5, 10, 7),
    (0.5, 0.1, 10, 4),
    (0.5, 0.1, 10, 7),
)


class Design(NamedTuple):
    """Two groups of clusters."""

    correlation: float
    """Of units of one cluster, on the normal scale they are made on."""
    first: float
    """Share of the smaller group."""
    second: float
    """Share of the other."""
    clusters: int
    """Of the smaller group."""
    balance: int
    """How many times as many the other has."""
    sizes: Sizes = "skewed"
    """Of the smaller group's clusters."""
    other_sizes: Sizes = "skewed"
    """Of the other's."""


def drawn(share: float, units: Floats, correlation: float, rng: np.random.Generator, *, start: int = 0) -> ClusterSums:
    """Sums of clusters whose units share so much of their variance."""
    from scipy.special import ndtr

    owner = np.repeat(np.arange(len(units)), units.astype(int))
    normal = correlation**0.5 * rng.normal(size=len(units))[owner]
    normal += (1 - correlation) ** 0.5 * rng.normal(size=len(owner))
    hits = np.bincount(owner, ndtr(normal) < share, minlength=len(units))
    return ClusterSums(tuple(range(start, start + len(units))), np.column_stack([hits, units]), len(owner))


def freedom_of(sizes: Floats, correlation: float) -> float:
    """Satterthwaite's degrees of freedom of the jackknife variance of a share of clusters of these sizes.

    With weights w = m / sum m, variances v = rho + (1 - rho) / m of the clusters' means and c = (w / (1 - w))^2, that
    variance is a quadratic form with the matrix B = diag(c) - c w' - w c' + (sum c) w w', up to a factor; the degrees of
    freedom are (tr BV)^2 / tr BVBV.
    """
    weights = sizes / sizes.sum()
    spread, square = correlation + (1 - correlation) / sizes, (weights / (1 - weights)) ** 2
    total = float(square.sum())
    cc, cw, ww = (float(np.sum(one * spread)) for one in (square**2, square * weights, weights**2))
    trace = float(np.sum(square * spread)) - 2 * cw + total * ww
    inside = total * weights**2 - 2 * square * weights
    again = float(np.sum((square * spread) ** 2) + 2 * np.sum(square * spread**2 * inside))
    again += 2 * cc * ww + 2 * cw**2 + total**2 * ww**2 - 4 * total * cw * ww
    return max(trace**2 / again, 1.0)


def p_values(a: ClusterSums, b: ClusterSums) -> dict[str, float]:
    """p of no difference, by every method."""
    shares, sizes = (share_of(a), share_of(b)), (a.sums[:, 1], b.sums[:, 1])
    correlation = intraclass_correlation(*np.concatenate([a.sums, b.sums]).T)
    rho = 1.0 if correlation is None else min(max(correlation, 0.0), 1.0)

    def kish(share: Share, own: Floats) -> Share:
        effect = 1 + (float(np.sum(own**2) / own.sum()) - 1) * rho
        return replace(share, effective=max(1.0, min(share.effective, share.units / effect)))

    def fewer(share: Share, own: Floats) -> Share:
        return replace(share, alike=min(share.freedom, freedom_of(own, rho)) + 1)

    found = {
        "ours": share_difference(*shares).p,
        "Bell-McCaffrey": share_difference(*map(fewer, shares, sizes)).p,
        "Kish": share_difference(*map(kish, shares, sizes)).p,
    }
    test = PermutationTest(MatchedSums(a.sums, b.sums, 0), max_arrangements=ARRANGEMENTS)
    found["permutation"] = test.p_value() if test.is_defined and test.standard_error > 0 else found["ours"]
    return {name: 1.0 if p is None else p for name, p in found.items()}


def called(design: Design) -> dict[str, float]:
    """Share of data sets in which each method finds a difference."""
    rng = rng_for(20_261_122, "unequal clusters", str(tuple(design)))
    times = dict.fromkeys(METHODS, 0)
    for _ in range(DATA_SETS):
        sizes = cluster_sizes(design.sizes, design.clusters, rng)
        others = cluster_sizes(design.other_sizes, design.balance * design.clusters, rng)
        a = drawn(design.first, sizes, design.correlation, rng)
        b = drawn(design.second, others, design.correlation, rng, start=len(sizes))
        for name, p in p_values(a, b).items():
            times[name] += p < LEVEL
    return {name: count / DATA_SETS for name, count in times.items()}


def _nulls() -> Iterator[Design]:
    for correlation in (0.3, 0.8):
        for balance in (1, 4, 7):
            for clusters in (10, 20, 50):
                for share in (0.05, 0.1, 0.5):
                    yield Design(correlation, share, share, clusters, balance)


def _unlike() -> Iterator[Design]:
    """Equal shares; clusters of one group are equal, of the other not."""
    for correlation in (0.3, 0.8):
        for share in (0.1, 0.5):
            for clusters, balance in ((10, 4), (10, 7), (20, 4)):
                yield Design(correlation, share, share, clusters, balance, "skewed", "equal")


def page(seconds: float, results: dict[str, dict[Design, dict[str, float]]]) -> Iterator[str]:
    """Its lines."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=True, cwd=PAGE.parent).stdout.strip()
    yield "# Shares of clusters of very unequal sizes: what was tried"
    yield ""
    yield "Written by `python -m benchmarks.unequal_clusters`, which says what the methods are."
    yield f"{DATA_SETS} data sets a design (Monte Carlo error .013 at .05), commit {commit}, {seconds:.0f} CPU s."
    yield ""
    yield "## Two equal shares: tests with p < .05"
    yield ""
    rows = []
    for title, cells in (("alike groups", results["nulls"]), ("sizes skewed and equal", results["unlike"])):
        for correlation in (0.3, 0.8):
            own = [found for design, found in cells.items() if design.correlation == correlation]
            for name in METHODS:
                shares = [found[name] for found in own]
                above = sum(share > 0.07 for share in shares)
                rows.append(
                    [
                        title,
                        f"{correlation}",
                        name,
                        f"{np.mean(shares):.3f}",
                        f"{max(shares):.3f}",
                        f"{above} of {len(own)}",
                    ]
                )
    yield from table(["groups", "correlation", "method", "mean", "largest", "above .07"], rows)
    yield "Designs where ours finds more than .07:"
    yield ""
    worst = [(one, found) for one, found in results["nulls"].items() if found["ours"] > 0.07]
    yield from table(
        ["correlation", "share", "clusters", *METHODS],
        [
            [
                f"{d.correlation}",
                f"{d.first}",
                f"{d.clusters} : {d.clusters * d.balance}",
                *(f"{f[m]:.3f}" for m in METHODS),
            ]
            for d, f in worst
        ],
    )
    yield "## Two shares that differ: power"
    yield ""
    yield from table(
        ["sizes", "correlation", "shares", "clusters", *METHODS],
        [
            [
                d.sizes,
                f"{d.correlation}",
                f"{d.first}, {d.second}",
                f"{d.clusters} : {d.clusters * d.balance}",
                *(f"{f[m]:.3f}" for m in METHODS),
            ]
            for d, f in results["power"].items()
        ],
    )


def main() -> None:
    started = time.process_time()
    alternatives = [
        Design(correlation, first, second, clusters, balance, sizes, sizes)
        for sizes in ("skewed", "equal")
        for correlation in (0.3, 0.8)
        for first, second, clusters, balance in ALTERNATIVES
    ]
    results = {
        "nulls": {design: called(design) for design in _nulls()},
        "unlike": {design: called(design) for design in _unlike()},
        "power": {design: called(design) for design in alternatives},
    }
    PAGE.write_text("\n".join(page(time.process_time() - started, results)), encoding="utf-8")


if __name__ == "__main__":
    main()

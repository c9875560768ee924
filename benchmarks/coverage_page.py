"""The page of the atlas: tables of its cells, and the list of those that miss what is promised."""

import platform
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.coverage_cells import ARRANGEMENTS, DATA_SETS, PAIRS_OF_DATA_SETS, Cell
from benchmarks.coverage_families import Family
from benchmarks.coverage_power import Power
from benchmarks.tables import table

CLUSTERS = (5, 10, 20, 50, 200)
SUSPECT = 0.07  # false-positive share above which a cell is simulated anew
AGAIN_WORDS = "2,000 new data sets (Monte Carlo error .005)"
OSCILLATES = (
    "Wilson's interval of single units covers more or less as the share and the number of units happen to fall (Brown, Cai "
    "& DasGupta 2001): where it misses for clusters of one unit, it is by that."
)
WELCH = (
    "Student's t test takes equal variances for granted. Of tests that do not, Welch's has the power of ours: .79 and .80 "
    "with 10 and 40 normal values 1.06 SD apart, in 2,000 other data sets."
)


def page(
    single: Sequence[Cell],
    designs: dict[str, list[Cell]],
    suspects: Sequence[tuple[str, Cell, Cell]],
    several: Sequence[Family],
    strong: Sequence[Power],
    seconds: float,
) -> Iterator[str]:
    """Its lines: cells, those above the bound with new data, families and power."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=Path(__file__).parent
    ).stdout.strip()
    yield "# What intervals cover, and what tests find that is not there"
    yield ""
    yield (
        "Written by `python -m benchmarks.coverage`. Nominal level: 95 %, tests at .05. Clusters hold one unit, five, or "
        "lognormal numbers of units (skewed); their units share 30 % of the variance of the normal numbers that outcomes "
        "are made of. *Width* is the median, relative to 2 x 1.96 standard deviations of the estimate."
    )
    yield ""
    machine = platform.machine()
    yield f"{machine}, Python {platform.python_version()}, numpy {np.__version__}, commit {commit}, {seconds:.0f} CPU s."
    yield ""
    yield "## One system"
    yield ""
    yield (
        f"Coverage (width) over {DATA_SETS:,} data sets, of those that have an interval; Monte Carlo standard error .007 at "
        ".95, .010 at .90. In brackets [ ] the share without an interval, because no cluster differs from another."
    )
    yield ""
    yield from table(["outcome, sizes", *(f"{k} clusters" for k in CLUSTERS)], _rows(single, _covered))
    yield "## Differences of two equal systems"
    yield ""
    yield (
        f"Share of tests with p < .05 (width of the interval), {PAIRS_OF_DATA_SETS} data sets, {ARRANGEMENTS} arrangements "
        "each; Monte Carlo standard error .014 at .05. The interval leaves zero out in the very same data sets, so its "
        "coverage is one less this share. The number of clusters is that of the smaller group."
    )
    yield ""
    for name, cells in designs.items():
        yield f"### {'Pairs: the same clusters on both sides' if name == 'paired' else f'Independent groups, {name}'}"
        yield ""
        yield from table(["outcome, sizes", *(f"{k} clusters" for k in CLUSTERS)], _rows(cells, _called))
        tested = [cell.called for cell in cells if cell.missing < 1]
        yield f"Mean over all cells: {np.mean(tested):.3f}; largest {max(tested):.3f}."
        yield ""
    yield "## Families of systems"
    yield ""
    yield (
        "Share of families with any false finding after correction of all pairs (bound: .05), and mean share of the true "
        "differences that are found; beside it what Bonferroni's method alone would do. *Drawn together* is the share of "
        "families that max-T corrects: it needs 20 clusters a system, and systems that vary. With 499 arrangements no p is "
        "below .004, so that Bonferroni's method finds nothing among nine systems."
    )
    yield ""
    yield from table(
        [
            "design",
            "drawn together",
            "false findings",
            "by Bonferroni",
            "Monte Carlo error",
            "power",
            "of Bonferroni",
            "families",
        ],
        [_family(one) for one in several],
    )
    yield "## Power"
    yield ""
    yield from table(
        ["design", "Trialogue", "best valid test known", "its power", "data sets"],
        [
            [
                one.design,
                f"{one.ours:.3f}",
                one.best,
                f"{one.other:.3f}",
                "enumerated" if one.simulated is None else str(one.simulated),
            ]
            for one in strong
        ],
    )
    yield WELCH
    yield ""
    yield "## Where it misses, and what Trialogue then does"
    yield ""
    yield from _misses(single, suspects)


def _family(one: Family) -> list[str]:
    power = [f"{one.power:.3f}", f"{one.power_of_bonferroni:.3f}"] if one.design.better_by else ["", ""]
    shares = (one.drawn_together, one.called, one.called_by_bonferroni, one.error)
    return [one.design.name, *(f"{share:.3f}" for share in shares), *power, str(one.simulated)]


def _rows(cells: Sequence[Cell], shown: Callable[[Cell], str]) -> list[list[str]]:
    names = list(dict.fromkeys(cell.name for cell in cells))
    return [[name, *(shown(cell) for cell in cells if cell.name == name)] for name in names]


def _covered(cell: Cell) -> str:
    if cell.missing >= 1:
        return "none"
    missing = f" [{cell.missing:.2f}]" if cell.missing >= 0.005 else ""
    return f"{cell.covered:.3f} ({cell.width:.2f}){missing}"


def _called(cell: Cell) -> str:
    if cell.missing >= 1:
        return "not tested"
    width = "" if np.isnan(cell.width) else f" ({cell.width:.2f})"
    return f"{cell.called:.3f}{width}"


def bound(cell: Cell) -> float:
    """The coverage that is promised: of shares .93 (.91 with five clusters), of others .90 from ten clusters on."""
    if cell.name.startswith("share"):
        return 0.91 if cell.clusters < 10 else 0.93
    return 0.90 if cell.clusters >= 10 else 0.0


def _misses(single: Sequence[Cell], suspects: Sequence[tuple[str, Cell, Cell]]) -> Iterator[str]:
    low = [cell for cell in single if cell.missing < 1 and cell.covered < bound(cell)]
    yield "Intervals of one system below what is promised (shares: .93, with 5 clusters .91; others: .90 from 10 on):"
    yield ""
    for cell in low:
        does = "warns of skewed clusters in" if cell.warned else "gives the interval; warned in"
        yield (
            f"* {cell.name}, {cell.clusters} clusters: {cell.covered:.3f} (error {cell.error:.3f}). "
            f"Trialogue {does} {cell.warned:.0%} of the data sets; no interval in {cell.missing:.0%}."
        )
    if not low:
        yield "* none."
    yield ""
    yield OSCILLATES
    yield ""
    yield (
        f"Tests with a false-positive share above {SUSPECT:g}, and what {AGAIN_WORDS} give (of 340 cells at .05 with 250 "
        "data sets some 20 exceed it by chance):"
    )
    yield ""
    for name, cell, anew in suspects:
        yield f"* {cell.name}, {name}, {cell.clusters} clusters: {cell.called:.3f}, anew {anew.called:.3f}."
    if not suspects:
        yield "* none."
    yield ""

"""How often intervals hold the truth and tests find what is not there. Writes ``benchmarks/COVERAGE.md``.

Every interval and test that metrics are reported with goes through simulated data with a known answer: clusters of several
numbers, sizes and outcomes, groups of equal and unequal numbers, pairs, families of systems. ``tests/stats/test_atlas.py``
is its short form.
"""

import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.coverage_cells import Cell, TwoSystems, one_system, two_systems
from benchmarks.coverage_families import families
from benchmarks.coverage_outcomes import OUTCOMES, Sizes
from benchmarks.coverage_page import CLUSTERS, SUSPECT, page
from benchmarks.coverage_power import powers

PAGE = Path(__file__).parent / "COVERAGE.md"
SIZES: tuple[Sizes, ...] = ("one", "equal", "skewed")
BALANCES = (1, 4, 7)
AGAIN = 2_000  # data sets: Monte Carlo standard error .005


def again(suspects: Sequence[tuple[str, Cell]]) -> list[tuple[str, Cell, Cell]]:
    """Cells above the bound with new data: of so many cells, some exceed it by chance."""
    return [
        (name, cell, two_systems(cell.design, data_sets=AGAIN, seed="again"))
        for name, cell in suspects
        if cell.design is not None
    ]


def main() -> None:
    started = time.process_time()
    single = [
        one_system(outcome, sizes, clusters)
        for outcome in OUTCOMES.values()
        for sizes in SIZES
        for clusters in CLUSTERS
    ]
    print(f"one system: {time.process_time() - started:.0f} s", flush=True)
    designs: dict[str, list[Cell]] = {}
    for name, balance, paired in (*((f"1:{balance}", balance, False) for balance in BALANCES), ("paired", 1, True)):
        designs[name] = [
            two_systems(TwoSystems(outcome.name, sizes, clusters, balance, is_paired=paired))
            for outcome in OUTCOMES.values()
            if outcome.name not in ("lognormal 1.5", "normal")
            for sizes in SIZES
            for clusters in CLUSTERS
        ]
        print(f"{name}: {time.process_time() - started:.0f} s", flush=True)
    suspects = again([(name, cell) for name, cells in designs.items() for cell in cells if cell.called > SUSPECT])
    several = families()
    print(f"families: {time.process_time() - started:.0f} s", flush=True)
    strong = powers()
    seconds = time.process_time() - started
    PAGE.write_text("\n".join(page(single, designs, suspects, several, strong, seconds)), encoding="utf-8")


if __name__ == "__main__":
    main()

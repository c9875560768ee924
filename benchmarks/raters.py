"""Ratings that repeat over raters and over dialogues: level and power of the test. Writes ``benchmarks/RATERS.md``.

    python -m benchmarks.raters

Two systems, ratings = system + rater + rater x system + thing + noise (SD 1). *dialogues*: the test on dialogues alone, as
if raters were no source of error (``difference``); *two-way*: the test that decides (``rater_difference``).
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.tables import table
from trialogue.seeds import rng_for
from trialogue.stats import cluster_sums, difference
from trialogue.stats.comparison.crossed_raters import Ratings, rater_difference
from trialogue.stats.resampling.bootstrap import mean_of

PAGE = Path(__file__).parent / "RATERS.md"
RUNS = 2_000
LEVEL = 0.05


class Design(NamedTuple):
    """A study of two systems."""

    name: str
    raters: int
    things: int
    """Situations that both systems answered, or dialogues of each system."""
    each: int
    """Things that a rater rates of each system."""
    shared: bool
    """Whether both systems answered the same things."""
    taste: float
    """SD of rater x system."""
    nested: bool = False
    """Whether a rater rates one system only."""
    rater: float = 0.8
    """SD of raters."""
    dialogue: float = 0.5
    """SD of dialogues that only one system has."""


DESIGNS = (
    Design("6 raters of everything, 30 dialogues a system", 6, 30, 30, False, 0.3),
    Design("12 raters of everything, 30 dialogues a system", 12, 30, 30, False, 0.3),
    Design("24 raters of 10 of 40 situations", 24, 40, 10, True, 0.3),
    Design("3 raters of everything, 30 dialogues a system", 3, 30, 30, False, 0.3),
    Design("12 raters of everything, without tastes", 12, 30, 30, False, 0.0),
    Design("24 raters of 10 of 40 situations, without tastes", 24, 40, 10, True, 0.0),
    Design("60 raters of 1 of 60 dialogues", 60, 60, 1, False, 0.0, True),
    Design("6 raters, three a system, 20 dialogues each", 6, 20, 20, False, 0.0, True),
)


def draw(design: Design, effect: float, rng: np.random.Generator) -> tuple[Ratings, Ratings]:
    """Ratings of both systems."""
    own = rng.normal(0, design.rater, design.raters)
    common = rng.normal(0, 0.5, design.things)
    chosen = [rng.choice(design.things, design.each, replace=False) for _ in range(design.raters)]
    sides = []
    for system in range(2):
        things = (
            common + rng.normal(0, 0.3, design.things)
            if design.shared
            else rng.normal(0, design.dialogue, design.things)
        )
        tastes = rng.normal(0, design.taste, design.raters)
        clusters, raters, values = [], [], []
        for rater in range(design.raters):
            if design.nested and rater % 2 != system:
                continue
            at = np.array([rater]) if design.each == 1 else chosen[rater]
            said = effect * system + own[rater] + tastes[rater] + things[at] + rng.normal(0, 1, len(at))
            clusters += [f"{'' if design.shared else system}d{place}" for place in at]
            raters += [f"r{rater}"] * len(at)
            values.append(said)
        sides.append(Ratings(tuple(clusters), tuple(raters), np.concatenate(values)))
    return sides[0], sides[1]


def finds(design: Design, effect: float) -> tuple[float, float | None, str]:
    """Shares of studies in which each test finds a difference; None and why where it is refused."""
    hits, two_way, why = 0, 0, ""
    for run in range(RUNS):
        a, b = draw(design, effect, rng_for(run, "raters", design.name))
        sums = [
            cluster_sums(np.column_stack([each.values, np.ones(len(each.values))]), each.clusters) for each in (a, b)
        ]
        alone = difference(sums[0], sums[1], mean_of, permutations=500, seed=run)
        found = rater_difference(a, b) or alone
        hits += alone.p is not None and alone.p < LEVEL
        two_way += found.p is not None and found.p < LEVEL
        why = str(found.why) if found.p is None else why
    return hits / RUNS, None if why else two_way / RUNS, why


def grid() -> Iterator[list[str]]:
    """Levels with 3 to 30 raters of all, or half, of 30 dialogues a system; tastes and dialogues that vary or do not."""
    for raters in (3, 4, 6, 8, 12, 20, 30):
        row = [str(raters)]
        for each in (30, 15):
            for taste in (0.0, 0.3):
                for dialogue in (0.0, 0.5):
                    name = f"{raters} raters, {each} of 30, {taste} {dialogue}"
                    row.append(level_of(Design(name, raters, 30, each, False, taste, dialogue=dialogue)))
        print(*row, flush=True)
        yield row


def level_of(design: Design) -> str:
    """Share of equal systems that differ by the test that decides, of those tested."""
    below = tested = 0
    for run in range(RUNS):
        found = rater_difference(*draw(design, 0.0, rng_for(run, "raters", design.name)))
        tested += found is not None and found.p is not None
        below += found is not None and found.p is not None and found.p < LEVEL
    return f"{below / tested:.3f}" if tested >= RUNS / 2 else "refused"


def nearly_equal(
    raters: int, things: int, rare: float, rng: np.random.Generator, *, constant: bool
) -> tuple[Ratings, Ratings]:
    """Ratings of 5, of which few are 1; of the second system alike, or all at the mean of the first."""
    clusters, codes = np.repeat(np.arange(things), raters), np.tile(np.arange(raters), things)
    names = tuple(f"r{code}" for code in codes)
    few = [np.where(rng.random(len(codes)) < rare, 1.0, 5.0) for _ in range(2)]
    few[1] = np.full(len(codes), 5 - 4 * rare) if constant else few[1]
    a, b = (Ratings(tuple(f"{side}d{at}" for at in clusters), names, own) for side, own in enumerate(few))
    return a, b


def nearly_constant() -> Iterator[list[str]]:
    """Levels where nearly all ratings are equal."""
    for raters, things in ((3, 20), (6, 20), (6, 60), (12, 20), (30, 20)):
        for constant in (False, True):
            row = [f"{raters} raters of {things} dialogues, {'one side constant' if constant else 'both sides alike'}"]
            for rare in (1 / 60, 1 / 30, 0.1):
                below = 0
                for run in range(RUNS):
                    rng = rng_for(run, "raters", row[0], f"{rare}")
                    found = rater_difference(*nearly_equal(raters, things, rare, rng, constant=constant))
                    below += found is not None and found.p is not None and found.p < LEVEL
                row.append(f"{below / RUNS:.3f}")
            print(*row, flush=True)
            yield row


def main() -> None:
    """Simulate every design, and write the page."""
    started = time.process_time()
    rows, refused = [], []
    for design in DESIGNS:
        level, power = finds(design, 0.0), finds(design, 0.5)
        two_way = ["refused" if each[1] is None else f"{each[1]:.3f}" for each in (level, power)]
        rows.append([design.name, f"{design.taste:g}", f"{level[0]:.3f}", two_way[0], f"{power[0]:.3f}", two_way[1]])
        if level[2]:
            refused.append(f"* {design.name}: {level[2]}.")
    more, equal = list(grid()), list(nearly_constant())
    spent = time.process_time() - started
    head = ["design", "SD of tastes", "dialogues: level", "two-way: level", "dialogues: power", "two-way: power"]
    page = [
        "# Raters of several dialogues: level and power",
        "",
        "Written by `python -m benchmarks.raters`, which says what is drawn.",
        f"{RUNS:,} studies a cell (Monte Carlo error .005 at .05), {spent:.0f} CPU s. Power: for half a point.",
        "",
        *table(head, rows),
        "",
        "Refused:",
        "",
        *refused,
        "",
        "## Levels by number of raters",
        "",
        "30 dialogues of each system; every rater rates all of them, or half. *t*: SD of tastes; *d*: SD of dialogues. "
        "Three to five raters of everything are conditional.",
        "",
        *table(
            [
                "raters",
                *(f"{what}, t {t}, d {d}" for what in ("all", "half") for t in ("0", ".3") for d in ("0", ".5")),
            ],
            more,
        ),
        "",
        "## Nearly all ratings equal",
        "",
        "Levels where one rating in 60, 30 or 10 is a 1 and all others are 5, in equal systems of one shape or two; where "
        "nothing varies, there is no test, and nothing is found.",
        "",
        *table(["two equal systems", "1 in 60", "1 in 30", "1 in 10"], equal),
        "",
    ]
    PAGE.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Levels of the tests of two systems, design by design, and of several looks. Writes ``benchmarks/LEVELS.md``.

    python -m benchmarks.levels

Two systems with equal means are compared again and again, by the function that every report uses, with 999 arrangements.
*units*: the same test on the mean of units, where a few clusters hold most of them.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks.coverage_cells import LEVEL, generator, mean_of
from benchmarks.tables import table
from trialogue.stats.arrays import Floats, Ints
from trialogue.stats.comparison import two_sides
from trialogue.stats.comparison.families import PairTest, look_level, single_step
from trialogue.stats.comparison.permutation import PermutationTest
from trialogue.stats.comparison.two_sides import SMALLER_SIDE, STANDARD_ERROR, ComparisonSettings, compare_samples
from trialogue.stats.resampling.clusters import ClusterSums

PAGE = Path(__file__).parent / "LEVELS.md"
RUNS = 2_000
MANY_RUNS = 10_000  # where the share is above .06
BOUND = 0.06
CEILING = (0.03, 0.04, 0.08, 0.85)  # chances of 2 to 5 points
SPREAD = (0.1, 0.1, 0.1, 0.1, 0.6)  # of 1 to 5 points: mean 4, as that of the next
NARROW = (0.0, 0.0, 0.2, 0.6, 0.2)

Draw = Callable[[np.random.Generator], tuple[ClusterSums, ClusterSums]]


class Cell(NamedTuple):
    """Two equal systems."""

    name: str
    draw: Draw
    is_share: bool = False
    scale: tuple[float | None, float | None] = (None, None)


def values_of(kind: str, normal: Floats) -> Floats:
    """Values whose ranks are those of normal numbers: all kinds have the mean that ``shapes`` compares."""
    from scipy.special import ndtr

    uniform = ndtr(normal)
    if kind.startswith("share"):
        return np.asarray(uniform < float(kind.split()[1]), dtype=np.float64)
    points = {"ceiling": (0.0, *CEILING), "spread": SPREAD, "narrow": NARROW}.get(kind)
    if points is not None:
        return 1 + np.searchsorted(np.cumsum(points)[:-1], uniform).astype(np.float64)
    if kind == "exponential":
        return np.asarray(-np.log1p(-uniform) - 1)
    return np.exp(normal) - np.exp(0.5) if kind == "lognormal" else normal


def drawn(kind: str, sizes: Ints, tastes: Floats, within: float, rng: np.random.Generator, keys: Ints) -> ClusterSums:
    """Clusters of so many units that share ``within`` of the variance of what they are made of."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    normal = within**0.5 * tastes[owner] + (1 - within) ** 0.5 * rng.normal(size=len(owner))
    sums = np.bincount(owner, values_of(kind, normal), minlength=len(sizes))
    return ClusterSums(tuple(keys.tolist()), np.column_stack([sums, sizes]).astype(float), len(owner))


def single(
    kinds: tuple[str, str], sizes: tuple[int, int], spread: float, rng: np.random.Generator
) -> tuple[ClusterSums, ClusterSums]:
    """One value a cluster, of independent groups."""
    first, second = sizes
    a = drawn(kinds[0], np.ones(first, np.int64), np.zeros(first), 0.0, rng, np.arange(first))
    b = drawn(kinds[1], np.ones(second, np.int64), np.zeros(second), 0.0, rng, np.arange(first, first + second))
    return ClusterSums(a.keys, a.sums * [spread, 1.0], a.n), b


def pairs(kind: str, size: int, rng: np.random.Generator) -> tuple[ClusterSums, ClusterSums]:
    """Pairs whose differences have a mean of 0, and a shape."""
    a = drawn(kind, np.ones(size, np.int64), np.zeros(size), 0.0, rng, np.arange(size))
    return a, ClusterSums(a.keys, a.sums * [0.0, 1.0], a.n)


def unequal(
    kind: str, sizes: tuple[Ints | int, Ints | int], within: float, rng: np.random.Generator
) -> tuple[ClusterSums, ClusterSums]:
    """Clusters of given sizes; a number: that many with rounded-up lognormal sizes."""
    held = [
        np.ceil(np.exp(rng.normal(1, 1, each))).astype(np.int64) if isinstance(each, int) else each for each in sizes
    ]
    starts = (0, len(held[0]))
    a, b = (
        drawn(kind, each, rng.normal(size=len(each)), within, rng, np.arange(start, start + len(each)))
        for each, start in zip(held, starts, strict=True)
    )
    return a, b


def partly(
    kind: str, sizes: tuple[int, int, int], units: int, rng: np.random.Generator
) -> tuple[ClusterSums, ClusterSums]:
    """Clusters of which some are met by both: (of a, of b, shared), with a common taste of .4 of the variance."""
    first, second, shared = sizes
    tastes = rng.normal(size=first + second - shared)
    keys = np.arange(first), np.concatenate([np.arange(shared), np.arange(first, first + second - shared)])
    a, b = (drawn(kind, np.full(len(own), units), tastes[own], 0.4, rng, own) for own in keys)
    return a, b


def single_shares(
    chance: float, sizes: tuple[int, int], shared: bool, rng: np.random.Generator
) -> tuple[ClusterSums, ClusterSums]:
    """One success or failure a cluster; of shared clusters with .4 of what decides in common."""
    first, second = sizes
    if shared:
        return partly(f"share {chance:g}", (first, first, first), 1, rng)
    return single((f"share {chance:g}", f"share {chance:g}"), (first, second), 1.0, rng)


def shares() -> Iterator[Cell]:
    for chance in (0.02, 0.1, 0.3, 0.5):
        for sizes in ((10, 40), (15, 100), (20, 20), (50, 50), (100, 100)):
            draw = partial(single_shares, chance, sizes, False)
            yield Cell(f"share {chance:g}, {sizes[0]} v {sizes[1]}", draw, True)
        for size in (6, 10, 20, 50, 100):
            draw = partial(single_shares, chance, (size, size), True)
            yield Cell(f"share {chance:g}, {size} pairs", draw, True)


def trials() -> Iterator[Cell]:
    for tasks in (15, 30, 100):
        for chance in (0.1, 0.5):
            draw = partial(partly, f"share {chance:g}", (tasks, tasks, tasks), 4)
            yield Cell(f"{tasks} tasks of 4 trials, share {chance:g}", draw, True)


def beside_expectations(size: int, rare: float, rng: np.random.Generator) -> tuple[ClusterSums, ClusterSums]:
    """Successes, and their chances around a rare one: pairs that nearly all differ by little, and seldom by much."""
    chances = rare * rng.uniform(0.2, 1.8, size)
    ones, keys = np.ones(size), tuple(range(size))
    hits = (rng.random(size) < chances).astype(float)
    return tuple(ClusterSums(keys, np.column_stack([each, ones]), size) for each in (hits, chances))  # type: ignore[return-value]


def nearly_constant(size: int, rare: float, rng: np.random.Generator) -> tuple[ClusterSums, ClusterSums]:
    """Ratings that are all 5 but for a rare 1, and others around the same mean."""
    a = np.where(rng.random(size) < rare, 1.0, 5.0)
    b = np.where(rng.random(size) < 4 * rare, 4.0, 5.0)
    keys, ones = np.arange(2 * size), np.ones(size)
    return (
        ClusterSums(tuple(keys[:size].tolist()), np.column_stack([a, ones]), size),
        ClusterSums(tuple(keys[size:].tolist()), np.column_stack([b, ones]), size),
    )


def rare_values() -> Iterator[Cell]:
    for size in (8, 12, 30, 60, 100, 190, 300):
        for rare in (0.005, 0.02, 0.05, 0.1, 0.2):
            draw = partial(beside_expectations, size, rare)
            yield Cell(f"successes of {rare:g} beside their chances, {size} pairs", draw, scale=(0.0, 1.0))
    for size in (8, 12, 30, 60, 100, 190):
        for rare in (0.02, 0.05, 0.1):
            draw = partial(nearly_constant, size, rare)
            yield Cell(f"5, and 1 in {rare:g}, beside 4 and 5, {size} v {size}", draw, scale=(1.0, 5.0))


def shapes() -> Iterator[Cell]:
    for a, b in ((15, 100), (10, 40), (5, 20), (4, 40), (20, 20), (4, 4)):
        for spread in (3.0, 1 / 3):
            yield Cell(f"normal, SD {spread:.2g}:1, {a} v {b}", partial(single, ("normal", "normal"), (a, b), spread))
        five = (1.0, 5.0)
        yield Cell(f"ceiling, {a} v {b}", partial(single, ("ceiling", "ceiling"), (a, b), 1.0), scale=five)
        yield Cell(
            f"five points, wide v narrow, {a} v {b}", partial(single, ("spread", "narrow"), (a, b), 1.0), scale=five
        )
        yield Cell(
            f"five points, narrow v wide, {a} v {b}", partial(single, ("narrow", "spread"), (a, b), 1.0), scale=five
        )
        yield Cell(f"exponential v normal, {a} v {b}", partial(single, ("exponential", "normal"), (a, b), 1.0))
        yield Cell(f"lognormal v normal, {a} v {b}", partial(single, ("lognormal", "normal"), (a, b), 1.0))
    yield Cell("lognormal v normal, 50 v 50", partial(single, ("lognormal", "normal"), (50, 50), 1.0))


def many() -> Iterator[Cell]:
    for a, b in ((250, 250), (250, 1_000)):
        for kinds, spread in ((("normal", "normal"), 3.0), (("ceiling", "ceiling"), 1.0), (("spread", "narrow"), 1.0)):
            yield Cell(f"{' v '.join(kinds)}, SD {spread:g}:1, {a} v {b}", partial(single, kinds, (a, b), spread))
        yield Cell(f"lognormal v normal, {a} v {b}", partial(single, ("lognormal", "normal"), (a, b), 1.0))
    for kind in ("normal", "exponential", "lognormal"):
        yield Cell(f"{kind}, 250 pairs", partial(pairs, kind, 250))


def paired() -> Iterator[Cell]:
    for size in (6, 10, 20, 30, 50, 100):
        for kind in ("normal", "exponential", "lognormal"):
            yield Cell(f"{kind}, {size} pairs", partial(pairs, kind, size))


PATTERNS: tuple[tuple[str, tuple[Ints | int, Ints | int]], ...] = (
    ("[300] + 9 x 5 v 40 x 5", (np.array([300] + [5] * 9), np.full(40, 5))),
    ("[60, 60] + 8 x 3 v 30 x 4", (np.array([60, 60] + [3] * 8), np.full(30, 4))),
    ("[500] + 19 x 5 v 40 x 5", (np.array([500] + [5] * 19), np.full(40, 5))),
    ("[50] + 9 x 10 v 40 x 10", (np.array([50] + [10] * 9), np.full(40, 10))),
    ("[20] + 9 x 5 v 40 x 5", (np.array([20] + [5] * 9), np.full(40, 5))),
    ("lognormal, 10 v 10", (10, 10)),
    ("lognormal, 10 v 40", (10, 40)),
    ("lognormal, 50 v 200", (50, 200)),
)


def sizes() -> Iterator[Cell]:
    for name, pattern in PATTERNS:
        for kind in ("normal", "spread", "share .5", "share .1"):
            for within in (0.0, 0.3, 0.8):
                draw = partial(unequal, kind, pattern, within)
                yield Cell(f"{kind}, {name}, correlation {within:g}", draw, kind.startswith("share"))


def mixed() -> Iterator[Cell]:
    for kind, units in (("normal", 1), ("ceiling", 1), ("share .1", 1), ("share .5", 1), ("share .1", 5)):
        for each in (
            (10, 40, 10),
            (10, 40, 5),
            (20, 20, 10),
            (8, 8, 3),
            (6, 300, 6),
            (12, 12, 11),
            (30, 30, 29),
            (100, 3_000, 100),
        ):
            name = f"{kind}, {units} a cluster, {each[0]} v {each[1]}, {each[2]} shared"
            yield Cell(name, partial(partly, kind, each, units), kind.startswith("share"))


def called(cell: Cell, runs: int, *, of_units: bool = False) -> tuple[float, float]:
    """Shares of tests below .05 among the tested, and of data sets that are tested."""
    how = ComparisonSettings(is_share=cell.is_share and not of_units, scale=cell.scale, permutations=999)
    rng, below, tested = generator("levels", cell.name, runs), 0, 0
    for _ in range(runs):
        a, b = cell.draw(rng)
        p = compare_samples(a, b, mean_of, how).p
        tested += p is not None
        below += p is not None and p < LEVEL
    return below / max(tested, 1), tested / runs


def measured(cells: Iterator[Cell], *, units: bool = False) -> tuple[list[list[str]], list[float]]:
    rows, levels = [], []
    for cell in cells:
        runs = RUNS // 4 if "3000" in cell.name else RUNS
        level, tested = called(cell, runs)
        if level > BOUND:
            level, tested, runs = *called(cell, MANY_RUNS), MANY_RUNS
        levels.append(level)
        beside = []
        if units:
            with patch.object(two_sides, "ENOUGH", 0):  # no size is unequal then
                beside = [f"{called(cell, RUNS // 4, of_units=True)[0]:.3f}"]
        rows.append([cell.name, f"{level:.3f}", *beside, f"{tested:.2f}", f"{runs:,}"])
        print(*rows[-1], flush=True)
    return rows, levels


def looks(
    planned: tuple[int, ...], kind: str, *, spends: bool, effect: float = 0.0, runs: int = RUNS
) -> tuple[float, float]:
    """Share of studies that find a difference at some look, and clusters of a system used, of those planned."""
    rng, hits, used = generator("looks", *planned, kind, spends, effect), 0, 0
    levels = [
        look_level([one / planned[-1] for one in planned[: at + 1]]) if spends else LEVEL for at in range(len(planned))
    ]
    how = ComparisonSettings(permutations=999)
    for _ in range(runs):
        a, b = single((kind, kind), (planned[-1], planned[-1]), 1.0, rng)
        a = ClusterSums(a.keys, a.sums + np.array([effect, 0.0]), a.n)
        for count, level in zip(planned, levels, strict=True):
            one, other = (ClusterSums(side.keys[:count], side.sums[:count], count) for side in (a, b))
            found = compare_samples(one, other, mean_of, how)
            is_found = found.p is not None and found.p <= level
            if is_found or count == planned[-1]:
                hits, used = hits + is_found, used + count
                break
    return hits / runs, used / runs / planned[-1]


def family_error(kind: str, sizes: tuple[int, ...], shared: bool, *, runs: int = RUNS) -> tuple[float, float]:
    """Shares of families of equal systems with any difference after correction, and without it."""
    rng, hits, plain = generator("families", kind, *sizes, shared), 0, 0
    how = ComparisonSettings(is_share=kind.startswith("share"), permutations=999)
    for _ in range(runs):
        tastes = rng.normal(size=max(sizes)) if shared else np.zeros(max(sizes))
        sides = [
            drawn(
                kind,
                np.ones(size, np.int64),
                tastes[:size],
                0.4 * shared,
                rng,
                np.arange(size) + (0 if shared else 1_000 * place),
            )
            for place, size in enumerate(sizes)
        ]
        tests = []
        for a, b in combinations(range(len(sides)), 2):
            found = compare_samples(sides[a], sides[b], mean_of, how)
            tests.append(PairTest(a, b, found.p, found.facts.get(STANDARD_ERROR), found.facts.get(SMALLER_SIDE)))
        hits += any(p is not None and p < LEVEL for p in single_step(tests).adjusted)
        plain += any(each.p is not None and each.p < LEVEL for each in tests)
    return hits / runs, plain / runs


def families() -> Iterator[list[str]]:
    for kind, sizes, shared in (
        ("normal", (20, 20, 20), False),
        ("spread", (20,) * 5, False),
        ("share .1", (15, 100, 100, 100, 100), False),
        ("spread", (30,) * 5, True),
        ("normal", (10,) * 5, True),
    ):
        how = "pairs" if shared else "independent"
        row = [
            f"{kind}, {' v '.join(map(str, sizes))}, {how}",
            *(f"{each:.3f}" for each in family_error(kind, sizes, shared)),
        ]
        print(*row, flush=True)
        yield row


def looked() -> Iterator[list[str]]:
    for planned in ((30, 60, 90), (20, 40, 60, 80, 100), (25, 80)):
        for kind in ("normal", "spread", "exponential"):
            level, free = (looks(planned, kind, spends=spends)[0] for spends in (True, False))
            power, used = looks(planned, kind, spends=True, effect=0.42 * (1.55 if kind == "spread" else 1), runs=500)
            row = [
                f"{kind}, looks at {', '.join(map(str, planned))}",
                *(f"{each:.3f}" for each in (level, free, power, used)),
            ]
            print(*row, flush=True)
            yield row


def plain_p(a: Floats, b: Floats, *, paired: bool, is_share: bool) -> float:
    """p of the test of textbooks: Welch's or the paired t; of shares, chi-square or McNemar's without corrections."""
    from scipy.stats import chi2, ttest_1samp, ttest_ind

    if is_share and paired:
        first, second = float(((a == 1) & (b == 0)).sum()), float(((a == 0) & (b == 1)).sum())
        return float(chi2.sf((first - second) ** 2 / max(first + second, 1), 1))
    if is_share:
        pooled = float(np.concatenate([a, b]).mean())
        variance = pooled * (1 - pooled) * (1 / len(a) + 1 / len(b))
        return float(chi2.sf((a.mean() - b.mean()) ** 2 / variance, 1)) if variance else 1.0
    return float((ttest_1samp(a - b, 0.0) if paired else ttest_ind(a, b, equal_var=False)).pvalue)


def power() -> Iterator[list[str]]:
    """Power of the engine and of plain tests, where nothing but clusters repeats."""
    for kind, effect in (("normal", 0.6), ("spread", 0.6), ("share 0.5", 0.6), ("share 0.1", 0.9)):
        for sizes, shared in (
            ((20, 20), False),
            ((50, 50), False),
            ((15, 100), False),
            ((20, 20), True),
            ((50, 50), True),
        ):
            name = f"{kind}, {sizes[0]} {'pairs' if shared else f'v {sizes[1]}'}"
            found = plain = alone = 0
            for run in range(RUNS):
                rng = generator("power", name, run)
                common = 0.4**0.5 * rng.normal(size=max(sizes))
                normal = [
                    (common[:size] if shared else 0.4**0.5 * rng.normal(size=size)) + 0.6**0.5 * rng.normal(size=size)
                    for size in sizes
                ]
                a, b = values_of(kind, normal[0]), values_of(kind, normal[1] - effect)
                keys = np.arange(sizes[0]), np.arange(sizes[1]) + (0 if shared else 1_000)
                sides = [
                    ClusterSums(tuple(own.tolist()), np.column_stack([each, np.ones(len(each))]), len(each))
                    for own, each in zip(keys, (a, b), strict=True)
                ]
                is_share = kind.startswith("share")
                how = ComparisonSettings(is_share=is_share, seed=run, permutations=999)
                p = compare_samples(sides[0], sides[1], mean_of, how).p
                found += p is not None and p < LEVEL
                if not is_share:
                    test = PermutationTest(a, b, sizes[0] if shared else 0, max_arrangements=999, seed=run)
                    alone += test.p_value() < LEVEL
                with np.errstate(all="ignore"):
                    plain += plain_p(a, b, paired=shared, is_share=is_share) < LEVEL
            yield [name, f"{found / RUNS:.3f}", "–" if is_share else f"{alone / RUNS:.3f}", f"{plain / RUNS:.3f}"]


def winners() -> Iterator[list[str]]:
    """How much too good the best of k equal versions looks, in standard errors of one, and on fresh needs."""
    rng = generator("winners")
    for versions in (2, 3, 5, 10, 20):
        seen, fresh = rng.normal(size=(2, 100_000, versions))
        best = seen.argmax(axis=1)
        rows = np.arange(len(seen))
        yield [str(versions), f"{seen[rows, best].mean():.2f}", f"{fresh[rows, best].mean():.2f}"]


def main() -> None:
    started = time.process_time()
    parts, misses = [], []
    heads = ["two equal systems", "level", "tested", "runs"]
    for title, cells, units in (
        ("Single successes and failures", shares, False),
        ("Trials in shared tasks", trials, False),
        ("Independent groups: equal means, other shapes", shapes, False),
        ("Pairs", paired, False),
        ("Clusters of unequal sizes", sizes, True),
        ("Clusters of which a part is shared", mixed, False),
        ("Rare values beside a constant", rare_values, False),
        ("More than 200 clusters", many, False),
    ):
        rows, levels = measured(cells(), units=units)
        misses += [row for row, level in zip(rows, levels, strict=True) if level > BOUND]
        over = sum(level > BOUND for level in levels)
        shown = [*heads[:2], "units", *heads[2:]] if units else heads
        parts += [
            f"## {title}",
            "",
            f"Mean {np.mean(levels):.3f}, largest {max(levels):.3f}; {over} of {len(levels)} above {BOUND:g}.",
            "",
        ]
        parts += table(shown, rows)
    parts += [
        "## Families of pairs",
        "",
        f"Shares of families with any difference between equal systems; {RUNS:,} each.",
        "",
    ]
    parts += table(["equal systems", "corrected", "uncorrected"], families())
    parts += [
        "## Looks at a growing sample",
        "",
        "Shares of studies that find a difference at some look. *power*: of .42 SD; *used*: of the planned sample.",
        "",
    ]
    parts += table(["design", "level with spending", "without", "power", "used"], looked())
    parts += [
        "## Power beside plain tests",
        "",
        "Where nothing but clusters repeats, one value each. *permutation*: the studentised permutation test alone, which "
        "decided before the larger of two p-values did. *plain*: Welch's or the paired t test; of shares, chi-square or "
        "McNemar's test without corrections.",
        "",
    ]
    parts += table(["one system is better", "power", "permutation", "plain"], power())
    parts += [
        "## The best of several equal versions",
        "",
        "In standard errors of one version; a fresh sample is one that it was not chosen on.",
        "",
    ]
    parts += table(["versions", "looks too good by", "on a fresh sample"], winners())
    page = [
        "# Levels of the tests of two systems",
        "",
        "Written by `python -m benchmarks.levels`, which says what is drawn. Nominal level .05.",
        f"{RUNS:,} data sets a cell (Monte Carlo error .005; {MANY_RUNS:,} where more than {BOUND:g} were found, error "
        f".002), {time.process_time() - started:.0f} CPU s.",
        "",
        *parts,
        "## Above .06, and what Trialogue then does",
        "",
        *(f"* {row[0]}: {row[1]}." for row in misses),
        "",
        "Lognormal values stand for times, costs and counts: a measure without an upper end is conditional below 50 "
        "clusters (threat `unbounded`). Below ten clusters of a system, every verdict is conditional (`few_clusters`): five "
        "people at the end of a scale hide what the next would say.",
        "",
    ]
    PAGE.write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    with patch.object(PermutationTest, "interval", lambda *_: (-9.0, 9.0)):  # p is all that is counted
        main()

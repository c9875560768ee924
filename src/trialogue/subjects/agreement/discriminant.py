"""Discriminant validity: whether a measure of several aspects distinguishes them.

After Campbell & Fiske (1959), "Convergent and discriminant validation by the multitrait-multimethod matrix": aspects of one
measure should correlate no more than people's do, and each should predict people's answer to its own question best.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from trialogue.findings.resampling import DEFAULT, Resampling
from trialogue.findings.validity import Where
from trialogue.records import Estimate, MeasureName
from trialogue.stats.arrays import Ints, midranks
from trialogue.stats.resampling.clusters import codes_of
from trialogue.stats.resampling.replicates import percentile, weight_chunks
from trialogue.subjects.agreement.rating_agreement import sign_against_chance
from trialogue.subjects.agreement.records import Discriminant
from trialogue.subjects.agreement.score_pairs import Floats, JudgedUnits, Key

MIN_UNITS = 3
MAX_CONFUSED = 5  # named; the others are counted


@dataclass(frozen=True)
class Grid:
    """Units with values of all aspects, from people and from the measure."""

    names: tuple[str, ...]
    people: Floats
    """Shape (n, k)."""
    own: Floats
    """Shape (n, k)."""
    clusters: tuple[str, ...]


def discriminant(
    tables: Sequence[JudgedUnits], family: str, *, resampling: Resampling = DEFAULT
) -> Discriminant | None:
    """Discriminant validity of ``family:ASPECT`` over the aspects rated by people; None with fewer than two.

    Aspects on which people or the measure always say the same are left out.

    Args:
        tables: one for each question, all of one level; those whose question ``family`` has no aspect for are left out.
        family: the measure, such as the name of a run file.
        resampling: seed, resamples, confidence.
    """
    aspects = [(table, f"{family}:{aspect_of(table.question)}") for table in tables]
    aspects = [(table, name) for table, name in aspects if name in table.values]
    if len(aspects) < 2:
        return None
    units = sorted(set.intersection(*(set(table.keys) for table, _ in aspects)), key=str)
    people, own = (
        np.column_stack([_align_column(table, column, units) for table, column in side]) for side in _sides(aspects)
    )
    # Complete cases only: correlations of aspects are compared with each other, so all must rest on the same units.
    keep = np.flatnonzero(~np.isnan(np.column_stack([people, own])).any(axis=1))
    if len(keep) < MIN_UNITS:
        return None
    vary = [place for place in range(len(aspects)) if all(np.ptp(each[keep, place]) > 0 for each in (people, own))]
    if len(vary) < 2:
        return None
    first = aspects[0][0]
    clusters = dict(zip(first.keys, first.clusters, strict=True))
    grid = Grid(
        names=tuple(aspect_of(aspects[place][0].question) for place in vary),
        people=people[keep][:, vary],
        own=own[keep][:, vary],
        clusters=tuple(clusters[units[place]] for place in keep.tolist()),
    )
    return _discriminant_of_family(family, first.level, grid, resampling)


def aspect_of(question: str) -> str:
    """The aspect of a question, without the raters.

    >>> aspect_of("human:relevance@response"), aspect_of("relevance")
    ('relevance', 'relevance')
    """
    return MeasureName(question).question or question


def families(tables: Sequence[JudgedUnits]) -> list[str]:
    """Measures with values for at least two questions."""
    found: dict[str, int] = {}
    for table in tables:
        for name in table.values:
            measure = MeasureName(name)
            if measure.aspect is not None and measure.aspect == aspect_of(table.question):
                found[measure.family] = found.get(measure.family, 0) + 1
    return sorted(name for name, count in found.items() if count > 1)


def _sides(aspects: Sequence[tuple[JudgedUnits, str]]) -> list[list[tuple[JudgedUnits, Floats]]]:
    return [
        [(table, table.people) for table, _ in aspects],
        [(table, table.values[name]) for table, name in aspects],
    ]


def _align_column(table: JudgedUnits, column: Floats, units: Sequence[Key]) -> Floats:
    values = dict(zip(table.keys, column.tolist(), strict=True))
    return np.array([values.get(unit, np.nan) for unit in units])


def _discriminant_of_family(family: str, level: Where, grid: Grid, resampling: Resampling) -> Discriminant:
    size = len(grid.names)
    whole, drawn = _matrices(grid, resampling.rng("discriminant", family), resampling.resamples)
    pairs = list(combinations(range(size), 2))
    human, own = float(_mean_of(whole[None], pairs, 0)[0]), float(_mean_of(whole[None], pairs, size)[0])
    label = f"cluster bootstrap of ranks, percentile, {resampling.resamples} resamples"
    bounds = percentile(_mean_of(drawn, pairs, size) - _mean_of(drawn, pairs, 0), resampling.confidence, label)
    clusters = len(set(grid.clusters))
    excess = Estimate(
        value=own - human, interval=bounds.interval, n=len(grid.people), clusters=clusters, why=bounds.why
    )
    sign = sign_against_chance(excess, 0.0)
    return Discriminant(
        family=family,
        level=level,
        aspects=grid.names,
        people=human,
        measure=own,
        excess=excess,
        confused=_confused_aspects(grid.names, whole, drawn, resampling.confidence),
        verdict="halo" if sign > 0 else "distinguishes them" if sign < 0 else "inconclusive",
    )


def _matrices(grid: Grid, rng: np.random.Generator, resamples: int) -> tuple[Floats, Floats]:
    """Rank correlations of all aspects, people's first: of the data, and in resamples, shape (R, 2k, 2k)."""
    ranks = np.column_stack([_ranks(grid.people), _ranks(grid.own)])
    keys, codes = codes_of(grid.clusters)
    sums = _product_sums(ranks, codes, len(keys))
    chunks = weight_chunks(np.ones(len(keys), dtype=np.int64), resamples, rng, width=sums.shape[1])
    drawn = np.concatenate([_correlations(weights, sums, ranks.shape[1]) for weights in chunks])
    return _correlations(np.ones((1, len(keys))), sums, ranks.shape[1])[0], drawn


def _ranks(columns: Floats) -> Floats:
    ranks: Floats = np.column_stack([midranks(column) for column in columns.T])
    centred: Floats = (ranks - ranks.mean(axis=0)) / len(ranks)
    return centred


def _product_sums(ranks: Floats, codes: Ints, clusters: int) -> Floats:
    """Per cluster: number of units, sums of every column, and of every product of two columns."""
    size = ranks.shape[1]
    products = (ranks[:, :, None] * ranks[:, None, :]).reshape(len(ranks), size * size)
    rows = np.column_stack([np.ones(len(ranks)), ranks, products])
    sums = np.zeros((clusters, rows.shape[1]))
    np.add.at(sums, codes, rows)
    return sums


def _correlations(weights: Floats, sums: Floats, size: int) -> Floats:
    """Correlation matrices, shape (r, size, size)."""
    found = weights @ sums
    mean = found[:, 1:] / found[:, :1]
    first, second = mean[:, :size], mean[:, size:].reshape(-1, size, size)
    covariance = second - first[:, :, None] * first[:, None, :]
    spread = np.sqrt(np.einsum("rii->ri", covariance))
    with np.errstate(divide="ignore", invalid="ignore"):
        matrix: Floats = covariance / (spread[:, :, None] * spread[:, None, :])
    return matrix


def _mean_of(matrices: Floats, pairs: Sequence[tuple[int, int]], start: int) -> Floats:
    """Mean correlation of pairs of aspects of one side."""
    means: Floats = np.mean([matrices[:, start + i, start + j] for i, j in pairs], axis=0)
    return means


def _confused_aspects(names: Sequence[str], whole: Floats, drawn: Floats, confidence: float) -> tuple[str, ...]:
    """Aspects of the measure that predict people's answer to another question better than that question's own does."""
    size = len(names)
    found = []
    for asked, other in permutations(range(size), 2):
        gaps = drawn[:, asked, size + other] - drawn[:, asked, size + asked]
        gaps = gaps[np.isfinite(gaps)]
        if len(gaps) and np.quantile(gaps, (1 - confidence) / 2) > 0:
            own, wrong = whole[asked, size + asked], whole[asked, size + other]
            text = (
                f"its {names[other]} ({wrong:.2f}) correlates better with people's {names[asked]} than its "
                f"{names[asked]} does ({own:.2f})"
            )
            found.append((float(own - wrong), text))
    texts = [text for _, text in sorted(found)]
    more = [f"and {len(texts) - MAX_CONFUSED} more such pairs"] if len(texts) > MAX_CONFUSED else []
    return (*texts[:MAX_CONFUSED], *more)

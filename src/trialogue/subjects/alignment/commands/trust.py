"""Check the implicit estimate against human labels of some replies, where there are any."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trialogue.findings.label_origins import labeller_names
from trialogue.metrics import Conversation, Undefined, group_by_system
from trialogue.metrics.alignment.implicit_alignment import ImplicitAlignment
from trialogue.metrics.alignment.match_likelihood import GRID, likeliest_share, on_grid, share_without_each
from trialogue.metrics.base import Array, Reply
from trialogue.metrics.fit_uncertainty import Sources
from trialogue.records import Estimate, Labeller, Reason, ReasonCode
from trialogue.stats import cluster_sums, jackknife
from trialogue.subjects.alignment.labelling.pairs import counted_pairs

MIN_PAIRS = 20  # labelled pairs of a system from which the two are compared
EDGE = 0.005  # estimates this near to 0 or 1 sit at the end of the scale


@dataclass(frozen=True, eq=False)
class _CountedPairs:
    """The pairs of one system that count."""

    chances: Array
    """Calibrated probability of a match, shape (n,)."""
    replies: list[Reply]
    clusters: list[str]
    matches: Array
    """Whether the labels match."""
    labelled: NDArray[np.bool_]
    """Whether models are held against both labels."""
    labellers: tuple[Labeller, ...]
    """Labellers of these pairs."""


def doubts(conversations: Iterable[Conversation], *, level: float = 0.05) -> Iterator[tuple[str, Reason]]:
    """Systems whose implicit estimate human labels contradict, or that is at an end of the scale, with the reason.

    Contradicted: the gap between the estimate and people's share, on the same replies, has an interval without 0. It is the
    jackknife's over dialogues with Student's t (in a simulation made once a bootstrap of some twenty replies doubted up to
    half of the systems whose estimate was right), the error of the calibration added, at the level over the number of
    systems that are tested. With few labels it finds little.

    Args:
        conversations: replies with beliefs; those with labels of people on both sides are the test.
        level: probability of a false doubt about any system.
    """
    judged = {system: _collect_pairs(own) for system, own in sorted(group_by_system(conversations).items())}
    tested = sum(int(each.labelled.sum()) >= MIN_PAIRS for each in judged.values())
    for system, each in judged.items():
        pairs = int(each.labelled.sum())
        if pairs >= MIN_PAIRS and _excludes_zero(_gap(each, confidence=1 - level / tested)):
            truth = float(each.matches[each.labelled].mean())
            said = float(likeliest_share(on_grid(each.chances[each.labelled]).sum(axis=0)))
            who = labeller_names(each.labellers)
            yield (
                system,
                Reason.of(ReasonCode.ESTIMATE_CONTRADICTED, pairs=pairs, labellers=who, estimate=said, share=truth),
            )
        elif len(each.chances) >= MIN_PAIRS:
            value = float(likeliest_share(on_grid(each.chances).sum(axis=0)))
            if not EDGE < value < 1 - EDGE:
                yield system, Reason.of(ReasonCode.ESTIMATE_AT_END_OF_SCALE, value=value)


def _collect_pairs(conversations: Iterable[Conversation]) -> _CountedPairs:
    pairs = [pair for pair in counted_pairs(conversations) if not isinstance(pair.chance, Undefined)]
    return _CountedPairs(
        np.array([pair.chance for pair in pairs], dtype=np.float64),
        [pair.reply for pair in pairs],
        [pair.cluster for pair in pairs],
        np.array([pair.match for pair in pairs]),
        np.array([pair.is_labelled for pair in pairs], dtype=bool),
        tuple(by for pair in pairs for by in pair.labellers),
    )


def _gap(judged: _CountedPairs, *, confidence: float) -> Estimate:
    """The model's estimate minus people's share of matches, on the replies that people labelled."""
    places = np.flatnonzero(judged.labelled).tolist()
    grid = on_grid(judged.chances[places])
    data = cluster_sums(np.column_stack([grid, judged.matches[places]]), [judged.clusters[place] for place in places])
    beliefs, matches = data.sums[:, : len(GRID)], data.sums[:, -1]
    whole, right = beliefs.sum(axis=0), matches.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        people = (right - matches) / (data.n - beliefs.sum(axis=1))
    sources = Sources(ImplicitAlignment())
    sources.add((judged.replies[place] for place in places), grid)
    variance = sources.metric.fit_variance(sources.parts(whole), {})
    return jackknife(
        share_without_each(beliefs, whole) - people,
        float(likeliest_share(whole)) - float(right) / data.n,
        data.n,
        confidence=confidence,
        added=0.0 if isinstance(variance, Undefined) else variance,
    )


def _excludes_zero(gap: Estimate) -> bool:
    interval = gap.interval
    return interval is not None and not interval.contains(0.0)

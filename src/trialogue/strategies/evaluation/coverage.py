"""Coverage of the taxonomy: system sentences that none of the thirteen strategies describes, grouped by similarity.

The taxonomy was derived from human dialogues; language models also apologise, fail to find things, make lists and summarise.
A sentence fits if the likeliest class is one of the 13 and the model is as confident as it is for 95% of held-out human
sentences with a strategy. Some human sentences do not fit (``expected``), and those with
``no_strategy`` should not: read a system's share beside that of people. It is a lower bound: a model may also be confidently
wrong about sentences unlike its training data.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.records import NO_STRATEGY, Dialogue, Estimate, Record, Response, Utterance
from trialogue.seeds import rng_for
from trialogue.stats import bootstrap_sums, bounded_share, cluster_sums
from trialogue.strategies.evaluation.grouping import Group, groups_of_sentences
from trialogue.strategies.language import LanguageCheck
from trialogue.strategies.learning.calibration import fits
from trialogue.strategies.learning.folds import align_classes
from trialogue.strategies.models import Model
from trialogue.strategies.sentences import sentences

GROUPS = 8
RESAMPLES = 2_000


class Coverage(Record):
    """Share of a system's utterances described by the 13 strategies."""

    kind: ClassVar[str] = "strategy_coverage"

    system: str | None
    """The system; None where the records do not say."""
    origin: str
    """The model."""
    threshold: float
    """A sentence fits if its likeliest class is a strategy and has at least this probability."""
    expected: float
    """Share of people's sentences with a strategy that do not fit, in the model's own training data, unseen."""
    responses: int
    """Utterances with text."""
    sentences: int
    """Sentences in them."""
    uncovered: Estimate
    """Share of responses without any sentence that fits."""
    uncovered_sentences: Estimate
    """Share of sentences that do not fit."""
    talk: Estimate
    """Share of sentences that do not fit because they are most likely ``no_strategy``: greetings, thanks, apologies."""
    other: Estimate
    """Share of sentences that do not fit because the model is not sure enough of any strategy."""
    groups: tuple[Group, ...]
    """Groups of similar sentences that fit no strategy, largest first; isolated sentences are in none."""


@dataclass
class _Said:
    texts: list[str] = field(default_factory=list)
    response: list[int] = field(default_factory=list)
    clusters: list[Hashable] = field(default_factory=list)
    """One for each response."""


def coverage_of(
    records: Iterable[Record],
    model: Model,
    *,
    threshold: float | None = None,
    groups: int = GROUPS,
    any_language: bool = False,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> tuple[Coverage, ...]:
    """Coverage by system name; records other than dialogues and responses are skipped.

    Args:
        records: dialogues (their system utterances) and responses.
        model: a calibrated model; one that was trained with ``no_strategy`` can tell small talk from the rest.
        threshold: probability from which a sentence fits; the model's own by default.
        groups: maximum number of groups.
        any_language: also judge text in languages that the model does not know.
        seed: seed for the intervals.
        resamples: bootstrap replicates; clusters are people, dialogues or situations.

    Raises:
        DataError: a system writes in a language that the model does not know.
        UsageError: no system utterance has any text, fewer than one group, or a threshold outside 0 to 1.
    """
    limit = model.unsure_below if threshold is None else threshold
    if groups < 1 or not 0 <= limit <= 1:
        raise UsageError(f"groups must be at least 1 and threshold 0 to 1, got {groups} and {limit}.")
    by_system: dict[str | None, _Said] = {}
    check = LanguageCheck(model)
    for system, utterance, cluster in _utterances(records):
        if not any_language:
            check.hear(system, [utterance.text])
        pieces = sentences(utterance.text)
        if pieces:
            said = by_system.setdefault(system, _Said())
            said.texts += pieces
            said.response += [len(said.clusters)] * len(pieces)
            said.clusters.append(cluster)
    check.finish()
    if not by_system:
        raise UsageError("these records contain no text by a system. Give dialogues or responses with system messages.")
    names = sorted(by_system, key=lambda name: (name is None, name or ""))
    return tuple(_coverage(name, by_system[name], model, limit, groups, seed, resamples) for name in names)


def _utterances(records: Iterable[Record]) -> Iterable[tuple[str | None, Utterance, Hashable]]:
    for record in records:
        if isinstance(record, Dialogue):
            yield from ((record.system, said, record.cluster) for said in record.utterances if said.speaker == "system")
        elif isinstance(record, Response):
            yield record.system, record.utterance, f"situation:{record.situation_id}"


def _coverage(
    system: str | None, said: _Said, model: Model, limit: float, groups: int, seed: int, resamples: int
) -> Coverage:
    rows = model.probabilities(said.texts)
    fit = fits(rows, model.classes, limit)
    talk = np.array(model.classes)[rows.argmax(axis=1)] == NO_STRATEGY
    response = np.array(said.response)
    covered = np.zeros(len(said.clusters), dtype=bool)
    np.logical_or.at(covered, response, fit)
    of_sentence = [said.clusters[place] for place in said.response]

    def share(which: npt.NDArray[np.bool_], clusters: Sequence[Hashable], name: str) -> Estimate:
        sums = cluster_sums(np.column_stack([which, np.ones(len(which))]), clusters)
        rng = rng_for(seed, "coverage", system or "", name)
        found = bootstrap_sums(sums, lambda sums: sums[..., 0] / sums[..., 1], rng=rng, resamples=resamples)
        return bounded_share(found)

    texts = [text for text, is_fit in zip(said.texts, fit.tolist(), strict=True) if not is_fit]
    strategies = [label for label in model.classes if label != NO_STRATEGY]
    nearest = align_classes(rows[~fit], model.classes, strategies).argmax(axis=1)
    return Coverage(
        system=system,
        origin=model.origin,
        threshold=limit,
        expected=round(1 - model.card.calibration.kept, 6),
        responses=len(said.clusters),
        sentences=len(said.texts),
        uncovered=share(~covered, said.clusters, "responses"),
        uncovered_sentences=share(~fit, of_sentence, "sentences"),
        talk=share(talk, of_sentence, "talk"),
        other=share(~fit & ~talk, of_sentence, "other"),
        groups=groups_of_sentences(
            texts,
            [strategies[column] for column in nearest],
            most=groups,
            total=len(said.texts),
        ),
    )

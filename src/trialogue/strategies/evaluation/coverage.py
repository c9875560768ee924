"""Coverage of the taxonomy: system sentences that none of the thirteen strategies describes, grouped by similarity.

The taxonomy was derived from human dialogues; language models also apologise, fail to find things, make lists and summarise.
A sentence fits if the likeliest class is one of the 13 and the model is as confident as it is for 95% of held-out human
sentences with a strategy. Some human sentences do not fit (``expected``), and those with
``no_strategy`` should not: read a system's share beside that of people. It is a lower bound: a model may also be confidently
wrong about sentences unlike its training data.

Cluster similar sentences.

Average-linkage clustering of TF-IDF vectors of words and word pairs, cut at a fixed cosine distance: the number of clusters
need not be chosen, nothing is random, and dissimilar sentences stay alone.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.records import NO_STRATEGY, Dialogue, Estimate, Record, Response, Utterance
from trialogue.seeds import rng_for
from trialogue.stats import bootstrap_sums, bounded_share, cluster_sums
from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.learning.calibration import fits
from trialogue.strategies.learning.features import Block, fold, words
from trialogue.strategies.learning.folds import align_classes
from trialogue.strategies.models import Model
from trialogue.strategies.sentences import LanguageCheck, sentences

FARTHEST = 0.8  # cosine distance at which groups are no longer joined
SHOWN = 5  # examples, and terms, of a group
MAX_COMPARED = 3_000  # different sentences, the most frequent ones: 36 MB of distances


class Group(Record):
    """Cluster of similar sentences that fit no strategy."""

    n: int
    """Number of sentences in the group."""
    share: float
    """Share of the system's sentences."""
    terms: tuple[str, ...]
    """Words and word pairs that set it apart, the most telling first."""
    examples: tuple[str, ...]
    """Its most typical sentences."""
    nearest: str
    """The strategy that the model would have chosen most often."""


@dataclass(frozen=True, eq=False)
class _Distinct:
    """Different sentences, the most frequent first."""

    texts: tuple[str, ...]
    counts: Ints
    nearest: tuple[str, ...]
    vectors: Floats
    """Unit vectors, shape (n, n_terms)."""
    terms: tuple[str, ...]


def groups_of_sentences(texts: Sequence[str], nearest: Sequence[str], *, most: int, total: int) -> tuple[Group, ...]:
    """Clusters of at least two sentences, largest first; duplicates count as often as they occur.

    Their order does not matter. Of more than 3,000 different sentences the most frequent are compared.

    Args:
        texts: the sentences.
        nearest: the strategy that each would have been given.
        most: groups at most.
        total: sentences that shares are of.
    """
    found = _distinct(texts, nearest)
    if len(found.texts) < 2:
        members = [np.arange(len(found.texts))]
    else:
        of_each = _link_groups(found.vectors)
        members = [np.flatnonzero(of_each == group) for group in np.unique(of_each)]
    made = [_group(found, places, total) for places in members if found.counts[places].sum() > 1]
    return tuple(sorted(made, key=lambda group: (-group.n, group.examples))[:most])


def _distinct(texts: Sequence[str], nearest: Sequence[str]) -> _Distinct:
    counts, chosen = Counter(texts), dict(zip(texts, nearest, strict=True))
    kept = sorted(counts, key=lambda text: (-counts[text], text))[:MAX_COMPARED]
    documents = [_terms(text) for text in kept]
    block = Block.fit(documents)
    rows = [[block.index[term] for term in terms if term in block.index] for terms in documents]
    vectors = block.matrix(rows).toarray() if block.terms else np.zeros((len(kept), 0))
    return _Distinct(
        tuple(kept),
        np.array([counts[text] for text in kept]),
        tuple(chosen[text] for text in kept),
        vectors,
        block.terms,
    )


def _link_groups(vectors: Floats) -> Ints:
    """The group of each row."""
    from scipy.cluster.hierarchy import fcluster, linkage

    low, high = np.triu_indices(len(vectors), 1)
    distances = np.clip(1 - (vectors @ vectors.T)[low, high], 0, None)
    return np.asarray(fcluster(linkage(distances, "average"), FARTHEST, "distance"), dtype=np.int64)


def _group(found: _Distinct, members: Ints, total: int) -> Group:
    center = np.average(found.vectors[members], axis=0, weights=found.counts[members])
    closeness = found.vectors[members] @ center
    typical = members[np.lexsort((members, -closeness))][:SHOWN].tolist()
    telling = np.argsort(-(center - found.vectors.mean(axis=0)), kind="stable")[:SHOWN].tolist()
    votes: Counter[str] = Counter()
    for member in members.tolist():
        votes[found.nearest[member]] += int(found.counts[member])
    n = int(found.counts[members].sum())
    return Group(
        n=n,
        share=n / total,
        terms=tuple(found.terms[column] for column in telling if center[column] > 0),
        examples=tuple(found.texts[member] for member in typical),
        nearest=min(votes, key=lambda name: (-votes[name], name)),
    )


def _terms(text: str) -> list[str]:
    """Words and word pairs, without marks and punctuation; the text itself where there is no word."""
    tokens = [token for token in words(fold(text))[1:-1] if token.isalnum()]
    return [*tokens, *(f"{one} {other}" for one, other in pairwise(tokens))] or [text]


GROUPS = 8
RESAMPLES = 2_000


class Coverage(Record):
    """Share of a system's utterances described by the 13 strategies."""

    kind: ClassVar[str] = "strategy_coverage"

    system: str | None
    """The system; None where the records do not say."""
    origin: str
    """Origin of the model that judged the sentences."""
    threshold: float
    """A sentence fits if its likeliest class is a strategy and has at least this probability."""
    expected: float
    """Share of people's sentences with a strategy that do not fit, in the model's own training data, unseen."""
    responses: int
    """Number of the system's utterances with text."""
    sentences: int
    """Number of sentences in these utterances."""
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

"""Cluster similar sentences.

Average-linkage clustering of TF-IDF vectors of words and word pairs, cut at a fixed cosine distance: the number of clusters
need not be chosen, nothing is random, and dissimilar sentences stay alone.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from trialogue.records import Record
from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.learning.features import Block, fold, words

FARTHEST = 0.8  # cosine distance at which groups are no longer joined
SHOWN = 5  # examples, and terms, of a group
MAX_COMPARED = 3_000  # different sentences, the most frequent ones: 36 MB of distances


class Group(Record):
    """Cluster of similar sentences that fit no strategy."""

    n: int
    """Sentences."""
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

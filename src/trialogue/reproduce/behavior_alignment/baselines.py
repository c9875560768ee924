"""Behavior Alignment of baselines that ignore the user, without which its scores cannot be interpreted.

Not in the paper.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.records import NO_STRATEGY, STRATEGIES, Dialogue, Estimate
from trialogue.reproduce.behavior_alignment.rows import Row
from trialogue.seeds import rng_for
from trialogue.stats import bootstrap_sums, cluster_sums
from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.learning.dyads import Bools
from trialogue.strategies.next_strategy.evaluation import Predictions, cross_validate
from trialogue.strategies.next_strategy.ngram import NGramFit
from trialogue.strategies.next_strategy.sequence import Tokens, sequences_of

PART = "Baselines of Behavior Alignment (not in the paper)"
SAME_TURN = "a human sentence at the same turn of another dialogue"
GREETINGS = "greetings match greetings: the first turn, which Eq. 2 leaves out, is counted here"


def rows(dialogues: Sequence[Dialogue], *, seed: int, resamples: int) -> Iterator[Row]:
    """Baselines: random human utterance, same turn of another dialogue, majority strategy, predicted strategy."""
    known = _collect_labels(dialogues)
    on = f"INSPIRED, {len(known)} sentences with one of the 13"

    def row(what: str, shares: Shares, why: str | None = None) -> Row:
        return _row(what, on, shares, seed, resamples, why)

    frequent = known.labels == np.bincount(known.labels).argmax()
    later = known.rows(known.turns > 0)
    yield row("a random human sentence of another dialogue", _random(known))
    yield row(SAME_TURN, match_probabilities(known.labels, known.turns, known.owners), GREETINGS)
    yield row(f"{SAME_TURN}, first turn left out", match_probabilities(later.labels, later.turns, later.owners))
    later = known.rows(known.sentences > 0)
    yield row(
        "two human sentences at the same position in their dialogues, first ones left out",
        share_of_matching_pairs(later.labels, later.sentences, later.owners),
        ("every pair of sentences has equal weight, so early sentences, which most dialogues have, dominate"),
    )
    yield row("always the most frequent strategy", Shares.from_hits(frequent.astype(np.float64), known.owners))
    sequences: dict[str, Tokens] = sequences_of(dialogues)
    predictions = cross_validate(NGramFit(order=2), sequences, rng=rng_for(seed, "context"))
    best: Predictions = predictions.restrict(STRATEGIES)
    what = "the most probable strategy given the preceding strategies (n-gram, held-out dialogues)"
    yield row(what, Shares.from_hits(best.hits(1), best.dialogues))


@dataclass(frozen=True, eq=False)
class Shares:
    """Hits of trials by dialogue, one row per sentence."""

    hits: Floats
    """Shape (n,)."""
    trials: Floats
    """Shape (n,)."""
    owners: tuple[str, ...]
    """Dialogue of each row."""

    @classmethod
    def from_hits(cls, hits: Floats, owners: Iterable[object], trials: Floats | None = None) -> "Shares":
        """Hits of one trial each, or of so many."""
        return cls(hits, np.ones(len(hits)) if trials is None else trials, tuple(str(owner) for owner in owners))

    @property
    def value(self) -> float:
        """All hits by all trials."""
        return float(self.hits.sum() / self.trials.sum())


def _row(what: str, on: str, shares: Shares, seed: int, resamples: int, why: str | None) -> Row:
    sums = cluster_sums(np.column_stack([shares.hits, shares.trials]), shares.owners)
    found: Estimate = bootstrap_sums(
        sums, lambda each: each[..., 0] / each[..., 1], rng=rng_for(seed, "baseline", what), resamples=resamples
    )
    return Row(part=PART, what=what, on=on, ours=found, status="ours", why=why)


@dataclass(frozen=True, eq=False)
class LabelledSentences:
    """Sentences of recommenders with one of the 13 strategies."""

    labels: Ints
    """Place of the strategy among the 13, shape (n,)."""
    turns: Ints
    """Turn index within the recommender's turns, from 0."""
    sentences: Ints
    """Sentence index within the recommender's sentences, from 0; unlabelled ones count."""
    owners: Ints
    """Number of the dialogue."""

    def __len__(self) -> int:
        return len(self.labels)

    def rows(self, wanted: Bools) -> "LabelledSentences":
        """Select some of the sentences."""
        return LabelledSentences(self.labels[wanted], self.turns[wanted], self.sentences[wanted], self.owners[wanted])


def _collect_labels(dialogues: Sequence[Dialogue]) -> LabelledSentences:
    names = {name: place for place, name in enumerate(STRATEGIES)}
    found = []
    for number, dialogue in enumerate(dialogues):
        turn, sentence, before = -1, -1, "user"
        for said in dialogue.utterances:
            if said.speaker == "system":
                turn += before == "user" or turn < 0
                sentence += 1
                label = next((one.strategy for one in said.strategies or () if one.origin == "expert"), NO_STRATEGY)
                if label in names:
                    found.append((names[label], turn, sentence, number))
            before = said.speaker
    return LabelledSentences(*np.array(found, dtype=np.int64).reshape(-1, 4).T)


def _random(known: LabelledSentences) -> Shares:
    """For each sentence the share of the sentences of other dialogues that have its strategy: all draws at once."""
    return match_probabilities(known.labels, np.zeros_like(known.labels), known.owners)


def match_probabilities(labels: Ints, places: Ints, owners: Ints) -> Shares:
    """Per sentence: probability that a random sentence at the same position of another dialogue has the same label.

    0 where no other dialogue is as long. Every sentence counts once, whatever its place.
    """
    alike, others = _count_matches(labels, places, owners)
    return Shares.from_hits(alike / np.maximum(others, 1), owners.tolist())


def share_of_matching_pairs(labels: Ints, places: Ints, owners: Ints) -> Shares:
    """Share of sentence pairs from two dialogues at the same position with the same label."""
    alike, others = _count_matches(labels, places, owners)
    return Shares.from_hits(alike, owners.tolist(), others)


def _count_matches(labels: Ints, places: Ints, owners: Ints) -> tuple[Floats, Floats]:
    """For each sentence, how many of other dialogues at its place have its label, and how many there are."""

    def group(*columns: Ints) -> Ints:
        _, found = np.unique(np.column_stack(columns), axis=0, return_inverse=True)
        counts = np.bincount(found.ravel())
        return np.asarray(counts[found.ravel()])

    alike = group(places, labels) - group(places, labels, owners)
    others = group(places) - group(places, owners)
    return alike.astype(np.float64), others.astype(np.float64)

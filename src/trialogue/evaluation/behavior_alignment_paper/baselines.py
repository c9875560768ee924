"""What needs no listening: a score of Behavior Alignment means nothing without these. Not in the paper."""

from collections.abc import Iterator, Sequence

import numpy as np

from trialogue.evaluation.behavior_alignment_paper.rows import Row
from trialogue.records import NO_STRATEGY, STRATEGIES, Dialogue, Estimate
from trialogue.seeds import rng_for
from trialogue.stats import bootstrap_sums, cluster_sums
from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.sequence import Tokens, sequences_of
from trialogue.strategies.sequence_evaluation import Predictions, cross_validated
from trialogue.strategies.sequence_ngram import NGramFit
from trialogue.strategies.sequence_recurrent import RecurrentFit

PART = "Baselines of Behavior Alignment (not in the paper)"


def rows(dialogues: Sequence[Dialogue], *, seed: int, resamples: int, recurrent: bool = True) -> Iterator[Row]:
    """Random human utterance, same turn of another dialogue, majority strategy, best guess from what came before."""
    labels, places, owners = _labelled(dialogues)
    on = f"INSPIRED, {len(labels)} sentences with one of the 13"
    found = [
        ("a random human sentence of another dialogue", _random(labels, owners)),
        ("a human sentence at the same turn of another dialogue", _same_turn(labels, places, owners)),
        ("always the most frequent strategy", labels == np.bincount(labels).argmax()),
    ]
    for what, hits in found:
        yield _row(what, on, hits.astype(np.float64), owners.tolist(), seed, resamples)
    sequences: dict[str, Tokens] = sequences_of(dialogues)
    fits = [("n-gram", NGramFit(order=2))]
    guesses = [(name, cross_validated(fit, sequences, rng=rng_for(seed, "context"))) for name, fit in fits]
    if recurrent:
        rng = rng_for(seed, "context")
        guesses.append(("recurrent", cross_validated(RecurrentFit(seed=seed), sequences, rng=rng)))
    for name, predictions in guesses:
        best: Predictions = predictions.among(STRATEGIES)
        what = f"the best guess from the strategies before ({name}, unseen dialogues)"
        yield _row(what, on, best.hits(1), list(best.dialogues), seed, resamples)


def _row(what: str, on: str, hits: Floats, owners: Sequence[object], seed: int, resamples: int) -> Row:
    sums = cluster_sums(np.column_stack([hits, np.ones(len(hits))]), [str(owner) for owner in owners])
    found: Estimate = bootstrap_sums(
        sums, lambda each: each[..., 0] / each[..., 1], rng=rng_for(seed, "baseline", what), resamples=resamples
    )
    return Row(part=PART, what=what, on=on, ours=found, status="ours")


def _labelled(dialogues: Sequence[Dialogue]) -> tuple[Ints, Ints, Ints]:
    """Strategy, number of the recommender's turn, and dialogue of every sentence with one of the 13."""
    names = {name: place for place, name in enumerate(STRATEGIES)}
    found = []
    for number, dialogue in enumerate(dialogues):
        turn, before = -1, "user"
        for said in dialogue.utterances:
            if said.speaker == "system":
                turn += before == "user" or turn < 0
                label = next((one.strategy for one in said.strategies or () if one.origin == "expert"), NO_STRATEGY)
                if label in names:
                    found.append((names[label], turn, number))
            before = said.speaker
    table = np.array(found, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _random(labels: Ints, owners: Ints) -> Floats:
    """For each sentence the share of the sentences of other dialogues that have its strategy: all draws at once."""
    whole = np.bincount(labels, minlength=len(STRATEGIES)).astype(np.float64)
    own = np.zeros((int(owners.max(initial=-1)) + 1, len(STRATEGIES)))
    np.add.at(own, (owners, labels), 1)
    others = whole - own[owners]
    return np.asarray(others[np.arange(len(labels)), labels] / others.sum(axis=1))


def _same_turn(labels: Ints, places: Ints, owners: Ints) -> Floats:
    """The same among sentences of the same turn; 0 where no other dialogue is as long."""
    hits = np.zeros(len(labels))
    for turn in np.unique(places):
        here = np.flatnonzero(places == turn)
        for place in here:
            others = here[owners[here] != owners[place]]
            hits[place] = float(np.mean(labels[others] == labels[place])) if len(others) else 0.0
    return hits

"""Recommenders that do not listen, beside measures of alignment; one of them foresees what people do, and reads no word."""

from collections.abc import Sequence

import numpy as np

from trialogue.errors import UsageError
from trialogue.metrics import AnyMetric, Conversation, Settings
from trialogue.metrics.alignment_floors import FLOOR, alignment_floors
from trialogue.metrics.floor_scores import alignment_floor_scores
from trialogue.records import Score, Situation

LEAST_DIALOGUES = 10  # of fewer, a part of the others is too little to learn from
FOLDS = 10
ORDER = 3
ALONE = "There are no floors beside alignment: they repeat what people said in other dialogues, and there is one alone."
TOO_FEW = (
    "floor:context is not shown: it learns from other dialogues what follows what, and takes ten whose recommender is "
    "labelled."
)


def with_floors(
    scores: Sequence[Score],
    conversations: Sequence[Conversation],
    situations: Sequence[Situation],
    metrics: Sequence[AnyMetric],
    *,
    settings: Settings,
) -> tuple[list[Score], list[str]]:
    """The scores, and those of the floors and of differences to them; sentences on floors that are not there.

    Nothing is added where alignment was not measured, or where the systems are floors themselves.

    Args:
        scores: of the systems.
        conversations: of the systems, offline.
        situations: that they answered.
        metrics: that were measured.
        settings: of the scores.
    """
    signatures = {score.measure: score.signature for score in scores if score.level == "system"}
    aligned = [each for each in metrics if each.card.family == "alignment" and each.measure in signatures]
    if not aligned or any(each.system.startswith(FLOOR) for each in conversations):
        return list(scores), []
    floors = alignment_floors(situations, foreseen=foreseen_strategies(situations))
    if floors is None:
        return list(scores), [ALONE]
    beside = alignment_floor_scores(floors, conversations, aligned, settings=settings, signatures=signatures)
    return [*scores, *beside], [] if floors.foreseen else [TOO_FEW]


def foreseen_strategies(situations: Sequence[Situation], *, order: int = ORDER) -> dict[str, tuple[str, ...]]:
    """For each situation by its id all strategies, the likeliest first; {} where fewer than ten dialogues are labelled.

    By an n-gram of both sides' behavior (Witten-Bell): strategies of the recommender, acts of the user. It is learned from
    the other dialogues, in ten parts, each foreseen from the other nine; no seed changes them.

    Args:
        situations: with contexts whose system utterances are labelled, and references.
        order: of the n-gram; one less is how many behaviors it looks back on.
    """
    from trialogue.evaluation.planning import whole_dialogues  # here: most evaluations need no model of sequences
    from trialogue.strategies.sequence import next_distribution, sequences_of, tokens_of
    from trialogue.strategies.sequence_ngram import NGramFit

    try:
        sequences = sequences_of(whole_dialogues(situations))
    except UsageError:  # nothing is labelled
        return {}
    if len(sequences) < LEAST_DIALOGUES:
        return {}
    fold_of = {name: place % FOLDS for place, name in enumerate(sorted(sequences))}
    fit = NGramFit(order=order)
    models = [fit([tokens for name, tokens in sequences.items() if fold_of[name] != fold]) for fold in range(FOLDS)]
    found = {}
    for situation in situations:
        model = models[fold_of.get(situation.dialogue_id or situation.id, 0)]
        shares = next_distribution(model, tokens_of(situation.context, user=model.user))
        likeliest = np.argsort(-shares, kind="stable")
        found[situation.id] = tuple(model.classes[place] for place in likeliest.tolist())
    return found

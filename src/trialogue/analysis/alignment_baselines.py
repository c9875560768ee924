"""Add baselines that ignore the user to alignment measures; one predicts strategies from the preceding ones."""

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from trialogue.metrics import AnyMetric, Conversation, Settings
from trialogue.metrics.alignment.baseline_scores import alignment_baseline_scores
from trialogue.metrics.alignment.reply_baselines import alignment_baselines, thin_evenly
from trialogue.metrics.base import Array
from trialogue.records import Role, Score, Situation

if TYPE_CHECKING:
    from trialogue.strategies.next_strategy.sequence import Tokens

MIN_DIALOGUES = 10  # of fewer, a part of the others is too little to learn from
FOLDS = 10
LOOKS_BACK = 4  # behaviors
LAST_TURN = 10  # this and later ones are alike
ALONE = (
    "There are no baselines for alignment: they repeat what people said in other dialogues, and "
    "there is only one dialogue."
)
TOO_FEW = (
    "The baseline 'context' is not shown: it learns from other dialogues which strategy follows "
    "which, and needs ten dialogues with labels of the recommender."
)


def with_baselines(
    scores: Sequence[Score],
    conversations: Sequence[Conversation],
    situations: Sequence[Situation],
    metrics: Sequence[AnyMetric],
    *,
    settings: Settings,
) -> tuple[list[Score], list[str]]:
    """Add scores of baselines and differences to them, with sentences on missing baselines.

    Nothing is added where alignment was not measured, where there are no references, or where the systems are baselines
    themselves.

    Args:
        scores: scores of the systems.
        conversations: conversations of the systems, offline.
        situations: situations that they answered.
        metrics: metrics that were measured.
        settings: settings of the scores.
    """
    signatures: dict[str, str | None] = {score.measure: score.signature for score in scores if score.level == "system"}
    aligned = [each for each in metrics if each.card.family == "alignment" and each.measure in signatures]
    if not aligned or any(each.role is Role.BASELINE for each in conversations):
        return list(scores), []
    if not (spaced := thin_evenly(situations)):  # no references: the systems' scores say so
        return list(scores), []
    baselines = alignment_baselines(spaced, predicted=predicted_strategies(spaced))
    if baselines is None:
        return list(scores), [ALONE]
    beside = alignment_baseline_scores(baselines, conversations, aligned, settings=settings, signatures=signatures)
    beside = _rename_namesakes(beside, {each.system for each in conversations})
    lacking = not baselines.predicted and any(each.value is not None for each in beside)
    return [*scores, *beside], [TOO_FEW] if lacking else []


def _rename_namesakes(scores: Sequence[Score], systems: Set[str]) -> list[Score]:
    """The scores, with baselines that happen to be called like a system renamed: "majority (baseline)"."""
    names: dict[str | None, str] = {}
    for score in scores:
        for name, role in ((score.system, score.role), (score.versus, score.versus_role)):
            if role is Role.BASELINE and name is not None:
                apart = name
                while apart in systems:
                    apart += " (baseline)"
                names[name] = apart
    return [
        score.model_copy(
            update={
                "system": names[score.system] if score.role is Role.BASELINE else score.system,
                "versus": names[score.versus] if score.versus_role is Role.BASELINE else score.versus,
            }
        )
        for score in scores
    ]


def predicted_strategies(situations: Sequence[Situation]) -> dict[str, tuple[str, ...]]:
    """Predicted strategies by situation id, most probable first; {} if fewer than ten dialogues have labels.

    By a multinomial logistic regression (L2, C = 0.1) on the last four behaviors of both sides, on which have occurred, and
    on the turn. Behaviors are strategies of the recommender and acts of the user (``USER_ACTS``, such as a question);
    nothing else is known of what is said. It is learned from the other dialogues, in ten parts, each predicted from the
    other nine; no seed changes it. C was chosen between 0.1 and 0.3 on INSPIRED.

    Args:
        situations: situations with labels on references, and on the system's utterances before them.
    """
    from trialogue.strategies.next_strategy.sequence import (
        tokens_of,  # here: most evaluations need no model of sequences
    )

    known = [one for one in situations if one.reference is not None and one.reference.strategies]
    names = sorted({one.cluster for one in known})
    if len(names) < MIN_DIALOGUES:
        return {}
    fold_of = {name: place % FOLDS for place, name in enumerate(names)}
    histories = {one.id: tokens_of(one.context) for one in situations}
    found: dict[str, tuple[str, ...]] = {}
    for fold in range(FOLDS):
        taught = [one for one in known if fold_of[one.cluster] != fold]
        asked = [one for one in situations if fold_of.get(one.cluster, 0) == fold]
        rankings = _predict_strategies(
            [histories[one.id] for one in taught], _first_strategies(taught), [histories[one.id] for one in asked]
        )
        found.update(zip((one.id for one in asked), rankings, strict=True))
    return found


def _first_strategies(situations: Sequence[Situation]) -> list[str]:
    """The first strategy of each reference."""
    return [one.reference.strategies[0].strategy for one in situations if one.reference and one.reference.strategies]


def _predict_strategies(
    taught: Sequence["Tokens"], strategies: Sequence[str], asked: Sequence["Tokens"]
) -> list[tuple[str, ...]]:
    """Strategies after each history that is asked about, likeliest first, from those after other histories."""
    from sklearn.linear_model import LogisticRegression

    classes = sorted(set(strategies))
    if not asked or len(classes) < 2:
        return [tuple(classes)] * len(asked)
    columns = {token: place for place, token in enumerate(sorted({token for each in taught for token in each}))}
    model = LogisticRegression(C=0.1, max_iter=1_000).fit(_features(taught, columns), list(strategies))
    shares = model.predict_proba(_features(asked, columns))
    order = np.argsort(-shares, axis=1, kind="stable")
    return [tuple(str(model.classes_[place]) for place in row) for row in order.tolist()]


def _features(histories: Sequence["Tokens"], columns: Mapping[str, int]) -> Array:
    """The last four behaviors, which have occurred, and the user's turn, each as zeros and ones."""
    size = len(columns)
    rows = np.zeros((len(histories), (LOOKS_BACK + 1) * size + LAST_TURN + 1))
    for row, history in zip(rows, histories, strict=True):
        for back, token in enumerate(reversed(history)):
            place = columns.get(token)
            if place is not None:
                row[LOOKS_BACK * size + place] = 1
                if back < LOOKS_BACK:
                    row[back * size + place] = 1
        row[(LOOKS_BACK + 1) * size + min(LAST_TURN, sum(token.startswith("user:") for token in history))] = 1
    return rows

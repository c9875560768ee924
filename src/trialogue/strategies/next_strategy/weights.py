"""Inverse-entropy weights of deviations from the human reference.

Where human recommenders vary, a deviation is a minor fault; where nearly all do the same, it is a major one.
Yang et al. (SIGIR 2024, section 8) propose the inverse entropy of P(B_i | B_{i-1}, ..., B_{i-t}) as the weight of a
penalty. With K classes and p the model's distribution after the last t tokens,

    w = ln K / max(H(p), MIN_ENTROPY_SHARE ln K),        H(p) = - sum over k of p_k ln p_k

which is 1 where nothing is known (uniform p), larger where the next strategy is predictable, and at most
1 / MIN_ENTROPY_SHARE. It has no unit and does not depend on other situations; a weighted score divides by the sum of the
weights. Tokens are those of both sides unless the model leaves user turns out; smoothing is the model's. Fit the model on
other dialogues than those that are scored.

The paper expects early stages to be the random ones. In INSPIRED the opening is the most predictable part (entropy .36 of
ln K on average) and weighs most, the middle (.80) least: ``benchmarks/SEQUENCE.md``.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Dialogue, JsonValue, Response, Situation, Utterance
from trialogue.strategies.base import Floats
from trialogue.strategies.next_strategy.sequence import (
    SequenceModel,
    Tokens,
    histories_of,
    latest,
    next_distribution,
    tokens_of,
)

MIN_ENTROPY_SHARE = 0.05  # of ln K: no situation weighs more than 20 times an unforeseeable one
WEIGHT, WEIGHT_BY = "strategy_weight", "strategy_weight_by"
"""Keys of ``Utterance.meta``: the weight, and who says so."""

RecordT = TypeVar("RecordT", Dialogue, Situation, Response)


def entropy_shares(model: SequenceModel, histories: Sequence[Tokens], t: int | None = None) -> Floats:
    """Entropy of the next strategy over that of the uniform distribution, shape (n,): between 0 and 1.

    Args:
        model: model of the next strategy.
        histories: histories from ``START`` on, with user turns written as the model wants them (``model.user``).
        t: tokens to look back on, at most ``model.memory``; None: as far as the model looks.

    Raises:
        UsageError: t is negative or longer than the model looks back, or given for a model without such a bound.
    """
    _check_t(model, t)
    known: dict[Tokens, float] = {}
    for history in histories:
        seen = history if t is None else latest(history, t)
        if seen not in known:
            known[seen] = _entropy(next_distribution(model, seen)) / float(np.log(len(model.classes)))
    return np.array([known[history if t is None else latest(history, t)] for history in histories])


def _entropy(row: Floats) -> float:
    positive = row[row > 0]
    return -float((positive * np.log(positive)).sum())


def inverse_entropy_weights(model: SequenceModel, histories: Sequence[Tokens], t: int | None = None) -> Floats:
    """The weight of what follows each history, shape (n,): between 1 and 1 / MIN_ENTROPY_SHARE.

    Takes and raises what ``entropy_shares`` does.
    """
    return np.asarray(1 / np.clip(entropy_shares(model, histories, t), MIN_ENTROPY_SHARE, 1.0))


def write_weights(records: Iterable[RecordT], model: SequenceModel, *, t: int | None = None) -> Iterator[RecordT]:
    """The records with the weight of each place written onto the utterance of the human reference.

    In a dialogue every system utterance gets one, from what came before it; of a situation the reference does, from its
    context. Responses come back as they are: the weight belongs to what they answer. ``meta["strategy_weight"]`` is the
    number, ``meta["strategy_weight_by"]`` the model's origin and t. Earlier weights are replaced.

    Raises:
        UsageError: see ``entropy_shares``.
    """
    _check_t(model, t)
    by = f"{model.origin}|t={'all' if t is None else t}"
    for record in records:
        if isinstance(record, Dialogue):
            yield record.model_copy(update={"utterances": _weighted_utterances(record, model, t, by)})
        elif isinstance(record, Situation) and record.reference is not None:
            weight = _weight(model, tokens_of(record.context, user=model.user), t)
            yield record.model_copy(update={"reference": _write_weight(record.reference, weight, by)})
        else:
            yield record


def _weighted_utterances(dialogue: Dialogue, model: SequenceModel, t: int | None, by: str) -> tuple[Utterance, ...]:
    utterances = list(dialogue.utterances)
    for index, history in histories_of(dialogue, user=model.user):
        utterances[index] = _write_weight(utterances[index], _weight(model, history, t), by)
    return tuple(utterances)


def _weight(model: SequenceModel, history: Tokens, t: int | None) -> float:
    return float(inverse_entropy_weights(model, [history], t)[0])


def _write_weight(utterance: Utterance, weight: float, by: str) -> Utterance:
    meta: dict[str, JsonValue] = {**utterance.meta, WEIGHT: weight, WEIGHT_BY: by}
    return utterance.model_copy(update={"meta": meta})


def _check_t(model: SequenceModel, t: int | None) -> None:
    if t is None:
        return
    if model.memory is None:
        raise UsageError(
            f"this model always uses the whole history, so t={t} is not possible. Use an n-gram model, or omit t."
        )
    if not 0 <= t <= model.memory:
        raise UsageError(
            f"t must be 0 to {model.memory}, the history of this model, got {t}. For a longer one, use order={t + 1}."
            if t > 0
            else f"t must be 0 (no history) or more, got {t}."
        )

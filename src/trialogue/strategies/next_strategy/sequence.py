"""Dialogues as token sequences of behaviors, and the interface of sequence models.

Yang et al. (SIGIR 2024, section 8) propose to treat each behavior as a token and to learn which one comes next. A token is
a strategy of the system (one per label: several sentences of a turn are a sequence), or one *act* of the user for a
whole user turn, since user turns have no strategy labels. Merging the utterances of a turn (``merge_turns``) changes
nothing. A sequence begins with ``START``; one without it is a history of which only the end is known.

Inverse-entropy weights of deviations from the human reference.

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

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.records import Dialogue, JsonValue, Response, Situation, Utterance
from trialogue.strategies.base import CLASSES, Floats

Tokens: TypeAlias = tuple[str, ...]
"""Behaviors, oldest first."""
UserTokens: TypeAlias = Literal["acts", "turn", "none"]

START = "<start>"
"""Before the first utterance of a dialogue."""
UNLABELLED = "system:unlabelled"
"""A system utterance without labels: seen in a history, never predicted."""
USER_TURN = "user:turn"

USER_TOKENS: dict[str, str] = {
    "acts": "a user turn is the first of USER_ACTS that applies to it",
    "turn": f"every user turn is {USER_TURN}, whatever the user said",
    "none": "user turns are left out",
}

USER_ACTS: tuple[tuple[str, str], ...] = (
    ("user:thanks", r"\b(thanks?|thx|thank you|ty)\b|\b(bye|goodbye|good night|have a (good|great|nice))\b"),
    ("user:question", r"\?"),
    ("user:mention", r"(?!)"),
    (
        "user:yes",
        r"^\W*(yes|yeah|yep|yup|sure|ok(ay)?|of course|definitely|absolutely|sounds|i (will|would|have|do)\b)",
    ),
    ("user:no", r"^\W*(no|nope|nah|not|never|i (haven't|have not|don't|do not|didn't|did not))\b"),
    ("user:greeting", r"^\W*(hi|hello|hey|good (morning|afternoon|evening)|greetings)\b"),
    ("user:statement", r""),
)
"""Acts of a user turn and patterns (in lower case), in this order; the first that occurs decides. ``user:mention`` also
applies, in its place, where the turn names an item (``Utterance.mentions``), and then only."""

_COMPILED = [(act, re.compile(pattern)) for act, pattern in USER_ACTS]


class SequenceModel(Protocol):
    """A model of the system's next strategy."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Predicted classes, in the order of its probabilities."""
        ...

    @property
    def user(self) -> UserTokens:
        """Required encoding of user turns."""
        ...

    @property
    def memory(self) -> int | None:
        """Number of preceding tokens used; None: all."""
        ...

    @property
    def origin(self) -> str:
        """Model, settings, version and hash of its training data."""
        ...

    def prefix_distributions(self, tokens: Tokens) -> Floats:
        """Distribution over the classes after each beginning of a sequence, shape (len(tokens) + 1, n_classes).

        Row i is for what follows ``tokens[:i]``, if the system says it. Rows sum to 1 and are positive. Tokens that were
        not seen in training are allowed.
        """
        ...

    def to_json(self) -> dict[str, Any]:
        """Everything that is needed to have it again, as JSON values."""
        ...


SequenceFit: TypeAlias = Callable[[Sequence[Tokens]], SequenceModel]
"""Trains a model on whole dialogues; the same ones in the same order give the same model."""


def user_act(turn: Sequence[Utterance]) -> str:
    """User act of a turn: the first of USER_ACTS that applies to its texts, joined by spaces.

    >>> user_act([Utterance(speaker="user", text="I liked it."), Utterance(speaker="user", text="Who is in it?")])
    'user:question'
    """
    text = " ".join(utterance.text for utterance in turn).lower().replace("’", "'")
    names_item = any(utterance.mentions for utterance in turn)
    for act, pattern in _COMPILED:
        if pattern.search(text) or (act == "user:mention" and names_item):
            return act
    raise AssertionError("the last pattern occurs in every text")


def tokens_of(utterances: Iterable[Utterance], *, user: UserTokens = "acts") -> Tokens:
    """The behaviors of the beginning of a dialogue, ``START`` first.

    Of a system utterance the labels of the annotator who gave its first one count, in their order; one without labels is
    ``UNLABELLED``. Names of strategies are not checked: labels of another set are tokens, too.

    Args:
        utterances: utterances from the first one of the dialogue on; none give ``(START,)``.
        user: how user turns are written, see USER_TOKENS.

    Raises:
        UsageError: ``user`` is none of USER_TOKENS.

    >>> tokens_of([Utterance(speaker="system", text="Hello!"), Utterance(speaker="user", text="Hi")])
    ('<start>', 'system:unlabelled', 'user:greeting')
    """
    return (START, *(token for _, tokens in _steps(utterances, user) for token in tokens))


def _steps(utterances: Iterable[Utterance], user: UserTokens) -> Iterator[tuple[int, Tokens]]:
    """The index and the tokens of each system utterance, and of each user turn as a whole."""
    check_user(user)
    index = 0
    for speaker, turn in groupby(utterances, key=lambda utterance: utterance.speaker):
        said = list(turn)
        if speaker == "user":
            yield index, {"acts": (user_act(said),), "turn": (USER_TURN,), "none": ()}[user]
        else:
            yield from ((place, strategies_of(utterance)) for place, utterance in enumerate(said, start=index))
        index += len(said)


def strategies_of(utterance: Utterance) -> Tokens:
    """The tokens of one system utterance."""
    labels = utterance.strategies or ()
    return tuple(label.strategy for label in labels if label.origin == labels[0].origin) or (UNLABELLED,)


def sequences_of(
    dialogues: Iterable[Dialogue], *, user: UserTokens = "acts", classes: Sequence[str] = CLASSES
) -> dict[str, Tokens]:
    """The sequence of each dialogue by its id: what models are trained on.

    Dialogues without any label of ``classes`` are left out: there is nothing to predict in them.

    Raises:
        UsageError: no dialogue has labels, or two have the same id.
    """
    wanted = frozenset(classes)
    found: dict[str, Tokens] = {}
    for dialogue in dialogues:
        tokens = tokens_of(dialogue.utterances, user=user)
        if dialogue.id in found:
            raise UsageError(f"two dialogues have the id {dialogue.id!r}. Ids must be unique.")
        if not wanted.isdisjoint(tokens):
            found[dialogue.id] = tokens
    if not found:
        raise UsageError(
            f"no dialogue has a strategy label of {', '.join(classes)}. Label them first, or name their classes."
        )
    return found


def histories_of(dialogue: Dialogue, *, user: UserTokens = "acts") -> Iterator[tuple[int, Tokens]]:
    """For each system utterance its index and all that came before it, from ``START`` on."""
    history: Tokens = (START,)
    for index, tokens in _steps(dialogue.utterances, user):
        if dialogue.utterances[index].speaker == "system":
            yield index, history
        history += tokens


def next_distribution(model: SequenceModel, history: Tokens) -> Floats:
    """Distribution of the next strategy after a history, shape (n_classes,); an empty history is not known to be the
    beginning."""
    seen = history if model.memory is None else latest(history, model.memory)
    return np.asarray(model.prefix_distributions(seen)[-1], dtype=np.float64)


def latest(history: Tokens, t: int) -> Tokens:
    """The last t tokens, or all if there are fewer.

    >>> latest(("a", "b", "c"), 2), latest(("a", "b"), 0)
    (('b', 'c'), ())
    """
    return history[max(0, len(history) - t) :]


def check_user(user: str) -> None:
    """Raise UsageError unless it is a way to write user turns."""
    if user not in get_args(UserTokens):
        raise UsageError(f"user must be {', '.join(get_args(UserTokens))}, got {user!r}.")


def check_training(sequences: Sequence[Tokens], classes: Sequence[str]) -> None:
    """Raise UsageError unless there are at least two distinct classes, and something to predict."""
    if len(classes) < 2 or len(set(classes)) != len(classes):
        raise UsageError(f"expected at least two classes, each once; got {', '.join(classes) or 'none'}.")
    if not any(token in classes for tokens in sequences for token in tokens[1:]):
        raise UsageError(
            "no dialogue has a labelled utterance after its first one, so there is nothing to predict. Classes: "
            f"{', '.join(classes)}."
        )


def sequences_hash(sequences: Iterable[Tokens]) -> str:
    """Six hex digits that change with any token or the order of the sequences."""
    text = "\n".join(json.dumps(tokens) for tokens in sequences)
    return hashlib.sha256(text.encode()).hexdigest()[:6]


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

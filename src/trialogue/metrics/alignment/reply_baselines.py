"""Alignment baselines that ignore the user, as a reference for every alignment score.

Each repeats a human recommender's utterance from another dialogue; they differ in which replies are eligible.

* ``random-human``: any reply;
* ``same-turn``: one of the same turn;
* ``majority``: one with the strategy that is most frequent;
* ``context``: one with the strategy predicted from the preceding behaviors of both sides, not from their words.

None is sampled: the score of a baseline is its mean over *all* eligible replies (``alignment_baseline_scores``), so no
seed changes it.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trialogue.metrics.base import Reply
from trialogue.metrics.engine.conversations import offline_conversations
from trialogue.records import NO_STRATEGY, Response, Role, Situation

RANDOM, SAME_TURN, MAJORITY, CONTEXT = "random-human", "same-turn", "majority", "context"
ANY = "any baseline"  # who is said to answer where references are lent
MAX_DIALOGUES = 250

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rule:
    """Eligible replies of a baseline: those of other dialogues whose key equals the situation's."""

    name: str
    """The baseline."""
    wanted: tuple[Hashable, ...]
    """The key that each situation asks for; None: nothing fits, and it is left out."""
    held: tuple[Hashable, ...]
    """The key of each situation's reference; None: it is lent to none."""


@dataclass(frozen=True, eq=False)
class Baselines:
    """Situations with references, which baselines answer with each other's references."""

    units: tuple[Reply, ...]
    """One unit per situation, with the reference as its reply, grouped by dialogue."""
    owners: Ints
    """The dialogue of each, as a place in ``clusters``."""
    clusters: tuple[str, ...]
    """Dialogues, as the systems' conversations name them."""
    predicted: Mapping[str, Sequence[str]]
    """Strategies for each situation by its id, likeliest first; empty: there is no ``context``."""

    def rules(self, *, counts_none: bool = True) -> Iterator[Rule]:
        """The baselines; ``counts_none``: whether ``no_strategy`` can be targeted."""
        anything: tuple[Hashable, ...] = (0,) * len(self.units)
        turns = tuple(unit.turn for unit in self.units)
        first = tuple(_first_strategy(unit, counts_none=counts_none) for unit in self.units)
        yield Rule(RANDOM, anything, anything)
        yield Rule(SAME_TURN, turns, turns)
        yield Rule(MAJORITY, (_most_frequent(first),) * len(first), first)
        if self.predicted:
            yield Rule(CONTEXT, tuple(_guess(self.predicted, unit, counts_none) for unit in self.units), first)


def thin_evenly(situations: Iterable[Situation]) -> list[Situation]:
    """Situations with references, thinned evenly to at most 250 dialogues.

    Pairs grow with the square of the dialogues, while a baseline is known well enough from some two hundred.
    """
    answered = [situation for situation in situations if situation.reference is not None]
    names = list(dict.fromkeys(situation.cluster for situation in answered))
    kept = set(names[:: max(1, -(-len(names) // MAX_DIALOGUES))])
    return [situation for situation in answered if situation.cluster in kept]


def alignment_baselines(
    situations: Iterable[Situation], *, predicted: Mapping[str, Sequence[str]] | None = None
) -> Baselines | None:
    """Baselines of situations; None if fewer than two dialogues have references.

    Args:
        situations: situations with references; those without are passed over. See ``thin_evenly`` where there are very
            many.
        predicted: strategies for each situation by its id, likeliest first, learned from other dialogues than its own.

    Raises:
        DataError: two situations of one id differ.
    """
    answered = [situation for situation in situations if situation.reference is not None]
    if len({situation.cluster for situation in answered}) < 2:
        return None
    said = {one.id: one.reference for one in answered if one.reference is not None}  # a situation may stand there twice
    talks = offline_conversations(
        answered,
        (Response(situation_id=name, system=ANY, role=Role.BASELINE, utterance=reply) for name, reply in said.items()),
    )
    return Baselines(
        units=tuple(reply for talk in talks for reply in talk.replies),
        owners=np.repeat(np.arange(len(talks)), [len(talk.replies) for talk in talks]),
        clusters=tuple(talk.cluster for talk in talks),
        predicted=predicted or {},
    )


def _first_strategy(unit: Reply, *, counts_none: bool) -> str | None:
    labels = [label.strategy for label in unit.utterance.strategies or ()]
    return next((name for name in labels[:1] if counts_none or name != NO_STRATEGY), None)


def _most_frequent(first: Sequence[str | None]) -> str | None:
    """Most frequent key over all dialogues; ties by name.

    Were each one's own left out, then of two that are about as frequent always that would be asked for which it has less of,
    and the baseline would fall far below what always doing the same gets.
    """
    counts = Counter(name for name in first if name is not None)
    return min(counts, key=lambda name: (-counts[name], name), default=None)


def _guess(predicted: Mapping[str, Sequence[str]], unit: Reply, counts_none: bool) -> str | None:
    ranking = predicted.get(unit.situation_id or "", ())
    return next((name for name in ranking if counts_none or name != NO_STRATEGY), None)

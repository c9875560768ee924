"""Recommenders that do not listen, as responses to the same situations: what an alignment score must be read beside.

* ``floor:random-human`` says what a human recommender said in a random situation of another dialogue;
* ``floor:same-turn`` says what one said at the same turn of another dialogue;
* ``floor:majority`` always uses the strategy that is most frequent in the other dialogues, in no words.

None reads the situation it answers. Their labels and beliefs are those of the utterances they borrow.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from trialogue.records import Response, Situation, StrategyLabel, Utterance

FLOOR = "floor:"  # what names of such recommenders begin with
RANDOM, SAME_TURN, MAJORITY = "floor:random-human", "floor:same-turn", "floor:majority"


def alignment_floors(situations: Iterable[Situation], *, rng: np.random.Generator) -> Iterator[Response]:
    """Up to three responses to every situation with a reference, in the order of the situations.

    Nothing is said where no other dialogue offers anything: with one dialogue there are no floors at all. The majority floor
    needs strategy labels on the references.

    Args:
        situations: with references; those without are passed over.
        rng: chooses what is borrowed; the same generator gives the same responses.
    """
    answered = [situation for situation in situations if situation.reference is not None]
    by_turn: dict[int | None, list[Situation]] = {}
    for situation in answered:
        by_turn.setdefault(situation.turn, []).append(situation)
    majority = _Majority(answered)
    for situation in answered:
        for system, pool in ((RANDOM, answered), (SAME_TURN, by_turn[situation.turn])):
            borrowed = _from_another(situation, pool, rng)
            if borrowed is not None:
                yield _response(system, situation, borrowed)
        label = majority.without(situation)
        if label is not None:
            yield _response(MAJORITY, situation, Utterance(speaker="system", text="", strategies=(label,)))


TRIES = 20  # draws before every situation of the pool is looked at; another dialogue is nearly always found at once


def _from_another(situation: Situation, pool: Sequence[Situation], rng: np.random.Generator) -> Utterance | None:
    places: list[int] = rng.integers(len(pool), size=TRIES).tolist()
    for place in places:
        if pool[place].cluster != situation.cluster:
            return pool[place].reference
    others = [other for other in pool if other.cluster != situation.cluster]
    return others[int(rng.integers(len(others)))].reference if others else None


def _response(system: str, situation: Situation, utterance: Utterance) -> Response:
    said = utterance.model_copy(update={"ratings": (), "id": None})
    return Response(situation_id=situation.id, system=system, utterance=said)


class _Majority:
    """The most frequent first strategy of the references, one dialogue's own left out; ties go by name."""

    def __init__(self, situations: Iterable[Situation]) -> None:
        self._own: dict[str, Counter[str]] = {}
        self._all: Counter[str] = Counter()
        self._origin: str | None = None
        for situation in situations:
            label = _first(situation)
            if label is not None:
                self._own.setdefault(situation.cluster, Counter())[label.strategy] += 1
                self._all[label.strategy] += 1
                self._origin = self._origin or label.origin

    def without(self, situation: Situation) -> StrategyLabel | None:
        own = self._own.get(situation.cluster, Counter())
        counts = {name: count - own[name] for name, count in self._all.items() if count > own[name]}
        if not counts or self._origin is None:
            return None
        return StrategyLabel(strategy=min(counts, key=lambda name: (-counts[name], name)), origin=self._origin)


def _first(situation: Situation) -> StrategyLabel | None:
    labels = situation.reference.strategies if situation.reference else None
    return labels[0] if labels else None

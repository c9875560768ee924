"""Beliefs of a classifier that reads both sides."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from trialogue.records import Response, Situation, Utterance
from trialogue.strategies.base import Floats
from trialogue.strategies.labelling import with_pair_beliefs


@dataclass
class Judge:
    """Sure of pairs of the same words, and remembers what it was asked."""

    origin: str = "judge|1"
    asked: list[tuple[str, str]] = field(default_factory=list)

    def same_probability(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        self.asked += zip(left, right, strict=True)
        return np.array([0.9 if one == other else 0.2 for one, other in zip(left, right, strict=True)])


def situation(name: str, reference: str | None) -> Situation:
    said = None if reference is None else Utterance(speaker="system", text=reference)
    return Situation(id=name, context=(Utterance(speaker="user", text="Hi"),), reference=said)


def response(name: str, text: str, system: str = "a") -> Response:
    return Response(situation_id=name, system=system, utterance=Utterance(speaker="system", text=text))


def test_situations_in_the_stream_are_known_as_they_come_by_and_passed_on() -> None:
    judge = Judge()
    stream: list[Situation | Response] = [situation("1", "Me too!"), response("1", "Me too!"), response("2", "Me too!")]
    first, known, unknown = with_pair_beliefs(stream, [], judge, batch=1)
    assert first == stream[0]
    assert isinstance(known, Response)
    assert known.utterance.same_as_reference is not None
    assert isinstance(unknown, Response)
    assert unknown.utterance.same_as_reference is None


def beliefs(responses: list[Response], situations: list[Situation], judge: Judge, **more: int) -> list[float | None]:
    found = with_pair_beliefs(responses, situations, judge, **more)
    return [None if (each := one.utterance.same_as_reference) is None else each.probability for one in found]


def test_the_first_sentence_of_the_human_is_read_before_that_of_the_system() -> None:
    judge = Judge()
    found = beliefs([response("1", "Me too! I saw it.")], [situation("1", "Have you seen it? It is new.")], judge)
    assert judge.asked == [("Have you seen it?", "Me too!")]
    assert found == [0.2]


def test_each_different_pair_is_read_once_however_many_batches_there_are() -> None:
    judge, situations = Judge(), [situation("1", "Me too!"), situation("2", "Me too!")]
    responses = [
        response("1", "Me too!"),
        response("2", "Me too!"),
        response("1", "No.", "b"),
        response("2", "Me too!", "b"),
    ]
    assert beliefs(responses, situations, judge, batch=1) == [0.9, 0.9, 0.2, 0.9]
    assert judge.asked == [("Me too!", "Me too!"), ("Me too!", "No.")]


def test_without_a_reference_or_without_words_there_is_no_belief() -> None:
    judge = Judge()
    situations = [situation("1", None), situation("2", "  "), situation("3", "Me too!")]
    responses = [response("1", "Yes."), response("2", "Yes."), response("3", ""), response("unknown", "Yes.")]
    assert beliefs(responses, situations, judge) == [None] * 4
    assert judge.asked == []

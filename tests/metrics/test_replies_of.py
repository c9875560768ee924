"""Replies of a dialogue, with what was said before and their turn."""

from trialogue.metrics.base import replies_of
from trialogue.records import Dialogue, Utterance


def test_turns_count_runs_of_system_utterances_and_contexts_grow() -> None:
    speakers = ("system", "system", "user", "system", "user", "user", "system", "system")
    said = tuple(Utterance.model_validate({"speaker": who, "text": str(at)}) for at, who in enumerate(speakers))
    replies = replies_of(Dialogue(id="d", utterances=said), "crs")
    assert [(one.index, one.turn) for one in replies] == [(0, 0), (1, 0), (3, 1), (6, 2), (7, 2)]
    assert all(one.context == said[: one.index] and one.utterance is said[one.index or 0] for one in replies)
    assert {(one.system, one.dialogue_id) for one in replies} == {("crs", "d")}


def test_a_dialogue_that_the_user_opens_has_its_first_turn_after_it() -> None:
    said = tuple(Utterance.model_validate({"speaker": who, "text": who}) for who in ("user", "system"))
    assert [one.turn for one in replies_of(Dialogue(id="d", utterances=said), "crs")] == [0]


def test_replies_are_made_by_each_look_and_equal_a_tuple_of_them() -> None:
    said = tuple(
        Utterance.model_validate({"speaker": who, "text": who}) for who in ("system", "user", "system", "system")
    )
    replies = replies_of(Dialogue(id="d", utterances=said), "crs")
    every = tuple(replies)
    assert replies == every
    assert replies == replies_of(Dialogue(id="d", utterances=said), "crs")
    assert replies not in (every[1:], 3)
    assert (replies[-1], replies[:2], len(replies)) == (every[-1], every[:2], 3)
    assert replies.indexes == [each.index for each in every] == [0, 2, 3]
    assert replies.utterances == [each.utterance for each in every]
    assert not replies_of(Dialogue(id="d", utterances=said[1:2]), "crs")

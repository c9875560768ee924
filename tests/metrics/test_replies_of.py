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

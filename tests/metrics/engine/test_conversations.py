"""From records to what metrics are shown."""

import pytest

from trialogue.errors import DataError
from trialogue.metrics import conversations_of, offline_conversations
from trialogue.records import Dialogue, Response, Situation, Speaker, Utterance, situations_of

SPEAKERS: dict[str, Speaker] = {"u": "user", "s": "system"}


def said(who: str) -> tuple[Utterance, ...]:
    return tuple(Utterance(speaker=SPEAKERS[letter], text=f"{letter}{place}") for place, letter in enumerate(who))


def dialogue(who: str, **known: str) -> Dialogue:
    return Dialogue(id=known.pop("id", "d"), utterances=said(who), **known)


def test_every_system_utterance_is_a_reply_with_its_context_and_turn() -> None:
    (conversation,) = conversations_of([dialogue("sussus", system="A")])
    assert [(one.text, one.index, one.turn, len(one.context)) for one in conversation.replies] == [
        ("s0", 0, 0, 0),
        ("s2", 2, 1, 2),
        ("s3", 3, 1, 3),  # the same turn goes on
        ("s5", 5, 2, 5),
    ]


def test_a_dialogue_s_own_system_name_comes_first_then_the_given_one() -> None:
    dialogues = [dialogue("us", system="A"), dialogue("us", id="e")]
    assert [one.system for one in conversations_of(dialogues, system="B")] == ["A", "B"]
    assert [one.system for one in conversations_of(dialogues)] == ["A", "unnamed"]


def test_dialogues_of_one_person_share_a_cluster() -> None:
    dialogues = [dialogue("us", id="1", user="p"), dialogue("us", id="2", user="p"), dialogue("us", id="3")]
    assert [one.cluster for one in conversations_of(dialogues)] == ["user:p", "user:p", "dialogue:unnamed/3"]


@pytest.mark.parametrize("who", ["", "u", "uu"])
def test_a_dialogue_without_the_system_has_no_replies(who: str) -> None:
    (conversation,) = conversations_of([dialogue(who)])
    assert conversation.replies == ()
    assert conversation.dialogue is not None


def situation(name: str, who: str = "u", *, dialogue_id: str | None = "d", turn: int | None = None) -> Situation:
    return Situation(id=name, context=said(who), dialogue_id=dialogue_id, turn=turn, targets=("t",))


def response(name: str, system: str = "A", text: str = "ok") -> Response:
    return Response(situation_id=name, system=system, utterance=Utterance(speaker="system", text=text))


def test_responses_of_one_system_to_one_dialogue_are_together_in_the_order_of_the_situations() -> None:
    situations = [situation("1"), situation("2", dialogue_id="e"), situation("3")]
    given = [response("3"), response("2"), response("1"), response("1", "B")]
    found = {
        (one.system, one.dialogue_id): [reply.situation_id for reply in one.replies]
        for one in offline_conversations(situations, given)
    }
    assert found == {("A", "d"): ["1", "3"], ("A", "e"): ["2"], ("B", "d"): ["1"]}


def test_the_order_of_the_responses_does_not_matter_to_a_conversation() -> None:
    situations = [situation(str(place)) for place in range(5)]
    given = [response(str(place)) for place in range(5)]
    assert offline_conversations(situations, given) == offline_conversations(situations, given[::-1])


def test_a_reply_is_shown_with_its_situation() -> None:
    (conversation,) = offline_conversations([situation("1", "usu")], [response("1", text="yes")])
    (reply,) = conversation.replies
    assert (reply.text, reply.targets, reply.situation_id, reply.index) == ("yes", ("t",), "1", None)
    assert len(reply.context) == 3
    assert conversation.dialogue is None


@pytest.mark.parametrize(("who", "turns"), [("u", 0), ("su", 1), ("susu", 2), ("ssuusu", 2)])
def test_turns_before_a_situation_are_counted_where_it_does_not_say(who: str, turns: int) -> None:
    (counted,) = offline_conversations([situation("1", who)], [response("1")])
    (stated,) = offline_conversations([situation("1", who, turn=7)], [response("1")])
    assert counted.replies[0].turn == turns
    assert stated.replies[0].turn == 7


def test_the_turn_of_a_situation_is_the_turn_of_the_reply_in_its_dialogue() -> None:
    whole = dialogue("susussus", system="A")
    (live,) = conversations_of([whole])
    turns = {reply.index: reply.turn for reply in live.replies}
    for one in situations_of(whole):
        (counted,) = offline_conversations([one.model_copy(update={"turn": None})], [response(one.id)])
        assert one.turn == counted.replies[0].turn == turns[len(one.context)]


def test_situations_of_no_dialogue_stand_alone() -> None:
    situations = [situation("1", dialogue_id=None), situation("2", dialogue_id=None)]
    found = offline_conversations(situations, [response("1"), response("2")])
    assert [(one.cluster, one.dialogue_id) for one in found] == [("situation:1", None), ("situation:2", None)]


def test_every_impossible_response_is_named_at_once() -> None:
    given = [response("1"), response("9"), response("1"), response("8", "B")]
    with pytest.raises(DataError) as caught:
        offline_conversations([situation("1")], given)
    text = str(caught.value)
    assert len(caught.value.problems) == 2
    assert "2 responses answer none of the 1 given situations: A answers '9', B answers '8'. Give the file" in text
    assert "A answers situation '1' twice" in text


def test_forgotten_situations_and_wrong_ids_are_reported_in_one_line() -> None:
    given = [response(str(place)) for place in range(5)]
    with pytest.raises(DataError) as none:
        offline_conversations([], given)
    assert str(none.value) == (
        "no situations were given for 5 responses, the first of which answers '0'. Give the file of situations too."
    )
    with pytest.raises(DataError) as wrong:
        offline_conversations([situation("9")], given)
    messages = (
        "5 responses answer none of the 1 given situations: A answers '0', A answers '1', A answers '2' and 2 more."
    )
    assert str(wrong.value).startswith(messages)
    assert len(str(wrong.value).splitlines()) == 1


def test_situations_that_share_an_id_are_refused() -> None:
    with pytest.raises(DataError, match="Two different situations have the id '1'"):
        offline_conversations([situation("1"), situation("1", "usu")], [response("1")])


def test_no_responses_no_conversations() -> None:
    assert offline_conversations([situation("1")], []) == []
    assert list(conversations_of([])) == []

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulation.made import Scripted, agent, film_ratings, films, texts, turn, user
from trialogue.agents.base import Turn
from trialogue.errors import UsageError
from trialogue.records import ActOrigin, Dialogue, Ending, RetryCost, UnknownAct, Utterance
from trialogue.records.files.jsonl import to_line
from trialogue.records.kinds.acts import ACCEPTABLE, AGENT_LABELS
from trialogue.simulation.bundled import bundled_users
from trialogue.simulation.dialogue import Transcript, converse, talk
from trialogue.simulation.users.options import METHODS
from trialogue.simulation.users.population import Users
from trialogue.simulation.users.user import Stop, UserFailure
from trialogue.transport.failures import AgentFailure

USERS = {name: Users(bundled_users(name), films(), film_ratings()) for name in METHODS}
DECLARED = Users(bundled_users("cir6-pkg").with_options(labels_from="declared"), films(), film_ratings())
LIST = turn(agent("How about Heat (1995)? Have you seen it?"))


class Fixed:
    """A user who says the given things and then stops."""

    def __init__(self, *said: str) -> None:
        self.left, self.heard = list(said), list[Turn]()
        self.history: tuple[Utterance, ...] | None = None

    def start(self, greeting: Turn | None = None) -> Utterance | Stop:
        if greeting is not None:
            self.heard.append(greeting)
        return self._next()

    def answer(self, said: Turn) -> Utterance | Stop:
        self.heard.append(said)
        return self._next()

    def resume(self, history: Sequence[Utterance]) -> None:
        self.history = tuple(history)

    def _next(self) -> Utterance | Stop:
        return user(self.left.pop(0), "Note") if self.left else Stop("agenda_empty")


def test_a_talk_goes_on_until_the_user_stops() -> None:
    held = talk(Scripted(turn(agent("one")), turn(agent("two"))), Fixed("a", "b"))
    assert texts(held.utterances) == ["a", "one", "b", "two"]
    assert (held.ended_by, held.detail) == ("agenda_empty", None)


def test_the_agent_gets_words_and_nothing_of_what_is_meant_by_them() -> None:
    session = Scripted(turn(agent("one")), turn(agent("two")))
    held = talk(session, USERS["cir6-pkg"].new("d", seed=1), max_turns=6)
    for history in session.heard:
        for utterance in history:
            if utterance.speaker == "user":
                assert utterance == Utterance(speaker="user", text=utterance.text)
    assert all(utterance.acts for utterance in held.utterances if utterance.speaker == "user")
    assert texts(session.heard[-1]) == texts(held.utterances[:-1])


def test_acts_are_shown_to_an_agent_that_reads_them() -> None:
    session = Scripted(turn(agent("one"), ends=True))
    talk(session, Fixed("a"), show_acts=True)
    assert session.heard[0][0].acts
    session.reads_acts = True  # type: ignore[attr-defined]
    converse(session, Fixed("a"), "d", seed=0)
    assert session.heard[1][0].acts
    assert session.closed


def test_bursts_are_kept_and_an_agent_may_end_with_or_without_a_word() -> None:
    held = talk(Scripted(turn(agent("one"), agent("two")), turn(ends=True)), Fixed("a", "b", "c"))
    assert texts(held.utterances) == ["a", "one", "two", "b"]
    assert held.ended_by == "agent_ended"


def test_the_agent_has_the_last_word_at_the_limit() -> None:
    held = talk(Scripted(turn(agent("go on"))), Fixed(*"abcdef"), max_turns=3)
    assert texts(held.utterances) == ["a", "go on", "b", "go on", "c", "go on"]
    assert held.ended_by == "turn_limit"


def test_last_words_are_kept_and_the_agent_does_not_reply_to_them() -> None:
    class Leaving(Fixed):
        def answer(self, said: Turn) -> Utterance | Stop:
            return Stop("user_ended", user("That is it!"))

    session = Scripted(turn(agent("Heat.")))
    found = talk(session, Leaving("Hello."))
    assert texts(found.utterances) == ["Hello.", "Heat.", "That is it!"]
    assert (found.ended_by, len(session.heard)) == (Ending.USER_ENDED, 1)


def test_a_greeting_comes_first_and_may_be_all() -> None:
    greeting = turn(agent("Welcome"))
    held = talk(Scripted(turn(agent("one")), greeting=greeting), Fixed("a"))
    assert texts(held.utterances) == ["Welcome", "a", "one"]
    over = talk(Scripted(turn(agent("one")), greeting=turn(agent("Closed today"), ends=True)), Fixed("a"))
    assert (texts(over.utterances), over.ended_by) == (["Closed today"], "agent_ended")


def test_a_user_may_leave_before_a_word() -> None:
    assert talk(Scripted(LIST), Fixed()) == Transcript((), Ending.AGENDA_EMPTY)


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("timeout", "agent_timeout"),
        ("error", "agent_error"),
        ("closed", "agent_error"),
        ("unreachable", "agent_unreachable"),
        ("malformed", "agent_invalid_reply"),
        ("empty", "agent_invalid_reply"),
        ("tool_call", "agent_tool_call"),
        ("rate_limited", "rate_limited"),
        ("harness", "harness_error"),
    ],
)
def test_a_failure_of_the_agent_is_reported_and_what_was_said_is_kept(kind: str, reason: str) -> None:
    session = Scripted(turn(agent("one")), AgentFailure(kind, "it broke"))  # type: ignore[arg-type]
    held = talk(session, Fixed("a", "b"))
    assert texts(held.utterances) == ["a", "one", "b"]
    assert (held.ended_by, held.detail) == (reason, "it broke")
    record = held.as_dialogue("d1", system="s", user="u", source="run")
    assert (record.id, record.system, record.ended_by, record.ending_detail) == ("d1", "s", reason, "it broke")
    assert '"kind":"dialogue"' in to_line(record)


def test_a_failing_greeting_and_an_agent_that_does_not_open_are_records_too() -> None:
    class Dead(Scripted):
        def greet(self) -> Turn | None:
            raise AgentFailure("closed", "gone")

        def open(self, dialogue_id: str, *, seed: int) -> Scripted:
            raise AgentFailure("timeout", "no answer in 5 s")

    assert talk(Dead(LIST), Fixed("a")).ended_by == "agent_error"
    held = converse(Dead(LIST), Fixed("a"), "d", seed=0)
    assert (held.utterances, held.ended_by) == ((), "agent_timeout")


class Broken(Fixed):
    """A user that fails once it has said everything."""

    def __init__(self, error: Exception, *said: str) -> None:
        super().__init__(*said)
        self.error = error

    def _next(self) -> Utterance | Stop:
        if not self.left:
            raise self.error
        return super()._next()


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (UserFailure("the model refused"), Ending.USER_ERROR),
        (AgentFailure("error", "the model refused"), Ending.USER_ERROR),  # a client of a model is used by both
        (AgentFailure("rate_limited", "the model refused"), Ending.RATE_LIMITED),
    ],
)
def test_a_failure_of_the_user_is_never_charged_to_the_agent(error: Exception, ending: Ending) -> None:
    held = talk(Scripted(turn(agent("one"))), Broken(error, "a"))
    assert (texts(held.utterances), held.ended_by, held.detail) == (["a", "one"], ending, "the model refused")
    assert ending.fault is not None
    assert ending.fault != "agent"


def test_a_users_own_word_for_the_end_is_kept_and_cannot_be_a_failure_of_the_agent() -> None:
    class Bored(Fixed):
        word = "bored"

        def _next(self) -> Utterance | Stop:
            return super()._next() if self.left else Stop(self.word)

    held = talk(Scripted(turn(agent("one"))), Bored("a"))
    assert (held.ended_by, held.detail) == (Ending.OTHER, "bored")
    Bored.word = "agent_error"
    assert talk(Scripted(turn(agent("one"))), Bored("a")).ended_by is Ending.OTHER


def test_what_retries_cost_stands_in_the_dialogue_where_there_were_any() -> None:
    class Retried(Scripted):
        retries = RetryCost(count=2, waited_s=1.5)

    held = talk(Retried(turn(agent("one"))), Fixed("a"))
    assert held.as_dialogue("d").retries == RetryCost(count=2, waited_s=1.5)
    assert talk(Scripted(turn(agent("one"))), Fixed("a")).as_dialogue("d").retries is None

    class Closed(Scripted):
        def open(self, dialogue_id: str, *, seed: int) -> Scripted:
            failure = AgentFailure("rate_limited", "status 429")
            failure.retries = RetryCost(count=4, waited_s=9.0)
            raise failure

    never = converse(Closed(LIST), Fixed("a"), "d", seed=0).as_dialogue("d")
    assert (never.ended_by, never.retries) == (Ending.RATE_LIMITED, RetryCost(count=4, waited_s=9.0))


@pytest.mark.parametrize("said", [(), (agent(""),), (agent(" \n"), agent(""))])
def test_a_turn_without_a_word_is_a_failure(said: tuple[Utterance, ...]) -> None:
    held = talk(Scripted(Turn(said)), Fixed("a", "b"))
    assert (held.ended_by, held.detail) == ("agent_invalid_reply", f"a turn of {len(said)} messages without text")


def test_an_agent_that_speaks_for_the_user_is_malformed() -> None:
    held = talk(Scripted(turn(user("I am the user"))), Fixed("a"))
    assert held.ended_by is Ending.AGENT_INVALID_REPLY
    assert texts(held.utterances) == ["a"]


def test_what_the_user_took_messages_for_is_written_where_nothing_is_declared() -> None:
    session = Scripted(
        turn(agent("Hey! What genre do you feel like?"), agent("my own", "Record"), agent("zzqqzz 漢字"))
    )
    held = talk(session, USERS["cir6-pkg"].new("d", seed=1), max_turns=1)
    assert [None if u.acts is None else [act.intent for act in u.acts] for u in held.utterances[1:]] == [
        ["Elicit"],
        ["Record"],
        [],  # looked at and not understood
    ]
    bare = talk(session, USERS["cir6-pkg"].new("d", seed=1), max_turns=1, write_labels=False)
    assert bare.utterances[1].acts is None
    assert talk(Scripted(LIST), Fixed("a")).utterances[1].acts is None  # this user labels nothing


def test_before_acts_that_nobody_knows_stands_what_the_user_took_them_for() -> None:
    session = Scripted(
        turn(agent("Hey! What genre do you feel like?", "RECOMMEND"), agent("Noted.", "END"), agent("漢字", "ASK"))
    )
    held = talk(session, USERS["cir6-pkg"].new("d", seed=1), max_turns=1)
    assert [[act.intent for act in u.acts or ()] for u in held.utterances[1:]] == [
        ["Elicit", "RECOMMEND"],
        ["END"],  # UserSimCRS' name of End
        ["ASK"],  # not understood either
    ]
    corpus = talk(session, USERS["cir6-pkg"].new("d", seed=1), max_turns=1, show_acts=True)
    assert [act.intent for act in corpus.utterances[1].acts or ()] == ["RECOMMEND"]  # labels of a corpus stay


def test_how_long_the_agent_took_is_kept_only_where_it_is_asked_for() -> None:
    measured = Turn((agent("one"), agent("two")), latency_s=1.5)
    held = talk(Scripted(measured, turn(agent("x"))), Fixed("a", "b"), timed=True).utterances
    assert [said.meta for said in held if said.speaker == "system"][:2] == [{"latency_s": 1.5}, {}]
    assert 0 <= float(str(held[-1].meta["latency_s"])) < 60  # measured by the talk
    assert not any(said.meta for said in talk(Scripted(measured), Fixed("a")).utterances)


def test_writing_a_label_keeps_all_else_that_an_agent_reported() -> None:
    messages = agent("How about Heat (1995)?", items=["heat-1995"])
    held = talk(Scripted(turn(messages)), USERS["cir6-pkg"].new("d", seed=1), max_turns=1)
    recognised = {"acts": held.utterances[1].acts, "acts_by": ActOrigin.RECOGNISED}
    assert held.utterances[1] == messages.model_copy(update=recognised)
    assert held.utterances[1].acts


def test_a_dialogue_is_continued_where_it_stopped() -> None:
    history = [user("hi", "Non-disclose"), agent("What?", "Elicit"), user("Heat", "Disclose")]
    session = Scripted(turn(agent("one")))
    fixed = Fixed("b")
    held = talk(session, fixed, history=history)
    assert texts(held.utterances) == ["hi", "What?", "Heat", "one", "b", "one"]
    assert held.utterances[:3] == tuple(history)
    assert fixed.history == tuple(history)
    assert session.heard[0][2].acts is None  # the agent sees no acts of the history either
    fixed = Fixed("b")
    held = talk(Scripted(turn(agent("one"))), fixed, history=history[:2])
    assert texts(held.utterances) == ["hi", "What?", "b", "one"]
    assert fixed.history == tuple(history[:1])
    assert [texts(each.utterances) for each in fixed.heard] == [["What?"], ["one"]]


def test_a_history_of_the_agent_alone_is_a_greeting() -> None:
    fixed = Fixed("a")
    held = talk(Scripted(turn(agent("one"))), fixed, history=[agent("Welcome"), agent("Which?")])
    assert texts(held.utterances) == ["Welcome", "Which?", "a", "one"]
    assert texts(fixed.heard[0].utterances) == ["Welcome", "Which?"]


def test_turns_of_the_history_count_and_none_left_is_refused() -> None:
    history = [user("hi"), agent("What?")]
    assert talk(Scripted(turn(agent("x"))), Fixed(*"abc"), history=history, max_turns=2).ended_by == "turn_limit"
    with pytest.raises(UsageError, match="above 1, the number of user utterances in the history, got 1"):
        talk(Scripted(LIST), Fixed(), history=history, max_turns=1)
    with pytest.raises(UsageError, match="at least 1, got 0"):
        talk(Scripted(LIST), Fixed(), max_turns=0)


labels = st.sampled_from([*AGENT_LABELS, *ACCEPTABLE, "Suggesnt", "938470673", ""])
message = st.builds(
    lambda text, label, items: agent(text, label or None, items=items),
    st.sampled_from(
        ["How about Heat (1995)? Have you seen it?", "What do you like?", "It is from 1995.", "漢字", "x" * 3000]
    ),
    labels,
    st.none() | st.lists(st.sampled_from(["heat-1995", "alien-1979", "nowhere"]), max_size=2),
)
bursts = st.builds(
    lambda said, ends: Turn(tuple(said), ends=ends), st.lists(message, min_size=1, max_size=3), st.booleans()
)


@settings(max_examples=150, deadline=None)
@given(
    replies=st.lists(bursts, min_size=1, max_size=12),
    kind=st.sampled_from([*METHODS, "declared"]),
    seed=st.integers(0, 2**32),
    most=st.integers(1, 12),
)
def test_whatever_an_agent_says_the_talk_ends_within_its_turns_with_a_reason(
    replies: list[Turn], kind: str, seed: int, most: int
) -> None:
    users = DECLARED if kind == "declared" else USERS[kind]
    held = converse(Scripted(*replies), users.new("d", seed=seed), "d", seed=0, max_turns=most)
    assert 1 <= sum(utterance.speaker == "user" for utterance in held.utterances) <= most
    assert held.ended_by in {"agenda_empty", "agent_ended", "turn_limit"}
    assert all(utterance.text for utterance in held.utterances if utterance.speaker == "user")
    record = held.as_dialogue("d")
    assert Dialogue.model_validate_json(record.model_dump_json()) == record


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_same_seed_and_id_give_the_same_dialogue_in_any_order(seed: int) -> None:
    def held(name: str, users: Users) -> Transcript:
        return converse(
            Scripted(LIST, turn(agent("Sorry?")), LIST), users.new(name, seed=seed), name, seed=0, max_turns=9
        )

    names = ["a", "b", "c"]
    one = {name: held(name, USERS["cir6-pkg"]) for name in names}
    fresh = Users(bundled_users("cir6-pkg"), films(), film_ratings())
    other = {name: held(name, fresh) for name in reversed(names)}
    assert one == other


def test_an_agent_that_talks_a_megabyte_is_heard_and_kept() -> None:
    long = "How about Heat (1995)? " + "blah " * 200_000
    held = converse(Scripted(turn(agent(long))), USERS["cir6-pkg"].new("d", seed=3), "d", seed=0, max_turns=2)
    assert held.utterances[1].text == long
    assert held.utterances[1].acts is not None


def test_an_agent_that_never_answers_to_the_point_wears_out_only_the_patient() -> None:
    silly = Scripted(turn(agent("zzqqzz 漢字")))
    hasty = Users(bundled_users("cir6-pkg").with_options(patience=3), films(), film_ratings())
    given_up = converse(silly, hasty.new("d", seed=0), "d", seed=0)
    assert given_up.ended_by == "user_gave_up"
    assert len(given_up.utterances) == 6  # three user utterances, three replies
    assert converse(silly, USERS["cir6-pkg"].new("d", seed=0), "d", seed=0).ended_by == "turn_limit"


def test_acts_say_whether_the_agent_declared_them_or_the_user_recognised_them() -> None:
    false = {"acts_by": ActOrigin.ANNOTATED, "acts_labeller": "llm|mine", "acts_unknown": UnknownAct.UNSURE}
    claimed = agent("my own", "Record").model_copy(update=false)  # nobody annotated it or asked a model
    session = Scripted(turn(agent("Hey! What genre do you feel like?"), claimed, agent("none of yours", "RECOMMEND")))
    held = talk(session, USERS["cir6-pkg"].new("d", seed=1), max_turns=1)
    user_said, *said = held.utterances
    assert user_said.acts_by is ActOrigin.DECLARED
    assert [each.acts_by for each in said[:2]] == [ActOrigin.RECOGNISED, ActOrigin.DECLARED]
    assert {(each.acts_labeller, each.acts_unknown) for each in said} == {(None, None)}
    assert said[2].acts is not None
    recognised = said[2].acts[0].intent != "RECOMMEND"  # the user's reading comes before the agent's own act
    assert (said[2].acts_by is ActOrigin.RECOGNISED) == recognised

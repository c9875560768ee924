"""One user that a model plays, with a model that says what a test wants."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tests.simulation.made import Scripted, agent, texts, turn, user
from trialogue.llm.chat import Completion
from trialogue.records import Ending, Fault, Need
from trialogue.simulation.dialogue import Transcript, talk
from trialogue.simulation.llm.prompts import FIRST, PROMPTS
from trialogue.simulation.llm.user import DualPrompt, LlmUser, ModelQueries, SinglePrompt
from trialogue.transport.failures import AgentFailure, FailureKind

VALUES = {"domain": "films", "who": "", "need": "- genre: Crime", "words": "9"}


class Says:
    """A model that answers one thing after the other; a failure among them is raised."""

    def __init__(self, *answers: str | Completion | AgentFailure) -> None:
        self.answers, self.asked, self.named = list(answers), list[list[dict[str, str]]](), set[Any]()

    def complete(self, messages: Sequence[Mapping[str, str]], *, seed: int | None, trial: str) -> Completion:
        self.asked.append([dict(message) for message in messages])
        self.named.add((seed, trial))
        answer = self.answers.pop(0)
        if isinstance(answer, AgentFailure):
            raise answer
        if isinstance(answer, Completion):
            return answer
        return Completion(text=answer, prompt_tokens=10, completion_tokens=2, model="tiny-1", system_fingerprint="fp")


def single(model: Says, *, role: str = "system") -> LlmUser:
    policy = SinglePrompt(PROMPTS["single"], VALUES, role=role)
    return LlmUser(policy, ModelQueries(model, seed=7, trial="users/0/1", longest_text=100), Need(id="n"))


def dual(model: Says) -> LlmUser:
    policy = DualPrompt(PROMPTS["dual"], VALUES, role="system")
    return LlmUser(policy, ModelQueries(model, seed=7, trial="t", longest_text=100), Need(id="n"))


def held(model: Says, simulated: LlmUser, *, max_turns: int = 5, greets: bool = False) -> Transcript:
    greeting = turn(agent("Hello!")) if greets else None
    return talk(Scripted(turn(agent("Try Heat.")), greeting=greeting), simulated, max_turns=max_turns)


def test_the_model_is_the_user_and_the_recommender_its_counterpart() -> None:
    model = Says("A crime film.", "Older, please.", "Fine. [DONE]")
    said = held(model, single(model))
    assert texts(said.utterances) == ["A crime film.", "Try Heat.", "Older, please.", "Try Heat.", "Fine.", "Try Heat."]
    assert said.ended_by is Ending.USER_ENDED
    instruction, *rest = model.asked[2]
    assert instruction["role"] == "system"
    assert "You are a person who looks for films" in instruction["content"]
    assert "- genre: Crime" in instruction["content"]
    assert "mostly under 9 words" in instruction["content"]
    assert [(each["role"], each["content"]) for each in rest] == [
        ("user", FIRST),
        ("assistant", "A crime film."),
        ("user", "Try Heat."),
        ("assistant", "Older, please."),
        ("user", "Try Heat."),
    ]
    assert model.named == {(7, "users/0/1")}


def test_after_a_greeting_the_model_answers_that() -> None:
    model = Says("Hi. [GIVE UP]")
    said = held(model, single(model, role="user"), greets=True)
    assert [message["role"] for message in model.asked[0]] == ["user"]  # instruction and greeting in one
    assert model.asked[0][0]["content"].endswith("\n\nHello!")
    assert (texts(said.utterances), said.ended_by) == (["Hello!", "Hi.", "Try Heat."], Ending.USER_GAVE_UP)


def test_a_marker_alone_ends_the_dialogue_without_a_word() -> None:
    model = Says("A crime film.", "[DONE]")
    said = held(model, single(model))
    assert (len(said.utterances), said.ended_by) == (2, Ending.USER_ENDED)


def test_what_answered_stands_with_what_was_said() -> None:
    model = Says("<think>Crime!</think>A crime film.", "[DONE]")
    first = held(model, single(model)).utterances[0]
    assert first.meta == {
        "model": "tiny-1",
        "system_fingerprint": "fp",
        "prompt_tokens": 10,
        "completion_tokens": 2,
        "thought": "Crime!",
    }


@pytest.mark.parametrize(
    ("answer", "ending", "said"),
    [
        (Completion(text="I want a", finish_reason="length", completion_tokens=3), Ending.USER_ERROR, "cut off at 3"),
        (Completion(text="I want", finish_reason="content_filter"), Ending.USER_ERROR, "'content_filter'"),
        ("User:", Ending.USER_ERROR, "nothing but the name of its role"),
        ('{"name": "search", "arguments": {}}', Ending.USER_ERROR, "text for a program"),
        ('```json\n{"message": "Another?"}\n```', Ending.USER_ERROR, "It was not sent to the agent"),
        ("<think>Hm.</think>", Ending.USER_ERROR, "reasoning but no reply"),
        ("x" * 101, Ending.USER_ERROR, "101 characters; at most 100"),
        (AgentFailure("empty", "without text"), Ending.USER_ERROR, "without text"),
        (AgentFailure("unreachable", "nobody there"), Ending.USER_ERROR, "nobody there"),
        (AgentFailure("rate_limited", "429"), Ending.RATE_LIMITED, "429"),
        (AgentFailure("harness", "no credit"), Ending.HARNESS_ERROR, "no credit"),
    ],
)
def test_a_failing_model_is_never_the_agents_fault(answer: Any, ending: Ending, said: str) -> None:
    model = Says("A crime film.", answer)
    found = held(model, single(model))
    assert found.ended_by is ending
    assert said in (found.detail or "")
    assert ending.fault in (Fault.USER, Fault.HARNESS)
    assert texts(found.utterances) == ["A crime film.", "Try Heat."]


def test_two_prompts_decide_first_and_know_need_and_both_sides() -> None:
    model = Says("A crime film.", "Continue", "From the nineties.", "DONE")
    said = held(model, dual(model))
    assert texts(said.utterances)[::2] == ["A crime film.", "From the nineties."]
    assert said.ended_by is Ending.USER_ENDED
    decision = model.asked[3]
    assert "- genre: Crime" in decision[0]["content"]
    lines = "You: A crime film.\nRecommender: Try Heat.\nYou: From the nineties.\nRecommender: Try Heat."
    assert decision[1] == {"role": "user", "content": f"The chat so far:\n{lines}\n\nCONTINUE, DONE or GIVE_UP?"}
    second = said.utterances[2].meta
    assert (second["decision"], second["prompt_tokens"], second["completion_tokens"]) == ("CONTINUE", 20, 4)
    assert "decision" not in said.utterances[0].meta


def test_an_answer_that_decides_nothing_goes_on_and_says_so() -> None:
    model = Says("A crime film.", "Well.", "Older.", "give up")
    said = held(model, dual(model))
    assert said.utterances[2].meta["decision"] is None
    assert said.ended_by is Ending.USER_GAVE_UP


def test_tokens_that_one_answer_does_not_report_are_unknown_in_the_sum() -> None:
    model = Says("A crime film.", Completion(text="continue", model="m"), "Older.", "done")
    assert held(model, dual(model)).utterances[2].meta["prompt_tokens"] is None


def test_a_dialogue_is_taken_up_where_it_is() -> None:
    model = Says("Fine. [DONE]")
    history = [user("Hi"), agent("Hello.")]
    said = talk(Scripted(turn(agent("Try Heat."))), single(model), history=history)
    assert texts(said.utterances) == ["Hi", "Hello.", "Fine.", "Try Heat."]
    assert [message["content"] for message in model.asked[0][1:]] == [FIRST, "Hi", "Hello."]


def test_bursts_of_the_agent_are_one_message() -> None:
    model = Says("Hi", "[DONE]")
    talk(Scripted(turn(agent("One."), agent("Two."))), single(model))
    assert model.asked[1][-1] == {"role": "user", "content": "One.\nTwo."}


def test_kinds_of_failures_are_all_of_the_user_or_the_harness() -> None:
    kinds: list[FailureKind] = ["timeout", "error", "malformed", "closed"]
    for kind in kinds:
        model = Says(AgentFailure(kind, "x"))
        assert held(model, single(model)).ended_by is Ending.USER_ERROR

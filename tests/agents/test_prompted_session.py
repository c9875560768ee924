"""What conversations with language models share, with a model that is none."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from tests.agents.talk import user
from trialogue.agents import AgentFailure
from trialogue.agents.llm.agent import HuggingFaceSession, HuggingFaceSpec
from trialogue.llm import Completion
from trialogue.seeds import seed_for

HEARD: list[tuple[Sequence[Mapping[str, str]], int]] = []


def session(answer: str, **options: Any) -> HuggingFaceSession:
    """A session of a model that always writes the same."""
    HEARD.clear()

    def complete(messages: Sequence[Mapping[str, str]], *, seed: int, trial: str) -> Completion:
        HEARD.append((messages, seed))
        return Completion(text=answer, prompt_tokens=7)

    spec = HuggingFaceSpec(folder="none", **options)
    agent: Any = SimpleNamespace(spec=spec, instruction="Recommend.", model=SimpleNamespace(complete=complete))
    return HuggingFaceSession(agent, "d", 5)


def test_a_model_receives_the_instruction_and_the_whole_history() -> None:
    turn = session("Heat (1995).").reply([user("Hi"), user("A thriller")])
    ((messages, seed),) = HEARD
    assert messages[0] == {"role": "system", "content": "Recommend."}
    assert "A thriller" in messages[-1]["content"]
    assert seed == seed_for(5, "2")  # two utterances so far
    assert [each.text for each in turn.utterances] == ["Heat (1995)."]
    assert turn.meta == {"prompt_tokens": 7}
    assert (turn.latency_s or 0) >= 0


def test_a_greeting_is_of_the_options_and_not_of_the_model() -> None:
    assert session("x").greet() is None
    greeted = session("x", greeting="Welcome!").greet()
    assert greeted is not None
    assert [each.text for each in greeted.utterances] == ["Welcome!"]
    assert HEARD == []


def test_an_answer_that_is_too_long_is_a_failure() -> None:
    with pytest.raises(AgentFailure, match="5"):
        session("too long", longest_text=5).reply([user("Hi")])


@pytest.mark.parametrize(
    "answer", ["<think>\nThey like thrillers.\n</think>\n\nHeat?", "They like thrillers.</think>Heat?"]
)
def test_what_a_model_thinks_before_it_speaks_is_kept_apart(answer: str) -> None:
    turn = session(answer).reply([user("Hi")])
    assert [each.text for each in turn.utterances] == ["Heat?"]
    assert turn.utterances[0].thought == "They like thrillers."
    assert turn.meta == {"prompt_tokens": 7}


@pytest.mark.parametrize("answer", ["<think>They like thrillers, so", "<think>Hm.</think>\n"])
def test_a_model_that_thinks_and_says_nothing_has_failed(answer: str) -> None:
    with pytest.raises(AgentFailure, match="raise max_tokens") as caught:
        session(answer).reply([user("Hi")])
    assert caught.value.kind == "empty"

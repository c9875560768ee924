"""A language model as a recommender, against an endpoint that answers well and badly."""

import json
import os
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tests.agents.talk import said_to, texts, turn_of, user
from trialogue.agents import AgentFailure, check_agent, make_agent
from trialogue.agents.llm import LlmAgent, LlmSpec
from trialogue.errors import UsageError
from trialogue.llm import Price, Usage
from trialogue.records import Utterance
from trialogue.transport.failures import UnreadableAnswer
from trialogue.transport.retry import Retries

QUICK = Retries(most=3, first_wait_s=0.01, longest_wait_s=0.5)
MADE: list[LlmAgent] = []


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while MADE:
        MADE.pop().close()


def llm(endpoint: str, path: str = "ok", **options: Any) -> LlmAgent:
    agent = LlmSpec(
        **{"url": f"{endpoint}/{path}", "model": "tiny", "retries": QUICK, "timeout_s": 5, **options}
    ).make()
    MADE.append(agent)
    return agent


def failure_of(agent: LlmAgent) -> AgentFailure:
    with pytest.raises(AgentFailure) as caught:
        turn_of(agent)
    return caught.value


def asked(endpoint: str, path: str) -> tuple[int, dict[str, Any]]:
    """How often a path was asked, and with what the last time."""
    with urllib.request.urlopen(f"{endpoint}/heard") as answer:
        notes = json.load(answer)
    return notes["heard"].get(f"/{path}", 0), notes["last"].get(f"/{path}", {})


def test_a_model_answers_with_what_it_took(endpoint: str) -> None:
    agent = llm(endpoint, "plain")
    turn = turn_of(agent, "a thriller")
    assert texts(turn) == ["a thriller #1"]
    assert turn.meta == {
        "finish_reason": "stop",
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "model": "tiny-2026-11-01",
        "system_fingerprint": "fp_1",
    }
    assert agent.name == "tiny"
    agent.healthy()
    assert agent.client.models() == ["tiny"]


def test_the_request_is_what_the_options_say(endpoint: str) -> None:
    options: dict[str, Any] = {"temperature": 0.7, "max_tokens": 50, "stop": ("User:",), "more": {"top_p": 0.9}}
    agent = llm(endpoint, "body", domain="books", **options)
    with agent.open("d", seed=2**40 + 5) as session:
        session.reply([Utterance(speaker="system", text="Hello."), user("hi"), user("there")])
    body = asked(endpoint, "body")[1]
    instruction = body["messages"][0]["content"]
    assert body == {
        "model": "tiny",
        "messages": [
            {"role": "system", "content": instruction},
            {"role": "assistant", "content": "Hello."},
            {"role": "user", "content": "hi\nthere"},
        ],
        "temperature": 0.7,
        "max_tokens": 50,
        "stop": ["User:"],
        "seed": 5,  # 2**40 + 5 modulo 2**31
        "top_p": 0.9,
    }
    assert "recommender of books" in instruction


def test_what_is_not_asked_for_is_not_sent(endpoint: str) -> None:
    turn_of(llm(endpoint, "bare", send_seed=False, max_tokens=9, max_tokens_field="max_completion_tokens"))
    assert set(asked(endpoint, "bare")[1]) == {"model", "messages", "max_completion_tokens"}


def test_models_without_a_system_role_get_it_as_the_user(endpoint: str) -> None:
    turn_of(llm(endpoint, "role", instruction_role="user", prompt="Recommend."))
    assert asked(endpoint, "role")[1]["messages"] == [{"role": "user", "content": "Recommend.\n\nhi"}]


def test_a_greeting_is_said_without_asking_the_model(endpoint: str) -> None:
    assert said_to(llm(endpoint, "greet", greeting="Welcome!"), "hi") == [["Welcome!"], ["hi #1"]]


def test_a_catalogue_is_listed_in_the_prompt(endpoint: str, tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id,title,year\nh,Heat,1995\nr,Ronin,1998\n")
    assert llm(endpoint, catalogue=path).instruction.endswith("on this list:\n- Heat (1995)\n- Ronin (1998)")
    own = llm(endpoint, catalogue=path, prompt="{domain}:\n{catalogue}\nChoose.").instruction
    assert own == "movies:\n- Heat (1995)\n- Ronin (1998)\nChoose."
    with pytest.raises(UsageError, match=r"has 2 items, but a prompt takes at most 1 \(option catalogue_most\)"):
        llm(endpoint, catalogue=path, catalogue_most=1)


def test_prompts_that_cannot_be_filled_in_are_refused(endpoint: str) -> None:
    with pytest.raises(ValidationError, match="Did you mean 'catalogue'"):
        llm(endpoint, prompt="{catalog}")
    with pytest.raises(UsageError, match="no catalogue is given"):
        llm(endpoint, prompt="{catalogue}")


@pytest.mark.parametrize(
    ("path", "kind", "said"),
    [
        ("html", "malformed", "Is this the address of the API (it often ends in /v1)?"),
        ("broken", "malformed", "not JSON"),
        ("latin1", "malformed", "not UTF-8"),
        ("list", "malformed", "not an object"),
        ("no-choices", "malformed", "no choices"),
        ("error-in-200", "error", "answered with status 200 and an error: model is loading"),
        ("error-text-in-200", "error", "answered with status 200 and an error: model is loading"),
        ("error-in-choice", "harness", "an error: no credit left (code 402)"),
        ("cut-stream", "error", "broke off in the middle of a streamed answer"),
        ("broken-stream", "malformed", "a piece of the streamed answer is not JSON"),
        ("error-in-stream", "error", "an error: overloaded"),
        ("no-message", "malformed", "no message"),
        ("odd-choice", "malformed", "no choices"),
        ("parts", "malformed", "is not text"),
        ("long", "malformed", "1,048,576 characters; at most 100,000"),
        ("surrogate", "malformed", "half a surrogate pair"),
        ("null", "empty", "finish_reason 'stop'"),
        ("blank", "empty", "without text"),
        ("refusal", "empty", "It refused: I cannot recommend films."),
        ("tools", "tool_call", "which nobody runs"),
        ("length", "empty", "raise max_tokens"),
        ("status/400", "error", "status 400"),
        ("status/500", "error", "status 500"),
    ],
)
def test_each_way_to_fail_is_distinguished(endpoint: str, path: str, kind: str, said: str) -> None:
    failure = failure_of(llm(endpoint, path))
    assert failure.kind == kind
    assert said in failure.detail


def test_odd_names_of_models_are_no_reason_to_fail(endpoint: str) -> None:
    turn = turn_of(llm(endpoint, "odd-model"))
    assert (texts(turn), turn.meta["model"], "system_fingerprint" in turn.meta) == (["Hello"], "half ?", False)


def test_what_cannot_be_read_is_kept_as_it_came(endpoint: str) -> None:
    failure = failure_of(llm(endpoint, "broken"))
    assert isinstance(failure, UnreadableAnswer)
    assert failure.raw == '{"choices": [{"message": {"content": "Hel'


@pytest.mark.parametrize("path", ["first/429/2/a", "first/500/3/b", "first/503/1/c/0.05", "first/0/2/d"])
def test_what_passes_is_asked_again(endpoint: str, path: str) -> None:
    agent = llm(endpoint, path)
    times = int(path.split("/")[2])
    assert texts(turn_of(agent)) == [f"hi #{times + 1}"]
    assert agent.usage().retries == times


@pytest.mark.parametrize(("code", "kind"), [("429", "rate_limited"), ("502", "error")])
def test_a_status_inside_an_answer_of_status_200_counts_as_that_status(endpoint: str, code: str, kind: str) -> None:
    assert texts(turn_of(llm(endpoint, f"first/200/2/inside-{code}"))) == ["hi #3"]
    agent = llm(endpoint, f"first/200/9/inside-{code}")
    assert failure_of(agent).kind == kind
    assert agent.usage().retries == 3


def test_a_streamed_answer_is_put_together(endpoint: str) -> None:
    turn = turn_of(llm(endpoint, "streamed", more={"stream": True}))
    assert texts(turn) == ["Hello, you!"]
    assert turn.meta == {"finish_reason": "stop", "prompt_tokens": 7, "completion_tokens": 3, "model": "tiny"}
    assert asked(endpoint, "streamed")[1]["stream"] is True


def test_an_answer_that_is_not_whole_says_so(endpoint: str) -> None:
    agent = llm(endpoint, "cut")
    completion = agent.client.complete([{"role": "user", "content": "hi"}], seed=1, trial="d")
    assert (completion.text, completion.finish_reason, completion.is_whole) == ("I am looking for a", "length", False)
    assert turn_of(agent).meta["finish_reason"] == "length"


def test_patience_ends(endpoint: str) -> None:
    agent = llm(endpoint, "first/429/9/e")
    failure = failure_of(agent)
    assert (failure.kind, failure.retries.count) == ("rate_limited", 3)
    assert asked(endpoint, "first/429/9/e")[0] == 4  # once, and three further tries
    assert (agent.usage().retries, agent.usage().failures) == (3, 1)


def test_a_server_that_wants_a_long_pause_is_not_pestered(endpoint: str) -> None:
    failure_of(llm(endpoint, "first/429/9/f/3600"))
    assert asked(endpoint, "first/429/9/f/3600")[0] == 1


def test_mistakes_are_not_repeated(endpoint: str) -> None:
    failure_of(llm(endpoint, "status/404"))
    assert asked(endpoint, "status/404")[0] == 1


def test_a_model_that_hangs_is_a_time_out_after_all_tries(endpoint: str) -> None:
    failure = failure_of(llm(endpoint, "hang", timeout_s=0.1, retries=Retries(most=1, first_wait_s=0)))
    assert failure.kind == "timeout"
    assert asked(endpoint, "hang")[0] == 2


def test_nobody_there_is_unreachable() -> None:
    assert failure_of(llm("http://127.0.0.1:9")).kind == "unreachable"


def test_the_key_comes_from_the_environment_and_is_never_shown(
    endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    agent = llm(endpoint, "status/401", api_key_env="MY_KEY", cache=tmp_path)
    failure = failure_of(agent)
    assert "key Bearer ***" in failure.detail
    assert "Is the key in the environment variable correct?" in failure.detail
    turn_of(llm(endpoint, "key", api_key_env="MY_KEY", cache=tmp_path))
    written = [path.read_text() for path in tmp_path.rglob("*.json")]
    assert written
    assert "very-secret" not in f"{failure!r} {agent.spec!r} {agent.spec.to_json()} {vars(agent)} {written}"


def test_a_key_that_is_not_set_is_reported_before_the_first_request(endpoint: str) -> None:
    assert "NOT_SET_ANYWHERE" not in os.environ
    with pytest.raises(UsageError, match="export NOT_SET_ANYWHERE="):
        llm(endpoint, api_key_env="NOT_SET_ANYWHERE")


def test_cost_is_counted_in_the_money_of_the_price(endpoint: str) -> None:
    agent = llm(endpoint, price=Price(prompt_per_million=2, completion_per_million=8, currency="EUR"))
    said_to(agent, "a", "b", "c")
    # 3 calls: 300 tokens at 2 and 60 at 8 a million: .0006 + .00048
    assert agent.usage() == Usage(
        model="tiny", calls=3, prompt_tokens=300, completion_tokens=60, cost=0.00108, currency="EUR"
    )


def test_an_unknown_price_is_no_price_of_zero(endpoint: str) -> None:
    agent = llm(endpoint)
    turn_of(agent)
    usage = agent.usage()
    assert (usage.cost, usage.currency, usage.prompt_tokens) == (None, None, 100)
    assert usage.why == "the price of tiny is not given (option price)"


@pytest.mark.parametrize("path", ["no-usage", "odd-usage"])
def test_tokens_that_nobody_reported_make_the_cost_unknown(endpoint: str, path: str) -> None:
    agent = llm(endpoint, path, price=Price(prompt_per_million=1, completion_per_million=1))
    assert turn_of(agent).meta.get("prompt_tokens") is None
    usage = agent.usage()
    assert (usage.unreported, usage.cost) == (1, None)
    assert usage.why == "1 of 1 answers do not state their number of tokens"


def test_an_unreadable_answer_is_paid_for_all_the_same(endpoint: str) -> None:
    agent = llm(endpoint, "null")
    failure_of(agent)
    usage = agent.usage()
    assert (usage.calls, usage.failures, usage.prompt_tokens) == (1, 1, 100)


def test_no_more_requests_than_allowed_are_under_way(endpoint: str) -> None:
    agent = llm(endpoint, "parallel", requests_at_once=2)
    threads = [threading.Thread(target=turn_of, args=(agent, f"{n}")) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert agent.usage().calls == asked(endpoint, "parallel")[0] == 8


def test_a_model_is_found_by_its_url_too_and_checked(endpoint: str) -> None:
    agent = make_agent(f"{endpoint}/check", protocol="llm", model="tiny")
    found = check_agent(agent, messages=("a", "b"))
    agent.close()
    assert (found.reachable, found.answers, found.deterministic) == (True, True, False)  # the endpoint counts


def test_a_recommender_behind_an_endpoint_of_ours_is_a_model(served: dict[str, str]) -> None:
    agent = make_agent(served["counting/openai"], protocol="llm", model="counting", greeting="Welcome!")
    assert said_to(agent, "a", "b") == [["Welcome!"], ["Well.\na 1"], ["Well.\nb 2"]]
    agent.close()

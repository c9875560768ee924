"""From what somebody writes to an agent."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.agents.plugin import Shouter
from tests.agents.talk import said_to, texts, turn_of
from trialogue.agents import AgentSpec, make_agent, spec_of
from trialogue.agents.baselines import FixedSpec
from trialogue.agents.protocols.http_agent import HttpAgent, IEvaLMSpec, MovieBotSpec
from trialogue.agents.protocols.subprocess_agent import SubprocessSpec
from trialogue.errors import UnknownNameError, UsageError


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ("echo", {}, "hi"),
        ("fixed:Have you seen Heat?", {}, "Have you seen Heat?"),
        ("fixed", {"text": "Heat"}, "Heat"),
        ({"agent": "fixed", "text": "Heat"}, {}, "Heat"),
        ({"agent": "fixed:Heat"}, {}, "Heat"),
        ({"agent": "fixed", "text": "Heat"}, {"text": "Ronin"}, "Ronin"),
        (FixedSpec(text="Heat"), {}, "Heat"),
        ("tests.agents.plugin:reply", {}, "You said: hi"),
        ("tests.agents.plugin:Shouter", {}, "HI!"),
        ("tests.agents.plugin:Shouter", {"mark": "?"}, "HI?"),
        ("tests.agents.plugin:READY", {}, "HI!"),
        ("trialogue.agents.baselines:EchoSpec", {}, "hi"),
        ("callable:tests.agents.plugin:reply", {}, "You said: hi"),
        ("plugin-agent", {"mark": "!!"}, "HI!!"),
        ("plugin-reply", {"timeout_s": 5}, "You said: hi"),
    ],
)
def test_an_agent_is_made_from_what_names_it(given: Any, options: dict[str, Any], said: str) -> None:
    assert texts(turn_of(make_agent(given, **options))) == [said]


def test_a_url_needs_to_know_its_protocol() -> None:
    spec = spec_of("http://localhost:5001", protocol="moviebot")
    assert isinstance(spec, MovieBotSpec)
    assert spec.url == "http://localhost:5001"
    given = {"agent": "http://localhost:5005", "protocol": "ievalm", "timeout_s": 3}
    assert spec_of(given) == IEvaLMSpec(url="http://localhost:5005", timeout_s=3)
    assert spec_of({"protocol": "ievalm", "url": "http://localhost:5005"}).to_json() == {"url": "http://localhost:5005"}
    with pytest.raises(UsageError, match="Which protocol does http://localhost:5001 use") as caught:
        spec_of("http://localhost:5001")
    assert "moviebot" in str(caught.value)
    assert "echo" not in str(caught.value)


def test_the_name_can_be_chosen_for_every_kind() -> None:
    for given in ("echo", "fixed", "tests.agents.plugin:reply", "tests.agents.plugin:Shouter"):
        assert make_agent(given, name="mine").name == "mine"
    agent = make_agent("http://localhost:1", protocol="moviebot", name="mine")
    assert isinstance(agent, HttpAgent)
    assert (agent.name, make_agent("http://localhost:1", protocol="ievalm").name) == ("mine", "ievalm")


def test_a_file_says_what_is_to_be_made(tmp_path: Path) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text(
        """
        agent: http
        url: http://localhost:8080
        turn:
          path: /chat
          body: {user: "{dialogue_id}", text: "{message}"}
          reply: answer.text
        """
    )
    spec = spec_of(str(path), name="bot")
    assert spec.to_json() == {
        "name": "bot",
        "url": "http://localhost:8080",
        "turn": {"path": "/chat", "body": {"user": "{dialogue_id}", "text": "{message}"}, "reply": "answer.text"},
    }


def test_a_file_of_a_command_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "bot.yml"
    path.write_text("agent: 'subprocess: python bot.py --fast'")
    assert spec_of(str(path)) == SubprocessSpec(command="python bot.py --fast")
    given = "subprocess:python bot.py --options my.yaml"
    assert spec_of(given) == SubprocessSpec(command="python bot.py --options my.yaml")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("- agent", "must contain 'agent: ...'"),
        ("agent: [", "is not valid YAML"),
        ("url: http://localhost:1", "'agent' is needed: one of callable, dialoguekit, echo"),
        ("agent: 7", "Got: 7"),
        ("agent: echo\nprotocol: 7", "Got: 'echo'"),
    ],
)
def test_a_file_that_says_nothing_is_reported(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text(content)
    with pytest.raises(UsageError, match=re.escape(said)) as caught:
        spec_of(str(path))
    assert "bot.yaml" in str(caught.value)


def test_options_may_name_a_file_and_overrule_it(tmp_path: Path) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text("agent: 'subprocess: python bot.py'\nname: bot\ntimeout_s: 5")
    assert spec_of({"agent": str(path), "timeout_s": 9}) == SubprocessSpec(
        command="python bot.py", name="bot", timeout_s=9
    )
    (tmp_path / "other.yaml").write_text(f"agent: {path}")
    with pytest.raises(UsageError, match=r"other\.yaml: 'agent' names another file"):
        spec_of(str(tmp_path / "other.yaml"))


def test_a_file_that_is_not_there_is_reported() -> None:
    with pytest.raises(UsageError, match=r"nowhere\.yaml cannot be read \(No such file"):
        spec_of("nowhere.yaml")


@pytest.mark.parametrize(
    ("given", "protocol", "said"),
    [
        ("ecco", None, "There is no agent 'ecco'. Did you mean 'echo'?"),
        ("http://localhost:1", "movibot", "There is no protocol 'movibot'. Did you mean 'moviebot'"),
        ("no_such_module:bot", None, "cannot be imported"),
        ("tests.agents.plugin:bot", None, "has no 'bot'"),
        ("echo:loudly", None, "takes no URL or argument"),
        ("plugin-agent:loudly", None, "takes nothing after a colon"),
    ],
)
def test_what_cannot_be_found_is_reported_with_what_there_is(given: str, protocol: str | None, said: str) -> None:
    with pytest.raises((UsageError, UnknownNameError), match=re.escape(said)):
        make_agent(given, protocol=protocol)


def test_all_mistakes_are_listed_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        spec_of({"agent": "http", "timeout": 5, "timeout_s": -1, "turn": {"body": "{mesage}", "reply": 7, "x": 1}})
    lines = str(caught.value).splitlines()
    assert lines[0] == "The agent 'http' cannot be created:"
    fields = {match[1] for line in lines[1:] if (match := re.search(r"field ([\w.]+): ", line))}
    assert fields == {"url", "turn.body", "turn.reply", "turn.x", "timeout_s", "timeout"}
    text = str(caught.value)
    assert "Did you mean 'timeout_s'" in text
    assert "this field is required. Base URL, such as ``http://localhost:8080``." in text
    assert "Did you mean 'message'" in text


def test_a_secret_in_the_options_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError) as caught:
        spec_of({"agent": "llm", "url": "http://localhost:1/v1", "model": "m", "api_key": "sk-very-secret"})
    assert "api_key_env: MY_KEY" in str(caught.value)
    assert "very-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ("tests.agents.plugin:Shouter", {"loud": True}, "cannot be created with {'loud': True}"),
        ("tests.agents.plugin:READY", {"mark": "?"}, "is already an agent"),
        ("tests.agents.plugin:reply", {"mark": "?"}, "There is no field 'mark'"),
    ],
)
def test_options_that_code_does_not_take_are_refused(given: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        make_agent(given, **options)


def test_an_agent_of_somebody_elses_class_is_talked_to() -> None:
    agent = make_agent("tests.agents.plugin:Shouter")
    assert type(agent).__name__ == Shouter.__name__
    assert said_to(agent, "a", "b") == [[], ["A!"], ["B!"]]


def test_specs_survive_a_trip_through_json() -> None:
    for spec in (spec_of("echo"), spec_of("http://localhost:1", protocol="moviebot", timeout_s=2), spec_of("fixed:x")):
        assert isinstance(spec, AgentSpec)
        assert type(spec).model_validate(spec.to_json()) == spec
        assert spec_of(spec) == spec

"""DialogueKit agents in this process: with a stand-in for DialogueKit, and with DialogueKit 0.1.1 where there is one."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.talk import said_to, texts, turn_of, user
from trialogue.agents import AgentFailure, make_agent
from trialogue.errors import MissingExtraError, UsageError
from trialogue.records import DialogueAct, SlotValue

ROOT = Path(__file__).parent.parent.parent.parent
PYTHON = "TRIALOGUE_DIALOGUEKIT_PYTHON"
KIT = ("dialoguekit", "tests.agents.kit_agents")


def forget() -> None:
    for name in [name for name in sys.modules if name.startswith(KIT)]:
        del sys.modules[name]


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """DialogueKit's stand-in, installed for a test."""
    forget()
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "standin"))
    yield
    forget()


def agent_of(made: str, **options: Any) -> Any:
    return make_agent(f"dialoguekit:tests.agents.kit_agents:{made}", **options)


@pytest.mark.usefixtures("kit")
def test_it_is_welcomed_and_answers_to_what_it_receives() -> None:
    agent = agent_of("Talker")
    assert agent.name == "Talker"
    # welcomed with 2 utterances; "hi" is the third of the history, the answer the fourth, "Heat" the fifth
    assert said_to(agent, "hi", "Heat") == [
        ["Welcome!", "What do you like?"],
        ["hi, heard 3"],
        ["Heat, heard 5"],
    ]


@pytest.mark.usefixtures("kit")
def test_acts_are_taken_over() -> None:
    with agent_of("Talker").open("d", seed=0) as session:
        greeting = session.greet()
        assert greeting is not None
        assert greeting.utterances[1].acts == (DialogueAct(intent="ELICIT", slots=(SlotValue(slot="GENRE"),)),)
        said = session.reply([*greeting.utterances, user("hi")]).utterances[0]
    slot = SlotValue(slot="TITLE", value="Heat", start=0, end=4)
    assert said.acts == (DialogueAct(intent="REVEAL", slots=(slot,)),)


@pytest.mark.usefixtures("kit")
def test_its_stop_intent_ends_the_dialogue() -> None:
    with agent_of("Talker").open("d", seed=0) as session:
        assert not session.reply([user("hi")]).ends
        turn = session.reply([user("bye")])
    assert (texts(turn), turn.ends) == (["Goodbye."], True)


@pytest.mark.usefixtures("kit")
def test_it_may_leave_without_a_word() -> None:
    with agent_of("Mute").open("d", seed=0) as session:
        turn = session.reply([user("bye")])
    assert (texts(turn), turn.ends) == ([], True)


@pytest.mark.usefixtures("kit")
def test_an_answer_from_another_thread_is_waited_for() -> None:
    assert said_to(agent_of("Later"), "hi") == [[], ["hi, heard 1"]]


@pytest.mark.usefixtures("kit")
def test_every_dialogue_has_an_agent_of_its_own_with_its_arguments() -> None:
    agent = agent_of("Talker", arguments={"word": "noted"}, name="mine")
    assert agent.name == "mine"
    with agent.open("a", seed=0) as one, agent.open("b", seed=0) as other:
        assert texts(one.reply([user("x")])) == texts(other.reply([user("x")])) == ["x, noted 3"]


@pytest.mark.usefixtures("kit")
@pytest.mark.parametrize(
    ("name", "message", "kind", "said"),
    [
        ("Talker", "crash", "error", "out of films"),
        ("Talker", "hang", "timeout", "receive_utterance() did not return within 0.3 s"),
        ("Mute", "hi", "timeout", "registered no utterance within 0.3 s (timeout_s)"),
    ],
)
def test_each_way_to_fail_is_distinguished(name: str, message: str, kind: str, said: str) -> None:
    with pytest.raises(AgentFailure) as caught:
        turn_of(agent_of(name, timeout_s=0.3), message)
    assert caught.value.kind == kind
    assert said in caught.value.detail


@pytest.mark.usefixtures("kit")
def test_wrong_arguments_are_a_failure_that_names_them() -> None:
    with pytest.raises(AgentFailure, match="volume"):
        agent_of("Talker", arguments={"volume": 11}).open("d", seed=0)


@pytest.mark.usefixtures("kit")
def test_what_is_no_dialoguekit_agent_is_refused() -> None:
    with pytest.raises(UsageError, match="it has no welcome and no receive_utterance and no connect"):
        make_agent("dialoguekit:tests.agents.plugin:Shouter")


def test_without_dialoguekit_the_command_that_installs_it_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    forget()
    monkeypatch.setitem(sys.modules, "dialoguekit", None)

    class Agent:
        welcome = receive_utterance = connect_dialogue_connector = None

    from trialogue.agents.protocols.dialoguekit_agent import DialogueKitAgent

    with pytest.raises(MissingExtraError, match="pip install dialoguekit"):
        DialogueKitAgent(Agent)
    forget()


REAL = """
import json, sys
from tests.agents.talk import said_to
from trialogue.agents.protocols.dialoguekit_agent import DialogueKitSpec
agent = DialogueKitSpec(code="tests.agents.kit_agents:Talker", arguments={"word": "noted"}).make()
with agent.open("d", seed=0) as session:
    acts = [said.to_json() for said in session.greet().utterances]
print(json.dumps([said_to(agent, "hi", "bye"), acts]))
"""


def test_the_real_dialoguekit_gives_the_same() -> None:
    python = os.environ.get(PYTHON)
    if not python:
        pytest.skip(f"{PYTHON} is not set: the Python of an environment with dialoguekit==0.1.1")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    needed = subprocess.run([python, "-c", "import pydantic, numpy"], capture_output=True, env=environment, check=False)
    if needed.returncode != 0:
        pytest.skip(f"the environment of {PYTHON} has no pydantic or numpy, which Trialogue needs")
    run = [python, "-W", "ignore", "-c", REAL]
    done = subprocess.run(run, capture_output=True, text=True, env=environment, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    said, greeting = json.loads(done.stdout)
    assert said == [["Welcome!", "What do you like?"], ["hi, noted 3"], ["Goodbye."]]
    assert greeting[1]["acts"] == [{"intent": "ELICIT", "slots": [{"slot": "GENRE"}]}]

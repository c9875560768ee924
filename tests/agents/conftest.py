"""Servers as processes on this machine's loopback, each on a free port, ended by their id; and our entry points."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trialogue import plugins

ROOT = Path(__file__).parent.parent.parent
START_S = 20  # for a server to say where it is

ENTRY_POINTS = """\
[trialogue.tools]
catalogue = trialogue.simulating.catalogue_tools:named_tools

[trialogue.agents]
echo = trialogue.agents.baselines:EchoSpec
fixed = trialogue.agents.baselines:FixedSpec
callable = trialogue.agents.callable_agent:CallableSpec
subprocess = trialogue.agents.protocols.subprocess_agent:SubprocessSpec
http = trialogue.agents.protocols.http_agent:HttpSpec
trialogue = trialogue.agents.protocols.http_agent:TrialogueSpec
moviebot = trialogue.agents.protocols.http_agent:MovieBotSpec
moviebot-v2 = trialogue.agents.protocols.http_agent:MovieBot2Spec
ievalm = trialogue.agents.protocols.http_agent:IEvaLMSpec
socketio = trialogue.agents.protocols.socketio_agent:SocketIoSpec
dialoguekit = trialogue.agents.protocols.dialoguekit_agent:DialogueKitSpec
replay = trialogue.agents.replay:ReplaySpec
llm = trialogue.agents.llm.agent:LlmSpec
huggingface = trialogue.agents.llm.agent:HuggingFaceSpec
plugin-agent = tests.agents.plugin:Shouter
plugin-reply = tests.agents.plugin:reply
"""


@pytest.fixture(scope="session", autouse=True)
def entry_points(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What an installed package, and a plug-in beside it, declare."""
    folder = tmp_path_factory.mktemp("installed")
    info = folder / "trialogue_agents_of_the_tests-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: trialogue-agents-of-the-tests\nVersion: 1\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    sys.path.insert(0, str(folder))
    plugins.plugins_of.cache_clear()
    yield
    sys.path.remove(str(folder))
    plugins.plugins_of.cache_clear()


Started = Callable[..., str]


@pytest.fixture(scope="package")
def start() -> Iterator[Started]:
    """Starts ``python -m MODULE WORDS...`` and returns the first line it prints, its address; ends it after the room."""
    processes: list[subprocess.Popen[str]] = []

    def started(module: str, *words: str) -> str:
        command = [sys.executable, "-m", module, *words]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        processes.append(process)
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        assert line, f"{command} said nothing"
        return line

    yield started
    for process in processes:
        process.terminate()
        process.wait(10)
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture(scope="package")
def faulty(start: Started) -> str:
    """Address of a server that answers as badly as it is asked to (``tests.agents.servers.faulty``)."""
    return start("tests.agents.servers.faulty")


@pytest.fixture(scope="package")
def served(start: Started) -> dict[str, str]:
    """Address by ``"AGENT/PROTOCOL"`` of the agents of ``tests.agents.servers.served``."""
    addresses: dict[str, str] = json.loads(start("tests.agents.servers.served"))
    return addresses


@pytest.fixture(scope="package")
def endpoint(start: Started) -> str:
    """Address of a chat endpoint that fails as its path says (``tests.agents.servers.chat``)."""
    return start("tests.agents.servers.chat")

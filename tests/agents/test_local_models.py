"""A real, tiny, random model: from its folder, and behind a real OpenAI-compatible server. Only where torch is installed."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.talk import said_to, texts, turn_of, user
from tests.agents.tiny_model import write_tiny_model
from trialogue.agents import AgentFailure, make_agent
from trialogue.errors import MissingExtraError, UsageError
from trialogue.llm.local import LocalModel, LocalOptions

pytestmark = [
    pytest.mark.slow,
    pytest.mark.service,
    pytest.mark.filterwarnings("ignore"),
]  # warnings of those libraries are theirs
START_S = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("torch", "transformers"):
        pytest.importorskip(module, reason=f"{module} is not installed (extra neural)")
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


def test_a_model_in_a_folder_talks_and_the_seed_decides_what_it_says(folder: Path) -> None:
    agent = make_agent(f"huggingface:{folder}", temperature=1.0, max_tokens=12)
    assert agent.name == "tiny"
    first = said_to(agent, "hi", "a thriller", seed=4)
    assert said_to(agent, "hi", "a thriller", seed=4) == first
    assert said_to(agent, "hi", "a thriller", seed=5) != first
    meta = turn_of(agent).meta
    assert meta["completion_tokens"] <= 12  # type: ignore[operator]
    assert meta["prompt_tokens"] > 20  # type: ignore[operator]
    agent.close()


def test_the_likeliest_words_do_not_depend_on_the_seed_nor_disturb_the_draws_of_others(folder: Path) -> None:
    import torch

    agent = make_agent(f"huggingface:{folder}", max_tokens=8, greeting="Welcome!")
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    assert said_to(agent, "hi", seed=1) == said_to(agent, "hi", seed=2)
    assert torch.rand(1) == expected


def test_an_answer_that_used_up_its_tokens_says_so(folder: Path) -> None:
    agent = make_agent(f"huggingface:{folder}", temperature=1.0, max_tokens=3)
    meta = turn_of(agent).meta
    assert (meta["finish_reason"], meta["completion_tokens"]) == ("length", 3)
    assert str(meta["model"]).startswith("tiny@sha256:")
    assert "torch" in str(meta["system_fingerprint"])


def test_a_model_stops_before_the_texts_it_is_given(folder: Path) -> None:
    whole = texts(turn_of(make_agent(f"huggingface:{folder}", max_tokens=8)))[0]
    stop = whole[3:5]
    turn = turn_of(make_agent(f"huggingface:{folder}", max_tokens=8, stop=[stop]))
    assert texts(turn) == [whole[: whole.index(stop)].strip()]
    assert turn.meta["finish_reason"] == "stop"


def test_an_agent_and_a_user_of_one_model_share_its_weights(folder: Path) -> None:
    first, second = (LocalModel(LocalOptions(folder=folder)) for _ in range(2))
    first.load()
    second.load()
    assert first._weights is second._weights


def test_a_device_that_is_not_there_is_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="cannot run on the device 'cuda:99'"):
        make_agent(f"huggingface:{folder}", device="cuda:99")


def test_a_conversation_that_is_too_long_is_a_failure(folder: Path) -> None:
    agent = make_agent(f"huggingface:{folder}", max_tokens=8)
    with pytest.raises(AgentFailure, match="handles 1024 in total"):
        turn_of(agent, "heat " * 2_000)


def test_a_model_without_a_chat_template_is_shown_the_conversation(folder: Path, tmp_path: Path) -> None:
    agent = make_agent(f"huggingface:{write_tiny_model(tmp_path, chat_template=False)}", max_tokens=8)
    assert turn_of(agent).utterances


def test_a_folder_without_a_model_is_reported(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="contains no language model"):
        make_agent(f"huggingface:{tmp_path}")


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF" + bytes(range(256)) * 9, b"no model at all"])
def test_a_damaged_file_is_refused_in_a_sentence(folder: Path, tmp_path: Path, content: bytes) -> None:
    pytest.importorskip("gguf", reason="gguf is not installed (extra local)")
    (tmp_path / "damaged.gguf").write_bytes(content)
    with pytest.raises(UsageError, match=r"damaged\.gguf contains no language model that can be loaded: "):
        make_agent(f"huggingface:{tmp_path / 'damaged.gguf'}")


def test_without_the_extra_the_command_that_installs_it_is_reported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(MissingExtraError, match=r"trialogue\[local\]"):
        make_agent(f"huggingface:{tmp_path}")


@pytest.fixture(scope="module")
def served_model(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of ``transformers serve`` with the tiny model."""
    for module in ("accelerate", "fastapi", "openai", "uvicorn"):
        pytest.importorskip(module, reason=f"{module} is not installed, which transformers serve needs")
    command = shutil.which("transformers", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if command is None:
        pytest.skip("the command transformers is not installed (extra neural)")
    home = tmp_path_factory.mktemp("home")
    (home / "hub").mkdir()
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    log = (home / "log").open("w")
    process = subprocess.Popen(
        [command, "serve", "--host", "127.0.0.1", "--port", str(port), "--device", "cpu", str(folder)],
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(home), "OMP_NUM_THREADS": "1"},
        stdout=log,
        stderr=log,
    )
    url = f"http://127.0.0.1:{port}"
    health: Any = make_agent(
        url, protocol="trialogue", health={"method": "GET", "path": "/health"}, retries={"most": 0}
    )
    until = time.monotonic() + START_S
    try:
        while True:
            try:
                health.healthy()
                break
            except AgentFailure:
                if process.poll() is not None or time.monotonic() > until:
                    pytest.fail(f"transformers serve did not start: {(home / 'log').read_text()[-500:]}")
                time.sleep(0.2)
        yield url
    finally:
        health.close()
        process.terminate()
        process.wait(20)
        log.close()


def test_a_real_openai_compatible_server_is_talked_to(served_model: str, folder: Path, tmp_path: Path) -> None:
    agent: Any = make_agent(
        f"{served_model}/v1", protocol="llm", model=str(folder), max_tokens=12, temperature=1.0, cache=str(tmp_path)
    )
    first = said_to(agent, "hi", "a thriller", seed=1)
    assert agent.usage().calls == 2
    assert agent.usage().unreported in (0, 2)
    assert said_to(agent, "hi", "a thriller", seed=1) == first
    assert agent.usage().cached == 2
    agent.close()


def test_a_model_that_the_server_does_not_have_is_a_failure_in_its_words(served_model: str) -> None:
    agent = make_agent(f"{served_model}/v1", protocol="llm", model="no-such-model", retries={"most": 0})
    with agent.open("d", seed=0) as session, pytest.raises(AgentFailure) as caught:
        session.reply([user("hi")])
    agent.close()
    assert caught.value.kind == "error"
    assert "no-such-model" in caught.value.detail

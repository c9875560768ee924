"""Models in this process: what identifies them, what is asked anew, and what a run from the cache needs. No torch here."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from trialogue.errors import MissingExtraError, UsageError
from trialogue.llm import ChatOptions, LocalModel, LocalOptions, open_model
from trialogue.llm import local as module
from trialogue.llm.chat import ChatClient, Message
from trialogue.llm.local import hash_model
from trialogue.llm.models import model_identity
from trialogue.transport.failures import AgentFailure

ASKED: list[tuple[list[dict[str, str]], int]] = []
HELLO: list[Message] = [{"role": "user", "content": "Hello"}]


class Parrot:
    """Loaded weights that repeat the last message, and the seed unless greedy."""

    def answer(self, messages: Sequence[Message], options: LocalOptions, seed: int, *, model: str) -> dict[str, Any]:
        ASKED.append(([dict(each) for each in messages], seed))
        said = messages[-1]["content"]
        if said == "fail":
            raise AgentFailure("error", "out of memory")
        text = f"{said}, {seed}" if options.temperature else said
        reason = "length" if len(text) > options.max_tokens else "stop"
        return {
            "model": model,
            "system_fingerprint": "parrot 1.0",
            "choices": [{"message": {"content": text[: options.max_tokens]}, "finish_reason": reason}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 5},
        }


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A folder that looks like a model's."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"\x00" * 8)
    return folder


@pytest.fixture(autouse=True)
def parrot(monkeypatch: pytest.MonkeyPatch) -> None:
    ASKED.clear()
    monkeypatch.setattr(module, "_weights_of", lambda options, sha256: Parrot())


def test_an_answer_records_the_model_by_its_content(weights: Path) -> None:
    model = open_model(LocalOptions(folder=weights))
    answer = model.complete(HELLO, seed=1, trial="a")
    assert isinstance(model, LocalModel)
    assert answer.text == "Hello"
    assert answer.model == f"tiny@sha256:{hash_model(weights)[:12]}" == model_identity(LocalOptions(folder=weights))
    assert (answer.finish_reason, answer.system_fingerprint) == ("stop", "parrot 1.0")
    usage = model.ledger.usage()
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens, usage.cost) == (1, 3, 5, None)


def test_an_answer_that_used_up_its_tokens_is_not_whole(weights: Path) -> None:
    answer = open_model(LocalOptions(folder=weights, max_tokens=2)).complete(HELLO, seed=1, trial="a")
    assert (answer.text, answer.finish_reason, answer.is_whole) == ("He", "length", False)


def test_a_second_run_makes_no_call_and_needs_no_torch(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = LocalOptions(folder=weights, temperature=0.7, cache=tmp_path / "cache")
    first = open_model(options).complete(HELLO, seed=1, trial="a")

    def refuse(options: LocalOptions, sha256: str) -> Parrot:
        raise AssertionError("the weights were loaded")

    monkeypatch.setattr(module, "_weights_of", refuse)
    again = open_model(options)
    assert again.complete(HELLO, seed=1, trial="a") == first
    assert (again.ledger.usage().calls, again.ledger.usage().cached) == (0, 1)


@pytest.mark.parametrize(
    "change", [{"temperature": 0.5}, {"max_tokens": 9}, {"top_p": 0.5}, {"stop": ("x",)}, {"dtype": "float16"}]
)
def test_whatever_could_change_the_answer_is_asked_anew(weights: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    options = {"folder": weights, "temperature": 0.7, "cache": tmp_path / "cache"}
    for given in (options, options, options | change):
        open_model(LocalOptions.model_validate(given)).complete(HELLO, seed=1, trial="a")
    assert len(ASKED) == 2


def test_another_seed_trial_or_content_is_asked_anew_and_another_place_is_not(weights: Path, tmp_path: Path) -> None:
    options = LocalOptions(folder=weights, temperature=0.7, cache=tmp_path / "cache")
    cases = ((1, "a"), (2, "a"), (1, "b"))
    texts = [open_model(options).complete(HELLO, seed=seed, trial=trial).text for seed, trial in cases]
    assert texts == ["Hello, 1", "Hello, 2", "Hello, 1"]
    assert len(ASKED) == 3
    moved = weights.rename(tmp_path / "elsewhere")
    open_model(options.model_copy(update={"folder": moved})).complete(HELLO, seed=1, trial="a")
    assert len(ASKED) == 3
    (moved / "model.safetensors").write_bytes(b"\x01" * 8)
    open_model(options.model_copy(update={"folder": moved})).complete(HELLO, seed=1, trial="a")
    assert len(ASKED) == 4


def test_greedy_answers_do_not_depend_on_the_seed(weights: Path, tmp_path: Path) -> None:
    options = LocalOptions(folder=weights, cache=tmp_path / "cache")
    for seed in (1, 2):
        open_model(options).complete(HELLO, seed=seed, trial="a")
    assert len(ASKED) == 1


def test_failures_are_counted_and_not_kept(weights: Path, tmp_path: Path) -> None:
    model = open_model(LocalOptions(folder=weights, cache=tmp_path / "cache"))
    for _ in range(2):
        with pytest.raises(AgentFailure, match="out of memory"):
            model.complete([{"role": "user", "content": "fail"}], seed=1, trial="a")
    assert (len(ASKED), model.ledger.usage().failures) == (2, 2)


def test_a_folder_and_a_file_are_hashed_by_their_content(weights: Path, tmp_path: Path) -> None:
    before = hash_model(weights)
    (weights / "tokenizer.json").write_text("{}")
    assert hash_model(weights) != before
    file = tmp_path / "a.gguf"
    file.write_bytes(b"GGUF")
    # printf GGUF | sha256sum
    assert hash_model(file) == "b83633aa785344791618f2fddf131b010ea04912a60430760b070bad293f65bd"
    assert LocalOptions(folder=file).model == "a"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nowhere", "does not exist"),
        ("empty", r"has no config\.json"),
        ("words.txt", r"does not end in \.gguf"),
        ("no.gguf", "No such file"),
    ],
)
def test_a_place_without_a_model_is_refused_before_anything_is_asked(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "words.txt").write_text("hello")
    with pytest.raises(UsageError, match=f"contains no language model: .*{why}"):
        open_model(LocalOptions(folder=tmp_path / name))


def test_without_the_extra_the_command_that_installs_it_is_named(
    weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"trialogue\[local\]"):
        open_model(LocalOptions(folder=weights)).complete(HELLO, seed=0, trial="a")


def test_the_same_door_leads_to_an_endpoint() -> None:
    options = ChatOptions(url="http://localhost:9/v1", model="m")
    assert isinstance(open_model(options), ChatClient)
    assert model_identity(options) == ""

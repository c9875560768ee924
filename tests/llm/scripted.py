"""Files that look like a model's, and scripted weights in their place: everything around torch, without torch."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from trialogue.llm import LocalOptions
from trialogue.llm import local as module
from trialogue.llm.chat import Message


def weights_in(folder: Path, name: str = "tiny") -> Path:
    """A folder that looks like a model's."""
    made = folder / name
    made.mkdir()
    (made / "config.json").write_text("{}")
    (made / "model.safetensors").write_bytes(b"\x00" * 8)
    return made


class Scripted:
    """Loaded weights that answer the text of all messages by a function, and keep what was asked."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self._answer = answer
        self.prompts: list[str] = []

    def answer(self, messages: Sequence[Message], options: LocalOptions, seed: int, *, model: str) -> dict[str, Any]:
        text = "\n".join(each["content"] for each in messages)
        self.prompts.append(text)
        message = {"content": self._answer(text)}
        return {
            "model": model,
            "choices": [{"message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 1},
        }


def script(monkeypatch: pytest.MonkeyPatch, answer: Callable[[str], str]) -> Scripted:
    """Let every model in this process answer by a function."""
    made = Scripted(answer)
    monkeypatch.setattr(module, "_weights_of", lambda options, sha256: made)
    return made

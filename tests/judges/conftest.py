"""The chat endpoint that tests of agents use, and judges at it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.conftest import endpoint, start
from trialogue.judges import JudgeOptions, LlmJudge, LlmPairJudge, load_rubric
from trialogue.records import Dialogue, Utterance

__all__ = ["endpoint", "start"]
OPEN: list[LlmJudge | LlmPairJudge] = []


@pytest.fixture(autouse=True)
def _close_judges() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


def options(endpoint: str, name: str = "plain", **more: Any) -> JudgeOptions:
    """A judge of ``tests.agents.servers.judging`` by its name."""
    retries = {"most": 1, "first_wait_s": 0}
    return JudgeOptions(url=f"{endpoint}/judge/{name}", model="tiny", retries=retries, **more)


def judge_at(endpoint: str, name: str = "plain", *, rubric: str | Path = "overall", **more: Any) -> LlmJudge:
    made = LlmJudge(load_rubric(rubric), options(endpoint, name, **more), systems=["kbrd", "barcor", "popular"])
    OPEN.append(made)
    return made


def pairs_at(endpoint: str, name: str = "plain", **more: Any) -> LlmPairJudge:
    made = LlmPairJudge(load_rubric("overall"), options(endpoint, name, **more))
    OPEN.append(made)
    return made


def talk(name: str, *texts: str, system: str = "kbrd", **more: Any) -> Dialogue:
    """A dialogue in which the user begins, and speakers alternate."""
    said = tuple(Utterance(speaker=("user", "system")[place % 2], text=text) for place, text in enumerate(texts))
    return Dialogue(id=name, system=system, utterances=said, **more)

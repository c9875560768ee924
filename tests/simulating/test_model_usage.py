"""What models were asked is written down when they are closed."""

from pathlib import Path

import pytest

from trialogue.agents.llm.agent import LlmSpec
from trialogue.llm.usage import Price, Usage
from trialogue.simulating.model_usage import Metered, add_usage, usage_text, usages

SPEC = LlmSpec(url="http://localhost:9", model="m", price=Price(prompt_per_million=1, completion_per_million=2))


def metered(file: Path, *, calls: int = 1) -> Metered:
    """A model that was asked so many times, 1,000 tokens of prompt and 500 of answer each."""
    agent = SPEC.make()
    for _ in range(calls):
        agent.client.ledger.record_call(1_000, 500)
    return Metered(agent, "mine", file)


def test_each_process_adds_a_line_and_all_are_summed(tmp_path: Path) -> None:
    file = tmp_path / "usage.jsonl"
    for calls in (1, 3):
        metered(file, calls=calls).close()
    found = usages(file)
    assert [(name, usage.calls) for name, usage in found] == [("mine", 1), ("mine", 3)]
    whole = add_usage([usage for _, usage in found])
    assert (whole.calls, whole.prompt_tokens, whole.completion_tokens) == (4, 4_000, 2_000)
    assert whole.cost == pytest.approx(0.008)  # 4,000 tokens at 1 and 2,000 at 2 a million
    assert usage_text("mine", whole).endswith("cost 0.008 USD")


def test_a_model_that_was_not_asked_leaves_no_line(tmp_path: Path) -> None:
    metered(tmp_path / "usage.jsonl", calls=0).close()
    assert usages(tmp_path / "usage.jsonl") == []


def test_damaged_lines_are_passed_over_and_a_full_disk_ends_nothing(tmp_path: Path) -> None:
    file = tmp_path / "usage.jsonl"
    metered(file).close()
    with file.open("a", encoding="utf-8") as stream:
        stream.write('{"agent": "mine"}\n[]\n{"agent')
    assert len(usages(file)) == 1
    metered(tmp_path / "nowhere" / "usage.jsonl").close()
    assert not (tmp_path / "nowhere").exists()


def test_one_unknown_cost_makes_the_sum_unknown() -> None:
    known = Usage(model="m", calls=1, cost=1.0, currency="USD")
    whole = add_usage([known, Usage(model="m", calls=1, why="1 of 1 answers do not state their number of tokens")])
    assert whole.cost is None
    assert whole.why == "1 of 1 answers do not state their number of tokens"

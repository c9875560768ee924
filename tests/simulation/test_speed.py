"""How the time and memory of a batch grow; how fast it is stands in benchmarks/SIMULATION.md."""

import time
import tracemalloc
from pathlib import Path

import pytest

from trialogue.agents.registry import make_agent
from trialogue.inputs.knowledge import load_catalogue
from trialogue.simulation import Users, load_users
from trialogue.simulation.batch.batch import run_batch
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner


@pytest.fixture(scope="module")
def users() -> Users:
    known = load_catalogue()
    assert known.ratings is not None
    return Users(load_users("cir6-pkg"), known.catalogue, known.ratings)


def cpu_seconds(users: Users, n: int, folder: Path) -> float:
    agent, five = make_agent("fixed:How about Heat (1995)?"), DialogueRunner(max_turns=5)
    start = time.process_time()
    run_batch(Plan(("fixed",), ("cir6-pkg",), n), lambda _: agent, lambda _: users, folder=folder, talk=five)
    return time.process_time() - start


def test_ten_times_the_dialogues_take_no_more_than_ten_times_as_long_each(users: Users, tmp_path: Path) -> None:
    cpu_seconds(users, 100, tmp_path / "warm")
    few = min(cpu_seconds(users, 100, tmp_path / f"few{again}") for again in range(3))
    many = min(cpu_seconds(users, 1_000, tmp_path / f"many{again}") for again in range(2))
    assert many / few < 10 * 1.8  # the same for each, and room for a busy machine


def test_memory_grows_with_ids_not_with_what_was_said(users: Users, tmp_path: Path) -> None:
    cpu_seconds(users, 300, tmp_path / "warm")
    tracemalloc.start()
    try:
        cpu_seconds(users, 600, tmp_path / "measured")
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    written = (tmp_path / "measured" / "dialogues.jsonl").stat().st_size
    assert held < written / 2  # of a dialogue's 1,200 bytes, nothing but what is looked up again is kept

"""Pieces of work in processes and on a cluster: results in order, no piece lost in silence."""

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from trialogue.dask_cluster import AHEAD, Workers
from trialogue.errors import Problem

PURPOSE = "test"
WAYS = [Workers(), Workers(2), Workers(3)]


@dataclass(frozen=True)
class Piece:
    number: int

    @property
    def given(self) -> str:
        return f"piece {self.number}"


def square(piece: Piece, task: int) -> int | list[Problem]:
    return [Problem("it is odd.", file=piece.given)] if task and piece.number % task else piece.number**2


def kill(piece: Piece, folder: str) -> int | list[Problem]:
    """Kill the own process once for each file that bears the number of the piece, but never that of the test."""
    if os.getpid() == int((Path(folder) / "parent").read_text()):
        if piece.number != 1 and not (Path(folder) / "waited").exists():
            (Path(folder) / "begun").read_bytes()  # a pipe: waits until another process is about to be killed
            (Path(folder) / "waited").touch()
        return piece.number
    for life in sorted(Path(folder).glob(f"{piece.number}.*")):
        life.unlink()
        with contextlib.suppress(OSError):
            os.close(os.open(Path(folder) / "begun", os.O_WRONLY | os.O_NONBLOCK))
        os.kill(os.getpid(), signal.SIGKILL)
    return piece.number


@pytest.mark.parametrize("workers", WAYS, ids=str)
@pytest.mark.parametrize("count", [0, 1, 30])
def test_results_are_in_the_order_of_the_pieces(workers: Workers, count: int) -> None:
    found = list(workers.map(square, map(Piece, range(count)), 0, purpose=PURPOSE))
    assert found == [(Piece(number), number**2) for number in range(count)]


@pytest.mark.parametrize("workers", WAYS, ids=str)
def test_several_kinds_of_work_are_done_by_the_same_processes(workers: Workers) -> None:
    with workers.start(purpose=PURPOSE) as do:
        for task in (0, 2, 0):
            found = [result for _, result in do(square, map(Piece, range(4)), task)]
            assert [each for each in found if isinstance(each, int)] == ([0, 1, 4, 9] if task == 0 else [0, 4])


@pytest.mark.parametrize("workers", WAYS, ids=str)
def test_mistakes_of_every_piece_come_back(workers: Workers) -> None:
    found = [result for _, result in workers.map(square, map(Piece, range(6)), 2, purpose=PURPOSE)]
    problems = [each.file for result in found if isinstance(result, list) for each in result]
    assert problems == ["piece 1", "piece 3", "piece 5"]


def test_few_pieces_are_taken_before_they_are_needed() -> None:
    taken = 0

    def pieces() -> Iterator[Piece]:
        nonlocal taken
        for taken in range(1, 101):
            yield Piece(taken)

    for done, _ in enumerate(Workers(2).map(square, pieces(), 0, purpose=PURPOSE), 1):
        assert taken - done <= 2 * AHEAD
    assert taken == 100


@pytest.fixture
def lives(tmp_path: Path) -> Path:
    (tmp_path / "parent").write_text(str(os.getpid()))
    os.mkfifo(tmp_path / "begun")
    return tmp_path


@pytest.mark.slow
def test_a_killed_process_costs_time_and_a_piece_that_always_kills_is_named(lives: Path) -> None:
    (lives / "2.0").touch()
    for number in range(9):
        (lives / f"1.{number}").touch()
    found = list(Workers(2).map(kill, map(Piece, range(20)), str(lives), purpose=PURPOSE))
    assert [piece.number for piece, _ in found] == list(range(20))
    named = [each for _, result in found if isinstance(result, list) for each in result]
    assert [each.file for each in named] == ["piece 1"]
    assert "was killed, in 3 attempts" in named[0].what
    assert [result for _, result in found if not isinstance(result, list)] == [0, *range(2, 20)]
    assert len(list(lives.glob("1.*"))) == 9 - 3


@pytest.mark.slow
def test_workers_of_a_cluster_that_are_killed_are_started_again(lives: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed (extra 'cluster')")
    (lives / "3.0").touch()
    found = list(Workers(2, "local").map(kill, map(Piece, range(8)), str(lives), purpose=PURPOSE))
    assert [result for _, result in found] == list(range(8))

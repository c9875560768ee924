"""Locks on files: one holder at a time, who lets go however it ends."""

import threading
from contextlib import suppress
from pathlib import Path

import pytest

from trialogue.records import locks
from trialogue.records.locks import CAN_LOCK, lock, locked, try_lock, unlock

needs_locks = pytest.mark.skipif(not CAN_LOCK, reason="this system knows no locks on files")


@needs_locks
def test_a_file_has_one_holder_until_it_is_let_go(tmp_path: Path) -> None:
    with (tmp_path / "held").open("ab") as mine, (tmp_path / "held").open("ab") as other:
        assert try_lock(mine)
        assert not try_lock(other)
        unlock(mine)
        assert try_lock(other.fileno())
        assert not try_lock(mine)


@needs_locks
def test_a_file_that_is_closed_is_let_go(tmp_path: Path) -> None:
    with (tmp_path / "held").open("ab") as other:
        with (tmp_path / "held").open("ab") as mine:
            lock(mine)
            assert not try_lock(other)
        assert try_lock(other)


@needs_locks
def test_who_waits_comes_next(tmp_path: Path) -> None:
    told: list[str] = []
    with (tmp_path / "held").open("ab") as mine, (tmp_path / "held").open("ab") as other:

        def wait() -> None:
            with locked(other):
                told.append("other")

        waiting = threading.Thread(target=wait)
        with locked(mine):
            waiting.start()
            told.append("mine")
        waiting.join()
    assert told == ["mine", "other"]


@needs_locks
def test_an_error_lets_go(tmp_path: Path) -> None:
    with (tmp_path / "held").open("ab") as mine, (tmp_path / "held").open("ab") as other:
        with suppress(KeyboardInterrupt), locked(mine):
            raise KeyboardInterrupt
        assert try_lock(other)


def test_where_the_system_knows_no_locks_everybody_is_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "fcntl", None)
    with (tmp_path / "held").open("ab") as mine, (tmp_path / "held").open("ab") as other:
        with locked(mine):
            assert try_lock(other)
            lock(other)
        unlock(other)

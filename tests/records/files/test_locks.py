"""Locks on files: one holder at a time, who lets go however it ends."""

import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from trialogue.records.files import locks
from trialogue.records.files.locks import claim, file_lock, lock, unlock

HOLDER = """
import sys
from pathlib import Path
from trialogue.records.files.locks import claim
held = claim(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.readline()
"""


def test_a_lock_file_has_one_holder_until_it_is_released(tmp_path: Path) -> None:
    held = claim(tmp_path / ".lock")
    assert held is not None
    assert claim(tmp_path / ".lock") is None
    letting_go = threading.Thread(target=held.release)  # whoever has it, in any thread
    letting_go.start()
    letting_go.join()
    again = claim(tmp_path / ".lock")
    assert again is not None
    again.release()


def test_a_process_that_dies_lets_go(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        assert claim(path) is None
        holder.kill()
        holder.wait()
        held = claim(path)
    assert held is not None
    held.release()


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"Not a directory|File exists"):
        claim(tmp_path / "file" / ".lock")


@pytest.mark.parametrize("has_queue", [True, False])
def test_who_waits_comes_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_queue: bool) -> None:
    if not has_queue:
        monkeypatch.setattr(locks, "HAS_QUEUE", False)
    order: list[str] = []
    with (tmp_path / "held").open("ab") as mine, (tmp_path / "held").open("ab") as other:

        def wait() -> None:
            with file_lock(other.fileno()):
                order.append("other")

        waiting = threading.Thread(target=wait)
        with file_lock(mine.fileno()):
            waiting.start()
            order.append("mine")
        waiting.join()
    assert order == ["mine", "other"]


def test_an_error_lets_go_and_so_does_closing(tmp_path: Path) -> None:
    with (tmp_path / "held").open("ab") as other:
        with (tmp_path / "held").open("ab") as mine:
            with suppress(KeyboardInterrupt), file_lock(mine.fileno()):
                raise KeyboardInterrupt
            lock(other.fileno())  # would wait for ever
            unlock(other.fileno())
            lock(mine.fileno())
        lock(other.fileno())

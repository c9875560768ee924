"""A run is whole or absent, whatever kills or disturbs its writer."""

import errno
import os
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from trialogue.errors import DataError, UsageError
from trialogue.records import Manifest, sha256_of
from trialogue.records.runs import open_run, run_draft
from trialogue.records.runs.placing import NEXT

OLD = {"findings.json": "old", "scores.jsonl": "old scores", "figures/old.svg": "<old/>"}
NEW = {"findings.json": "new", "scores.jsonl": "new scores", "counts.jsonl": "new counts", "explorer/data/a.js": "1"}
EVENTS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "open", "fcntl.flock"}
KILLED = 9


def write(folder: Path, files: Mapping[str, str], command: str = "evaluate", **inputs: str) -> None:
    with run_draft(folder, Manifest(command=command, inputs=inputs)) as draft:
        for name, text in files.items():
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            (draft / name).write_text(text)


def content(folder: Path) -> dict[str, str]:
    run = open_run(folder)
    return {name: run.read(name).decode() for name in run.manifest.files}


def visible(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def killed_at(step: int, work: Callable[[], None]) -> bool:
    """Do the work in a process that is killed before the given one of its calls to the system; False: it ended before."""
    child = os.fork()
    if child == 0:
        left = [step]

        def hook(event: str, _args: Any) -> None:
            if event in EVENTS:
                left[0] -= 1
                if left[0] == 0:
                    os._exit(KILLED)

        sys.addaudithook(hook)
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == KILLED


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process of its own is killed, which needs fork")
def test_killed_at_any_step_the_old_run_or_the_new_one_stands_whole(tmp_path: Path) -> None:
    stood = []
    for step in range(1, 500):
        folder = tmp_path / str(step)
        write(folder, OLD)
        (folder / "mine.txt").write_text("mine")
        ended = not killed_at(step, lambda place=folder: write(place, NEW))  # type: ignore[misc]
        found = content(folder)
        assert found in (OLD, NEW)
        stood.append(found == NEW)
        write(folder, OLD)  # the next writer removes what the killed one left
        assert content(folder) == OLD
        assert visible(folder) == {*OLD, "manifest.json", "mine.txt"}
        if ended:
            break
    assert ended
    assert stood == sorted(stood)  # from one step on, the new run stands
    assert 10 < stood.index(True) < len(stood) - 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process of its own is killed, which needs fork")
def test_killed_at_any_step_of_a_first_run_there_is_none_or_a_whole_one(tmp_path: Path) -> None:
    for step in range(1, 500):
        folder = tmp_path / str(step)
        ended = not killed_at(step, lambda place=folder: write(place, NEW))  # type: ignore[misc]
        try:
            assert content(folder) == NEW
        except DataError as error:
            assert "there is no manifest.json" in str(error)  # noqa: PT017 - one of two outcomes
        if ended:
            break
    assert content(folder) == NEW


def _fail(folder: Path, error: BaseException) -> None:
    with run_draft(folder, Manifest(command="evaluate")) as draft:
        (draft / "findings.json").write_text("half")
        raise error


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), ValueError()])
def test_after_an_error_the_old_run_stands_and_nothing_else(tmp_path: Path, error: BaseException) -> None:
    write(tmp_path / "run", OLD)
    for folder, there in ((tmp_path / "run", {*OLD, "manifest.json"}), (tmp_path / "new", None)):
        with pytest.raises(UsageError if isinstance(error, OSError) else type(error)):
            _fail(folder, error)
        assert (visible(folder) if folder.exists() else None) == there
    assert content(tmp_path / "run") == OLD


def test_two_writers_leave_the_run_of_the_one_that_ends_last(tmp_path: Path) -> None:
    with run_draft(tmp_path, Manifest(command="evaluate")) as slow:
        (slow / "findings.json").write_text("slow")
        write(tmp_path, NEW)
        (slow / "page.html").write_text("slow page")
    assert content(tmp_path) == {"findings.json": "slow", "page.html": "slow page"}
    assert visible(tmp_path) == {"findings.json", "page.html", "manifest.json"}


def test_many_writers_at_once_never_mix(tmp_path: Path) -> None:
    def work(number: int) -> None:
        for _ in range(5):
            write(tmp_path / "run", {f"only-{number}.txt": str(number), "shared.txt": str(number)})

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        try:
            found = content(tmp_path / "run")
        except DataError:
            continue  # it was replaced while it was read, or is not there yet
        number = found.pop("shared.txt")
        assert found == {f"only-{number}.txt": number}
    assert len(visible(tmp_path / "run")) == 3


def test_a_reader_meets_a_whole_run_while_its_files_are_being_moved(tmp_path: Path) -> None:
    write(tmp_path / "a", OLD)
    write(tmp_path / "b", NEW)
    (tmp_path / "b").rename(tmp_path / "a" / NEXT)
    (tmp_path / "a" / NEXT / "findings.json").replace(tmp_path / "a" / "findings.json")
    assert content(tmp_path / "a") == NEW
    assert visible(tmp_path / "a") == {*NEW, "manifest.json"}


def test_files_of_others_stay_and_a_folder_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "mine.svg").write_text("mine")
    write(tmp_path, OLD)
    write(tmp_path, NEW)
    assert visible(tmp_path) == {*NEW, "manifest.json", "figures/mine.svg"}
    for files, what in (({"figures": "x"}, "is a folder"), ({"counts.jsonl/x": "x"}, "is a file")):
        with pytest.raises(UsageError, match=f"{what}, which is in the way"):
            write(tmp_path, files)
        assert content(tmp_path) == NEW


def test_what_was_made_of_a_run_goes_with_it_and_other_results_stay(tmp_path: Path) -> None:
    write(tmp_path, OLD)
    digest = sha256_of(tmp_path / "scores.jsonl")
    write(tmp_path, {"agreement.json": "made of the run"}, "agree", scores=digest)
    write(tmp_path, {"validity.json": "made of that"}, "more", of=sha256_of(tmp_path / "agreement.json"))
    write(tmp_path, {"board.json": "of others"}, "board", other="0" * 64)
    every = {*OLD, "agreement.json", "validity.json", "board.json"}
    assert set(content(tmp_path)) == every
    write(tmp_path, OLD)  # the same again: what was made of it still holds
    assert set(content(tmp_path)) == every
    write(tmp_path, NEW)
    assert set(content(tmp_path)) == {*NEW, "board.json"}
    assert [part.command for part in open_run(tmp_path).manifest.parts] == ["evaluate", "board"]


def test_the_same_files_give_the_same_manifest_wherever_they_are(tmp_path: Path) -> None:
    for name in ("a", "b/c/d"):
        write(tmp_path / name, NEW)
    text = (tmp_path / "a" / "manifest.json").read_text()
    assert text == (tmp_path / "b/c/d" / "manifest.json").read_text()
    assert str(tmp_path) not in text


def test_a_run_is_written_to_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path(), NEW)
    assert content(Path()) == NEW

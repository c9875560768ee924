"""Files are written whole or not at all, and a place that will not do is said in words."""

import errno
from pathlib import Path

import pytest

from trialogue.errors import UsageError
from trialogue.records.files.opening import open_replacing, write_text


def write_and_fail(path: Path, error: OSError) -> None:
    with open_replacing(path) as stream:
        stream.write(b"half")
        raise error


@pytest.mark.parametrize("name", ["folder", "."])
def test_a_folder_is_not_written_over(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(UsageError, match="is a folder, not a file"):
        write_text(tmp_path / name, "text")


def test_a_disk_that_is_full_is_said_and_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_text(path, "before")
    with pytest.raises(UsageError, match=r"a\.txt cannot be written: .*Free some space"):
        write_and_fail(path, OSError(errno.ENOSPC, "No space left on device"))
    assert path.read_text("utf-8") == "before"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_other_errors_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(ConnectionResetError):
        write_and_fail(tmp_path / "a.txt", ConnectionResetError())

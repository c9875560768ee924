"""What was not sealed, or was changed since, is refused with the file, what was expected and what was found."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.records.runs.test_writing import NEW, OLD, write
from trialogue.errors import DataError
from trialogue.records.runs import open_run
from trialogue.records.runs.reading import SMALL


def refusal(folder: Path) -> str:
    with pytest.raises(DataError) as caught:
        open_run(folder)
    return str(caught.value)


def flip(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def truncate(path: Path, rng: random.Random) -> None:
    path.write_bytes(path.read_bytes()[: rng.randrange(path.stat().st_size)])


def append(path: Path, rng: random.Random) -> None:
    path.write_bytes(path.read_bytes() + b"\n" * rng.randint(1, 3))


def delete(path: Path, rng: random.Random) -> None:
    path.unlink()


def swap(path: Path, rng: random.Random) -> None:
    path.write_bytes(rng.randbytes(path.stat().st_size))


FORGERIES = (flip, truncate, append, delete, swap)


def test_every_change_of_every_file_is_refused(tmp_path: Path) -> None:
    rng = random.Random(0)
    refused = 0
    for number in range(100):
        folder = tmp_path / str(number)
        write(folder, NEW)
        name = sorted([*NEW, "manifest.json"])[number % 5]
        FORGERIES[number // 5 % 5](folder / name, rng)
        refused += name in refusal(folder)
    assert refused == 100


def test_a_changed_file_is_named_with_what_was_expected_and_found_and_what_to_do(tmp_path: Path) -> None:
    write(tmp_path, NEW)
    for name in ("counts.jsonl", "findings.json"):
        (tmp_path / name).write_text("other")
    (tmp_path / "scores.jsonl").unlink()
    text = refusal(tmp_path)
    assert (
        "counts.jsonl: this file of the run was changed after the run was written: expected 10 bytes, found 5" in text
    )
    assert "The same holds for findings.json." in text
    assert "scores.jsonl: this file of the run is missing: expected 10 bytes with sha256" in text
    assert "Restore it from a copy, or write the run again." in text


def test_a_manifest_of_another_run_or_with_a_changed_option_is_refused(tmp_path: Path) -> None:
    for name, files in (("a", OLD), ("b", NEW)):
        write(tmp_path / name, files)
    shutil.copy(tmp_path / "a" / "manifest.json", tmp_path / "b" / "manifest.json")
    assert "findings.json" in refusal(tmp_path / "b")
    path = tmp_path / "a" / "manifest.json"
    path.write_text(path.read_text().replace("evaluate", "evaluatE"))
    assert "the manifest was changed: it does not match its seal" in refusal(tmp_path / "a")


def test_a_folder_without_seals_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "findings.json").write_text("{}")
    assert "there is no manifest.json: the run is incomplete" in refusal(tmp_path)
    (tmp_path / "manifest.json").write_text('{"kind":"manifest","v":5,"command":"evaluate"}')
    assert "has no seal" in refusal(tmp_path)
    assert "no manifest.json" in refusal(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", ""])
def test_a_manifest_that_names_files_outside_is_refused(tmp_path: Path, name: str) -> None:
    from trialogue.records import Manifest
    from trialogue.records.files.jsonl import to_line

    made = Manifest(command="evaluate", outputs={name: "0" * 64}, sizes={name: 1}).with_seal()
    (tmp_path / "manifest.json").write_text(to_line(made) + "\n")
    assert "outside the run" in refusal(tmp_path)


@pytest.mark.parametrize("change", [flip, swap])
def test_a_large_file_is_checked_while_it_is_read(
    tmp_path: Path, change: Callable[[Path, random.Random], None]
) -> None:
    write(tmp_path, {"scores.jsonl": "x" * (SMALL + 1), "small.txt": "x"})
    change(tmp_path / "scores.jsonl", random.Random(1))
    run = open_run(tmp_path)  # only its size was compared
    with pytest.raises(DataError, match=r"scores.jsonl: this file of the run was changed .*: expected sha256"):
        run.read("scores.jsonl")
    with pytest.raises(DataError, match=r"scores.jsonl: this file of the run was changed"):
        run.check()


def test_a_file_that_is_not_of_the_run_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, NEW)
    (tmp_path / "other.txt").write_text("other")
    with pytest.raises(DataError, match="does not belong to the run"):
        open_run(tmp_path).read("other.txt")

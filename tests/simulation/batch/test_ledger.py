"""The ledger: what is in it stays in it, and what a crash leaves behind does no harm."""

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records import Dialogue, Ending, JsonValue, Manifest, Utterance, read_records, sha256_of
from trialogue.records.base import SCHEMA
from trialogue.records.files.jsonl import RepairWarning, line_of
from trialogue.simulation.batch import ledger as module
from trialogue.simulation.batch.folder import DIALOGUES, LEDGER, MANIFEST, read_finished
from trialogue.simulation.batch.ledger import Ledger, export

CONFIG: dict[str, JsonValue] = {"agents": ["a"], "max_turns": 5}


def dialogue(name: str, *, ended_by: Ending | None = Ending.AGENDA_EMPTY, text: str = "Grüße\u2028 ☃") -> Dialogue:
    return Dialogue(id=name, utterances=(Utterance(speaker="user", text=text),), ended_by=ended_by)


def add(ledger: Ledger, *dialogues: Dialogue) -> None:
    for each in dialogues:
        ledger.append(each.id, each.ended_by, line_of(each))


def filled(folder: Path, *names: str) -> Path:
    with Ledger(folder, CONFIG, seed=1) as ledger:
        add(ledger, *map(dialogue, names))
    return folder / LEDGER


def test_what_was_finished_is_known_after_opening_again(tmp_path: Path) -> None:
    with Ledger(tmp_path, CONFIG, seed=1) as ledger:
        add(ledger, dialogue("b"), dialogue("a", ended_by=Ending.AGENT_TIMEOUT), dialogue("c", ended_by=None))
        assert list(read_finished(tmp_path)) == [
            dialogue("b"),
            dialogue("a", ended_by=Ending.AGENT_TIMEOUT),
            dialogue("c", ended_by=None),
        ]
    with Ledger(tmp_path, CONFIG, seed=1) as ledger:
        assert len(ledger) == 3
        assert "a" in ledger
        assert "d" not in ledger
        assert ledger.endings == {Ending.AGENDA_EMPTY: 1, Ending.AGENT_TIMEOUT: 1, None: 1}
        assert list(ledger.lines(["c", "d", "b"])) == [line_of(dialogue("c", ended_by=None)), line_of(dialogue("b"))]


def test_the_export_is_in_the_order_asked_for_with_its_manifest(tmp_path: Path) -> None:
    with Ledger(tmp_path, CONFIG, seed=1) as ledger:
        add(ledger, dialogue("b"), dialogue("a"), dialogue("elsewhere"))
        manifest = export(ledger, ["a", "not yet", "b"], CONFIG, seed=1)
    assert [each.id for each in read_records(tmp_path / DIALOGUES, Dialogue)] == ["a", "b"]
    assert list(read_records(tmp_path / MANIFEST, Manifest)) == [manifest]
    assert manifest.outputs == {DIALOGUES: sha256_of(tmp_path / DIALOGUES)}
    assert (manifest.command, manifest.seed, manifest.config) == ("simulate", 1, CONFIG)


@settings(max_examples=40)
@given(cut=st.integers(0, 2000))
def test_a_file_cut_anywhere_keeps_its_whole_lines(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("cut")
    path = filled(folder, *"abcdefgh")
    whole = path.read_bytes()
    kept = whole[: cut % (len(whole) + 1)]
    path.write_bytes(kept)
    notes: list[Problem] = []
    with Ledger(folder, CONFIG, seed=1, note=notes.append) as ledger:
        lines = kept.count(b"\n")
        assert len(ledger) == max(0, lines - 1)
        assert len(notes) == (not kept.endswith(b"\n") and kept != b"")
        add(ledger, *(dialogue(name) for name in "abcdefgh" if name not in ledger))
    assert path.read_bytes() == whole


def test_a_dropped_line_is_reported(tmp_path: Path) -> None:
    path = filled(tmp_path, "a", "b")
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.warns(RepairWarning, match=r"ledger.jsonl: the last line was cut short by a crash and is dropped"):
        Ledger(tmp_path, CONFIG, seed=1).close()


def test_a_very_long_cut_line_is_dropped_as_well(tmp_path: Path) -> None:
    path = filled(tmp_path, "a")
    size = path.stat().st_size
    with path.open("ab") as stream:
        stream.write(b"\x00" * 200_000)  # what a file system may leave after the power went
    Ledger(tmp_path, CONFIG, seed=1, note=lambda _: None).close()
    assert path.stat().st_size == size


def test_a_dialogue_is_never_there_twice(tmp_path: Path) -> None:
    with Ledger(tmp_path, CONFIG) as ledger:
        add(ledger, dialogue("a"))
        with pytest.raises(ValueError, match="a is already in the ledger"):
            add(ledger, dialogue("a"))
        assert len(list(read_finished(tmp_path))) == 1


def test_another_batchs_folder_is_refused_with_what_differs(tmp_path: Path) -> None:
    filled(tmp_path, "a")
    with pytest.raises(UsageError) as raised:
        Ledger(tmp_path, {"agents": ["a", "b"], "max_turns": 5, "new": None}, seed=2)
    assert 'agents was ["a"] and is now ["a", "b"]; seed was 1 and is now 2.' in str(raised.value)
    assert "max_turns" not in str(raised.value)
    assert len(list(read_finished(tmp_path))) == 1


def test_a_folder_is_for_one_process_at_a_time(tmp_path: Path) -> None:
    with Ledger(tmp_path, CONFIG), pytest.raises(UsageError, match="is in use: another process is working"):
        Ledger(tmp_path, CONFIG)
    Ledger(tmp_path, CONFIG).close()


def test_a_damaged_ledger_is_reported_with_all_its_lines_and_left_alone(tmp_path: Path) -> None:
    path = filled(tmp_path, "a")
    with path.open("ab") as stream:
        stream.write(b'{"kind": "score"}\n[1\n' + line_of(dialogue("a")))
    before = path.read_bytes()
    with pytest.raises(DataError) as raised:
        Ledger(tmp_path, CONFIG, seed=1)
    assert [problem.line for problem in raised.value.problems] == [3, 4, 5]
    assert "'a' occurs twice" in str(raised.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("first", ["[]", '{"kind":"dialogue","id":"x"}', "\x00", '{"config": 3, "kind": "manifest"}'])
def test_a_file_that_is_no_ledger_is_refused(first: str, tmp_path: Path) -> None:
    (tmp_path / LEDGER).write_text(first + "\n")
    with pytest.raises(DataError, match="this is not the ledger of a batch"):
        Ledger(tmp_path, CONFIG)


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="this file cannot be opened"):
        Ledger(tmp_path / "file" / "below", CONFIG)


class FullDisk:
    """A file of which only some bytes of the next line are taken."""

    def __init__(self, file: object, taken: int) -> None:
        self._file, self._taken = file, taken

    def write(self, line: bytes) -> int:
        return self._file.write(line[: self._taken])  # type: ignore[attr-defined, no-any-return]

    def __getattr__(self, name: str) -> object:
        return getattr(self._file, name)


def test_a_full_disk_leaves_the_ledger_as_it_was(tmp_path: Path) -> None:
    with Ledger(tmp_path, CONFIG) as ledger:
        add(ledger, dialogue("a"))
        before, whole = (tmp_path / LEDGER).read_bytes(), ledger._file
        ledger._file = FullDisk(whole, 20)  # type: ignore[assignment]
        with pytest.raises(DataError, match=r"only 20 of \d+ bytes were written.*Free some space"):
            add(ledger, dialogue("b"))
        assert (tmp_path / LEDGER).read_bytes() == before
        ledger._file = whole
        add(ledger, dialogue("b"))
    assert [each.id for each in read_finished(tmp_path)] == ["a", "b"]


def test_the_disk_is_asked_by_time_and_by_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    opened: list[Ledger] = []
    monkeypatch.setattr("os.fsync", lambda _: synced.extend(map(len, opened)))
    monkeypatch.setattr(module, "SYNC_RECORDS", 10)
    now = [0.0]
    ledger = Ledger(tmp_path, CONFIG, clock=lambda: now[0])
    opened.append(ledger)
    for number in range(25):
        add(ledger, dialogue(str(number)))
    assert synced == [
        7,
        17,
    ]  # one for what was there, the manifest, and then dialogues: at 10 and 20, before it is counted
    now[0] = 0.5
    add(ledger, dialogue("later"))
    assert synced[2:] == [25]
    add(ledger, dialogue("last"))
    ledger.close()
    ledger.close()
    assert synced[3:] == [27]


def test_the_disk_is_asked_once_for_what_is_written_and_for_what_was_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr("os.fsync", asked.append)
    with Ledger(tmp_path, CONFIG) as ledger:
        add(ledger, dialogue("a"))
        ledger.sync()
        ledger.sync()
    assert len(asked) == 1
    with Ledger(tmp_path, CONFIG):  # whoever wrote "a" may have died before it was on the disk
        pass
    assert len(asked) == 2


def test_half_a_surrogate_pair_does_not_stop_a_batch(tmp_path: Path) -> None:
    with Ledger(tmp_path, CONFIG) as ledger:
        add(ledger, dialogue("a", text="\ud83d"))
    with Ledger(tmp_path, CONFIG) as ledger:
        assert "a" in ledger


def test_the_first_line_is_a_manifest(tmp_path: Path) -> None:
    first = json.loads(filled(tmp_path, "a").read_text().splitlines()[0])
    assert first == {"kind": "manifest", "v": SCHEMA, "command": "simulate", "config": CONFIG, "seed": 1}


def test_a_ledger_of_which_nothing_came_is_begun_anew(tmp_path: Path) -> None:
    Ledger(tmp_path, {"n": 1}, seed=1).close()
    with Ledger(tmp_path, {"n": 2}, seed=1) as ledger:
        assert len(ledger) == 0
    assert '"n":2' in (tmp_path / "ledger.jsonl").read_text()


def bytes_on_disk(folder: Path, name: str) -> int:
    """How often the line of a dialogue stands in the folder."""
    return sum(path.read_bytes().count(line_of(dialogue(name))) for path in folder.iterdir())


def reopened(folder: Path, *names: str) -> None:
    """Whether a batch that is opened again holds just these dialogues, as they were."""
    with Ledger(folder, CONFIG, seed=1) as ledger:
        assert len(ledger) == len(names)
        assert sum(ledger.endings.values()) == len(names)
        assert list(ledger.lines(names)) == [line_of(dialogue(name)) for name in names]
        assert ledger.count() == len(names)
    assert {each.id for each in read_finished(folder)} == set(names)


def test_a_dialogue_is_on_the_disk_once_when_it_is_exported(tmp_path: Path) -> None:
    with Ledger(tmp_path, CONFIG, seed=1) as ledger:
        add(ledger, *map(dialogue, "cab"))
        export(ledger, "abc", CONFIG, seed=1)
        assert list(ledger.lines("cxa")) == [line_of(dialogue("c")), line_of(dialogue("a"))]
        with pytest.raises(ValueError, match="a is already in the ledger"):
            add(ledger, dialogue("a"))
        add(ledger, dialogue("d"))  # it is gone on with
    assert [bytes_on_disk(tmp_path, name) for name in "abcd"] == [1, 1, 1, 1]
    assert (tmp_path / LEDGER).read_bytes().count(b"\n") == 2
    reopened(tmp_path, *"abcd")
    with Ledger(tmp_path, CONFIG, seed=1) as ledger:
        export(ledger, "dabc", CONFIG, seed=1)
    assert (tmp_path / DIALOGUES).read_bytes() == b"".join(line_of(dialogue(name)) for name in "dabc")
    assert [bytes_on_disk(tmp_path, name) for name in "abcd"] == [1, 1, 1, 1]
    reopened(tmp_path, *"abcd")


def test_an_export_again_changes_no_byte(tmp_path: Path) -> None:
    filled(tmp_path, *"ba")
    files = []
    for _ in range(3):
        with Ledger(tmp_path, CONFIG, seed=1) as ledger:
            export(ledger, "ab", CONFIG, seed=1)
        files.append({path.name: path.read_bytes() for path in tmp_path.iterdir()})
    assert files[0] == files[1] == files[2]


def test_a_smaller_export_keeps_the_other_dialogues(tmp_path: Path) -> None:
    for ids in ("abcd", "cb", "abcd", "d"):
        with Ledger(tmp_path, CONFIG, seed=1) as ledger:
            add(ledger, *(dialogue(name) for name in "abcd" if name not in ledger))
            export(ledger, ids, CONFIG, seed=1)
        assert [each.id for each in read_records(tmp_path / DIALOGUES, Dialogue)] == list(ids)
        assert [bytes_on_disk(tmp_path, name) for name in "abcd"] == [1, 1, 1, 1]
        reopened(tmp_path, *"abcd")


class Killed(BaseException):
    """What ends a process between two steps."""


@pytest.mark.parametrize("ids", ["abcd", "cb", "e"])
@pytest.mark.parametrize("step", range(8))
def test_an_export_that_is_killed_anywhere_loses_nothing(
    step: int, ids: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each write to the ledger, each file that takes another's place, and each time the disk is asked."""
    with Ledger(tmp_path, CONFIG, seed=1) as ledger:
        add(ledger, *map(dialogue, "dbca"))
        export(ledger, "abc", CONFIG, seed=1)
        add(ledger, dialogue("e"))
    done = 0

    def counted(what: Callable[..., object]) -> Callable[..., object]:
        def called(*given: object) -> object:
            nonlocal done
            if done == step:
                raise Killed
            done += 1
            return what(*given)

        return called

    with monkeypatch.context() as patches, contextlib.suppress(Killed):
        ledger = Ledger(tmp_path, CONFIG, seed=1)
        patches.setattr(Ledger, "_write", counted(Ledger._write))
        patches.setattr(Path, "replace", counted(Path.replace))
        patches.setattr("os.fsync", counted(os.fsync))
        export(ledger, ids, CONFIG, seed=1)
    ledger._file.close()  # as the end of a process does
    assert ledger._lock is not None
    ledger._lock.release()
    reopened(tmp_path, *"abcde")
    with Ledger(tmp_path, CONFIG, seed=1) as ledger:
        export(ledger, ids, CONFIG, seed=1)
    assert [each.id for each in read_records(tmp_path / DIALOGUES, Dialogue)] == list(filter("abcde".__contains__, ids))
    assert [bytes_on_disk(tmp_path, name) for name in "abcde"] == [1] * 5
    reopened(tmp_path, *"abcde")


def test_an_export_that_was_changed_or_is_missing_is_refused(tmp_path: Path) -> None:
    with Ledger(tmp_path, CONFIG, seed=1) as ledger:
        add(ledger, *map(dialogue, "ab"))
        export(ledger, "ab", CONFIG, seed=1)
    whole = (tmp_path / DIALOGUES).read_bytes()
    (tmp_path / DIALOGUES).write_bytes(whole.replace(b"Gr", b"gr"))
    with pytest.raises(DataError, match=r"dialogues.jsonl: this file was changed since the batch wrote it"):
        Ledger(tmp_path, CONFIG, seed=1)
    (tmp_path / DIALOGUES).unlink()
    with pytest.raises(DataError, match=r"dialogues.jsonl: the dialogues of this batch are missing.*Restore it"):
        Ledger(tmp_path, CONFIG, seed=1)
    (tmp_path / DIALOGUES).write_bytes(whole)
    reopened(tmp_path, *"ab")


def test_a_file_of_dialogues_that_no_ledger_names_is_not_part_of_it(tmp_path: Path) -> None:
    filled(tmp_path, "a")
    (tmp_path / DIALOGUES).write_bytes(line_of(dialogue("b")))
    reopened(tmp_path, "a")
    assert list(read_finished(tmp_path / "nowhere")) == []


def test_a_line_break_that_begins_a_block_of_64_kib_ends_the_last_whole_line(tmp_path: Path) -> None:
    """The file is searched from its end in blocks: here the break is the very first byte of the last one."""
    path = filled(tmp_path, "one", "two")
    whole = path.read_bytes()
    path.write_bytes(whole + b"x" * ((1 << 16) - 1))
    with pytest.warns(RepairWarning, match=r"dropped \(65535 bytes\)"), Ledger(tmp_path, CONFIG, seed=1) as ledger:
        assert len(ledger) == 2

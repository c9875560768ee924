"""The ledger of a batch: one line for each dialogue that is finished, however it ended; only ever appended to.

The first line is a manifest: what the dialogues are made of. Then every dialogue is one line, written whole by one call of
the operating system, in the order in which they ended. A process that is killed leaves at most one cut line at the end,
which is dropped when the ledger is opened again; what is in the ledger is not done again.

What was written is safe from the death of the process at once. It is forced onto the disk (fsync) every 0.5 s or 1,000
records and when the ledger is closed: a machine that loses its power loses as much, and a resumed batch does that again.
"""

import contextlib
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self, cast

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records import Dialogue, Ending, JsonValue, Manifest
from trialogue.records.base import SCHEMA
from trialogue.records.files.jsonl import Note, parse_line, read_lines, to_line, warn
from trialogue.records.files.locks import claim
from trialogue.records.files.manifest import versions_of
from trialogue.records.files.opening import open_bytes, open_replacing, write_text
from trialogue.records.files.upgrade import upgrade

if TYPE_CHECKING:
    from filelock import BaseFileLock

LEDGER, DIALOGUES, MANIFEST = "ledger.jsonl", "dialogues.jsonl", "manifest.json"
"""Files of a batch's folder."""
LOCK = ".lock"  # held by the process that works in it

SYNC_S = 0.5
SYNC_RECORDS = 1000
COMMAND = "simulate"


def line_of(dialogue: Dialogue) -> bytes:
    """A dialogue as its line in ledger and export, line break included."""
    return to_line(dialogue).encode("utf-8", "surrogatepass") + b"\n"


class Ledger:
    """The ledger of one folder, opened for one process at a time. A context manager: leaving it closes the file."""

    def __init__(
        self,
        folder: Path | str,
        config: Mapping[str, JsonValue],
        *,
        seed: int | None = None,
        note: Note = warn,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open a folder's ledger, or begin one.

        Args:
            folder: made if it is not there.
            config: everything that makes the dialogues what they are.
            seed: the run's seed.
            note: told of a cut last line.
            clock: seconds, for the rhythm of fsync.

        Raises:
            UsageError: another process has it open, or it belongs to another configuration (which values differ is told).
            DataError: it holds lines that are no dialogues, or the folder cannot be written.
        """
        self.path = Path(folder) / LEDGER
        self.endings: Counter[Ending | None] = Counter()
        """How many dialogues ended by what; None where it is not known."""
        self._manifest = Manifest(command=COMMAND, config=dict(config), seed=seed)
        self._places: dict[str, int] = {}
        self._clock, self._synced_at = clock, clock()
        self._unsynced = 1  # an earlier writer may have died before it forced its lines onto the disk
        self._lock: BaseFileLock | None = None
        self._file = _open(self.path)
        try:
            self._lock = _lock_file(self.path)
            self._size = _cut_partial_line(self._file, self.path, note)
            if self._size == 0 or self._holds_nothing():
                self._begin()
            else:
                self._read()
        except BaseException:
            self._file.close()
            if self._lock is not None:
                self._lock.release()
            raise

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, dialogue_id: object) -> bool:
        return dialogue_id in self._places

    def __enter__(self) -> Self:
        """The ledger itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def append(self, dialogue_id: str, ended_by: Ending | None, line: bytes) -> None:
        """Write one finished dialogue, as ``line_of`` gives it.

        Raises:
            ValueError: it is there already.
            DataError: the line could not be written (a full disk, say); the ledger is as it was before.
        """
        if dialogue_id in self._places:
            raise ValueError(f"{dialogue_id} is in the ledger already")
        self._write(line)
        self._places[dialogue_id] = self._size - len(line)
        self.endings[ended_by] += 1

    def lines(self, ids: Iterable[str]) -> Iterator[bytes]:
        """The lines of those of the ids that are there, in the order of the ids."""
        with open_bytes(self.path) as stream:
            for dialogue_id in ids:
                place = self._places.get(dialogue_id)
                if place is not None:
                    stream.seek(place)
                    yield stream.readline()

    def count(self) -> int:
        """How many dialogues the file holds; after an interruption it may be one more than was taken note of."""
        with open_bytes(self.path) as stream:
            return sum(line.endswith(b"\n") for line in stream) - 1  # the first line is the manifest

    def sync(self) -> None:
        """Force onto the disk what was written, if that was not done already."""
        if self._unsynced:
            os.fsync(self._file.fileno())
        self._synced_at, self._unsynced = self._clock(), 0

    def close(self) -> None:
        """Force it onto the disk and close it; a second time does nothing."""
        if not self._file.closed:
            try:
                self.sync()
            finally:
                self._file.close()
                if self._lock is not None:
                    self._lock.release()

    def _holds_nothing(self) -> bool:
        """Whether a batch was begun here and nothing came of it: its manifest, and no dialogue; then it is cut off."""
        with open_bytes(self.path) as stream:
            try:
                data = json.loads(stream.readline())
                is_manifest = isinstance(data, dict) and data.get("kind") == Manifest.kind
            except ValueError:
                return False
            if not is_manifest or data.get("command") != COMMAND or stream.readline():
                return False
        self._file.truncate(0)
        self._size = 0
        return True

    def _begin(self) -> None:
        self._write(to_line(self._manifest).encode("utf-8", "surrogatepass") + b"\n")

    def _write(self, line: bytes) -> None:
        written = 0
        try:
            written = self._file.write(line)
            if written < len(line):
                raise OSError(f"only {written} of {len(line)} bytes were written")
        except OSError as error:
            with contextlib.suppress(OSError):  # if that fails, too, the cut line is dropped at the next opening
                self._file.truncate(self._size)
            hint = "Free some space, then run the same command again to resume."
            raise DataError(Problem(f"this file cannot be written ({error}).", str(self.path), hint=hint)) from error
        self._size += written
        self._unsynced += 1
        # Not after each line: forcing onto the disk takes milliseconds, and a lost dialogue is run again with the same seed.
        if self._unsynced >= SYNC_RECORDS or self._clock() - self._synced_at >= SYNC_S:
            self.sync()

    def _read(self) -> None:
        """Check whose it is, and where each dialogue begins."""
        with open_bytes(self.path) as stream:
            self._check(stream.readline())
            place, problems = stream.tell(), []
            for number, line in enumerate(stream, start=2):
                try:
                    name, ended_by = id_and_ending(line)
                    if name in self._places:
                        raise ValueError(f"the dialogue {name!r} is there a second time")
                except ValueError as error:
                    problems.append(Problem(f"{error}.", str(self.path), number))
                else:
                    self._places[name] = place
                    self.endings[ended_by] += 1
                place += len(line)
        if problems:
            raise DataError(
                problems, hint="Only this program writes ledgers. Restore the file, or choose another folder."
            )

    def _check(self, first: bytes) -> None:
        try:
            data = json.loads(first)
            config, seed = dict(data["config"]) if "config" in data else {}, data.get("seed")
            if data["kind"] != Manifest.kind:
                raise ValueError(f"its first line is a {data['kind']}")
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            hint = "Choose another folder."
            raise DataError(
                Problem(f"this is not the ledger of a batch ({error}).", str(self.path), 1, hint=hint)
            ) from error
        mine = {**json.loads(to_line(self._manifest)).get("config", {}), "seed": self._manifest.seed}
        differ = _differences({**config, "seed": seed}, mine)
        if differ:
            raise UsageError(
                f"{self.path} belongs to another batch: {'; '.join(differ)}. Choose another folder, or use the "
                "original options."
            )


def export(ledger: Ledger, ids: Iterable[str], config: Mapping[str, JsonValue], *, seed: int | None = None) -> Manifest:
    """Write the dialogues of the ids that are finished, in their order, and the manifest beside them.

    Each file appears whole or not at all. The same dialogues give the same bytes, however many processes and
    interruptions it took to make them.
    """
    digest = hashlib.sha256()
    folder = ledger.path.parent
    with open_replacing(folder / DIALOGUES) as stream:
        for line in ledger.lines(ids):
            digest.update(line)
            stream.write(line)
    manifest = Manifest(
        command=COMMAND,
        config=dict(config),
        seed=seed,
        outputs={DIALOGUES: digest.hexdigest()},
        versions=versions_of("trialogue", "numpy", "pydantic"),
    )
    write_text(folder / MANIFEST, to_line(manifest) + "\n")
    return manifest


def read_finished(folder: Path | str) -> Iterator[Dialogue]:
    """The dialogues of a ledger in the order in which they ended, also while a batch is running."""
    for number, text in read_lines(Path(folder) / LEDGER, note=lambda _: None):
        if number > 1 and text.endswith("\n"):
            yield parse_line(text, {Dialogue.kind: Dialogue})


def config_of(folder: Path | str) -> dict[str, JsonValue]:
    """What the dialogues of a batch's folder are made of, finished or not; {} for a folder of no batch."""
    for name in (MANIFEST, LEDGER):
        try:
            with (Path(folder) / name).open("rb") as stream:
                data = json.loads(stream.readline())
        except (OSError, ValueError):
            continue
        if isinstance(data, dict) and data.get("command") == COMMAND and isinstance(data.get("config"), dict):
            return dict(data["config"])
    return {}


def _open(path: Path) -> IO[bytes]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return cast("IO[bytes]", path.open("a+b", buffering=0))
    except OSError as error:
        hint = "Choose a folder that is writable."
        raise DataError(Problem(f"this file cannot be opened ({error.strerror}).", str(path), hint=hint)) from error


def _lock_file(path: Path) -> "BaseFileLock":
    """What keeps other processes out of the folder: a file beside the ledger, for Windows could not read a locked one."""
    held = claim(path.with_name(LOCK))
    if held is None:
        raise UsageError(f"{path} is in use: another process is working in this folder. Wait for it, or stop it.")
    return held


def _cut_partial_line(file: IO[bytes], path: Path, note: Note) -> int:
    """The size of the file in bytes, once a last line without a line break is cut off."""
    size = file.seek(0, os.SEEK_END)
    end = size
    while end > 0:
        start = max(0, end - (1 << 16))
        file.seek(start)
        place = file.read(end - start).rfind(b"\n")
        if place >= 0:
            end = start + place + 1
            break
        end = start
    if end < size:
        file.truncate(end)
        note(Problem(f"the last line was cut short by a crash and is dropped ({size - end} bytes).", str(path)))
    return end


def id_and_ending(line: bytes) -> tuple[str, Ending | None]:
    """(id, why it ended) of a dialogue's line, of this version of the format or an earlier one; ValueError if it is none."""
    data = json.loads(line)
    if not isinstance(data, dict) or data.get("kind") != Dialogue.kind or not isinstance(data.get("id"), str):
        raise ValueError("this is not a dialogue")
    if data.get("v", SCHEMA) != SCHEMA:
        upgrade(Dialogue.kind, data, data["v"])
    ending = data.get("ended_by")
    return data["id"], None if ending is None else Ending(ending)


def _differences(theirs: Mapping[str, JsonValue], mine: Mapping[str, JsonValue]) -> list[str]:
    names = dict.fromkeys([*theirs, *mine])
    return [
        f"{name} was {_excerpt(theirs.get(name))} and is now {_excerpt(mine.get(name))}"
        for name in names
        if theirs.get(name) != mine.get(name)
    ]


def _excerpt(value: JsonValue, longest: int = 200) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else text[: longest - 1] + "…"

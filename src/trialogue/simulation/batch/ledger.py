"""Append-only ledger of a batch: one line per finished dialogue, whatever its ending, until it is exported.

The first line is a manifest of the batch's settings. Each dialogue is one line, written by one system call, in order of
completion. A killed process leaves at most one truncated line at the end, which is dropped when the ledger is opened again;
dialogues in the ledger are not repeated.

An export moves dialogues into ``dialogues.jsonl``, in the order of the plan, and keeps the other lines and the manifest,
which records the checksum of the export. Until the export is complete and on the disk, the ledger is unchanged.

A written line survives the death of the process. It is forced onto the disk (fsync) every 0.5 s or 1,000
records and when the ledger is closed: after a power failure, at most that much is lost, and a resumed batch repeats it.
"""

import contextlib
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records import Ending, JsonValue, Manifest, sha256_of
from trialogue.records.files.jsonl import Note, line_of, to_line, warn
from trialogue.records.files.locks import Claim, claim
from trialogue.records.files.manifest import versions_of
from trialogue.records.files.opening import open_bytes, open_replacing
from trialogue.records.runs import seal_files
from trialogue.simulation.batch.folder import (
    COMMAND,
    DIALOGUES,
    LEDGER,
    digest_in,
    id_and_ending,
    is_manifest,
)

LOCK = ".lock"  # held by the process that works in it

SYNC_S = 0.5
SYNC_RECORDS = 1000


class Ledger:
    """Ledger of one folder, open in one process at a time. As a context manager it closes the file on exit."""

    def __init__(
        self,
        folder: Path | str,
        config: Mapping[str, JsonValue],
        *,
        seed: int | None = None,
        note: Note = warn,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open a folder's ledger, or create one.

        Args:
            folder: made if it is not there.
            config: everything that makes the dialogues what they are.
            seed: the run's seed.
            note: called if the last line is cut.
            clock: seconds, for the interval between fsyncs.

        Raises:
            UsageError: another process has it open, or it belongs to another configuration (the message lists what differs).
            DataError: it holds lines that are no dialogues, or the folder cannot be written.
        """
        self.path = Path(folder) / LEDGER
        self.endings: Counter[Ending | None] = Counter()
        """Number of dialogues by ending; None: unknown."""
        self.failures: dict[str, Ending] = {}
        """Ending of each dialogue that failed."""
        self._manifest = Manifest(command=COMMAND, config=dict(config), seed=seed)
        self._places: dict[str, int] = {}
        self._exported: dict[str, int] = {}  # places in the export, of those that are not in the ledger
        self._digests: set[str] = set()  # of exports that may be in place
        self._clock, self._synced_at = clock, clock()
        self._unsynced = 1  # an earlier writer may have died before it forced its lines onto the disk
        self._lock: Claim | None = None
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
        return len(self._places) + len(self._exported)

    def __contains__(self, dialogue_id: object) -> bool:
        return dialogue_id in self._places or dialogue_id in self._exported

    def __enter__(self) -> Self:
        """Return the ledger."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the ledger."""
        self.close()

    def append(self, dialogue_id: str, ended_by: Ending | None, line: bytes) -> None:
        """Write one finished dialogue, as a line of a file (``line_of``).

        Raises:
            ValueError: it is there already.
            DataError: the line could not be written (a full disk, say); the ledger is as it was before.
        """
        if dialogue_id in self:
            raise ValueError(f"the dialogue {dialogue_id} is already in the ledger")
        self._write(line)
        self._places[dialogue_id] = self._size - len(line)
        self._count(dialogue_id, ended_by)

    def _count(self, dialogue_id: str, ended_by: Ending | None) -> None:
        self.endings[ended_by] += 1
        if ended_by is not None and ended_by.is_failure:
            self.failures[dialogue_id] = ended_by

    def lines(self, ids: Iterable[str]) -> Iterator[bytes]:
        """Lines of the ids that are present, in the order of the ids."""
        with contextlib.ExitStack() as stack:
            ledger = stack.enter_context(open_bytes(self.path))
            export = stack.enter_context(open_bytes(self._export)) if self._exported else ledger
            for dialogue_id in ids:
                for stream, places in ((ledger, self._places), (export, self._exported)):
                    place = places.get(dialogue_id)
                    if place is not None:
                        stream.seek(place)
                        yield stream.readline()

    def count(self) -> int:
        """Number of dialogues; after an interruption it may exceed the reported number by one."""
        with open_bytes(self.path) as stream:
            return len(self._exported) + sum(line.endswith(b"\n") and not is_manifest(line) for line in stream)

    def announce_export(self, digest: str, ids: Iterable[str]) -> None:
        """Record that an export of these dialogues is about to replace the previous one.

        Dialogues that only the previous export contains are moved back into the ledger first.

        Raises:
            DataError: this could not be written.
        """
        kept = set(ids)
        left_out = [name for name in self._exported if name not in kept]
        for dialogue_id, line in zip(left_out, list(self.lines(left_out)), strict=True):
            self._write(line)
            self._places[dialogue_id] = self._size - len(line)
            del self._exported[dialogue_id]
        if digest not in self._digests:
            self._write(self._manifest_line(digest))
            self._digests.add(digest)
        self.sync()

    def drop_exported(self, digest: str, places: Mapping[str, int]) -> None:
        """Remove the dialogues that the completed export holds; the other lines are kept.

        Args:
            digest: sha256 of the export.
            places: where the line of each of its dialogues begins.
        """
        rest = [name for name in self._places if name not in places]
        if not self._places and self._digests == {digest}:
            return  # nothing moves
        self._rewrite(rest, digest)
        self._exported, self._digests = dict(places), {digest}

    def drop(self, ids: Iterable[str]) -> None:
        """Remove dialogues, so that they are run again. The ledger then holds all others itself, until the next export."""
        dropped = set(ids)
        if not dropped:
            return
        self._rewrite([name for name in (*self._exported, *self._places) if name not in dropped], None)
        self._exported, self._digests = {}, set()
        self.endings -= Counter(self.failures.pop(name, None) for name in dropped)

    def _rewrite(self, names: Sequence[str], digest: str | None) -> None:
        """Replace the file by one with these dialogues alone."""
        places, size = {}, 0
        with open_replacing(self.path) as stream:
            for dialogue_id, line in chain(
                [("", self._manifest_line(digest))], zip(names, self.lines(names), strict=True)
            ):
                places[dialogue_id] = size
                size += stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())
            self._file.close()  # Windows replaces no file that is open
        self._file, self._size, self._unsynced = _open(self.path), size, 0
        self._places = {name: places[name] for name in names}

    @property
    def _export(self) -> Path:
        return self.path.with_name(DIALOGUES)

    def _manifest_line(self, digest: str | None = None) -> bytes:
        outputs = {} if digest is None else {DIALOGUES: digest}
        manifest = self._manifest.model_copy(update={"outputs": outputs})
        return line_of(manifest)

    def sync(self) -> None:
        """Force pending writes onto the disk."""
        if self._unsynced:
            os.fsync(self._file.fileno())
        self._synced_at, self._unsynced = self._clock(), 0

    def close(self) -> None:
        """Sync and close; a second call does nothing."""
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
            if not is_manifest or data.get("command") != COMMAND or data.get("outputs") or stream.readline():
                return False
        self._file.truncate(0)
        self._size = 0
        return True

    def _begin(self) -> None:
        self._write(self._manifest_line())

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
        """Check that the ledger belongs to this batch, and index where each dialogue begins."""
        with open_bytes(self.path) as stream:
            first = stream.readline()
            self._check(first)
            announced = digest_in(first)
            self._digests = {announced} if announced else set()
            problems = list(self._read_lines(self.path, stream, self._places, after=len(first), number=2))
        if announced and not problems:  # else an export was on its way, and the ledger holds all dialogues itself
            self._check_export()
            with open_bytes(self._export) as stream:
                problems = list(self._read_lines(self._export, stream, self._exported))
        if problems:
            raise DataError(
                problems, hint="Only Trialogue may write ledgers. Restore the file, or choose another folder."
            )

    def _read_lines(
        self, path: Path, stream: IO[bytes], places: dict[str, int], *, after: int = 0, number: int = 1
    ) -> Iterator[Problem]:
        """Index a file's dialogues and return the mistakes in its lines. A dialogue in both files counts once."""
        place = after
        for at, line in enumerate(stream, start=number):
            try:
                if is_manifest(line) and places is self._places:
                    self._digests.add(digest_in(line) or "")
                else:
                    name, ended_by = id_and_ending(line)
                    if name in places:
                        raise ValueError(f"the dialogue {name!r} occurs twice")
                    if name not in self._places:
                        self._count(name, ended_by)
                        places[name] = place
            except ValueError as error:
                yield Problem(f"{error}.", str(path), at)
            place += len(line)

    def _check_export(self) -> None:
        """The dialogues that the ledger has left to the export are there, as they were."""
        hint = "Restore it or choose another folder. To simulate all dialogues again, delete this folder."
        if not self._export.is_file():
            raise DataError(Problem("the dialogues of this batch are missing.", str(self._export), hint=hint))
        if sha256_of(self._export) not in self._digests:
            what = "this file was changed since the batch wrote it."
            raise DataError(Problem(what, str(self._export), hint=hint))

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
                f"{self.path} belongs to another simulation: {'; '.join(differ)}. Choose another folder with --out, "
                "or use the original options."
            )


def export(ledger: Ledger, ids: Iterable[str], config: Mapping[str, JsonValue], *, seed: int | None = None) -> Manifest:
    """Write the finished dialogues among the ids in their order, with a manifest.

    Each file appears whole or not at all. The same dialogues give the same bytes, however many processes and
    interruptions it took to make them.
    """
    digest, places, place = hashlib.sha256(), dict[str, int](), 0
    folder = ledger.path.parent
    with open_replacing(folder / DIALOGUES) as stream:
        there = [name for name in ids if name in ledger]
        for name, line in zip(there, ledger.lines(there), strict=True):
            digest.update(line)
            stream.write(line)
            places[name] = place
            place += len(line)
        stream.flush()
        os.fsync(stream.fileno())
        ledger.announce_export(digest.hexdigest(), there)
    ledger.drop_exported(digest.hexdigest(), places)
    manifest = Manifest(
        command=COMMAND,
        config=dict(config),
        seed=seed,
        outputs={DIALOGUES: digest.hexdigest()},
        sizes={DIALOGUES: place},
        versions=versions_of("trialogue", "numpy", "pydantic"),
    )
    return seal_files(folder, manifest)


def _open(path: Path) -> IO[bytes]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return cast("IO[bytes]", path.open("a+b", buffering=0))
    except OSError as error:
        hint = "Choose a folder that is writable."
        raise DataError(Problem(f"this file cannot be opened ({error.strerror}).", str(path), hint=hint)) from error


def _lock_file(path: Path) -> Claim:
    """Lock against other processes: a file beside the ledger, because Windows cannot read a locked file."""
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

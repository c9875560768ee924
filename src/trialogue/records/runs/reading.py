"""Read a run: its files as they were sealed, or an error that names what differs."""

import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.records.base import Record
from trialogue.records.files.jsonl import parse_line, problems_of, read_records
from trialogue.records.files.manifest import Manifest, sha256_of
from trialogue.records.files.opening import is_file, open_bytes
from trialogue.records.runs.placing import MANIFEST, NEXT, finish, read_manifest

CONVERSATIONS = "dialogues.jsonl"
"""File of a simulation's or a study's dialogues."""
CHANGED = "was changed after the run was written"
SMALL = 1 << 20  # bytes; files up to this are checked when a run is opened, larger ones while they are read
READ_AT_ONCE = 1 << 18  # bytes
HINT = "Restore it from a copy, or write the run again."
MAX_NAMED = 3  # files of one kind of mistake that are named

RecordT = TypeVar("RecordT", bound=Record)


@dataclass(frozen=True)
class StoredFiles:
    """Files of a run, which are checked against their seals while they are read."""

    folder: Path
    """Folder of the run."""
    manifest: Manifest
    """What made it, and the seals."""

    def __contains__(self, name: object) -> bool:
        return name in self.manifest.files

    @property
    def hashes(self) -> Mapping[str, str]:
        """sha256 by name."""
        return {name: digest for name, (digest, _) in self.manifest.files.items()}

    def open(self, path: Path) -> IO[bytes]:
        """A stream of a file of the run (``folder / name``); at its end, a DataError if it is not what was sealed."""
        name = path.relative_to(self.folder).as_posix()
        if name not in self:
            raise DataError(Problem("this file does not belong to the run.", str(path), hint=HINT))
        raw = _SealedStream(open_bytes(path), path, self.manifest.files[name][0])
        return io.BufferedReader(raw, READ_AT_ONCE)

    def open_seekable(self, path: Path) -> IO[bytes]:
        """The same for readers that jump about: checked first, in memory."""
        return io.BytesIO(self.read(path.relative_to(self.folder).as_posix()))

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        with self.open(self.folder / name) as stream:
            return stream.read()

    def records(self, name: str, *types: type[RecordT]) -> Iterator[RecordT]:
        """The records of a file; none where the run has no such file."""
        return read_records(self.folder / name, *types, opener=self.open) if name in self else iter(())

    def record(self, name: str, kind: type[RecordT], *, again: str) -> RecordT:
        """The one record in a file, such as findings; in Python's JSON, since names may hold lone surrogates.

        Args:
            name: the file.
            kind: its type.
            again: the command that writes such files.

        Raises:
            DataError: the run has no such file, it is not what was sealed, or it holds something else.
        """
        path, hint = str(self.folder / name), f"Run {again} again."
        if name not in self:
            what = f"this run of trialogue {self.manifest.command} has no {name}."
            raise DataError(Problem(what, str(self.folder), hint=hint))
        try:
            return parse_line(self.read(name).decode("utf-8", "surrogatepass"), {kind.kind: kind})
        except ValidationError as error:
            raise DataError(problems_of(error, path, None), hint=hint) from error
        except json.JSONDecodeError as error:
            what = f"not valid JSON ({error.msg} at column {error.colno})."
            raise DataError(Problem(what, path, hint=hint)) from error
        except ValueError as error:
            raise DataError(Problem(str(error), path, hint=hint)) from error

    def check(self, *, small_only: bool = False) -> None:
        """Compare the files with their seals.

        Args:
            small_only: of files above 1 MiB, only the size.

        Raises:
            DataError: files are missing or differ, with all of them.
        """
        problems = list(_mistakes(self.folder, self.manifest, small_only=small_only))
        if problems:
            raise DataError(_in_one_line(self.folder, problems))


def is_run(folder: Path, name: str) -> bool:
    """Whether a manifest in a folder names a file of a run, which may be lost; False for impossible names of folders."""
    manifests = [_manifest_of_folder(each) for each in (folder / NEXT, folder) if is_file(each / MANIFEST)]
    return any(manifest is not None and name in manifest.files for manifest in manifests)


def writer_of(folder: Path) -> str | None:
    """The command that wrote and sealed the results in a folder; None: it holds none, or conversations as well.

    >>> writer_of(Path("nothing there"))
    """
    manifest = _manifest_of_folder(folder) if is_file(folder / MANIFEST) else None
    if manifest is None or manifest.seal is None or CONVERSATIONS in manifest.files:
        return None
    return manifest.command


def open_run(folder: Path | str) -> StoredFiles:
    """Open a run by its folder or a file in it, with everything small in it checked.

    Raises:
        DataError: there is none, it is not sealed, or its files are not what was sealed; all of them at once.
    """
    folder = Path(folder)
    folder = folder.parent if is_file(folder) else folder
    stored = _open(folder)
    try:
        stored.check(small_only=True)
    except DataError:
        if (again := _open(folder)).manifest == stored.manifest:
            raise
        again.check(small_only=True)  # a writer put another run in place meanwhile
        return again
    return stored


def _open(folder: Path) -> StoredFiles:
    finish(folder)
    manifest = read_manifest(folder)
    if manifest is None or manifest.seal is None:
        what = f"there is no {MANIFEST}" if manifest is None else f"{MANIFEST} has no seal"
        why = "the run is incomplete, or of a version that did not seal runs."
        raise DataError(
            Problem(f"{what}: {why}", str(folder), hint="Write the run again, for example: trialogue evaluate.")
        )
    return StoredFiles(folder, manifest)


def digests_of(paths: Iterable[Path]) -> dict[Path, str]:
    """sha256 of files, also of those that belong to a run or a simulation: these must be what was sealed.

    Raises:
        DataError: they are not.
    """
    found: dict[Path, str] = {}
    manifests: dict[Path, Manifest | None] = {}
    mistakes: dict[Path, list[_Mistake]] = {}
    for path in paths:
        found[path] = sha256_of(path)
        if path.parent not in manifests:
            manifests[path.parent] = _manifest_of_folder(path.parent)
        manifest = manifests[path.parent]
        sealed = manifest.files.get(path.name) if manifest is not None and manifest.seal is not None else None
        if sealed is not None and sealed[0] != found[path]:
            detail = f"expected sha256 {sealed[0]}, found {found[path]}"
            mistakes.setdefault(path.parent, []).append(_Mistake(path.name, CHANGED, detail))
    if mistakes:
        raise DataError([problem for folder, each in mistakes.items() for problem in _in_one_line(folder, each)])
    return found


def _manifest_of_folder(folder: Path) -> Manifest | None:
    """None without one, or where a file of that name is somebody else's."""
    try:
        return read_manifest(folder)
    except DataError:
        return None


@dataclass(frozen=True)
class _Mistake:
    name: str
    what: str
    detail: str


def _mistakes(folder: Path, manifest: Manifest, *, small_only: bool) -> Iterator[_Mistake]:
    for name, (digest, size) in manifest.files.items():
        path = folder / name
        try:
            actual = path.stat().st_size if path.is_file() else None
            if actual is None:
                yield _Mistake(name, "is missing", f"expected {size:,} bytes with sha256 {digest}")
            elif actual != size:
                yield _Mistake(
                    name, "was changed after the run was written", f"expected {size:,} bytes, found {actual:,}"
                )
            elif not (small_only and size > SMALL) and (found := sha256_of(path)) != digest:
                yield _Mistake(
                    name, "was changed after the run was written", f"expected sha256 {digest}, found {found}"
                )
        except OSError as error:
            yield _Mistake(name, "cannot be read", str(error.strerror))


def _in_one_line(folder: Path, mistakes: Iterable[_Mistake]) -> list[Problem]:
    """One problem for each kind of mistake: the first file in full, the others by name."""
    by_kind: dict[str, list[_Mistake]] = {}
    for each in mistakes:
        by_kind.setdefault(each.what, []).append(each)
    problems = []
    for what, (first, *others) in by_kind.items():
        more = ", ".join(each.name for each in others[:MAX_NAMED])
        left = f" and {len(others) - MAX_NAMED} more" if len(others) > MAX_NAMED else ""
        also = f" The same holds for {more}{left}." if others else ""
        text = f"this file of the run {what}: {first.detail}.{also}"
        problems.append(Problem(text, str(folder / first.name), hint=HINT))
    return problems


class _SealedStream(io.RawIOBase):
    """A stream that compares what was read with a sha256 at its end."""

    def __init__(self, raw: IO[bytes], path: Path, expected: str) -> None:
        self._raw, self._path, self._expected = raw, path, expected
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        block = self._raw.read(len(buffer))
        buffer[: len(block)] = block
        self._digest.update(block)
        if not block and self._digest.hexdigest() != self._expected:
            what = f"was changed after the run was written: expected sha256 {self._expected}, found "
            raise DataError(
                Problem(f"this file of the run {what}{self._digest.hexdigest()}.", str(self._path), hint=HINT)
            )
        return len(block)

    def close(self) -> None:
        self._raw.close()
        super().close()

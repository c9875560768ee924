"""Open files: gzip and zstd by suffix, and atomic writes."""

import atexit
import contextlib
import errno
import gzip
import io
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import IO, Any, cast

from trialogue.errors import DataError, Problem, UsageError
from trialogue.extras import need

COMPRESSED = (".gz", ".zst")
MAX_SHOWN = 200  # characters of a name that cannot be one
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # what a disk says that has no room


def open_bytes(path: Path) -> IO[bytes]:
    """Open a binary stream for reading, decompressed by suffix (``.gz``, ``.zst``).

    Raises:
        DataError: there is no such file, or it is a folder, or it may not be read.
    """
    try:
        if path.suffix == ".gz":
            return cast("IO[bytes]", gzip.open(path, "rb"))
        if path.suffix == ".zst":
            zstandard = need("zstandard", extra="data", purpose="read .zst files")
            return cast("IO[bytes]", io.BufferedReader(zstandard.open(path, "rb")))
        return path.open("rb")
    except FileNotFoundError as error:
        raise DataError(Problem("there is no such file.", file=str(path))) from error
    except IsADirectoryError as error:
        raise DataError(Problem("expected a file, got a folder.", file=str(path))) from error
    except PermissionError as error:
        raise DataError(Problem("permission denied.", file=str(path), hint="Check the file's permissions.")) from error
    except (OSError, ValueError) as error:  # a name that no file can have: too long, or with a null byte
        raise DataError(Problem(f"this file cannot be opened ({error}).", file=str(path)[:MAX_SHOWN])) from error


def is_file(path: Path | str) -> bool:
    """Whether the file exists; False for impossible names (too long, or with a null byte)."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst"}
"""First bytes of compressed files, which are known by their names from then on."""


@cache
def path_to_read(path: Path) -> Path:
    """A file that can be read as often as is needed: of a pipe or a terminal, which gives its bytes once, a copy.

    The copy is made when it is asked for first, and goes when the process ends. Its name is the pipe's.

    >>> path_to_read(Path("talks.jsonl"))
    PosixPath('talks.jsonl')
    """
    try:
        is_stream = stat.S_IFMT(path.stat().st_mode) in (stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK)
    except OSError:
        return path
    if not is_stream or str(path) == os.devnull:
        return path
    folder = Path(tempfile.mkdtemp(prefix="trialogue-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / ("pipe" if path.name.isdigit() else path.name)
    with path.open("rb") as stream, copy.open("wb") as file:
        file.write(begin := stream.read(4))
        shutil.copyfileobj(stream, file)
    suffix = next((suffix for magic, suffix in MAGIC.items() if begin.startswith(magic)), "")
    return copy.rename(f"{copy}{suffix}") if not copy.name.endswith(suffix) else copy


_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_remote(text: str) -> bool:
    """Whether a text is the address of a file in an object store, or of another store that fsspec knows.

    >>> is_remote("s3://bucket/talks.jsonl"), is_remote("C:/talks.jsonl"), is_remote("mine=s3://bucket/talks.jsonl")
    (True, False, False)
    """
    return _REMOTE.match(text) is not None


def fetch(url: str, folder: Path) -> Path:
    """Copy a file of a store into a folder, under its own name.

    Raises:
        OSError: it is not there, or the store does not answer or allow it.
    """
    copy = folder / (url.rstrip("/").rpartition("/")[2] or "file")
    with _of_store(url) as fsspec, fsspec.open(url, "rb") as stream, copy.open("wb") as file:
        shutil.copyfileobj(stream, file)
    return copy


@cache
def copy_of(url: str) -> Path:
    """The copy of a file of a store, made when it is asked for first; it goes when the process ends.

    Raises:
        DataError: it is not there, or the store does not answer or allow it.
        MissingExtraError: fsspec is not installed.
    """
    folder = Path(tempfile.mkdtemp(prefix="trialogue-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        return fetch(url, folder)
    except OSError as error:
        raise DataError(Problem(f"it cannot be read ({error}).", file=url)) from error


def files_at(url: str, endings: Collection[str]) -> list[str]:
    """Addresses of the files with some endings in a folder of a store, in order; of a file its own.

    Raises:
        DataError: the store does not answer or allow it, or the folder has no such files.
    """
    try:
        with _of_store(url) as fsspec:
            store, path = fsspec.core.url_to_fs(url)
            if not store.isdir(path):
                return [url]
            names = sorted(each["name"] for each in store.ls(path, detail=True) if each["type"] == "file")
            found = [store.unstrip_protocol(name) for name in names if set(Path(name).suffixes) & set(endings)]
    except OSError as error:
        raise DataError(Problem(f"it cannot be read ({error}).", file=url)) from error
    if not found:
        raise DataError(Problem("the folder has no files of conversations.", file=url))
    return found


@contextlib.contextmanager
def _of_store(url: str) -> Iterator[Any]:
    """fsspec, while a store is used; whatever its driver raises becomes an OSError."""
    fsspec = need("fsspec", extra="cluster", purpose=f"read {url}")
    try:
        yield fsspec
    except OSError:
        raise
    except Exception as error:  # of a driver that is not ours, such as one that finds no credentials
        raise OSError(f"{type(error).__name__}: {error}") from error


def path_uncompressed(path: Path) -> Path:
    """Path without the compression suffix, if it has one.

    >>> path_uncompressed(Path("a/gpt-4.1.jsonl.gz")).as_posix(), path_uncompressed(Path("a/gpt-4.1.jsonl")).as_posix()
    ('a/gpt-4.1.jsonl', 'a/gpt-4.1.jsonl')
    """
    return path.with_suffix("") if path.suffix in COMPRESSED else path


def refuse_folder(path: Path) -> None:
    """Raise UsageError if there is a folder of this name, where a file is to be written."""
    if not path.name or path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder, not a file. Choose another name.")


@contextlib.contextmanager
def open_replacing(path: Path) -> Iterator[IO[bytes]]:
    """Context manager with a binary stream that atomically replaces ``path`` on success.

    Compressed by suffix, without time stamps, so that the same content gives the same bytes.

    Raises:
        UsageError: there is a folder of this name, it may not be written, or the disk is full.
    """
    refuse_folder(path)
    make_folder(path.parent)
    # In the same folder, since only within a file system renaming is one step; with the process in its name, since two
    # commands may write the same file.
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with room_for(path), contextlib.ExitStack() as stack:
            try:
                raw = stack.enter_context(temporary.open("wb"))
            except OSError as error:
                raise UsageError(f"{path} cannot be written: {error.strerror}. Choose another path.") from error
            yield stack.enter_context(_compress(raw, path.suffix))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def room_for(path: Path) -> Iterator[None]:
    """Context manager that raises UsageError if the disk is full while ``path`` is written; other errors pass through."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise UsageError(
            f"{path} cannot be written: {error.strerror}. Free some space, or choose another path."
        ) from error


def make_folder(folder: Path) -> None:
    """Create a folder with its parents; UsageError if a file is in the way or permission is denied."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be created: {error.strerror}. Choose another path.") from error


def write_text(path: Path, text: str) -> None:
    """Write a whole text file as UTF-8, atomically; characters that cannot be encoded (lone surrogates) become "?"."""
    with open_replacing(path) as stream:
        stream.write(text.encode("utf-8", "replace"))


def _compress(raw: IO[bytes], suffix: str) -> AbstractContextManager[IO[bytes]]:
    if suffix == ".gz":
        # Neither name nor time in the header: both would make two files of the same content differ.
        stream = gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
        return cast("AbstractContextManager[IO[bytes]]", stream)
    if suffix == ".zst":
        zstandard = need("zstandard", extra="data", purpose="write .zst files")
        return cast("AbstractContextManager[IO[bytes]]", zstandard.ZstdCompressor().stream_writer(raw, closefd=False))
    return contextlib.nullcontext(raw)

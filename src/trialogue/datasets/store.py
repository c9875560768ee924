"""Locate and download corpora on this machine.

``TRIALOGUE_DATA`` names the download folder (default: the user's data folder); ``TRIALOGUE_DATA_MIRROR`` a read-only folder
with the same layout, such as a shared disk. A mirror may hold a sample of a corpus in ``{folder}_sample``, which is used if
nothing better is available. Files are checked against the sha256 on the corpus card or, where it has none, against the one
that the first download recorded in ``SHA256SUMS``.

Download one file over HTTP: resumable, checksummed and atomic.

A partial download is kept beside the target with the suffix ``.part``. Uses the standard library, so proxies are taken from
the environment as usual; urllib3 would do the same, since it does not resume downloads by itself either.
"""

import os
import shutil
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Iterator
from http.client import HTTPException, HTTPResponse
from importlib.metadata import version
from importlib.resources import files as resources
from pathlib import Path
from typing import IO, cast

from trialogue.datasets.base import Corpus, RemoteFile, Source
from trialogue.errors import DataError, MissingDataError, Problem, UsageError
from trialogue.long_work import Progress
from trialogue.records import sha256_of
from trialogue.records.files.jsonl import Note, warn
from trialogue.records.files.opening import write_text

ATTEMPTS = 3  # a broken connection is taken up again at once, twice; then the user decides
CHUNK = 1 << 18  # bytes read at a time
REPORT_EVERY = 32 << 20  # bytes between two lines about a large file
MIB = 1 << 20
URL_PUNCTUATION = "%/:=&?~#+!$,;'@()*[]"  # what is left alone when a space in a URL is escaped

"""Callback for progress lines."""


class NotPublishedError(MissingDataError):
    """The publisher does not have such a file."""


class _InterruptedError(Exception):
    """The transfer stopped before its end; it can be taken up again."""


def fetch(url: str, target: Path, *, sha256: str | None, progress: Progress, timeout_s: float) -> str:
    """Download a file to ``target`` and return its sha256; an existing file is replaced only by a complete new one.

    Raises:
        NotPublishedError: the server says that there is no such file (404, 410).
        MissingDataError: no network, no answer for ``timeout_s`` seconds, a server's error, or a connection that keeps
            breaking. What has arrived is kept for the next attempt.
        DataError: the file is not the one that was published: its checksum differs. It is not kept.
        UsageError: an address that is not http or https.
    """
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise UsageError(f"Expected an http or https address, got {url!r}.")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    for attempt in range(1, ATTEMPTS + 1):
        try:
            _transfer(url, part, progress, timeout_s)
            break
        except _InterruptedError as broken:
            progress(f"{target.name}: {broken} (attempt {attempt} of {ATTEMPTS})")
            if attempt == ATTEMPTS:
                raise MissingDataError(
                    f"{url} could not be fetched: {broken}. Is there a network connection? The part that arrived is "
                    f"kept, and the same command resumes it. Without a network, copy the file to {target} by hand."
                ) from broken
    return finish_download(part, target, sha256=sha256, origin=url)


def finish_download(part: Path, target: Path, *, sha256: str | None, origin: str) -> str:
    """Verify a complete download and move it into place; returns its sha256.

    Raises:
        DataError: it is not; the file is deleted.
    """
    found = sha256_of(part)
    if sha256 is not None and found != sha256:
        part.unlink()
        raise DataError(
            Problem(
                f"the file downloaded from {origin} is not the published one: expected sha256 {sha256}, got {found}.",
                file=str(target),
                hint="It was deleted. Download it again; if the error persists, the publisher has changed the file.",
            )
        )
    part.replace(target)
    return found


def copy(source: Path, target: Path, *, sha256: str | None) -> str:
    """Copy a file atomically; returns its sha256.

    Raises:
        DataError: the source is not the published file.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    shutil.copyfile(source, part)
    return finish_download(part, target, sha256=sha256, origin=str(source))


def _transfer(url: str, part: Path, progress: Progress, timeout_s: float) -> None:
    """Fetch what of a file is not there yet."""
    held = part.stat().st_size if part.exists() else 0
    try:
        with _open(url, held, timeout_s) as response:
            goes_on = response.status == 206 and _first_byte(response) == held
            if response.status == 206 and not goes_on:
                part.unlink()
                raise _InterruptedError("the server sent a different part of the file than requested")
            expected = _expected_size(response, held if goes_on else 0)
            with part.open("ab" if goes_on else "wb") as stream:
                _stream_to_file(response, stream, expected, f"{part.name.removesuffix('.part')}", progress)
    except urllib.error.HTTPError as error:
        with error:
            _check_status(error, url, part, held)
        return
    except (urllib.error.URLError, TimeoutError, ConnectionError, HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise _InterruptedError(f"{reason}" if str(reason) else type(error).__name__) from error
    arrived = part.stat().st_size
    if expected is not None and arrived < expected:
        raise _InterruptedError(f"the connection broke after {arrived:,} of {expected:,} bytes")


def _open(url: str, held: int, timeout_s: float) -> HTTPResponse:
    headers = {"User-Agent": f"trialogue/{version('trialogue')}", "Accept-Encoding": "identity"}
    if held:
        headers["Range"] = f"bytes={held}-"
    request = urllib.request.Request(urllib.parse.quote(url, safe=URL_PUNCTUATION), headers=headers)
    return cast("HTTPResponse", urllib.request.urlopen(request, timeout=timeout_s))


def _stream_to_file(
    response: HTTPResponse, stream: IO[bytes], expected: int | None, name: str, progress: Progress
) -> None:
    reported = stream.tell()
    while chunk := response.read(CHUNK):
        stream.write(chunk)
        if stream.tell() - reported >= REPORT_EVERY:
            reported = stream.tell()
            of_all = f" of {expected // MIB:,}" if expected is not None else ""
            progress(f"{name}: {reported // MIB:,}{of_all} MiB")


def _check_status(error: urllib.error.HTTPError, url: str, part: Path, held: int) -> None:
    """Interpret an unsuccessful status: complete (returns), restart, or fail."""
    if error.code == 416:  # nothing behind what we hold
        if error.headers.get("Content-Range", "").removeprefix("bytes */") == str(held):
            return
        part.unlink()
        raise _InterruptedError("the partial file is longer than the complete one") from error
    if error.code in (404, 410):
        raise NotPublishedError(
            f"The publisher has no file at {url} (HTTP {error.code}). It may have been moved or withdrawn."
        ) from error
    raise MissingDataError(f"{url} could not be fetched: HTTP {error.code} {error.reason}. Try again later.") from error


def _first_byte(response: HTTPResponse) -> int | None:
    """Start of a part, from ``Content-Range: bytes 100-199/200``."""
    start = (response.headers.get("Content-Range") or "").removeprefix("bytes ").partition("-")[0]
    return int(start) if start.isdecimal() else None


def _expected_size(response: HTTPResponse, held: int) -> int | None:
    length = response.headers.get("Content-Length") or ""
    return held + int(length) if length.isdecimal() else None


DATA, MIRROR = "TRIALOGUE_DATA", "TRIALOGUE_DATA_MIRROR"
BUNDLED = "bundled:"
"""Beginning of the ``folder`` of a corpus that comes inside this package."""
SUMS = "SHA256SUMS"  # readable by sha256sum --check
TIMEOUT_S = 60.0  # without a byte, before a server counts as gone
ARCHIVES = ".archives"  # folder of zip files while their members are taken out
COPIED = 1 << 20  # bytes of a member unpacked at a time


def data_folder() -> Path:
    """Download folder: ``TRIALOGUE_DATA``, or else the platform's user data folder."""
    import platformdirs

    given = os.environ.get(DATA)
    return Path(given).expanduser() if given else Path(platformdirs.user_data_dir("trialogue", appauthor=False))


def mirror_folder() -> Path | None:
    """Mirror folder from ``TRIALOGUE_DATA_MIRROR``; None if it is not set."""
    given = os.environ.get(MIRROR)
    return Path(given).expanduser() if given else None


def locate(corpus: Corpus) -> Path:
    """Folder of a corpus: in the mirror, or else among the downloads, or else a sample in the mirror.

    Raises:
        MissingDataError: files are missing; says which, and the command that gets them.
    """
    source = corpus.source
    if source.folder.startswith(BUNDLED):
        return Path(str(resources("trialogue.datasets") / "bundled"))
    for folder in _places(source):
        if not _missing_files(source, folder):
            return folder
    raise MissingDataError(_missing_text(source))


def is_here(corpus: Corpus) -> bool:
    """Whether ``locate`` finds the corpus."""
    source = corpus.source
    return source.folder.startswith(BUNDLED) or any(not _missing_files(source, folder) for folder in _places(source))


def get(
    corpus: Corpus, *, progress: Progress = lambda line: None, force: bool = False, timeout_s: float = TIMEOUT_S
) -> Path:
    """Copy a corpus to the data folder from the mirror if it has it, else download it from its publisher.

    Args:
        corpus: what is wanted; showing its licence and citation is the caller's part.
        progress: called with a line for each step.
        force: also fetch files that are here, for example because they were altered.
        timeout_s: seconds without a byte before a server counts as gone.

    Returns:
        Its folder.

    Raises:
        MissingDataError: it cannot be fetched; what has arrived is kept, and the same call goes on from there.
        DataError: a file is not the published one.
    """
    source = corpus.source
    if source.folder.startswith(BUNDLED):
        progress(f"{source.name} ships with Trialogue; no download is needed.")
        return locate(corpus)
    folder = data_folder() / source.folder
    for file in source.files:
        try:
            digest = _get_file(file, source, folder, progress, force, timeout_s)
        except NotPublishedError as missing:
            if not file.optional:
                raise MissingDataError(f"{missing} See {source.homepage}") from missing
            progress(f"{file.path}: skipped; {source.title} can be read without it. {missing}")
            continue
        _pin(folder, file.path, digest)
    _clear_archives(folder)
    return folder


def verify(corpus: Corpus, folder: Path, *, note: Note = warn) -> int:
    """Verify the files of a corpus against the published checksums; returns how many could be compared.

    Files that are not there, and those whose checksum nobody knows, are passed over; an altered one is reported to ``note``.
    """
    compared = 0
    for file in corpus.source.files:
        path, expected = folder / file.path, _expected_hash(file, folder)
        if expected is None or not path.is_file():
            continue
        compared += 1
        if (found := sha256_of(path)) != expected:
            note(_altered_problem(path, expected, found, corpus.source))
    return compared


def _places(source: Source) -> Iterator[Path]:
    mirror = mirror_folder()
    if mirror:
        yield mirror / source.folder
    yield data_folder() / source.folder
    if mirror:
        yield mirror / f"{source.folder}_sample"


def _missing_files(source: Source, folder: Path) -> list[str]:
    """Files without which a corpus cannot be read; where all are optional, one is needed, and all are named."""
    absent = [file for file in source.files if not (folder / file.path).is_file()]
    needed = [file.path for file in absent if not file.optional]
    return needed or ([file.path for file in absent] if len(absent) == len(source.files) else [])


def _missing_text(source: Source) -> str:
    folder = data_folder() / source.folder
    text = f"{source.title} is not on this machine: {folder} lacks {', '.join(_missing_files(source, folder))}."
    mirror = mirror_folder()
    if mirror and not mirror.is_dir():
        text += f" ({MIRROR} is {mirror}, which is not a folder.)"
    return f"{text} Get it with: trialogue data get {source.name}"


def _get_file(file: RemoteFile, source: Source, folder: Path, progress: Progress, force: bool, timeout_s: float) -> str:
    """Make sure of one file; gives back its sha256."""
    target, expected = folder / file.path, _expected_hash(file, folder)
    if target.is_file() and not force:
        found = sha256_of(target)
        if expected is not None and found != expected:
            raise DataError(_altered_problem(target, expected, found, source))
        progress(f"{file.path}: already here")
        return found
    held = _in_mirror(file, source, target)
    if held:
        try:
            digest = copy(held, target, sha256=file.sha256)
        except DataError:
            progress(f"{file.path}: the copy on the mirror is not the published file; downloaded instead")
        else:
            progress(f"{file.path}: copied from {held}")
            return digest
    progress(f"{file.path}: from {file.url}")
    if file.member is None:
        return fetch(file.url, target, sha256=file.sha256, progress=progress, timeout_s=timeout_s)
    archive = folder / ARCHIVES / file.url.rpartition("/")[2]
    if not archive.is_file():
        fetch(file.url, archive, sha256=None, progress=progress, timeout_s=timeout_s)
    return _unpack(archive, file.member, target, file.sha256)


def _in_mirror(file: RemoteFile, source: Source, target: Path) -> Path | None:
    mirror = mirror_folder()
    held = mirror / source.folder / file.path if mirror else None
    if held is None or not held.is_file() or (target.exists() and held.samefile(target)):
        return None
    return held


def _unpack(archive: Path, member: str, target: Path, sha256: str | None) -> str:
    part = target.with_name(f"{target.name}.part")
    try:
        with zipfile.ZipFile(archive) as opened, opened.open(member) as stream, part.open("wb") as out:
            while chunk := stream.read(COPIED):
                out.write(chunk)
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
        archive.unlink()
        part.unlink(missing_ok=True)
        hint = "It was deleted. Download it again; if the error persists, the publisher has changed the file."
        raise DataError(
            Problem(f"{member!r} cannot be extracted from it ({error}).", str(archive), hint=hint)
        ) from error
    try:
        return finish_download(part, target, sha256=sha256, origin=f"{archive.name}, {member}")
    except DataError:
        archive.unlink()  # or the next attempt would unpack the same again
        raise


def _clear_archives(folder: Path) -> None:
    archives = folder / ARCHIVES
    if archives.is_dir():
        for archive in archives.iterdir():
            archive.unlink()
        archives.rmdir()


def _expected_hash(file: RemoteFile, folder: Path) -> str | None:
    return file.sha256 or _pinned_hashes(folder).get(file.path)


def _pinned_hashes(folder: Path) -> dict[str, str]:
    """sha256 by file, as the first download found it."""
    sums = folder / SUMS
    if not sums.is_file():
        return {}
    lines = sums.read_text(encoding="utf-8", errors="replace").splitlines()
    return {path: digest for digest, _, path in (line.partition("  ") for line in lines) if path}


def _pin(folder: Path, path: str, digest: str) -> None:
    sums = {**_pinned_hashes(folder), path: digest}
    write_text(folder / SUMS, "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)))


def _altered_problem(path: Path, expected: str, found: str, source: Source) -> Problem:
    return Problem(
        f"this is not the published file of {source.title}: expected sha256 {expected}, got {found}.",
        file=str(path),
        hint=f"It was altered or is another version. To get the published file: trialogue data get {source.name} --force",
    )

"""Download one file over HTTP: resumable, checksummed and atomic.

A partial download is kept beside the target with the suffix ``.part``. Uses the standard library, so proxies are taken from
the environment as usual; urllib3 would do the same, since it does not resume downloads by itself either.
"""

import shutil
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from http.client import HTTPException, HTTPResponse
from importlib.metadata import version
from pathlib import Path
from typing import IO, cast

from trialogue.errors import DataError, MissingDataError, Problem, UsageError
from trialogue.records import sha256_of

ATTEMPTS = 3  # a broken connection is taken up again at once, twice; then the user decides
CHUNK = 1 << 18  # bytes read at a time
REPORT_EVERY = 32 << 20  # bytes between two lines about a large file
MIB = 1 << 20
URL_PUNCTUATION = "%/:=&?~#+!$,;'@()*[]"  # what is left alone when a space in a URL is escaped

Progress = Callable[[str], None]
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

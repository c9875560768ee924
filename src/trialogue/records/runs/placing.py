"""Put a whole run in place of another: one rename decides which of them stands.

A run is made in a draft inside its folder, and so on the same file system. Renaming the draft to ``.run-next`` is the one
step. If the writer is killed before it, the old run stands untouched; if after it, the new one does, and the next reader
or writer of the folder finishes moving its files (``finish``), which can be repeated. The manifest is moved last. Files of
the old run that the new one lacks are removed; files that no manifest names stay. No exchange of folders is needed, so this
holds wherever renaming within a folder is atomic, as on Linux and macOS. Nothing is forced onto the disk: after a power
failure, readers refuse what is damaged.
"""

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files.jsonl import parse_line, to_line
from trialogue.records.files.locks import file_lock
from trialogue.records.files.manifest import Manifest
from trialogue.records.files.opening import write_text

MANIFEST = "manifest.json"
NEXT = ".run-next"
"""A whole run whose files are being moved into place."""
LOCK = ".run-lock"
"""Held, and there, only while files are moved."""
AGAIN = "Restore it from a copy, or write the run again."


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a folder with its seal checked; None: there is none.

    Raises:
        DataError: it is not a manifest, or was changed.
    """
    path = folder / MANIFEST
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DataError(Problem(f"the manifest of the run cannot be read: {error.strerror}.", str(path))) from error
    try:
        manifest = parse_line(text, {Manifest.kind: Manifest})
    except (ValueError, ValidationError) as error:
        what = "this is not the manifest of a run (half-written, or another file)."
        raise DataError(Problem(what, str(path), hint=AGAIN)) from error
    if manifest.seal is not None and not manifest.fits(text):
        what = f"the manifest was changed: it does not match its seal {manifest.seal}."
        raise DataError(Problem(what, str(path), hint=AGAIN))
    unsafe = [name for name in manifest.files if not _is_inside(name)]
    if unsafe:
        raise DataError(Problem(f"the manifest names a file outside the run: {unsafe[0]!r}.", str(path), hint=AGAIN))
    return manifest


def _is_inside(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and parts[0] != "/" and ".." not in parts


def place(draft: Path, folder: Path, compose: Callable[[Manifest | None], Manifest]) -> None:
    """Put a draft in place.

    Args:
        draft: a folder in ``folder``, with all files of the run but its manifest.
        folder: the folder of the run.
        compose: makes the manifest of the folder from the one that is there.

    Raises:
        UsageError: a folder is in the way of a file.
    """
    with folder_lock(folder):
        _finish(folder)
        manifest = compose(_manifest_or_none(folder))
        for name in manifest.files:
            in_way = next((each for each in (folder / name).parents if each.is_file()), None)
            if in_way is not None or (folder / name).is_dir():
                what = f"{in_way} is a file" if in_way is not None else f"{folder / name} is a folder"
                raise UsageError(f"{what}, which is in the way of the run's {name}. Move it, or choose another folder.")
        write_text(draft / MANIFEST, to_line(manifest) + "\n")
        draft.rename(folder / NEXT)  # the one step: from here on, the new run stands
        _finish(folder)


def finish(folder: Path) -> None:
    """Finish what a killed writer had begun to put in place.

    Raises:
        DataError: its files cannot be moved.
    """
    if not (folder / NEXT).is_dir():
        return
    try:
        with folder_lock(folder):
            _finish(folder)
    except OSError as error:
        what = (
            f"a run was being put in place here when its writer was killed; that cannot be finished: {error.strerror}."
        )
        hint = "Give write permission to the folder, and repeat the command."
        raise DataError(Problem(what, str(folder), hint=hint)) from error


def _finish(folder: Path) -> None:
    """Move the files of a run that is decided; each step may be repeated."""
    source = folder / NEXT
    if not source.is_dir():
        return
    new = _manifest_or_none(source)
    if new is not None:  # None: all was moved, and only the empty folder is left
        old = _manifest_or_none(folder)
        for name in old.files if old is not None else ():
            if name not in new.files:
                (folder / name).unlink(missing_ok=True)
                _remove_empty((folder / name).parent, above=folder)
        for name in new.files:
            if (source / name).exists():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).replace(folder / name)
        (source / MANIFEST).replace(folder / MANIFEST)
    shutil.rmtree(source, ignore_errors=True)


def _manifest_or_none(folder: Path) -> Manifest | None:
    """The manifest; None where it is damaged, too: nothing of such a run can be kept."""
    try:
        return read_manifest(folder)
    except DataError:
        return None


def _remove_empty(folder: Path, *, above: Path) -> None:
    while folder != above and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Keep other writers out of a folder, waiting for them; leaves no file."""
    path = folder / LOCK
    while True:
        with path.open("a+b") as stream, file_lock(stream.fileno()):
            # The one before removed the file while this process waited, perhaps at this moment: others lock a new one.
            try:
                is_current = os.path.samestat(os.fstat(stream.fileno()), path.stat())
            except FileNotFoundError:
                is_current = False
            if not is_current:
                continue
            try:
                yield
            finally:
                with contextlib.suppress(OSError):  # Windows keeps open files
                    path.unlink()
            return

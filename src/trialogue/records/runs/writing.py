"""Write a run: everything into a draft, then its manifest, then in place in one step."""

import contextlib
import functools
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from trialogue.errors import UsageError
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.locks import Claim, claim
from trialogue.records.files.manifest import Manifest, sha256_of
from trialogue.records.files.opening import make_folder, room_for, write_text
from trialogue.records.runs.placing import MANIFEST, folder_lock, place, read_manifest
from trialogue.records.runs.reading import StoredFiles, open_run

DRAFT = ".run-draft-"
ALIVE = ".alive"
"""Locked in a draft as long as its writer lives."""
_DRAFTS: set[Path] = set()


class HasManifest(Protocol):
    """Findings, which know how they were made."""

    @property
    def manifest(self) -> Manifest:
        """How they were made."""


HasManifestT = TypeVar("HasManifestT", bound=HasManifest)
P = ParamSpec("P")
Writer: TypeAlias = Callable[Concatenate[HasManifestT, Path, P], Path]


@contextlib.contextmanager
def run_draft(folder: Path | str, manifest: Manifest, *, keep: bool = False) -> Iterator[Path]:
    """Context manager with the folder to write a run's files to, which are sealed and put in place at its end.

    After an error, or if the process is killed, the run that was there stands untouched. Of two writers, the one that ends
    last stands, whole. Files that are not a run's stay. Results of other commands in the same folder stay, too, unless they
    have files of the same names or were made of what is replaced. Given a draft, it is that draft.

    Args:
        folder: folder of the run.
        manifest: how the files are made.
        keep: whether files of the same run (one with this manifest) stay unless they are written again.

    Raises:
        UsageError: the folder cannot be written, or the disk is full.
        DataError: files to be kept are not what was sealed.
    """
    folder = Path(folder)
    if folder in _DRAFTS:
        yield folder
        return
    is_new = not folder.exists()
    make_folder(folder)
    with room_for(folder), _draft_in(folder, is_new=is_new) as (draft, alive):
        kept = _link_kept(folder, draft, manifest) if keep else None
        yield draft
        others = [each for each in (kept.manifest.parts if kept else ()) if each.provenance != manifest.provenance]
        foreign = {name for each in others for name in each.outputs}
        own = {name: path for name, path in _files(draft) if name not in foreign}
        part = manifest.provenance.model_copy(
            update={
                "outputs": {name: sha256_of(path) for name, path in own.items()},
                "sizes": {name: path.stat().st_size for name, path in own.items()},
            }
        )

        def compose(old: Manifest | None) -> Manifest:
            alive.release()  # the folder is locked now, and Windows renames no folder in which a file is open
            return _compose(old, part)

        with _report_unwritable(folder):
            place(draft, folder, compose)


def seal_files(folder: Path, part: Manifest) -> Manifest:
    """Seal files that are in place, such as those of a batch that appends to them; returns the manifest of the folder.

    Args:
        folder: their folder.
        part: how they were made, with their hashes and sizes.
    """
    with folder_lock(folder):
        manifest = _compose(read_manifest(folder), part)
        write_text(folder / MANIFEST, to_line(manifest) + "\n")
        return manifest


def writes_run(*, keep: bool = False) -> Callable[[Writer[HasManifestT, P]], Writer[HasManifestT, P]]:
    """Decorator of functions that write findings to a folder and return the path of a page: they write a run.

    Args:
        keep: whether files of the same run stay unless they are written again.
    """

    def decorate(write: Writer[HasManifestT, P]) -> Writer[HasManifestT, P]:
        @functools.wraps(write)
        def wrapper(findings: HasManifestT, folder: Path, /, *args: P.args, **options: P.kwargs) -> Path:
            with run_draft(folder, findings.manifest, keep=keep) as draft:
                page = write(findings, draft, *args, **options)
            return Path(folder) / page.relative_to(draft)

        return wrapper

    return decorate


@contextlib.contextmanager
def _report_unwritable(folder: Path) -> Iterator[None]:
    """A folder that cannot be changed is the user's to put right."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}. Choose another folder.") from error


@contextlib.contextmanager
def _draft_in(folder: Path, *, is_new: bool) -> Iterator[tuple[Path, Claim]]:
    """A draft with its lock; it is gone at the end, if it was not put in place."""
    draft, alive = _begin(folder)
    _DRAFTS.add(draft)
    try:
        yield draft, alive
    finally:
        _DRAFTS.discard(draft)
        alive.release()
        shutil.rmtree(draft, ignore_errors=True)
        if is_new:
            with contextlib.suppress(OSError):  # it holds a run now
                folder.rmdir()


def _begin(folder: Path) -> tuple[Path, Claim]:
    """A new draft, locked; those of killed writers are removed."""
    with _report_unwritable(folder), folder_lock(folder):
        for old in folder.glob(f"{DRAFT}*"):
            if (held := claim(old / ALIVE)) is not None:
                held.release()
                shutil.rmtree(old, ignore_errors=True)
        draft = Path(tempfile.mkdtemp(prefix=DRAFT, dir=folder))
        alive = claim(draft / ALIVE)
        assert alive is not None  # nobody else knows the new name
        return draft, alive


def _files(draft: Path) -> Iterator[tuple[str, Path]]:
    """(name, path) of every file of a draft, in order of names."""
    for path in sorted(draft.rglob("*")):
        if path.is_file() and path.name != ALIVE:
            yield path.relative_to(draft).as_posix(), path


def _link_kept(folder: Path, draft: Path, manifest: Manifest) -> StoredFiles | None:
    """Links in the draft to the files of the same run; None where the folder holds another one, or none."""
    old = read_manifest(folder)
    if old is None or all(part.provenance != manifest.provenance for part in old.parts):
        return None
    stored = open_run(folder)
    stored.check()  # whole: nothing that was changed is sealed anew
    for name in stored.manifest.files:
        (draft / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            (draft / name).hardlink_to(folder / name)
        except OSError:  # no links on this file system
            shutil.copy2(folder / name, draft / name)
    return stored


def _compose(old: Manifest | None, part: Manifest) -> Manifest:
    """The manifest of a folder after a command wrote a part of it."""
    before = () if old is None or old.seal is None else old.parts
    place_of = next((at for at, each in enumerate(before) if _replaces(part, each)), len(before))
    kept = [each for each in before if not _replaces(part, each)]
    gone = _hashes(each for each in before if _replaces(part, each)) - _hashes([part])
    while made_of := [each for each in kept if gone & set(each.inputs.values())]:
        kept = [each for each in kept if each not in made_of]
        gone |= _hashes(made_of)
    at = min(place_of, len(kept))
    first, *rest = (_without_seal(each) for each in (*kept[:at], part, *kept[at:]))
    return first.model_copy(update={"added": tuple(rest)}).with_seal()


def _without_seal(part: Manifest) -> Manifest:
    """Without its seal, and without what was added to it."""
    return part.model_copy(update={"added": (), "seal": None})


def _replaces(part: Manifest, other: Manifest) -> bool:
    return part.command == other.command or not set(part.outputs).isdisjoint(other.outputs)


def _hashes(parts: Any) -> set[str]:
    """Of the files of parts, and of what they were made of."""
    return {digest for each in parts for digest in (*each.outputs.values(), *each.inputs.values())}

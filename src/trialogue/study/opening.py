"""Open a study folder: set up Django with that study in its database, for servers, commands and workers.

Django is set up once per process, so a process opens one folder.
"""

import logging
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from trialogue.errors import DataError, Problem, UsageError
from trialogue.extras import need
from trialogue.study.databases import FILE as DATABASE_FILE
from trialogue.study.design.file import FILE, ChangedError, StudyFile, sha256_of_study
from trialogue.study.design.folder import read_items
from trialogue.study.design.items import AnyItem
from trialogue.study.design.reading import read_study

if TYPE_CHECKING:
    from trialogue.study.models import Study

KEY_FILE = "secret.key"
LAUNCHED = "launched"  # in a study folder: copies of the files that are in the database
LOST_KEY = (
    "{path} is missing, and the study has participants. Restore it: without it, returning participants are not recognized, "
    "no participant's data can be erased by platform id, and links, receipts and logins stop working. If it is lost, write "
    "50 or more random characters to it (chmod 600) to continue with a new key."
)
_log = logging.getLogger("trialogue.study")
SHORTEST_KEY = 32  # characters; Django's checks ask for 50, which our own keys have


def read_folder(folder: Path) -> tuple[StudyFile, list[AnyItem], str]:
    """Study file, items and the hash of both.

    Raises:
        UsageError: no such folder, or the items file lies outside it.
        DataError: with every mistake of the study file, or else of the items.
    """
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder. Give the folder that contains {FILE}, or create one: trialogue study new."
        )
    file = read_study(folder)
    path = items_path(folder, file)
    items = read_items(path, file)
    return file, items, sha256_of_study(file, path.read_bytes())


def items_path(folder: Path, file: StudyFile) -> Path:
    """The items file, which lies in the folder."""
    path = (folder / file.items).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise DataError(
            Problem(f"{file.items!r} is outside the study's folder. Move it there.", str(folder / FILE), field="items")
        )
    return path


def secret_key(folder: Path) -> Path:
    """File with the secret key, created at the first call; readable by its owner only.

    Raises:
        UsageError: other users may read it, or it is too short to be a secret.
    """
    path = folder / KEY_FILE
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        pass
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from error
    else:
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(secrets.token_urlsafe(48) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
    if path.stat().st_mode & 0o077:
        raise UsageError(f"{path} is readable by other users. Run: chmod 600 {path}")
    if len(path.read_text(encoding="ascii", errors="replace").strip()) < SHORTEST_KEY:
        raise UsageError(
            f"{path} contains no secret key: it has fewer than {SHORTEST_KEY} characters. Delete it to get a new one."
        )
    return path


def set_up(folder: Path, *, hosts: Sequence[str] = (), secure: bool = False, proxies: int = 0) -> None:
    """Django's settings for a folder, in this process and those that it starts.

    Raises:
        UsageError: hosts that match any name, or Django was set up for another folder.
    """
    need("django", extra="study", purpose="serve a study")
    if any("*" in host or host.startswith(".") for host in hosts):
        raise UsageError("Name the hosts of the study; '*' would let any site impersonate yours.")
    secret_key(folder)
    given = {"TRIALOGUE_STUDY": str(folder.resolve()), "DJANGO_SETTINGS_MODULE": "trialogue.study.settings"}
    given |= {"TRIALOGUE_HOSTS": ",".join(hosts)} if hosts else {}
    given |= {"TRIALOGUE_SECURE": "1"} if secure else {}
    given |= {"TRIALOGUE_TRUSTED_PROXIES": str(proxies)} if proxies else {}
    os.environ.update(given)
    import django
    from django.conf import settings

    django.setup()
    if folder.resolve() != getattr(settings, "FOLDER", None):
        raise UsageError("This process already serves another study; use one process per study.")


def open_study(folder: Path, *, hosts: Sequence[str] = (), secure: bool = False, proxies: int = 0) -> "Study":
    """The study of a folder, in its database with all tables; loaded if it is not there yet.

    Raises:
        UsageError: the study has participants, and its file has changed since or its key is missing; its database was
            written by a newer release; or as for ``set_up``.
        DataError: as for ``read_folder``.
    """
    file, items, sha256 = read_folder(folder)
    had_key = (folder / KEY_FILE).exists()
    set_up(folder, hosts=hosts, secure=secure, proxies=proxies)
    from trialogue.study.services.launching import load

    with _database(folder):
        _check_key(folder, there=had_key)
        try:
            study = load(file, items, sha256)
        except ChangedError as error:
            raise ChangedError(f"{error} {_way_back(folder)}, or give the changed study another name.") from error
    _keep_copies(folder, file, sha256)
    return study


def open_launched(folder: Path) -> "Study":
    """Open a study folder as launched, regardless of later changes to its files: for operations that admit no
    participants, such as export or erasure.

    Raises:
        UsageError, DataError: as for ``open_study``, if no such study is in the database.
    """
    try:
        return open_study(folder)
    except DataError as error:
        return _find_stored_study(folder, error, "")
    except ChangedError as error:
        return _find_stored_study(folder, error, read_study(folder).study)


def _find_stored_study(folder: Path, error: DataError | UsageError, slug: str) -> "Study":
    """The study with participants in the database, by its name where that can be read; else the only one."""
    if not (folder / DATABASE_FILE).is_file() and not os.environ.get("DATABASE_URL"):
        raise error
    had_key = (folder / KEY_FILE).exists()
    set_up(folder)
    from trialogue.study.models import Study

    with _database(folder):
        _check_key(folder, there=had_key)
        known = Study.objects.filter(participants__isnull=False).distinct()
        found = list(known.filter(slug=slug) if slug else known)
    if len(found) != 1:
        raise error
    _log.warning("%s The study is used as it was launched.", error)
    return found[0]


def _check_key(folder: Path, *, there: bool) -> None:
    """Make no new key where people took part with another one; ``there``: whether there was one before ``set_up``."""
    from trialogue.study.models import Participant

    if not there and Participant.objects.exists():
        (folder / KEY_FILE).unlink()
        raise UsageError(LOST_KEY.format(path=folder / KEY_FILE))


@contextmanager
def _database(folder: Path) -> Iterator[None]:
    """Bring the tables of a folder's database up to date with this release.

    Raises:
        UsageError: it cannot be used.
    """
    from django.db import DatabaseError, connections

    from trialogue.study.databases import bring_up_to_date

    where = os.environ.get("DATABASE_URL", "").rpartition("@")[2] or str(folder / DATABASE_FILE)
    try:
        bring_up_to_date(folder, where=where)
        yield
    except DatabaseError as error:
        raise UsageError(f"The database {where} cannot be used: {str(error).strip()}") from error
    finally:
        connections.close_all()
    _private(folder / DATABASE_FILE)


def _keep_copies(folder: Path, file: StudyFile, sha256: str) -> None:
    """Copies of the loaded files, for restoring them after an edit; none if the folder is read-only."""
    kept = folder / LAUNCHED
    mark = kept / "sha256"
    try:
        if mark.is_file() and mark.read_text("ascii") == sha256:
            return
        for path in (folder.resolve() / FILE, items_path(folder, file)):
            copy = kept / path.relative_to(folder.resolve())
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        mark.write_text(sha256, "ascii")
    except OSError as error:
        _log.warning("could not keep a copy of the study file in %s: %s", kept, error)


def _way_back(folder: Path) -> str:
    kept = folder / LAUNCHED
    return f"Restore the launched version ({kept} has copies)" if kept.is_dir() else "Restore the launched version"


def _private(database: Path) -> None:
    """Restrict access to participants' data to the owner of the folder."""
    for path in database.parent.glob(database.name + "*"):
        path.chmod(0o600)

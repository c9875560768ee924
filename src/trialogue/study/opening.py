"""Open a study folder: set up Django with that study in its database, for servers, commands and workers.

Django is set up once per process, so a process opens one folder.
"""

import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from trialogue.errors import DataError, Problem, UsageError
from trialogue.extras import need
from trialogue.study.databases import FILE as DATABASE_FILE
from trialogue.study.design.file import FILE, StudyFile, read_study, sha256_of_study
from trialogue.study.design.items import AnyItem
from trialogue.study.design.items_file import read_items

if TYPE_CHECKING:
    from trialogue.study.models import Study

KEY_FILE = "secret.key"
SHORTEST_KEY = 32  # characters; Django's checks ask for 50, which our own keys have


def read_folder(folder: Path) -> tuple[StudyFile, list[AnyItem], str]:
    """Study file, items and the hash of both.

    Raises:
        UsageError: no such folder, or the items file lies outside of it.
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
            Problem(f"the items file {file.items!r} lies outside the folder.", str(folder / FILE), field="items")
        )
    return path


def secret_key(folder: Path) -> Path:
    """The file with the secret key, made at the first call; nobody but its owner may read it.

    Raises:
        UsageError: others may read it, or it is too short to be a secret.
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
        UsageError: hosts that let everybody in under any name; or Django was set up for another folder.
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
        UsageError: it has participants, and its file has changed since; a newer release made its database; or as
            ``set_up``.
        DataError: as ``read_folder``.
    """
    file, items, sha256 = read_folder(folder)
    set_up(folder, hosts=hosts, secure=secure, proxies=proxies)
    from django.db import DatabaseError, connections

    from trialogue.study.services.management.loading import load
    from trialogue.study.upgrading import bring_up_to_date

    where = os.environ.get("DATABASE_URL", "").rpartition("@")[2] or str(folder / DATABASE_FILE)
    try:
        bring_up_to_date(folder, where=where)
        study = load(file, items, sha256)
    except DatabaseError as error:
        raise UsageError(f"The database {where} cannot be used: {str(error).strip()}") from error
    finally:
        connections.close_all()
    _private(folder / DATABASE_FILE)
    return study


def _private(database: Path) -> None:
    """What people said is read by the owner of the folder alone."""
    for path in database.parent.glob(database.name + "*"):
        path.chmod(0o600)

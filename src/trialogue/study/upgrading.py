"""Migrate databases of older releases, and leave those of newer releases untouched."""

from pathlib import Path

from trialogue.errors import UsageError
from trialogue.study.backup import backup
from trialogue.study.databases import FILE

APP = "study"


def bring_up_to_date(folder: Path, *, where: str) -> None:
    """Apply the migrations that a database lacks. Every row stays.

    An SQLite file with tables of an older release is copied first, to ``study-before-MIGRATION.sqlite3`` beside it. The
    copy is deleted when all went well: it would hold what people may erase later. Of PostgreSQL make a dump before
    upgrading (``trialogue study backup``).

    Args:
        folder: the study folder.
        where: name of the database in messages.

    Raises:
        UsageError: a newer release made it, or it cannot be brought up to date; then it is as it was.
    """
    from django.core.management import call_command
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    known, applied = executor.loader.disk_migrations, executor.loader.applied_migrations
    if newer := sorted(name for app, name in applied if app == APP and (app, name) not in known):
        raise UsageError(
            f"The database {where} was written by a newer Trialogue (migration {newer[-1]}). "
            "Install that release, or restore an earlier backup."
        )
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    missing = [each.name for each, _ in plan if each.app_label == APP]
    older = bool(missing) and any(app == APP for app, _ in applied)
    copy = folder / f"study-before-{missing[0]}.sqlite3" if older else None
    if copy is not None and connection.vendor == "sqlite" and (folder / FILE).is_file():
        copy.unlink(missing_ok=True)  # of an upgrade that broke off: the database is what it was
        backup(folder, copy)
    try:
        call_command("migrate", verbosity=0)
    except DatabaseError as error:
        if copy is None or not copy.is_file():
            raise
        raise UsageError(
            f"The database {where} could not be upgraded: {error}. "
            f"A copy made before the upgrade is in {copy}: continue with the earlier release, and report this error."
        ) from error
    if copy is not None:
        copy.unlink(missing_ok=True)

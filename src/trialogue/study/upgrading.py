"""Databases of other releases: older ones are brought up to date, and what they were is kept; newer ones are left alone."""

from pathlib import Path

from trialogue.errors import UsageError
from trialogue.study.backup import backup
from trialogue.study.databases import FILE

APP = "study"


def bring_up_to_date(folder: Path, *, where: str) -> list[str]:
    """Apply the migrations that a database lacks; their names. Every row stays.

    An SQLite file with tables of an older release is copied first, to ``study-before-MIGRATION.sqlite3`` beside it.
    Of PostgreSQL make a dump before upgrading (``trialogue study backup``).

    Args:
        folder: the study folder.
        where: what the database is called in messages.

    Raises:
        UsageError: a newer release made it.
    """
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    known, applied = executor.loader.disk_migrations, executor.loader.applied_migrations
    if newer := sorted(name for app, name in applied if app == APP and (app, name) not in known):
        raise UsageError(
            f"The database {where} was made by a newer Trialogue, with {newer[-1]}. "
            "Install that release, or restore the backup from before it."
        )
    missing = [each.name for each, _ in executor.migration_plan(executor.loader.graph.leaf_nodes())
               if each.app_label == APP]  # fmt: skip
    has_rows = any(app == APP for app, _ in applied)
    if missing and has_rows and connection.vendor == "sqlite" and (folder / FILE).is_file():
        copy = folder / f"study-before-{missing[0]}.sqlite3"
        if not copy.exists():
            backup(folder, copy)
    call_command("migrate", verbosity=0)
    return missing

"""``trialogue study serve``, ``backup`` and ``restore``: run the study's server."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.inputs import refuse_unused
from trialogue.options import Help, Setting

PROXIES = "TRIALOGUE_TRUSTED_PROXIES"
Folder = Annotated[Path, typer.Argument(help="Study folder.")]


def serve(
    folder: Folder,
    host: Annotated[str, Help("Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    name: Annotated[
        list[str] | None,
        Help("Host name of the server for participants (repeatable). You can also set TRIALOGUE_HOSTS."),
    ] = None,
    secure: Annotated[bool, Help("Participants reach the server over HTTPS, through a proxy.")] = False,
    confirm_places: Annotated[
        int | None,
        Ge(1),
        Help("Confirm the maximum number of paid participants (required at the first start of a study with payment)."),
    ] = None,
    preview: Annotated[bool, Help("Try the pages on this machine. Answers are discarded.")] = False,
    trusted_proxies: Annotated[
        int | None,
        Ge(0),
        Setting(
            "Number of proxies in front of the server that append to X-Forwarded-For (default: 0, or "
            "TRIALOGUE_TRUSTED_PROXIES)."
        ),
    ] = None,
    processes: Annotated[int | None, Ge(1), Setting("Number of processes (default: 2; 1 for chat studies).")] = None,
    threads: Annotated[int, Ge(1), Setting("Number of threads per process.")] = 8,
    sync_every: Annotated[
        float | None,
        Ge(0),
        Setting("Seconds between synchronisations with Prolific (0: never; default: 300 if PROLIFIC_TOKEN is set)."),
    ] = None,
) -> None:
    """Serve a study with SQLite in its folder, or with PostgreSQL at DATABASE_URL. Stop the server with Ctrl-C."""
    from trialogue.study.design.checks import advice
    from trialogue.study.design.reading import read_study
    from trialogue.study.server import preview as run_preview
    from trialogue.study.server import serve as run

    if preview:
        served = {"--host": host != "127.0.0.1", "--name": name, "--secure": secure, "--confirm-places": confirm_places}
        served |= {
            "--set processes": processes,
            "--set threads": threads != 8,
            "--set sync_every": sync_every is not None,
        }
        refuse_unused("--preview", served | {"--set trusted_proxies": trusted_proxies is not None})
        run_preview(folder, port=port, tell=typer.echo)
        return
    for line in advice(read_study(folder)) if folder.is_dir() else ():
        typer.echo(f"note: {line}", err=True)
    names = [*(name or []), *(each for each in os.environ.get("TRIALOGUE_HOSTS", "").split(",") if each)]
    run(
        folder,
        host=host,
        port=port,
        hosts=names,
        secure=secure or os.environ.get("TRIALOGUE_SECURE") == "1",
        trusted_proxies=_proxies() if trusted_proxies is None else trusted_proxies,
        processes=processes,
        confirmed=confirm_places,
        confirm=_ask_places if sys.stdin.isatty() else None,
        threads=threads,
        sync_s=sync_every,
        tell=typer.echo,
    )


def _proxies() -> int:
    """Number of proxies that the environment names."""
    from trialogue.cli.shared.settings import read_settings

    given = f"{PROXIES}={os.environ.get(PROXIES) or 0}"
    return int(read_settings([given], {PROXIES: Annotated[int, Ge(0)]}, option="the variable")[PROXIES])


def _ask_places() -> int | None:
    """Number typed at the prompt; None for any other input."""
    typed = str(typer.prompt("To launch, type the maximum number of participants that will be paid", default=""))
    return int(typed) if typed.isascii() and typed.isdigit() else None


def backup(
    folder: Folder,
    out: Annotated[Path, Help("Backup file to create. The file must not exist yet.", ("--out", "-o"))],
) -> None:
    """Back up the database while the study is running."""
    from trialogue.study.databases import backup as copy

    typer.echo(f"Backup: {copy(folder, out, url=os.environ.get('DATABASE_URL', ''))}")


def restore(
    folder: Annotated[Path, typer.Argument(help="Study folder, with its study file and secret.key.")],
    backup_file: Annotated[
        Path, typer.Argument(metavar="BACKUP", help="Backup file written by 'trialogue study backup'.")
    ],
    replace: Annotated[
        bool, Help("Replace a database that has participants. The old database is kept in the study folder.")
    ] = False,
) -> None:
    """Restore the database from a backup. Stop the server first. Later withdrawals and erasures are applied again."""
    from trialogue.study.restoring import restore as run

    found = run(folder, backup_file, url=os.environ.get("DATABASE_URL", ""), replace=replace)
    until = f", the latest of {found.latest}" if found.latest else ""
    typer.echo(f"Restored: {found.participants} participants, {found.answers} submitted steps{until}.")
    if found.knows_withdrawals:
        typer.echo(f"Participants who withdrew after the backup, now erased again: {found.erased_again}.")
    else:
        typer.echo(
            "The previous database could not be read. Erase again everyone who withdrew or was erased after the "
            "backup was made."
        )
    if found.kept:
        typer.echo(
            f"The earlier database: {found.kept}. It contains personal data: delete it when it is no longer needed."
        )
    typer.echo(
        "Before you pay anyone, import the payments already made on the platform: trialogue study recruit FOLDER sync"
    )

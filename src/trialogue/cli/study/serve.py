"""``trialogue study serve``, ``preview``, ``backup`` and ``restore``: run the study's server."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path, typer.Argument(help="Study folder.")]


def serve(
    folder: Folder,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8000,
    name: Annotated[
        list[str] | None,
        typer.Option(help="Host name of the server for participants (repeatable). You can also set TRIALOGUE_HOSTS."),
    ] = None,
    secure: Annotated[bool, typer.Option(help="Participants reach the server over HTTPS, through a proxy.")] = False,
    trusted_proxies: Annotated[
        int,
        typer.Option(
            min=0,
            envvar="TRIALOGUE_TRUSTED_PROXIES",
            help=("Number of proxies in front of the server that append to X-Forwarded-For (0: ignore this header)."),
        ),
    ] = 0,
    confirm_places: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=(
                "Confirm the maximum number of paid participants (required at the first start of a study with payment)."
            ),
        ),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Number of processes (default: 2; 1 for chat studies).")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, help="Number of threads per process.")] = 8,
    sync_every: Annotated[
        float | None,
        typer.Option(
            min=0,
            help=("Seconds between synchronisations with Prolific (0: never; default: 300 if PROLIFIC_TOKEN is set)."),
        ),
    ] = None,
) -> None:
    """Serve a study with SQLite in its folder, or with PostgreSQL at DATABASE_URL. Stop the server with Ctrl-C."""
    from trialogue.cli.study.make import print_advice
    from trialogue.study.design.file import read_study
    from trialogue.study.server import serve as run

    if folder.is_dir():
        print_advice(read_study(folder))
    names = [*(name or []), *(each for each in os.environ.get("TRIALOGUE_HOSTS", "").split(",") if each)]
    run(
        folder,
        host=host,
        port=port,
        hosts=names,
        secure=secure or os.environ.get("TRIALOGUE_SECURE") == "1",
        trusted_proxies=trusted_proxies,
        processes=processes,
        confirmed=confirm_places,
        confirm=_ask_places if sys.stdin.isatty() else None,
        threads=threads,
        sync_s=sync_every,
        tell=typer.echo,
    )


def _ask_places() -> int | None:
    """Number typed at the prompt; None for any other input."""
    typed = str(typer.prompt("To launch, type the maximum number of participants that will be paid", default=""))
    return int(typed) if typed.isascii() and typed.isdigit() else None


def preview(
    folder: Folder, port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8001
) -> None:
    """Preview the study locally. Answers are discarded."""
    from trialogue.study.server import preview as run

    run(folder, port=port, tell=typer.echo)


def backup(
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", "-o", help="Backup file to create. The file must not exist yet.")],
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
        bool,
        typer.Option(
            "--replace", help="Replace a database that has participants. The old database is kept in the study folder."
        ),
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

"""``trialogue study serve``, ``preview`` and ``backup``."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path, typer.Argument(help="The study folder.")]


def serve(
    folder: Folder,
    host: Annotated[str, typer.Option(help="Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at.")] = 8000,
    name: Annotated[
        list[str] | None, typer.Option(help="Host name that people come under; may be repeated. Also: TRIALOGUE_HOSTS.")
    ] = None,
    secure: Annotated[bool, typer.Option(help="It is reached over HTTPS, through a proxy.")] = False,
    trusted_proxies: Annotated[
        int,
        typer.Option(
            min=0,
            envvar="TRIALOGUE_TRUSTED_PROXIES",
            help="Number of proxies in front that append to X-Forwarded-For; 0: that header is ignored.",
        ),
    ] = 0,
    confirm_places: Annotated[
        int | None,
        typer.Option(min=1, help="First start of a study that pays people: how many are paid at most, as it says."),
    ] = None,
    processes: Annotated[int | None, typer.Option(min=1, help="Processes; 2, or 1 for chats, by default.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Threads of each process.")] = 8,
) -> None:
    """Serve a study: SQLite in its folder, or PostgreSQL by DATABASE_URL. Ctrl-C ends it; nothing saved is lost."""
    from trialogue.cli.study.make import tell_advice
    from trialogue.study.design.file import read_study
    from trialogue.study.server import serve as run

    if folder.is_dir():
        tell_advice(read_study(folder))
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
        tell=typer.echo,
    )


def _ask_places() -> int | None:
    """The number that somebody types; None for anything else."""
    typed = str(typer.prompt("Type the number of participants that are paid at most, to launch", default=""))
    return int(typed) if typed.isascii() and typed.isdigit() else None


def preview(
    folder: Folder, port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen at.")] = 8001
) -> None:
    """Show a study's pages at this machine alone; what is answered is thrown away."""
    from trialogue.study.server import preview as run

    run(folder, port=port, tell=typer.echo)


def backup(
    folder: Folder,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file; must not be there yet.")],
) -> None:
    """Copy the database while people are in it."""
    from trialogue.study.backup import backup as copy

    typer.echo(f"Backup: {copy(folder, out, url=os.environ.get('DATABASE_URL', ''))}")

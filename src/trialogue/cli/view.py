"""``trialogue view``."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.options import Help


def view(
    run: Annotated[Path, typer.Argument(help="Folder written by 'trialogue evaluate', 'run', 'align' or 'demo'.")],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port (default: any free port).")] = 0,
    opens: Annotated[bool, Help("Open the browser.", ("--open/--no-open",))] = True,
) -> None:
    """Browse a run's dialogues: serve its explorer on this machine until Ctrl-C."""
    import webbrowser

    from trialogue.workflows.view import view as serve

    def tell(address: str) -> None:
        typer.echo(address)
        typer.echo("Press Ctrl+C to end.", err=True)

    serve(run, port=port, open_page=webbrowser.open if opens else None, tell=tell)

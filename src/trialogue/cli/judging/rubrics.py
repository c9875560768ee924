"""``trialogue rubrics``: list, print and check what judges are asked."""

from typing import Annotated

import typer

from trialogue.cli.shared.app import App

app = App(no_args_is_help=True, help="List, print and check rubrics, the questions that judges answer.")


@app.command("list")
def list_rubrics() -> None:
    """List the bundled rubrics."""
    from trialogue.judges import load_rubric, rubric_names

    rubrics = [load_rubric(name) for name in rubric_names()]
    width = max(len(each.id) for each in rubrics)
    for each in rubrics:
        scales = {(each.scale_of(aspect).low, each.scale_of(aspect).high) for aspect in each.aspects}
        points = ", ".join(f"{low} to {high}" for low, high in sorted(scales))
        typer.echo(f"{each.id:<{width}}  {each.title} ({each.level.value}, {points})")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A name from 'trialogue rubrics list', or a YAML file.")],
    prompt: Annotated[bool, typer.Option("--prompt", help="Print the judge's prompt instead of the file.")] = False,
    pairwise: Annotated[
        bool, typer.Option("--pairwise", help="With --prompt: print the prompt for pairs of dialogues.")
    ] = False,
) -> None:
    """Print a rubric as a template for your own, or check a file and print its signature."""
    from trialogue.errors import UsageError
    from trialogue.judges import Form, load_rubric, rubric_names
    from trialogue.judges.prompts import signature_of, task_of
    from trialogue.judges.rubric import rubric_source

    rubric = load_rubric(name)
    form = Form.PAIRWISE if pairwise else Form.POINTWISE
    if prompt and not rubric.allows(form):
        raise UsageError(f"The rubric {rubric.id} is {rubric.form.value} and cannot be used {form.value}.")
    if prompt:
        typer.echo(f"# {rubric.signature} {signature_of()}\n{task_of(rubric, form, reasons=True)}")
    elif name in rubric_names():
        typer.echo(f"# {rubric.signature}\n{rubric_source(name)}", nl=False)
    else:
        typer.echo(f"{name} is valid: {rubric.signature}")

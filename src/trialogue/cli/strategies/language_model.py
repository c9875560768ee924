"""Calibrate language models as strategy labellers, and print what they cost."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.inputs import Mapped, check_inputs
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.cli.strategies.data import examples
from trialogue.cli.strategies.evaluate import Names
from trialogue.options import Seed

if TYPE_CHECKING:
    from trialogue.strategies.classifiers.llm_labeller import LabellingCost


def calibrate(
    model: Annotated[
        str,
        typer.Option(
            help="Language model: llm:FILE.yaml, llm:openai:MODEL, llm:huggingface:FOLDER.", show_default=False
        ),
    ],
    data: Annotated[list[str], typer.Option("--data", help="Corpora or files labelled by people (repeatable).")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Output folder for the calibrated labeller.")],
    origin: Annotated[str, typer.Option(help="Origin of the labels to use.")] = "expert",
    names: Names = None,
    mapping: Mapped = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the number of requests and their cost, and exit.")
    ] = False,
    seed: Seed = 0,
    replace: Annotated[bool, typer.Option("--replace", help="Replace an existing model.")] = False,
) -> None:
    """Calibrate a language model on people's labels (it is not trained) and report its agreement with them."""
    from trialogue.errors import UsageError
    from trialogue.strategies.card import card_lines, number
    from trialogue.strategies.classifiers.llm_labeller import is_language_model
    from trialogue.strategies.models import Model, save_model
    from trialogue.strategies.paper_data import ANNOTATIONS
    from trialogue.workflows.inputs.inputs import gather
    from trialogue.workflows.labelling import language_model
    from trialogue.workflows.mapped import with_mapping

    check_folder(out)
    check_inputs(data, files=(names,))
    if not is_language_model(model):
        raise UsageError(f"--model must be a language model, such as llm:FILE.yaml, got {model!r}.")
    labeller = language_model.find_language_model(model)
    if isinstance(labeller, Model):
        raise UsageError(f"{model} is calibrated already. Give the options that it was made from.")
    read = with_mapping(data, mapping)
    given = examples(read, origin, names)
    if dry_run:
        asked = language_model.for_examples(labeller, given)
        cost = asked.cost([each.text for each in given], [each.context for each in given])
        for line in cost_lines(cost, labeller.options.model, labeller.options.place):
            typer.echo(line)
        return
    dialogues = gather([each for each in read if Path(str(each)).name != ANNOTATIONS]).dialogues
    with steps() as tell:
        tell(f"{len(given)} sentences to {labeller.options.model} at {labeller.options.place}")
        found = language_model.calibrate_language_model(labeller, given, dialogues, origin=origin, seed=seed)
        save_model(found.model, out, replace=replace)
    for line in card_lines(found.model.card):
        typer.echo(line)
    people = found.between_people
    typer.echo(
        f"Kappa with people: {number(found.model.card.labels.kappa)} on {found.model.card.n} sentences; two people: "
        f"{number(people)} on the {people.n} sentences that a second person labelled."
    )
    for line in usage_lines(language_model.raw_labeller(found.model)):
        typer.echo(line)
    typer.echo(f"Model: {out}")


def cost_lines(cost: "LabellingCost", model: str, place: str) -> list[str]:
    """Cost in advance, as lines of text."""
    lines = [
        f"{cost.sentences} different sentences for {model} at {place}: {cost.requests} requests, {cost.cached} answers in "
        "the cache.",
        f"Prompts: about {cost.prompt_tokens} tokens.",
    ]
    if cost.least is None:
        return [*lines, "Cost: unknown, because the options have no price."]
    most = "" if cost.most is None else f" to {cost.most:.2f}"
    return [*lines, f"Cost: about {cost.least:.2f}{most} {cost.currency}."]


def usage_lines(labeller: object) -> list[str]:
    """Requests and cost so far, as a line of text."""
    from trialogue.strategies.classifiers.llm_labeller import LlmLabeller

    assert isinstance(labeller, LlmLabeller)
    usage = labeller.usage()
    cost = "" if usage.cost is None else f", {usage.cost:.2f} {usage.currency}"
    return [
        f"{labeller.options.model}: {usage.calls} requests, {usage.cached} answers from the cache, "
        f"{usage.failures} failed{cost}."
    ]

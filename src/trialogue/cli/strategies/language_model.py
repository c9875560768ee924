"""Calibrate language models as strategy labellers, and print what they cost."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from trialogue.cli.shared.progress import steps
from trialogue.cli.strategies.data import examples

if TYPE_CHECKING:
    from trialogue.strategies.classifiers.llm_labeller import LabellingCost


def calibrate(
    model: str,
    data: list[str],
    out: Path,
    *,
    origin: str,
    names: Path | None,
    mapping: Path | None,
    dry_run: bool,
    seed: int,
    replace: bool,
) -> None:
    """Calibrate a language model on people's labels (it is not trained) and report its agreement with them."""
    from trialogue.errors import UsageError
    from trialogue.inputs.inputs import gather
    from trialogue.strategies.card import card_lines, number
    from trialogue.strategies.models import Model, save_model
    from trialogue.strategies.paper_data import ANNOTATIONS
    from trialogue.subjects.alignment.labelling import language_model
    from trialogue.workflows.mapped import with_mapping

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

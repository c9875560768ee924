"""``trialogue study new`` and ``validate``: create and check a study folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.inputs import Mapped
from trialogue.options import Seed

if TYPE_CHECKING:
    from trialogue.study.design.file import StudyFile

ACTS_OF_USERS = "acts-of-users"
"""The template in which messages of users, and not of recommenders, are labelled."""

WHOLE = ("conversations-rating", "conversations-preference")
"""Templates in which whole conversations are judged."""


def new(
    template: Annotated[
        str,
        typer.Option(
            help="rating, infact, preference, conversations-rating, conversations-preference, realism, chat, labelling, "
            "acts-of-users or acts-of-recommenders."
        ),
    ] = "rating",
    responses: Annotated[
        list[str] | None, typer.Option("--responses", "-r", help="Files or corpora (default: the demo corpus).")
    ] = None,
    human: Annotated[list[str] | None, typer.Option(help="Realism: dialogues with human users (repeatable).")] = None,
    simulated: Annotated[
        list[str] | None, typer.Option(help="Realism: dialogues with simulated users (repeatable).")
    ] = None,
    mapping: Mapped = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent", help="Chat: a system to chat with, as NAME=AGENT; participants never see the name (repeatable)."
        ),
    ] = None,
    most: Annotated[int | None, typer.Option(min=1, help="Maximum number of items, sampled at random.")] = None,
    per_cell: Annotated[
        int, typer.Option(min=1, help="Realism: maximum number of pairs of each simulator with each agent.")
    ] = 25,
    seed: Seed = 0,
    out: Annotated[Path, typer.Option("--out", "-o", help="Study folder to create.")] = Path("my_study"),
    files: Annotated[
        list[str] | None, typer.Argument(help="More files with responses (repeatable).", hidden=True)
    ] = None,
) -> None:
    """Create a study folder: a study file to edit, and its items."""
    from trialogue.records.files.yaml_file import read_fields
    from trialogue.study.design.folder import new_study, template_path
    from trialogue.workflows.mapped import with_mapping
    from trialogue.workflows.study.items import items_for

    with template_path(template) as path:
        fields = read_fields(path)
    agents = _agents(agent or [], fields["type"])
    items = items_for(
        fields["type"],
        with_mapping([*(responses or []), *(files or [])], mapping),
        human=with_mapping(human or [], mapping),
        simulated=with_mapping(simulated or [], mapping),
        agents=list(agents or fields.get("agents", {})),
        most=most,
        per_cell=per_cell,
        speaker="user" if template == ACTS_OF_USERS else "system",
        whole=template in WHOLE,
        seed=seed,
        note=lambda each: typer.echo(f"note: {each}", err=True),
    )
    new_study(out, template, items, agents=agents)
    typer.echo(f"Study: {out / 'study.yaml'}, {len(items):,} items. Preview it with: trialogue study preview {out}")


def _agents(given: list[str], study_type: str) -> dict[str, str]:
    """Systems by name."""
    from trialogue.errors import UsageError

    if given and study_type != "chat":
        raise UsageError(f"--agent is for studies of type chat; this one is of type {study_type}. Omit --agent.")
    found: dict[str, str] = {}
    for each in given:
        name, _, spec = each.partition("=")
        if not name or not spec:
            raise UsageError(
                "--agent must have the form NAME=AGENT, such as mine=http://localhost:5001 or mine=my_bot:Bot; got "
                f"{each!r}."
            )
        if name in found:
            raise UsageError(f"--agent names {name!r} twice.")
        found[name] = spec
    return found


def print_advice(file: "StudyFile") -> None:
    """Print advice on questionable settings of a study file."""
    from trialogue.study.design.checks import advice

    for each in advice(file):
        typer.echo(f"note: {each}", err=True)


def validate(folder: Annotated[Path, typer.Argument(help="Study folder.")]) -> None:
    """Check a study as the server would, and report all errors at once."""
    from trialogue.study.design.platforms import budget_of
    from trialogue.study.opening import read_folder

    file, items, sha256 = read_folder(folder)
    print_advice(file)
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

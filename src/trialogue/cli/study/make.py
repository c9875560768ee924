"""``trialogue study new``: create a study folder."""

from pathlib import Path
from typing import Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.inputs import Mapped, pairs_of
from trialogue.options import Help, Seed, Setting

ACTS_OF_USERS = "acts-of-users"
"""The template in which messages of users, and not of recommenders, are labelled."""

WHOLE = ("conversations-rating", "conversations-preference")
"""Templates in which whole conversations are judged."""


def new(
    responses: Annotated[
        list[str] | None, typer.Argument(help="Files or corpora with replies or dialogues (default: the demo corpus).")
    ] = None,
    template: Annotated[
        str,
        Help(
            "rating, infact, preference, conversations-rating, conversations-preference, realism, chat, labelling, "
            "acts-of-users or acts-of-recommenders."
        ),
    ] = "rating",
    real: Annotated[list[str] | None, Help("Realism: dialogues with human users (repeatable).")] = None,
    simulated: Annotated[list[str] | None, Help("Realism: dialogues with simulated users (repeatable).")] = None,
    mapping: Mapped = None,
    agent: Annotated[
        list[str] | None,
        Help(
            "Chat: a system to chat with, as NAME=AGENT; participants never see the name (repeatable).",
            ("--agent", "-a"),
        ),
    ] = None,
    out: Annotated[Path, Help("Study folder to create.", ("--out", "-o"))] = Path("my_study"),
    most: Annotated[int | None, Ge(1), Setting("Maximum number of items, sampled at random.")] = None,
    per_cell: Annotated[
        int, Ge(1), Setting("Realism: maximum number of pairs of each simulator with each agent.")
    ] = 25,
    seed: Seed = 0,
) -> None:
    """Create a study folder: a study file to edit, and its items."""
    from trialogue.records.files.yaml_file import read_fields
    from trialogue.study.design.folder import new_study, template_path
    from trialogue.subjects.people.commands.items import items_for
    from trialogue.workflows.mapped import with_mapping

    with template_path(template) as path:
        fields = read_fields(path)
    agents = _agents(agent or [], fields["type"])
    items = items_for(
        fields["type"],
        with_mapping(responses or [], mapping),
        human=with_mapping(real or [], mapping),
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
    typer.echo(
        f"Study: {out / 'study.yaml'}, {len(items):,} items. Preview it with: trialogue study serve {out} --preview"
    )


def _agents(given: list[str], study_type: str) -> dict[str, str]:
    """Systems by name."""
    from trialogue.errors import UsageError

    if given and study_type != "chat":
        raise UsageError(f"--agent is for studies of type chat; this one is of type {study_type}. Omit --agent.")
    return pairs_of("--agent", given, form="NAME=AGENT, such as mine=http://localhost:5001 or mine=my_bot:Bot")

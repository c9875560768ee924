"""``trialogue study new`` and ``validate``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from trialogue.study.design.file import StudyFile


def new(
    template: Annotated[str, typer.Option(help="rating, infact, preference, realism, chat or labelling.")] = "rating",
    responses: Annotated[
        list[str] | None, typer.Option("--responses", "-r", help="Files or corpora; the demo corpus by default.")
    ] = None,
    human: Annotated[list[str] | None, typer.Option(help="Realism: dialogues of people.")] = None,
    simulated: Annotated[list[str] | None, typer.Option(help="Realism: dialogues of simulated users.")] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            "--agent", help="Chat: NAME=AGENT, a system to talk to; names are never shown. May be given again."
        ),
    ] = None,
    most: Annotated[int | None, typer.Option(min=1, help="At most so many items, drawn at random.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of what is drawn.")] = 0,
    out: Annotated[Path, typer.Option("--out", "-o", help="The study folder.")] = Path("my_study"),
    files: Annotated[list[str] | None, typer.Argument(help="More files with responses.", hidden=True)] = None,
) -> None:
    """Make a study folder: a study file to put your words into, and its items."""
    from trialogue.records.files.yaml_file import read_fields
    from trialogue.study.design.new import new_study, template_path
    from trialogue.workflows.study.items import items_for

    with template_path(template) as path:
        fields = read_fields(path)
    agents = _agents(agent or [], fields["type"])
    items = items_for(
        fields["type"],
        [*(responses or []), *(files or [])],
        human=human or [],
        simulated=simulated or [],
        agents=list(agents or fields.get("agents", {})),
        most=most,
        seed=seed,
        note=lambda each: typer.echo(f"note: {each}", err=True),
    )
    new_study(out, template, items, agents=agents)
    typer.echo(f"Study: {out / 'study.yaml'}, {len(items):,} items. Look at it: trialogue study preview {out}")


def _agents(given: list[str], study_type: str) -> dict[str, str]:
    """Systems by name."""
    from trialogue.errors import UsageError

    if given and study_type != "chat":
        raise UsageError(
            f"--agent is for studies in which people talk to systems (chat); this template is {study_type}."
        )
    found: dict[str, str] = {}
    for each in given:
        name, _, spec = each.partition("=")
        if not name or not spec:
            raise UsageError(
                f"--agent wants NAME=AGENT, such as mine=http://localhost:5001 or mine=my_bot:Bot; got {each!r}."
            )
        if name in found:
            raise UsageError(f"--agent names {name!r} twice.")
        found[name] = spec
    return found


def tell_advice(file: "StudyFile") -> None:
    """Say what the author of a study file should think about again."""
    from trialogue.study.design.advice import advice

    for each in advice(file):
        typer.echo(f"note: {each}", err=True)


def validate(folder: Annotated[Path, typer.Argument(help="The study folder.")]) -> None:
    """Read a study as a server would, and tell every mistake at once."""
    from trialogue.study.design.platforms.budget import budget_of
    from trialogue.study.opening import read_folder

    file, items, sha256 = read_folder(folder)
    tell_advice(file)
    budget = budget_of(file, [(item.dialogue, item.key) for item in items])
    typer.echo(f"{file.study}: {file.type}, {len(items):,} items, {file.raters_per_item} people each.")
    typer.echo(f"Participants needed if nobody leaves: {budget.people:,} of {budget.items_each} items.")
    if budget.replacements:
        typer.echo(
            f"Excluded participants are replaced, {budget.replacements:,} at most: up to {budget.most:,} are paid"
            + (f" ({budget.price(budget.most)})." if file.payment else ".")
        )
    if budget.items_each < file.items_per_participant:
        typer.echo(
            f"note: nobody can judge {file.items_per_participant}: there are no more items that one person may see.",
            err=True,
        )
    typer.echo(f"sha256 {sha256}")

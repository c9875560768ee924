"""``trialogue study new`` and ``validate``."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from trialogue.study.design.file import StudyFile
    from trialogue.study.design.items import AnyItem


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
    from trialogue.study.opening import read_folder

    file, items, sha256 = read_folder(folder)
    tell_advice(file)
    people, each = _people_needed(file, items)
    typer.echo(f"{file.study}: {file.type}, {len(items):,} items, {file.raters_per_item} people each.")
    typer.echo(f"Participants needed if nobody leaves: {people:,} of {each} items.")
    if each < file.items_per_participant:
        typer.echo(
            f"note: nobody can judge {file.items_per_participant}: there are no more items that one person may see.",
            err=True,
        )
    typer.echo(f"sha256 {sha256}")


def _people_needed(file: "StudyFile", items: "Sequence[AnyItem]") -> tuple[int, int]:
    """How many people it takes at least, and how many items one of them judges at most: maybe one of each dialogue."""
    once = [item.dialogue if file.one_per_dialogue and item.dialogue else item.key for item in items]
    times = Counter(once)
    each = min(file.items_per_participant, len(times))
    return max(-(-len(items) * file.raters_per_item // each), max(times.values()) * file.raters_per_item), each

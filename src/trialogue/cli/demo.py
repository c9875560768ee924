"""``trialogue demo``."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.progress import check_folder, steps

if TYPE_CHECKING:
    from trialogue.workflows.demo import Demo

MOST_STRATEGIES = 4  # told of each system


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for all of it.")] = Path("runs/demo"),
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="Dialogues of each recommender with each kind of users: 30.")
    ] = None,
    resamples: Annotated[int | None, typer.Option(min=100, help="Bootstrap resamples: 10,000.")] = None,
) -> None:
    """Everything once, on what comes with Trialogue: recommenders, simulated users, strategies, scores, one report."""
    from trialogue.workflows.demo import demo as run_demo

    check_folder(out)
    with steps() as tell:
        made = run_demo(out, n=n, resamples=resamples, progress=tell)
        tell("done")
    for line in _told(made):
        typer.echo(line)


def _told(made: "Demo") -> list[str]:
    return [
        "1. Simulated users talked to three recommenders that come with Trialogue.",
        *_dialogues(made),
        "",
        "2. What these recommenders do in their replies, as a bundled model labels it:",
        *_strategies(made),
        "",
        "3. What people, simulated users and metrics say. The people, and the recommenders they talked to (aria, bolt,",
        "   chip), are invented; no person was asked about the other three. All measures are in the report.",
        "",
        *(
            textwrap.fill(line, 118, initial_indent="   - ", subsequent_indent="     ")
            for line in map(str, made.findings.answer)
        ),
        "",
        f"Experiment, to copy and change:  {made.experiment}  (trialogue run {made.experiment})",
        f"Its simulation alone:            {made.study}  (trialogue simulate {made.study})",
        f"Simulated dialogues:             {made.dialogues}",
        f"Report, for your browser:        {made.report}",
    ]


def _dialogues(made: "Demo") -> list[str]:
    """How many dialogues there are, how they ended, and how long they are for each kind of users."""
    total = sum(made.endings.values())
    endings = ", ".join(f"{count:,} by {ending or 'nothing recorded'}" for ending, count in made.endings.items())
    systems = list(dict.fromkeys(system for system, _ in made.turns))
    users = list(dict.fromkeys(users for _, users in made.turns))
    width, column = max(map(len, systems)), max(map(len, users)) + 2
    head = " " * width + "".join(f"{name:>{column}}" for name in users)
    rows = [
        f"{system:<{width}}" + "".join(f"{made.turns[system, name]:>{column}.1f}" for name in users)
        for system in systems
    ]
    return [
        f"   {total:,} dialogues ended: {endings}. User turns per dialogue:",
        "",
        *(f"   {row}" for row in (head, *rows)),
    ]


def _strategies(made: "Demo") -> list[str]:
    width = max(map(len, made.strategies))
    return [
        f"   {system:<{width}}  " + ", ".join(f"{name} {share:.0%}" for name, share in shares[:MOST_STRATEGIES])
        for system, shares in made.strategies.items()
    ]

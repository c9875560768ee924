"""``trialogue demo``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.talk import check_folder, steps

if TYPE_CHECKING:
    from trialogue.evaluation.demo import Demo

MOST_STRATEGIES = 4  # told of each system


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for all of it.")] = Path("runs/demo"),
    n: Annotated[int, typer.Option("-n", min=1, help="Dialogues of each recommender with each kind of users.")] = 30,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap resamples and permutations.")] = 10_000,
) -> None:
    """Everything once, on what comes with Trialogue: recommenders, simulated users, strategies, scores, reports."""
    from trialogue.evaluation.demo import demo as run_demo

    check_folder(out)
    with steps() as tell:
        made = run_demo(out, n=n, resamples=resamples, progress=tell)
        tell("done")
    for line in _told(made):
        typer.echo(line)


def _told(made: "Demo") -> list[str]:
    from trialogue.report import text_table

    return [
        "1. Simulated users talked to three recommenders that come with Trialogue.",
        *_dialogues(made),
        "",
        "2. What they do in their replies: the commonest strategies, as a bundled model labels them.",
        *_strategies(made),
        "",
        "3. What metrics say of these dialogues. No person was asked, so none of it says what people would like.",
        "",
        text_table(made.simulated.findings),
        "",
        "4. Conversations of three other recommenders with people (all invented), who said what they thought.",
        "",
        text_table(made.people.findings),
        "",
        f"The study, to copy and to change:  {made.study}",
        f"Dialogues, one a line:             {made.labelled}",
        f"Report on the simulated users:     {made.pages[0]}",
        f"Report on the conversations:       {made.pages[1]}",
        f"The same by hand: trialogue simulate {made.study}, then trialogue evaluate {made.labelled}",
    ]


def _dialogues(made: "Demo") -> list[str]:
    """How many dialogues there are, how they ended, and how long they are for each kind of users."""
    total = sum(made.batch.endings.values())
    endings = ", ".join(f"{count:,} by {reason}" for reason, count in made.batch.endings.items())
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

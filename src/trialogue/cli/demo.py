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
    out: Annotated[Path, typer.Option("--out", "-o", help="Output folder.")] = Path("runs/demo"),
    n: Annotated[
        int | None,
        typer.Option("-n", min=1, help="Number of dialogues of each recommender with each kind of user (default: 30)."),
    ] = None,
    resamples: Annotated[int | None, typer.Option(min=100, help="Bootstrap resamples: 10,000.")] = None,
) -> None:
    """Run the whole pipeline on bundled data and write one HTML report (about 30 s)."""
    from trialogue.workflows.demo import demo as run_demo

    check_folder(out)
    with steps() as tell:
        made = run_demo(out, n=n, resamples=resamples, progress=tell)
        tell("done")
    for line in _demo_lines(made):
        typer.echo(line)


def _demo_lines(made: "Demo") -> list[str]:
    return [
        "1. Simulated users talked to the three recommenders that come with Trialogue.",
        *_dialogues(made),
        "",
        "2. What these recommenders do in their replies, labelled by a bundled model:",
        *_strategies(made),
        "",
        (
            "3. Results from people, simulated users and metrics. The people, and the recommenders they "
            "rated (aria, bolt,"
        ),
        "   chip), are invented; no person rated the other three. The report shows all measures.",
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
    """Number of dialogues, how they ended, and how long they are for each kind of user."""
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

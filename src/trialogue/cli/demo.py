"""``trialogue demo``: the whole pipeline on bundled data."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.inputs import Explorer, Out
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.options import Help, Resamples

if TYPE_CHECKING:
    from trialogue.workflows.demo import Demo

MAX_STRATEGIES = 4  # printed for each system


def demo(
    out: Out = Path("runs/demo"),
    n: Annotated[
        int | None,
        Ge(1),
        Help("Number of dialogues of each recommender with each kind of user (default: 30).", ("-n",)),
    ] = None,
    resamples: Resamples | None = None,
    explorer: Explorer = True,
) -> None:
    """Judge, measure and simulate seven recommenders on bundled data, and write one HTML report (about 20 s of CPU time)."""
    from trialogue.workflows.demo import demo as run_demo

    check_folder(out)
    with steps() as tell:
        made = run_demo(out, n=n, resamples=resamples, explorer=explorer, progress=tell)
        tell("done")
    for line in _demo_lines(made):
        typer.echo(line)


def _demo_lines(made: "Demo") -> list[str]:
    agents = sorted({system for side in made.sides for system in side.values})
    return [
        f"1. Simulated users talked to {len(agents)} recommenders and to the baselines of every simulation.",
        *_dialogues(made),
        "",
        "2. What they do in their replies, labelled by a bundled model:",
        *_strategies(made),
        "",
        f"3. Who is best? The same {len(agents)} recommenders by each method. The people and their ratings are invented.",
        "",
        *_best_by_source(made),
        "",
        "4. Do the three agree? 1 is the same order, 0 no relation, -1 the reverse order.",
        "",
        *_agreements(made),
        *_disagreeing_dialogue(made),
        "",
        f"Experiment, to copy and change:  {made.experiment}  (trialogue run {made.experiment})",
        f"Its simulation alone:            {made.study}  (trialogue simulate {made.study})",
        f"Simulated dialogues:             {made.dialogues}",
        f"Report, for your browser:        {made.report}",
    ]


def _best_by_source(made: "Demo") -> list[str]:
    """Best system by each side, then the verdict."""
    lines = []
    for side in made.sides:
        best = sorted(side.values, key=lambda system: -side.values[system])
        order = " > ".join(f"{system} {side.values[system]:.2f}" for system in best)
        lines.append(_fill(f"{side.kind.capitalize()}, {side.title}: {order}"))
    return [*lines, "", *(_fill(str(statement)) for statement in made.findings.answer)]


def _agreements(made: "Demo") -> list[str]:
    lines = []
    for each in made.agreements:
        rho = each.spearman
        known = rho is not None and rho.value is not None
        size = f"ρ = {rho.render('{:z.{}f}'.format, 2, undefined='')}" if rho is not None and known else "undefined"
        lines.append(f"   - {' and '.join(each.kinds)}: {size} over {each.systems} recommenders")
    return lines


def _disagreeing_dialogue(made: "Demo") -> list[str]:
    """Dialogue on which the measure and people disagree."""
    if made.telling is None:
        return []
    sides = (
        "high by the measure, but not by the invented people"
        if made.telling.role == "praised"
        else "high by the invented people, but not by the measure"
    )
    name = made.telling.dialogue.id
    return ["", f"5. A dialogue that they rate differently: {name}, {sides}. In the report: Dialogues to open."]


def _fill(text: str) -> str:
    return textwrap.fill(text, 118, initial_indent="   - ", subsequent_indent="     ")


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
        f"   {system:<{width}}  " + ", ".join(f"{name} {share:.0%}" for name, share in shares[:MAX_STRATEGIES])
        for system, shares in made.strategies.items()
    ]

"""``trialogue demo``, ``run``, ``report``, ``rerun`` and ``view``: whole experiments, and runs that are finished."""

import textwrap
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.app import reads
from trialogue.cli.shared.inputs import Explorer, Out
from trialogue.cli.shared.parameters import Call, Calls
from trialogue.cli.shared.progress import check_folder, exit_if_failed, find_modules_beside, steps
from trialogue.cli.shared.results import print_findings
from trialogue.options import Help, Port

if TYPE_CHECKING:
    from trialogue.findings import Findings
    from trialogue.workflows.demo import Demo

MAX_STRATEGIES = 4  # printed for each system


@reads(run=Calls("workflows.demo.demo", options="n", settings="resamples explorer"))
def demo(*, out: Out = Path("runs/demo"), run: "Call[Demo]") -> None:
    """Judge, measure and simulate seven recommenders on bundled data, and write one HTML report (about 20 s of CPU time)."""
    check_folder(out)
    with steps() as tell:
        made = run(out, progress=tell)
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


def run(
    experiment: Path,
    *,
    out: Annotated[Path | None, Help("Output folder (default: the folder named in the file).", ("--out", "-o"))] = None,
    dry_run: bool = False,
    again: list[str] | None = None,
    explorer: Explorer = True,
    as_json: bool = False,
) -> None:
    """Run an experiment end to end: simulate, label, score, rate, report. Unchanged stages are cached.

    Args:
        experiment: Experiment file in YAML (see the documentation).
        dry_run: Print the plan with estimated time and cost, and exit.
        again: Stage to rerun even if its output is cached.
    """
    from trialogue.subjects.evaluation.pages.write import text_table
    from trialogue.workflows.experiment import plan_steps, plan_text, protocol_text, read_experiment, run_experiment

    find_modules_beside(experiment)
    given = read_experiment(experiment)
    if out is not None:
        given = given.model_copy(update={"out": out})
    if dry_run:
        typer.echo("\n\n".join(filter(None, [plan_text(plan_steps(given)), protocol_text(given)])))
        return
    check_folder(given.out)
    with steps() as tell:
        done = run_experiment(given, again=tuple(again or ()), explorer=explorer, progress=tell)
    found, page = done.findings, done.report
    print_findings(
        found, lambda each: text_table(_in_short(each)), as_json=as_json, tell=tell, page=page, name="Report"
    )
    exit_if_failed(done.always_failed)


def _in_short(findings: "Findings") -> "Findings":
    """Measures for the terminal: people's, and the one that the answer rests on. The report has the others."""
    shown = [each for each in findings.leagues if each.measure.by == "people" or each.measure.name == findings.primary]
    return findings.model_copy(update={"leagues": tuple(shown)})


class FigureFormat(StrEnum):
    """File format of figures."""

    PNG = "png"
    PDF = "pdf"


def report(
    run: Path,
    *,
    out: Annotated[Path | None, Help("Output folder (default: the run's folder).", ("--out", "-o"))] = None,
    figures: list[FigureFormat] | None = None,
) -> None:
    """Rewrite the report of a finished run from its findings.json.

    Args:
        run: Folder written by 'trialogue evaluate'.
        figures: Also write figures as png or pdf; SVG is always written.
    """
    from trialogue.render.plots.base import FIGURE_FORMATS
    from trialogue.subjects.evaluation.pages.write import read_findings, write_report

    formats = [name for name in FIGURE_FORMATS if name in (figures or ())]
    typer.echo(f"Report: {write_report(read_findings(run), out or run, formats=formats)}")


def rerun(run: Path, *, data: list[Path] | None = None) -> None:
    """Repeat a finished run from its manifest, compare every file, and report differing numbers.

    Args:
        run: Folder written by evaluate, align, compare, board, agree or judge.
        data: Input file of the run, or a folder that contains it.
    """
    from trialogue.workflows.rerun.rerun import rerun as run_again

    with steps() as tell:
        found = run_again(run, data=data or (), progress=tell)
    for note in found.notes:
        typer.echo(f"note: {note}", err=True)
    for each in found.differences:
        typer.echo(f"{each.name}: {each.what}")
    if found.differences:
        typer.echo(f"{len(found.differences)} files differ, {found.same} are the same.")
        raise typer.Exit(1)
    typer.echo(f"Reproduced: all {found.same} files are the same to the byte.")


def view(
    run: Path, *, port: Port = 0, opens: Annotated[bool, Help("Open the browser.", ("--open/--no-open",))] = True
) -> None:
    """Browse a run's dialogues: serve its explorer on this machine until Ctrl-C.

    Args:
        run: Folder written by 'trialogue evaluate', 'run', 'align' or 'demo'.
    """
    import webbrowser

    from trialogue.workflows.view import view as serve

    def tell(address: str) -> None:
        typer.echo(address)
        typer.echo("Press Ctrl+C to end.", err=True)

    serve(run, port=port, open_page=webbrowser.open if opens else None, tell=tell)

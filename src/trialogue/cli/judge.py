"""``trialogue judge``: correct a judge's scores with human labels."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.progress import StepProgress, check_folder, steps

if TYPE_CHECKING:
    from trialogue.findings.judging.conclude import JudgeSettings
    from trialogue.workflows.judging.judge import LabelPlan

PLAN = "label_plan.jsonl"


def judge(
    run: Annotated[str, typer.Argument(help="Folder written by 'trialogue evaluate', or dialogues.")],
    aspect: Annotated[
        str, typer.Option(help="The judge's column: a measure, or the question that it predicts.", show_default=False)
    ],
    scores: Annotated[
        str | None, typer.Option(help="File of the judge's scores (default: a column of the run).")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="File of people's answers to the question for some of the units.")
    ] = None,
    chances: Annotated[
        Path | None,
        typer.Option(help="Plan with each unit's sampling probability, if probabilities differ within a system."),
    ] = None,
    estimand: Annotated[
        str, typer.Option(help="Compare systems ('population' of dialogues), or only 'these' dialogues.")
    ] = "population",
    raters: Annotated[
        str, typer.Option(help="Generalise to 'these' raters, or to the 'population' of raters.")
    ] = "these",
    drawn_overall: Annotated[
        bool,
        typer.Option(
            "--drawn-overall", help="Labels were sampled over all systems together, not a fixed number per system."
        ),
    ] = False,
    looks: Annotated[
        int, typer.Option(min=1, help="Maximum number of times that you will look at the results while adding labels.")
    ] = 1,
    low: Annotated[float | None, typer.Option(help="Lowest possible label.")] = None,
    high: Annotated[float | None, typer.Option(help="Highest possible label.")] = None,
    family: Annotated[
        list[str] | None, typer.Option(help="System built on the judge's own language model (repeatable).")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print what to label next to reach intervals of --width.")
    ] = False,
    width: Annotated[
        float | None, typer.Option(help="With --plan: total width of the intervals of differences.")
    ] = None,
    study: Annotated[
        Path | None,
        typer.Option(help="With --plan: new folder for a study in which people label exactly the planned units."),
    ] = None,
    confidence: Annotated[float, typer.Option(help="Confidence of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Random seed of a plan.")] = 0,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the page, tables and the plan.")] = Path(
        "runs/judge"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")] = False,
) -> None:
    """Correct a judge's scores (a language model's, a metric's) with a few labels by people."""
    from trialogue.errors import UsageError
    from trialogue.findings.judging.conclude import JudgeSettings
    from trialogue.stats.correction.table import Estimand

    wrong = [
        f"{name} must be {' or '.join(Estimand)}, got {given!r}."
        for name, given in (("--estimand", estimand), ("--raters", raters))
        if given not in list(Estimand)
    ]
    if labels is None and not plan:
        wrong.append("give people's labels with --labels, or --plan to find out what to label.")
    if plan != (width is not None):
        wrong.append("--plan and --width must be given together: the plan, and the width of intervals to reach.")
    if study is not None and not plan:
        wrong.append("--study writes the study of a plan: give --plan and --width, too.")
    if plan and as_json:
        wrong.append(f"--json prints findings; a plan is written to {PLAN} as JSON Lines.")
    if plan and chances is not None:
        wrong.append(
            "--chances applies to existing labels; a plan samples all units of a system with equal probability."
        )
    if not 0 < confidence < 1:
        wrong.append(f"--confidence must lie between 0 and 1, got {confidence:g}.")
    if low is not None and high is not None and low >= high:
        wrong.append(f"--low must be below --high, got {low:g} and {high:g}.")
    if wrong:
        raise UsageError("\n".join(wrong))
    how = JudgeSettings(
        estimand=Estimand(estimand),
        raters=Estimand(raters),
        drawn_overall=drawn_overall,
        confidence=confidence,
        looks=looks,
        scale=(low, high),
        family=tuple(family or ()),
    )
    check_folder(out)
    with steps(quiet=quiet) as tell:
        if plan and width is not None:
            _plan(run, aspect, scores, labels, width, how, seed, out, study)
        elif labels is not None:
            _judge(run, aspect, scores, labels, chances, how, out, as_json, tell)


def _judge(
    run: str,
    aspect: str,
    scores: str | None,
    labels: str,
    chances: Path | None,
    how: "JudgeSettings",
    out: Path,
    as_json: bool,
    tell: StepProgress,
) -> None:
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.judging.terminal import judging_text
    from trialogue.workflows.judging.judge import judge as corrected
    from trialogue.workflows.pipeline import report

    findings = corrected(run, aspect=aspect, labels=labels, scores=scores, chances=chances, how=how, progress=tell)
    page = report(findings, out)
    for warning in findings.warnings:
        tell.say(f"note: {warning}")
    typer.echo(to_line(findings) if as_json else judging_text(findings))
    if not as_json:
        typer.echo(f"\nPage: {page}")


def _plan(
    run: str,
    aspect: str,
    scores: str | None,
    labels: str | None,
    width: float,
    how: "JudgeSettings",
    seed: int,
    out: Path,
    study: Path | None,
) -> None:
    from trialogue.records import write_records
    from trialogue.report.judging.plan import plan_text
    from trialogue.workflows.judging.judge import plan_labels

    found = plan_labels(run, aspect=aspect, width=width, labels=labels, scores=scores, how=how, seed=seed)
    write_records(out / PLAN, found.units)
    typer.echo(plan_text(found.needs, width, is_pilot=found.is_pilot))
    typer.echo(f"\nPlan: {out / PLAN}")
    if study is not None:
        _write_study(study, found, run, aspect, labels, how, seed)


def _write_study(
    folder: Path, plan: "LabelPlan", run: str, aspect: str, labels: str | None, how: "JudgeSettings", seed: int
) -> None:
    from trialogue.workflows.judging.label_study import PLAN as CHANCES
    from trialogue.workflows.judging.label_study import write_label_study

    made = write_label_study(folder, plan, [run], aspect=aspect, labels=labels, scale=how.scale, seed=seed)
    typer.echo(
        f"Study: {made.folder / 'study.yaml'}, {made.items:,} items on a scale from {made.low} to {made.high}. "
        f"Preview it with: trialogue study preview {made.folder}\n"
        f"Afterwards: trialogue study export {made.folder} --out EXPORT, then --labels EXPORT "
        f"--chances {made.folder / CHANCES}"
    )

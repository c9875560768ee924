"""``trialogue judge``: let a model judge by a rubric, and correct any judge's scores with human labels."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trialogue.cli.shared.inputs import Mapped
from trialogue.cli.shared.options import MaxCalls, MaxCost, MaxTokens
from trialogue.cli.shared.progress import StepProgress, check_folder, steps

if TYPE_CHECKING:
    from trialogue.findings.judging.conclude import JudgeSettings
    from trialogue.workflows.inputs.locations import Input
    from trialogue.workflows.judging.consent import Disclosure
    from trialogue.workflows.judging.judge import LabelPlan

PLAN = "label_plan.jsonl"


def judge(
    run: Annotated[list[str], typer.Argument(help="Folder written by 'trialogue evaluate', or dialogues.")],
    aspect: Annotated[
        str | None,
        typer.Option(help="The judge's column: a measure, the question that it predicts, or an aspect of the rubric."),
    ] = None,
    rubric: Annotated[
        str | None, typer.Option(help="Rubric for a model: a name from 'trialogue rubrics list', or a YAML file.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="A model that judges: openai:MODEL, huggingface:FOLDER, or a YAML file (repeatable: a panel)."
        ),
    ] = None,
    model_option: Annotated[
        list[str] | None,
        typer.Option(help="Option of the model as NAME=VALUE, such as url=http://localhost:8000/v1 (repeatable)."),
    ] = None,
    pairwise: Annotated[
        bool, typer.Option("--pairwise", help="Compare dialogues of every pair of systems instead, in both orders.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the number of questions and their price, and exit.")
    ] = False,
    i_may: Annotated[
        bool,
        typer.Option("--i-may", help="Send dialogues of people to the model's server even without recorded consent."),
    ] = False,
    probes: Annotated[
        bool,
        typer.Option(
            "--probes", help="Probe the model for biases: padding, injection, rewording, position, planted defects."
        ),
    ] = False,
    probe_n: Annotated[
        int, typer.Option(min=6, help="Maximum number of dialogues to probe with; about ten questions each.")
    ] = 30,
    scores: Annotated[
        str | None,
        typer.Option(help="File with the judge's scores, or FILE:COLUMN of a table (default: a column of the run)."),
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(help="File with human labels of some dialogues or replies (default: the run's own ratings)."),
    ] = None,
    mapping: Mapped = None,
    chances: Annotated[
        Path | None,
        typer.Option(help="Plan with each unit's sampling probability, if probabilities differ within a system."),
    ] = None,
    estimand: Annotated[
        str, typer.Option(help="Compare systems in general ('population'), or only 'these' dialogues.")
    ] = "population",
    raters: Annotated[
        str, typer.Option(help="Generalise to 'these' raters, or to the 'population' of raters.")
    ] = "these",
    drawn_overall: Annotated[
        bool,
        typer.Option(
            "--drawn-overall", help="The labels were sampled from all systems together, not a fixed number per system."
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
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    max_tokens: MaxTokens = None,
    seed: Annotated[int, typer.Option(help="Random seed of a plan.")] = 0,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the page, tables and the plan.")] = Path(
        "runs/judge"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")] = False,
) -> None:
    """Judge systems with a language model or any column of scores, and correct the judge with a few human labels."""
    from trialogue.cli.shared.options import named_values
    from trialogue.errors import UsageError
    from trialogue.findings.judging.conclude import JudgeSettings
    from trialogue.llm.budget import BUDGET, Budget, Limits, use_budget
    from trialogue.stats.correction.table import Estimand
    from trialogue.workflows.mapped import with_mapping

    wrong = [
        f"{name} must be {' or '.join(Estimand)}, got {given!r}."
        for name, given in (("--estimand", estimand), ("--raters", raters))
        if given not in list(Estimand)
    ]
    by_model = bool(model) or rubric is not None
    if by_model and (not model or rubric is None):
        wrong.append("a model judges by a rubric: give both --model and --rubric.")
    if by_model and scores is not None:
        wrong.append(
            "--scores are those of a judge that has already judged: leave out --scores, or --model and --rubric."
        )
    of_models = {
        "--model-option": model_option,
        "--pairwise": pairwise,
        "--dry-run": dry_run,
        "--i-may": i_may,
        "--probes": probes,
    }
    unused = [name for name, value in of_models.items() if value and not by_model]
    if unused:
        wrong.append(f"{' and '.join(unused)}: only for a model that judges; give --model and --rubric.")
    if not by_model and aspect is None and scores is None:
        wrong.append("give the judge's column with --aspect, or a --rubric and a --model that judges by it.")
    if pairwise and (plan or labels is not None or aspect is not None):
        wrong.append("--pairwise yields votes; --labels, --aspect and --plan need scores.")
    if probes and (pairwise or plan):
        wrong.append("--probes cannot be combined with --pairwise or --plan (pairs are probed, too).")
    if plan != (width is not None):
        wrong.append("--plan and --width must be given together: --width is the width of intervals to reach.")
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
    settings = JudgeSettings(
        estimand=Estimand(estimand),
        raters=Estimand(raters),
        drawn_overall=drawn_overall,
        confidence=confidence,
        looks=looks,
        scale=(low, high),
        family=tuple(family or ()),
    )
    check_folder(out)
    given = with_mapping(run, mapping)
    models = _Models(
        rubric or "",
        tuple(model or ()),
        named_values("--model-option", model_option or []),
        i_may,
        seed,
        probes=probe_n if probes else 0,
    )
    limits = Limits(max_cost=max_cost, max_calls=max_calls, max_tokens=max_tokens)
    with steps(quiet=quiet) as tell, use_budget(Budget(limits, out / BUDGET) if limits.are_set else None):
        if dry_run:
            _price(given, models, aspect, out, pairwise=pairwise, as_json=as_json)
        elif pairwise:
            _pairs(given, models, out, as_json=as_json, tell=tell)
        elif plan and width is not None:
            _plan(given, aspect, scores, labels, width, settings, models if by_model else None, seed, out, study, tell)
        else:
            _judge(given, aspect, scores, labels, chances, settings, models if by_model else None, out, as_json, tell)


@dataclass(frozen=True)
class _Models:
    """Models that judge, as they were given."""

    rubric: str
    models: tuple[str, ...]
    options: dict[str, Any]
    i_may: bool
    seed: int
    probes: int
    """Dialogues to probe them with; 0: none."""

    def settings(self, out: Path) -> dict[str, Any]:
        """Arguments of the functions that ask them; answers are kept beside the results, so that a rerun asks nothing."""
        from trialogue.workflows.judging.ask import CACHE

        return {
            "rubric": self.rubric,
            "model": list(self.models),
            "options": self.options,
            "cache": out / CACHE,
            "seed": self.seed,
        }


def _judge(
    run: "list[str | Input]",
    aspect: str | None,
    scores: str | None,
    labels: str | None,
    chances: Path | None,
    settings: "JudgeSettings",
    models: _Models | None,
    out: Path,
    as_json: bool,
    tell: StepProgress,
) -> None:
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.judging.document import judging_document
    from trialogue.report.render.terminal import document_text
    from trialogue.workflows.judging.judge import judge as corrected
    from trialogue.workflows.pipeline import report

    asked = (
        {} if models is None else {**models.settings(out), "i_may": models.i_may, "out": out, "probes": models.probes}
    )
    findings = corrected(
        *run, aspect=aspect, labels=labels, scores=scores, chances=chances, settings=settings, progress=tell, **asked
    )
    page = report(findings, out)
    for warning in findings.warnings:
        tell.say(f"note: {warning}")
    typer.echo(to_line(findings) if as_json else document_text(judging_document(findings)))
    if not as_json:
        typer.echo(f"\nPage: {page}")


def _plan(
    run: "list[str | Input]",
    aspect: str | None,
    scores: str | None,
    labels: str | None,
    width: float,
    settings: "JudgeSettings",
    models: _Models | None,
    seed: int,
    out: Path,
    study: Path | None,
    tell: StepProgress,
) -> None:
    from trialogue.judges import load_rubric
    from trialogue.records import write_records
    from trialogue.report.judging.plan import plan_text
    from trialogue.workflows.judging.ask import judge_scores
    from trialogue.workflows.judging.judge import aspect_of, plan_labels

    given: Any = scores
    if models is not None:
        name, _ = aspect_of(load_rubric(models.rubric), aspect)
        asked = judge_scores(*run, **models.settings(out), i_may=models.i_may, out=out, progress=tell)
        given, aspect = asked.scores, str(asked.columns[name])
    found = plan_labels(
        *run, aspect=aspect or "", width=width, labels=labels, scores=given, settings=settings, seed=seed
    )
    write_records(out / PLAN, found.units)
    typer.echo(plan_text(found.needs, width, is_pilot=found.is_pilot))
    typer.echo(f"\nPlan: {out / PLAN}")
    if study is not None:
        _write_study(study, found, run, aspect or "", labels, settings, seed, models.rubric if models else None)


def _write_study(
    folder: Path,
    plan: "LabelPlan",
    run: "list[str | Input]",
    aspect: str,
    labels: str | None,
    settings: "JudgeSettings",
    seed: int,
    rubric: str | None,
) -> None:
    from trialogue.workflows.judging.label_study import PLAN as CHANCES
    from trialogue.workflows.judging.label_study import write_label_study

    made = write_label_study(
        folder, plan, run, aspect=aspect, rubric=rubric, labels=labels, scale=settings.scale, seed=seed
    )
    typer.echo(
        f"Study: {made.folder / 'study.yaml'}, {made.items:,} items on a scale from {made.low} to {made.high}. "
        f"Preview it with: trialogue study preview {made.folder}\n"
        f"Afterwards: trialogue study export {made.folder} --out EXPORT, then --labels EXPORT "
        f"--chances {made.folder / CHANCES}"
    )


def _price(
    run: "list[str | Input]", models: _Models, aspect: str | None, out: Path, *, pairwise: bool, as_json: bool
) -> None:
    """What would be asked, what it would cost, and whose dialogues would go where."""
    import json
    from dataclasses import asdict

    from trialogue.report.judging.cost import cost_text
    from trialogue.workflows.judging.ask import prepare_panel
    from trialogue.workflows.judging.judge import aspect_of
    from trialogue.workflows.judging.pairs import prepare_pairs
    from trialogue.workflows.judging.probes import prepare_probes

    disclosure: Disclosure | None
    if pairwise:
        pairs = prepare_pairs(run, **models.settings(out))
        costs, disclosure = pairs.costs(), pairs.disclosure
    else:
        panel = prepare_panel(run, **models.settings(out))
        costs, disclosure = panel.costs(), panel.disclosure
        if models.probes:
            name, _ = aspect_of(panel.rubric, aspect)
            probes = prepare_probes(panel, name, count=models.probes, seed=models.seed)
            costs += [(f"{judge}, probes", cost) for judge, cost in probes.costs()]
    if as_json:
        typer.echo(json.dumps({name: asdict(cost) for name, cost in costs}))
        return
    typer.echo("\n".join(cost_text(name, cost) for name, cost in costs))
    if disclosure is not None:
        typer.echo(f"{disclosure.sentence} No consent to that is recorded with the data (see --i-may).")


def _pairs(run: "list[str | Input]", models: _Models, out: Path, *, as_json: bool, tell: StepProgress) -> None:
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.judging.pairs import pairs_text
    from trialogue.workflows.judging.pairs import PREFERENCES, judge_pairs

    found = judge_pairs(*run, **models.settings(out), i_may=models.i_may, out=out, progress=tell)
    if as_json:
        typer.echo("\n".join(to_line(each) for each in found.tallies))
        return
    typer.echo(pairs_text(found.tallies, matched=found.matched))
    typer.echo(f"\nVotes: {out / PREFERENCES}")

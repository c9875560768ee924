"""``trialogue judge``: judge systems, plan labels, probe models, compare pairs, train a judge."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from annotated_types import Ge

from trialogue.cli.shared.app import App, reads
from trialogue.cli.shared.groups import DefaultGroup
from trialogue.cli.shared.inputs import (
    Chances,
    DryRun,
    Format,
    Limited,
    Mapped,
    ModelOptions,
    Out,
    Workers,
    limits_of,
    workers_of,
)
from trialogue.cli.shared.parameters import Call, Calls, Given
from trialogue.cli.shared.progress import StepProgress, check_folder, steps
from trialogue.cli.shared.results import print_findings
from trialogue.options import Help, Seed, Setting

if TYPE_CHECKING:
    from trialogue.subjects.judging.commands.consent import Disclosure
    from trialogue.subjects.judging.conclude import JudgeSettings

app = App(
    cls=DefaultGroup,
    help="Judge systems with a language model or any column of scores, and correct the judge with a few human labels.",
)
RunGiven = Annotated[list[str], typer.Argument(help="Folder written by 'trialogue evaluate', or dialogues.")]
Aspect = Annotated[
    str | None,
    Help("Scores to use as the judge: a measure, the question that it predicts, or an aspect of the rubric."),
]
Scores = Annotated[
    str | None, Help("File with the judge's scores, or FILE:COLUMN of a table (default: a column of the run).")
]
Labels = Annotated[
    str | None, Help("File with human labels of some dialogues or replies (default: the run's own ratings).")
]
EstimandGiven = Annotated[
    Literal["population", "these"],
    Setting("Generalise to the 'population' of dialogues, or only to 'these' dialogues."),
]
Scale = Annotated[tuple[float, float] | None, Setting("Lowest and highest possible label, such as scale=1,5.")]
PLAN = "label_plan.jsonl"


@dataclass(frozen=True)
class Models:
    """Options of all commands that may ask models, and the folder for the answers."""

    rubric: str | None = None
    """Rubric for the model: a name from 'trialogue list rubrics', or a YAML file."""
    model: list[str] | None = None
    """Model that judges: openai:MODEL, huggingface:FOLDER, or a YAML file; several are a panel."""
    i_may: bool = False
    """Send people's dialogues to the model's server even without recorded consent."""
    limit: Limited = None
    jobs: Workers = "1"
    out: Out = Path("runs/judge")
    options: ModelOptions = None
    seed: Seed = 0

    def arguments(self) -> dict[str, Any]:
        """Arguments of the functions that ask them; answers are kept beside the results, so that a rerun asks nothing."""
        from trialogue.subjects.judging.commands.ask import CACHE

        known = {"rubric": self.rubric, "model": self.model, "options": self.options or {}}
        return {**known, "cache": self.out / CACHE, "seed": self.seed, **workers_of(self.jobs)}

    @contextmanager
    def steps(self) -> Iterator[StepProgress]:
        """Progress lines, within limits on what models may cost; what was spent is kept in the folder."""
        from trialogue.llm.usage import BUDGET, Budget, Limits, use_budget

        check_folder(self.out)
        limits = Limits(**limits_of(self.limit))
        with steps() as tell, use_budget(Budget(limits, self.out / BUDGET) if limits.are_set else None):
            yield tell

    def print_judging(
        self, given: list[Any], settings: "JudgeSettings", *, as_json: bool, tell: StepProgress, **more: Any
    ) -> None:
        """Judge, write the page, and print the findings; ``more`` are arguments of ``subjects.judging.commands.judge``."""
        from trialogue.subjects.judging.commands.judge import judge
        from trialogue.subjects.judging.pages.document import judging_document
        from trialogue.workflows.write_findings import write_findings

        asked = {**self.arguments(), "i_may": self.i_may, "out": self.out} if self.model else {}
        findings = judge(*given, settings=settings, progress=tell, **asked, **more)
        page = write_findings(findings, self.out)
        print_findings(findings, judging_document, as_json=as_json, tell=tell, page=page)


MODELS = Calls("cli.judging.Models", options="rubric model i_may limit jobs out", settings="model=options seed")


def _check_models(given: Given) -> Iterator[str]:
    is_asked = bool(given["model"]) or given["rubric"] is not None
    if is_asked and not (given["model"] and given["rubric"]):
        yield "a model judges by a rubric: give both --model and --rubric."
    if is_asked and given["scores"] is not None:
        yield "--scores are those of a judge that has already judged: leave out --scores, or --model and --rubric."
    if not is_asked and (unused := given.spellings_of("options dry_run i_may jobs")):
        yield f"{' and '.join(unused)}: only for a model that judges; give --model and --rubric."
    if not is_asked and given["aspect"] is None and given["scores"] is None:
        yield "give the judge's column with --aspect, or a --rubric and a --model that judges by it."


def _check_asked(given: Given) -> Iterator[str]:
    if not (given["model"] and given["rubric"]):
        yield "probes and votes on pairs ask a language model: give --model and --rubric."


def print_price(costs: list[tuple[str, Any]], disclosure: "Disclosure | None", *, as_json: bool) -> None:
    """What would be asked, what it would cost, and whose dialogues would go where."""
    import json
    from dataclasses import asdict

    from trialogue.subjects.judging.pages.texts import cost_text

    if as_json:
        typer.echo(json.dumps({name: asdict(cost) for name, cost in costs}))
        return
    typer.echo("\n".join(cost_text(name, cost) for name, cost in costs))
    if disclosure is not None:
        typer.echo(f"{disclosure.sentence()} The data record no consent to this (see --i-may).")


SETTINGS = Calls("subjects.judging.conclude.JudgeSettings", settings="drawn_overall looks family confidence")


@app.command("systems")
@reads(check=_check_models, models=MODELS, settings=SETTINGS)
def judge(
    run: RunGiven,
    *,
    models: "Call[Models]",
    aspect: Aspect = None,
    dry_run: DryRun = False,
    scores: Scores = None,
    labels: Labels = None,
    mapping: Mapped = None,
    chances: Chances = None,
    estimand: EstimandGiven = "population",
    raters: Annotated[Literal["population", "these"], Setting()] = "these",
    settings: "Call[JudgeSettings]",
    scale: Scale = None,
    as_json: bool = False,
) -> None:
    """Judge systems with a language model or any column of scores, and correct the judge with a few human labels.

    Args:
        raters: Generalise to the 'population' of raters, or only to 'these' raters.
    """
    from trialogue.stats.correction.table import Estimand
    from trialogue.subjects.judging.commands.ask import prepare_panel
    from trialogue.workflows.mapped import with_mapping

    asked = models()
    chosen = settings(estimand=Estimand(estimand), raters=Estimand(raters), scale=scale or (None, None))
    data = with_mapping(run, mapping)
    with asked.steps() as tell:
        if dry_run and asked.model:
            panel = prepare_panel(data, **asked.arguments())
            print_price(panel.costs(), panel.disclosure, as_json=as_json)
            return
        asked.print_judging(
            data, chosen, as_json=as_json, tell=tell, aspect=aspect, scores=scores,
            labels=labels, chances=chances,
        )  # fmt: skip


@app.command("plan")
@reads(
    check=_check_models,
    models=Calls("cli.judging.Models", options="rubric model i_may limit out", settings="model=options seed"),
    settings=Calls("subjects.judging.conclude.JudgeSettings", settings="looks confidence"),
)
def plan(
    run: RunGiven,
    *,
    models: "Call[Models]",
    width: float,
    aspect: Aspect = None,
    scores: Scores = None,
    labels: Labels = None,
    mapping: Mapped = None,
    study: Path | None = None,
    estimand: EstimandGiven = "population",
    settings: "Call[JudgeSettings]",
    scale: Scale = None,
) -> None:
    """Draw the units to label next for a target interval width, with equal probability within each system.

    Args:
        width: Target full width of the confidence intervals of differences.
        study: New folder for a study in which people label the planned units.
    """
    from trialogue.records import write_records
    from trialogue.stats.correction.table import Estimand
    from trialogue.subjects.judging.commands.judge import judged_aspect, plan_labels
    from trialogue.subjects.judging.pages.texts import plan_text
    from trialogue.workflows.mapped import with_mapping

    asked = models()
    chosen = settings(estimand=Estimand(estimand), scale=scale or (None, None))
    data = with_mapping(run, mapping)
    with asked.steps() as tell:
        judge_given: Any = scores
        if asked.model:
            aspect, judge_given = judged_aspect(
                data, aspect, **asked.arguments(), i_may=asked.i_may, out=asked.out, progress=tell
            )
        found = plan_labels(
            *data, aspect=aspect or "", width=width, labels=labels, scores=judge_given, settings=chosen, seed=asked.seed
        )
    write_records(asked.out / PLAN, found.units)
    typer.echo(plan_text(found.needs, width, is_pilot=found.is_pilot))
    typer.echo(f"\nPlan: {asked.out / PLAN}")
    if study is None:
        return
    from trialogue.subjects.judging.commands.label_study import PLAN as CHANCES
    from trialogue.subjects.judging.commands.label_study import write_label_study

    made = write_label_study(
        study, found, data, aspect=aspect or "", rubric=asked.rubric, labels=labels, scale=chosen.scale, seed=asked.seed
    )
    typer.echo(
        f"Study: {made.folder / 'study.yaml'}, {made.items:,} items on a scale from {made.low} to {made.high}. "
        f"Preview it with: trialogue study serve {made.folder} --preview\n"
        f"Afterwards: trialogue study export {made.folder} --out EXPORT, then --labels EXPORT "
        f"--set chances={made.folder / CHANCES}"
    )


@app.command("probe")
@reads(check=_check_asked, models=MODELS)
def probe(
    run: RunGiven,
    *,
    models: "Call[Models]",
    aspect: Aspect = None,
    labels: Labels = None,
    mapping: Mapped = None,
    dry_run: DryRun = False,
    dialogues: Annotated[int, Ge(6), Setting()] = 30,
    as_json: bool = False,
) -> None:
    """Judge systems, and probe the model for biases: padding, injection, rewording, position, planted defects.

    Args:
        dialogues: Maximum number of dialogues for the probes. Each dialogue needs about ten requests.
    """
    from trialogue.subjects.judging.conclude import JudgeSettings
    from trialogue.workflows.mapped import with_mapping

    asked = models()
    data = with_mapping(run, mapping)
    with asked.steps() as tell:
        if dry_run:
            from trialogue.subjects.judging.commands.ask import prepare_panel
            from trialogue.subjects.judging.commands.judge import aspect_of
            from trialogue.subjects.judging.commands.probes import prepare_probes

            panel = prepare_panel(data, **asked.arguments())
            name, _ = aspect_of(panel.rubric, aspect)
            probes = prepare_probes(panel, name, count=dialogues, seed=asked.seed)
            costs = [*panel.costs(), *((f"{judge}, probes", cost) for judge, cost in probes.costs())]
            print_price(costs, panel.disclosure, as_json=as_json)
            return
        asked.print_judging(
            data, JudgeSettings(), as_json=as_json, tell=tell, aspect=aspect, labels=labels,
            probes=dialogues,
        )  # fmt: skip


@app.command("pairs")
@reads(check=_check_asked, models=MODELS)
def pairs(
    run: RunGiven, *, models: "Call[Models]", mapping: Mapped = None, dry_run: DryRun = False, as_json: bool = False
) -> None:
    """Let a language model compare dialogues of every pair of systems, in both orders."""
    from trialogue.records.files.jsonl import to_line
    from trialogue.subjects.judging.commands.pairs import PREFERENCES, judge_pairs, prepare_pairs
    from trialogue.subjects.judging.pages.texts import pairs_text
    from trialogue.workflows.mapped import with_mapping

    asked = models()
    data = with_mapping(run, mapping)
    with asked.steps() as tell:
        if dry_run:
            prepared = prepare_pairs(data, **asked.arguments())
            print_price(prepared.costs(), prepared.disclosure, as_json=as_json)
            return
        found = judge_pairs(*data, **asked.arguments(), i_may=asked.i_may, out=asked.out, progress=tell)
    if as_json:
        typer.echo("\n".join(to_line(each) for each in found.tallies))
        return
    typer.echo(pairs_text(found.tallies, matched=found.matched))
    typer.echo(f"\nVotes: {asked.out / PREFERENCES}")


@app.command("train")
def train(
    data: list[str],
    *,
    out: Annotated[Path, Help("Output file for the judge.", ("--out", "-o"))] = Path("judge.json"),
    format_name: Format = None,
    mapping: Mapped = None,
    satisfaction: bool = False,
) -> None:
    """Train a judge of dialogues and replies on people's ratings, without a language model.

    Args:
        data: Corpora or files with dialogues and people's answers, such as crsarena-eval.
        satisfaction: Train a model for satisfaction(model=FILE) on satisfaction ratings. Each argument is one corpus.
    """
    from trialogue.subjects.judging.commands.train import train_file, train_satisfaction_file
    from trialogue.workflows.mapped import with_mapping

    train = train_satisfaction_file if satisfaction else train_file
    with steps() as tell:
        trained = train(with_mapping(data, mapping), out, format_name=format_name, progress=tell)
        for warning in trained.warnings:
            tell.say(f"note: {warning}")
    typer.echo(f"{trained.text}\n\nJudge: {out}")

"""``trialogue evaluate``, ``score`` and ``tasks``: measure systems on recorded conversations and trials."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trialogue.cli.shared.app import reads
from trialogue.cli.shared.inputs import Out, Workers, workers_of
from trialogue.cli.shared.parameters import Call, Calls, Given
from trialogue.cli.shared.progress import QUIET, check_folder, refuse_input, refuse_inputs_in, steps
from trialogue.cli.shared.results import print_findings
from trialogue.options import Help, Resamples, Seed, Setting

if TYPE_CHECKING:
    from trialogue.records import Score
    from trialogue.subjects.evaluation.commands.display import Scores
    from trialogue.subjects.evaluation.commands.evaluate import Run
    from trialogue.tasks.scores import TrialScores


class Texts(StrEnum):
    """Texts of dialogues in what is written."""

    ALL = "all"
    REDACTED = "redacted"
    NONE = "none"


def _check_texts(given: Given) -> Iterator[str]:
    if Texts.ALL in (given["texts"] or ()) and len(set(given["texts"])) > 1:
        yield "--texts all cannot be combined with another choice."


@reads(
    check=_check_texts,
    run=Calls(
        "subjects.evaluation.commands.evaluate.evaluate",
        options="metrics catalogue mapping format_name decide",
        settings="all_variants known catalogue_date origin key chances any_language title resamples alpha family seed",
    ),
)
def evaluate(
    inputs: list[str],
    *,
    out: Out = Path("runs/evaluation"),
    run: "Call[Run]",
    texts: list[Texts] | None = None,
    jobs: Workers = "1",
    scores: Annotated[Literal["jsonl", "parquet"], Setting()] = "jsonl",
    explorer: Annotated[bool | None, Setting()] = None,
    as_json: bool = False,
) -> None:
    """Find out which recommender is better, by how much, and how certain that is; write one report.

    Args:
        inputs: Corpora (see: trialogue list datasets), files in a supported format, or SYSTEM=FILE.
        texts: redacted: replace e-mail addresses, telephone, card and account numbers (needs the extra 'redact'); none:
            write no text of a dialogue, so that the report can be shared; all: the default.
        scores: File format of the scores. parquet needs the extra 'parquet'.
        explorer: Write explorer.html, to browse dialogues (default: for up to 100,000 dialogues).
    """
    from trialogue.records.files.score_parquet import require_parquet
    from trialogue.subjects.evaluation.pages.write import text_table

    is_parquet = scores == "parquet"
    if is_parquet:
        require_parquet()
    check_folder(out)
    refuse_inputs_in(out, inputs)
    asked = {"redact": Texts.REDACTED in (texts or ()), "without_texts": Texts.NONE in (texts or ())}
    with steps() as tell:
        made = run(*inputs, **asked, progress=tell, **workers_of(jobs))
        tell(f"writing {out}")
        page = made.write(out, parquet=is_parquet, explorer=explorer)
    print_findings(made.findings, text_table, as_json=as_json, tell=tell, page=page, name="Report")


@reads(measure=Calls("workflows.score.score", options="format_name mapping", settings="any_language"))
def score(
    inputs: list[str],
    *,
    metric: Annotated[list[str], Help("A metric, such as 'distinct(n=2)@ratio' (repeatable).", ("--metric", "-m"))],
    out: Path | None = None,
    measure: "Call[Scores]",
    jobs: Workers = "1",
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Compute metrics for each system, in one pass over files of any size. With --json, one record per line.

    Args:
        inputs: Corpora, files in a supported format, or SYSTEM=FILE.
        out: Also write the scores of individual replies and dialogues to this file.
    """
    from trialogue.findings.calibration_notes import calibration_warnings
    from trialogue.metrics import Settings
    from trialogue.records.files.jsonl import to_line
    from trialogue.records.files.opening import open_replacing

    refuse_input(out, [*inputs, measure.given.get("mapping")])
    settings = Settings(seed=seed, resamples=resamples, permutations=resamples)
    with steps() as tell:
        given: dict[str, Any] = {"metrics": metric, "settings": settings, "progress": tell, **workers_of(jobs)}
        if out is None:
            scores = measure(*inputs, **given)
        else:
            with open_replacing(out) as stream:

                def write(each: "Score") -> None:
                    stream.write(to_line(each).encode() + b"\n")

                scores = measure(*inputs, **given, sink=write)
    for note in () if QUIET.get() else calibration_warnings(scores):
        typer.echo(f"note: {note}", err=True)
    for each in scores:
        typer.echo(to_line(each) if as_json else _row(each))


def _row(each: "Score") -> str:
    who = each.system if each.versus is None else f"{each.system} - {each.versus}"
    if each.value is None:
        return f"{who}\t{each.measure}\tundefined: {each.why}"
    interval = each.interval.render("{:z.4g}".format) if each.interval else "(no interval)"
    p = each.p_adjusted
    known = "" if p is None else f"\tp (Bonferroni) {'< 0.0001' if p < 0.0001 else f'= {p:.4f}'}"
    return f"{who}\t{each.measure}\t{each.value:.4g}\t{interval}\tn={each.n}{known}"


def _check_tasks(given: Given) -> Iterator[str]:
    if given["tasks"] is None and not given["trials"]:
        yield "give recorded trials, or --tasks for the scores of trivial agents."
    if given["tasks"] is None and given.named & {"catalogue", "ends"}:
        yield "--catalogue and --ends apply only to trials that are scored again: add --tasks."
    if not given["trials"] and given.named & {"format_name", "mapping"}:
        yield "--format and --mapping are for recorded trials, and none were given."


@reads(check=_check_tasks, run=Calls("workflows.tasks.score_tasks", options="tasks catalogue format_name mapping"))
def tasks(
    trials: list[str] | None = None, *, run: "Call[TrialScores]", ends: str = "recommend", as_json: bool = False
) -> None:
    """Score recorded trials of tasks by system, or only trivial agents: abstain, one item, any item, ask nothing or all.

    Args:
        trials: Recorded trials: results of tau-bench, tau2-bench or tau-Rec, or dialogues (default: only baselines).
        ends: Event that ends a trial: the first 'recommend' call, or 'accepted' by the user.
    """
    from trialogue.records.files.jsonl import to_line
    from trialogue.render.tasks import tasks_text
    from trialogue.tasks.files import read_task_set
    from trialogue.tasks.outcomes import ends_of
    from trialogue.tasks.trials import score_baselines

    if trials:
        scores = run(*trials, ends=ends_of(ends))
    else:
        given = run.given
        scores = score_baselines(
            read_task_set(str(given["tasks"]), catalogue=given.get("catalogue")), ends=ends_of(ends)
        )
    typer.echo(to_line(scores) if as_json else tasks_text(scores))

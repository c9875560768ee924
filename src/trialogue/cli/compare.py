"""``trialogue compare``: two versions of one system, and how many dialogues it takes to compare them."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.app import App
from trialogue.cli.shared.groups import DefaultGroup
from trialogue.cli.shared.inputs import Decide, Mapped, On, Systems
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.errors import UsageError
from trialogue.options import (
    Alpha,
    AnyLanguage,
    FailureMargin,
    Help,
    Margin,
    Power,
    Resamples,
    Seed,
    Setting,
    Simulations,
)

if TYPE_CHECKING:
    from trialogue.subjects.comparison.records import Comparison

EXITS = {"worse": 1, "mixed": 1, "no verdict": 3}
"""Exit codes of lights under --fail-if-worse: that nothing could be said is not that nothing was found."""


app = App(
    cls=DefaultGroup,
    help="Compare two versions of a recommender: better, worse or inconclusive, and what changed.",
)


class OutputFormat(StrEnum):
    """Output format."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    JUNIT = "junit"
    MARKDOWN = "markdown"


@app.command("versions")
def compare(
    before: Annotated[
        str, typer.Argument(help="The old version: a folder written by 'trialogue evaluate', or conversations.")
    ],
    after: Annotated[
        str | None,
        typer.Argument(
            help="The new version: a run, or a file of conversations. Omit it if --system names two systems."
        ),
    ] = None,
    system: Systems = None,
    on: On = None,
    fail_if_worse: Annotated[
        bool, Help("Exit with code 1 if the new version is worse or mixed, and with code 3 if there is no verdict.")
    ] = False,
    out: Annotated[Path | None, Help("Output folder for a report.", ("--out", "-o"))] = None,
    decide: Decide = None,
    mapping: Mapped = None,
    form: Annotated[
        OutputFormat,
        Help("Output format: text, JSON, GitHub annotations, JUnit XML, or Markdown for a comment.", ("--format",)),
    ] = OutputFormat.TEXT,
    margin: Margin | None = None,
    failure_margin: FailureMargin = 0.01,
    any_language: AnyLanguage = False,
    alpha: Alpha = 0.05,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Compare two versions of a recommender: better, worse or inconclusive, and what changed."""
    from trialogue.render.long_names import with_short_names
    from trialogue.subjects.comparison.commands.compare import compare as run_comparison

    if as_json and form not in (OutputFormat.TEXT, OutputFormat.JSON):
        raise UsageError(f"give either --json or --format {form}.")
    form = OutputFormat.JSON if as_json else form
    if after is None and len(system or ()) == 2:
        after = before
    if after is None:
        raise UsageError(
            "give both versions, or two systems of one run (--system twice). To plan the number of "
            "dialogues: trialogue compare plan."
        )
    if out is not None:
        check_folder(out)
    with steps() as tell:
        compared = run_comparison(
            before, after, systems=system or (), on=on or (), margin=margin, failure_margin=failure_margin, decide=decide,
            any_language=any_language, alpha=alpha, seed=seed, resamples=resamples, mapping=mapping, progress=tell,
        )  # fmt: skip
        for note in with_short_names(
            compared.comparison, [compared.comparison.before, compared.comparison.after]
        ).notes:
            tell.say(f"note: {note}")
        page = compared.write(out) if out is not None else None
    typer.echo(_text_in_form(compared.comparison, form))
    if page is not None:
        typer.echo(f"\nReport: {page}", err=form is not OutputFormat.TEXT)
    code = EXITS.get(compared.comparison.light, 0)
    if fail_if_worse and code:
        raise typer.Exit(code)


@app.command("plan")
def plan(
    before: Annotated[
        str, typer.Argument(help="Pilot data: a folder written by 'trialogue evaluate', or conversations.")
    ],
    difference: Annotated[float, Help("Difference to detect, in the unit of the measure. Use 0 with a margin.")],
    after: Annotated[
        str | None, typer.Argument(help="The new version, if both versions met the same users. Otherwise, omit it.")
    ] = None,
    system: Systems = None,
    on: Annotated[str | None, Help("Measure to plan for. Default: people's ratings, else a task outcome.")] = None,
    mapping: Mapped = None,
    margin: Margin | None = None,
    power: Power = 0.8,
    simulations: Simulations = 200,
    users: Annotated[
        list[Annotated[int, Ge(2)]] | None, Setting("Number of users to simulate, instead of a search (repeatable).")
    ] = None,
    alpha: Alpha = 0.05,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Plan how many users and dialogues are needed to detect a difference, by simulation from a pilot."""
    from trialogue.records.files.jsonl import to_line
    from trialogue.subjects.planning.commands.compare_plan import plan as plan_comparison
    from trialogue.subjects.planning.commands.compare_plan import plan_lines

    with steps() as tell:
        planned = plan_comparison(
            before, after, difference=difference, systems=system or (), on=on, margin=margin, power=power, alpha=alpha,
            users=users or (), simulations=simulations, mapping=mapping, seed=seed, progress=tell,
        )  # fmt: skip
    typer.echo(to_line(planned) if as_json else "\n".join(plan_lines(planned)))


def _text_in_form(comparison: "Comparison", form: OutputFormat) -> str:
    """The comparison in the form that is asked for."""
    from trialogue.records.files.jsonl import to_line
    from trialogue.render.media.papers import document_markdown
    from trialogue.render.media.terminal import document_text
    from trialogue.subjects.comparison.pages.ci import github_annotations, junit_xml
    from trialogue.subjects.comparison.pages.document import comparison_document, pull_request_document

    match form:
        case OutputFormat.JSON:
            return to_line(comparison)
        case OutputFormat.GITHUB:
            return github_annotations(comparison)
        case OutputFormat.JUNIT:
            return junit_xml(comparison)
        case OutputFormat.MARKDOWN:
            return document_markdown(pull_request_document(comparison))
        case OutputFormat.TEXT:
            return document_text(comparison_document(comparison))

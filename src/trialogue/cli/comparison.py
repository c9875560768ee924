"""``trialogue compare``, ``ci`` and ``board``: two versions of one system, and many runs side by side."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trialogue.cli.shared.app import App, reads
from trialogue.cli.shared.groups import DefaultGroup
from trialogue.cli.shared.inputs import Limited, limits_of
from trialogue.cli.shared.parameters import Call, Calls, Given
from trialogue.cli.shared.progress import check_folder, find_modules_beside, steps
from trialogue.cli.shared.results import print_findings
from trialogue.options import Help

if TYPE_CHECKING:
    from trialogue.subjects.board.commands.board import Board
    from trialogue.subjects.comparison.commands.compare import ComparisonResult
    from trialogue.subjects.comparison.records import Comparison
    from trialogue.subjects.planning.comparison_power import ComparisonPlan

EXITS = {"worse": 1, "mixed": 1, "no verdict": 3}
"""Exit codes of lights under --fail-if-worse: that nothing could be said is not that nothing was found."""
app = App(
    cls=DefaultGroup, help="Compare two versions of a recommender: better, worse or inconclusive, and what changed."
)


class OutputFormat(StrEnum):
    """Output format."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    JUNIT = "junit"
    MARKDOWN = "markdown"


def _check_versions(given: Given) -> Iterator[str]:
    if given["as_json"] and given["form"] not in (OutputFormat.TEXT, OutputFormat.JSON):
        yield f"give either --json or --format {given['form']}."
    if given["after"] is None and len(given["systems"] or ()) != 2:
        yield (
            "give both versions, or two systems of one run (--system twice). To plan the number of dialogues: trialogue "
            "compare plan."
        )


@app.command("versions")
@reads(
    check=_check_versions,
    run=Calls(
        "subjects.comparison.commands.compare.compare",
        options="systems on decide mapping",
        settings="margin failure_margin any_language alpha resamples seed",
    ),
)
def compare(
    before: str,
    after: str | None = None,
    *,
    run: "Call[ComparisonResult]",
    fail_if_worse: bool = False,
    out: Annotated[Path | None, Help("Output folder for a report.", ("--out", "-o"))] = None,
    form: Annotated[OutputFormat, Help(flags=("--format",))] = OutputFormat.TEXT,
    as_json: bool = False,
) -> None:
    """Compare two versions of a recommender: better, worse or inconclusive, and what changed.

    Args:
        before: The old version: a folder written by 'trialogue evaluate', or conversations.
        after: The new version: a run, or a file of conversations. Omit it if --system names two systems.
        fail_if_worse: Exit with code 1 if the new version is worse or mixed, and with code 3 if there is no verdict.
        form: Output format: text, JSON, GitHub annotations, JUnit XML, or Markdown for a comment.
    """
    from trialogue.render.long_names import with_short_names

    form = OutputFormat.JSON if as_json else form
    if out is not None:
        check_folder(out)
    with steps() as tell:
        compared = run(before, before if after is None else after, progress=tell)
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
@reads(
    run=Calls(
        "subjects.planning.commands.compare_plan.plan",
        options="difference systems on mapping",
        settings="margin power simulations users alpha seed",
    )
)
def plan(before: str, after: str | None = None, *, run: "Call[ComparisonPlan]", as_json: bool = False) -> None:
    """Plan how many users and dialogues are needed to detect a difference, by simulation from a pilot.

    Args:
        before: Pilot data: a folder written by 'trialogue evaluate', or conversations.
        after: The new version, if both versions met the same users. Otherwise, omit it.
    """
    from trialogue.records.files.jsonl import to_line
    from trialogue.subjects.planning.commands.compare_plan import plan_lines

    with steps() as tell:
        planned = run(before, after, progress=tell)
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


@reads(file_fields=Calls("simulation.batch.simulation_file.SimulationFile", options="n needs jobs", is_change=True))
def ci(
    file: Path, *, file_fields: "Call[Any]", out: Path | None = None, retry_failed: bool = False, limit: Limited = None
) -> None:
    """Simulate and compare two versions. Exit with 1 if the new version is worse, and with 3 if there is no verdict.

    Options override the file. Writes junit.xml, comparison.md and failing.md (dialogues that failed or lost most).

    Args:
        file: YAML file with old, new, and the fields of a simulation, such as users and n.
        out: Output folder. An interrupted run in this folder is resumed.
        retry_failed: Retry failed dialogues when an interrupted run is resumed.
    """
    from trialogue.render.media.terminal import document_text
    from trialogue.simulating.simulate import PrintedProgress
    from trialogue.subjects.comparison.commands.ci import run_ci
    from trialogue.subjects.comparison.pages.document import comparison_document

    changes = {**file_fields.given, **limits_of(limit)}
    changes |= {"retry_failed": True} if retry_failed else {}
    changes |= {} if out is None else {"out": str(out.absolute())}
    find_modules_beside(file)
    with steps() as tell:
        done = run_ci(file, changes=changes, progress=PrintedProgress(tell), tell=tell)
        for failed in done.failed:
            tell.say(f"error: {failed}")
    typer.echo(document_text(comparison_document(done.comparison)))
    typer.echo(f"\nReport: {done.report}\nFor CI: {done.folder / 'junit.xml'}, comparison.md, failing.md")
    if code := 1 if done.has_failed_too_often else EXITS.get(done.comparison.light, 0):
        raise typer.Exit(code)


@reads(
    run=Calls(
        "subjects.board.commands.board.board",
        options="rows baseline on decide systems",
        settings="title alpha resamples seed",
    )
)
def board(
    runs: list[str],
    *,
    run: "Call[Board]",
    out: Annotated[Path | None, Help("Folder for the page and the exports.", ("--out", "-o"))] = None,
    as_json: bool = False,
) -> None:
    """Compare many runs on a board, with a leaderboard of comparable rows and the history of versions.

    Args:
        runs: Run folders, oldest first, or VERSION=FOLDER (folders of the same version are pooled).
    """
    from trialogue.subjects.board.pages.document import board_document

    if out is not None:
        check_folder(out)
    with steps() as tell:
        made = run(*runs, progress=tell)
        page = made.write(out) if out is not None else None
    print_findings(made.findings, board_document, as_json=as_json, page=page, name="Board")

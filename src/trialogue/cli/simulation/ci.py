"""``trialogue ci``: simulate two versions, compare them, and fail the build if the new one is worse."""

from pathlib import Path
from typing import Annotated, Any

import typer
from annotated_types import Ge

from trialogue.cli.shared.inputs import Limited, limits_of
from trialogue.cli.shared.progress import find_modules_beside, steps
from trialogue.options import Help, Jobs


def ci(
    file: Annotated[
        Path, typer.Argument(help="YAML file with old, new, and the fields of a simulation, such as users and n.")
    ],
    n: Annotated[
        int | None, Ge(1), Help("Number of dialogues of each version with each kind of user.", ("-n",))
    ] = None,
    needs: Annotated[str | None, Help("Test set: file with the users' needs.")] = None,
    out: Annotated[
        Path | None, Help("Output folder. An interrupted run in this folder is resumed.", ("--out", "-o"))
    ] = None,
    jobs: Jobs | None = None,
    retry_failed: Annotated[bool, Help("Retry failed dialogues when an interrupted run is resumed.")] = False,
    limit: Limited = None,
) -> None:
    """Simulate and compare two versions. Exit with 1 if the new version is worse, and with 3 if there is no verdict.

    Options override the file. Writes junit.xml, comparison.md and failing.md (dialogues that failed or lost most).
    """
    from trialogue.cli.compare import EXITS
    from trialogue.render.media.terminal import document_text
    from trialogue.simulating.simulate import PrintedProgress
    from trialogue.subjects.comparison.commands.ci import run_ci
    from trialogue.subjects.comparison.pages.document import comparison_document

    given: dict[str, Any] = {"n": n, "needs": needs, "jobs": jobs, **limits_of(limit)}
    given |= {"retry_failed": retry_failed or None, "out": None if out is None else str(out.absolute())}
    changes = {name: value for name, value in given.items() if value is not None}
    find_modules_beside(file)
    with steps() as tell:
        done = run_ci(file, changes=changes, progress=PrintedProgress(tell), tell=tell)
        for failed in done.failed:
            tell.say(f"error: {failed}")
    typer.echo(document_text(comparison_document(done.comparison)))
    typer.echo(f"\nReport: {done.report}\nFor CI: {done.folder / 'junit.xml'}, comparison.md, failing.md")
    if code := 1 if done.has_failed_too_often else EXITS.get(done.comparison.light, 0):
        raise typer.Exit(code)

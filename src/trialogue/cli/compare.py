"""``trialogue compare``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.talk import check_folder, steps

if TYPE_CHECKING:
    from trialogue.metaeval.comparison import Comparison

LIGHTS = {"better": "green", "worse": "red", "mixed": "red", "not worse": "green"}


def compare(
    before: Annotated[str, typer.Argument(help="The old version: a folder of trialogue evaluate, or conversations.")],
    after: Annotated[str, typer.Argument(help="The new version, in the same way.")],
    system: Annotated[
        list[str] | None,
        typer.Option("--system", "-s", help="The system, where a run holds several; twice if its name changed."),
    ] = None,
    on: Annotated[
        list[str] | None,
        typer.Option("--on", help="A measure that decides; may be repeated. Default: what people said."),
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="A loss up to which it is not worse, in the unit of --on.")
    ] = None,
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Exit with 1 if it is worse on a measure that decides.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Folder for a report.")] = None,
    alpha: Annotated[float, typer.Option(min=0.0001, max=0.5, help="Level at which differences are called.")] = 0.05,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap resamples.")] = 10_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print the comparison as JSON.")] = False,
) -> None:
    """Two versions of a recommender: better, worse, or cannot tell; what changed."""
    from trialogue.evaluation.compare import compare as run_comparison
    from trialogue.records.jsonl import to_line

    if out is not None:
        check_folder(out)
    with steps() as tell:
        compared = run_comparison(
            before, after, systems=system or (), on=on or (), margin=margin, alpha=alpha, seed=seed,
            resamples=resamples, progress=tell,
        )  # fmt: skip
        for note in compared.comparison.notes:
            tell.say(f"note: {note}")
        page = compared.write(out) if out is not None else None
    typer.echo(to_line(compared.comparison) if as_json else _told(compared.comparison))
    if page is not None:
        typer.echo(f"\nReport: {page}", err=as_json)
    if fail_if_worse and compared.comparison.light in ("worse", "mixed"):
        raise typer.Exit(1)


def _told(comparison: "Comparison") -> str:
    """The light, the answer, and a line for each measure."""
    from trialogue.metaeval.wording import written
    from trialogue.report.numbers import p_value

    lines = [f"{LIGHTS.get(comparison.light, 'yellow').upper()}: {comparison.light}", *comparison.answer, ""]
    for decides, heading in ((True, "Measures that decide"), (False, "Others")):
        judged = [each for each in comparison.judgements if each.decides == decides]
        if judged:
            lines.append(f"{heading} ({comparison.after} minus {comparison.before}):")
        for each in judged:
            p = "" if each.p_adjusted is None else f", p {p_value(each.p_adjusted)}"
            lines.append(f"  {each.light:<11} {each.measure}: {written(each.difference)}{p}")
    if comparison.moved:
        lines += ["", "What lost most:"]
        lines += [
            f"  {each.unit}: {each.before:g} to {each.after:g} on {each.measure}" for each in comparison.moved[:5]
        ]
    return "\n".join(lines)

"""``trialogue score``: compute metrics of large files in one pass."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trialogue.cli.shared.progress import refuse_input, steps
from trialogue.options import AnyLanguage, Cluster, Jobs, Resamples, Seed

if TYPE_CHECKING:
    from trialogue.records import Score


def score(
    inputs: Annotated[list[str], typer.Argument(help="Corpora, files in a supported format, or SYSTEM=FILE.")],
    metric: Annotated[
        list[str], typer.Option("--metric", "-m", help="A metric, such as 'distinct(n=2)@ratio' (repeatable).")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON record per line.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Also write the scores of individual replies and dialogues to this file."),
    ] = None,
    format_name: Annotated[str | None, typer.Option("--format", help="Input format (default: auto-detect).")] = None,
    mapping: Annotated[Path | None, typer.Option(help="YAML file that maps the columns of a table.")] = None,
    any_language: AnyLanguage = False,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    jobs: Jobs = 1,
    cluster: Cluster | None = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")] = False,
) -> None:
    """Compute metrics for each system, in one pass over files of any size."""
    from trialogue.metrics import Settings
    from trialogue.records.files.jsonl import to_line
    from trialogue.workflows.calibration_notes import calibration_warnings
    from trialogue.workflows.score import score as score_files

    refuse_input(out, [*inputs, mapping])
    settings = Settings(seed=seed, resamples=resamples, permutations=resamples)
    options: dict[str, Any] = {
        "format_name": format_name,
        "mapping": mapping,
        "settings": settings,
        "any_language": any_language,
        "jobs": jobs,
        "cluster": cluster,
    }
    with steps(quiet=quiet) as tell:
        options["progress"] = tell
        if out is None:
            scores = score_files(*inputs, metrics=metric, **options)
        else:
            from trialogue.records.files.opening import open_replacing

            with open_replacing(out) as stream:

                def write(each: "Score") -> None:
                    stream.write(to_line(each).encode() + b"\n")

                scores = score_files(*inputs, metrics=metric, **options, sink=write)
    for note in () if quiet else calibration_warnings(scores):
        typer.echo(f"note: {note}", err=True)
    for each in scores:
        typer.echo(to_line(each) if as_json else _row(each))


def _row(each: "Score") -> str:
    who = each.system if each.versus is None else f"{each.system} - {each.versus}"
    if each.value is None:
        return f"{who}\t{each.measure}\tundefined: {each.why}"
    interval = each.interval.render("{:z.4g}".format) if each.interval else "(no interval)"
    adjusted = each.p_adjusted
    p = (
        ""
        if adjusted is None
        else "\tp (Bonferroni) < 0.0001"
        if adjusted < 0.0001
        else f"\tp (Bonferroni) = {adjusted:.4f}"
    )
    return f"{who}\t{each.measure}\t{each.value:.4g}\t{interval}\tn={each.n}{p}"

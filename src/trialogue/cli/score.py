"""``trialogue score``: compute metrics of large files in one pass."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trialogue.cli.shared.inputs import Format, Mapped, Workers, workers_of
from trialogue.cli.shared.progress import QUIET, refuse_input, steps
from trialogue.options import AnyLanguage, Help, Resamples, Seed

if TYPE_CHECKING:
    from trialogue.records import Score


def score(
    inputs: Annotated[list[str], typer.Argument(help="Corpora, files in a supported format, or SYSTEM=FILE.")],
    metric: Annotated[list[str], Help("A metric, such as 'distinct(n=2)@ratio' (repeatable).", ("--metric", "-m"))],
    out: Annotated[
        Path | None, Help("Also write the scores of individual replies and dialogues to this file.", ("--out", "-o"))
    ] = None,
    format_name: Format = None,
    mapping: Mapped = None,
    jobs: Workers = "1",
    any_language: AnyLanguage = False,
    resamples: Resamples = 10_000,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Compute metrics for each system, in one pass over files of any size. With --json, one record per line."""
    from trialogue.analysis.calibration_notes import calibration_warnings
    from trialogue.metrics import Settings
    from trialogue.records.files.jsonl import to_line
    from trialogue.records.files.opening import open_replacing
    from trialogue.workflows.score import score as score_files

    refuse_input(out, [*inputs, mapping])
    options: dict[str, Any] = {
        "format_name": format_name,
        "mapping": mapping,
        "settings": Settings(seed=seed, resamples=resamples, permutations=resamples),
        "any_language": any_language,
        **workers_of(jobs),
    }
    with steps() as tell:
        options["progress"] = tell
        if out is None:
            scores = score_files(*inputs, metrics=metric, **options)
        else:
            with open_replacing(out) as stream:

                def write(each: "Score") -> None:
                    stream.write(to_line(each).encode() + b"\n")

                scores = score_files(*inputs, metrics=metric, **options, sink=write)
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

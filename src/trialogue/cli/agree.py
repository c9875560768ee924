"""``trialogue agree``: agreement of metrics with human judgements."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trialogue.cli.shared.inputs import Mapped
from trialogue.cli.shared.progress import StepProgress, check_folder, steps
from trialogue.options import Resamples, Seed

if TYPE_CHECKING:
    from trialogue.findings.agreement.records import AgreementFindings
    from trialogue.workflows.inputs.locations import Input


def agree(
    run_folder: Annotated[Path | None, typer.Argument(help="Folder written by 'trialogue evaluate'.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Output folder for the report page, tables and figures (default: the run's folder)."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    benchmark: Annotated[
        str | None, typer.Option(help="Evaluate a metric on a benchmark instead of a run: crsarena-eval.")
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(
            help=(
                "With --benchmark: predictions in the benchmark's format, or a file written by 'trialogue score --out'."
            )
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="With --benchmark: file with the benchmark's labels (default: the labels of the corpus)."),
    ] = None,
    real: Annotated[
        list[str] | None,
        typer.Option(help="Dialogues with real users, for comparison with simulated users (repeatable)."),
    ] = None,
    simulated: Annotated[list[str] | None, typer.Option(help="Dialogues with simulated users (repeatable).")] = None,
    mapping: Mapped = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Report the systems of one dataset separately, as NAME=PATTERN, such as redial='*_redial' (repeatable)."
            )
        ),
    ] = None,
    tie_margin: Annotated[
        str,
        typer.Option(
            help=("Largest difference that counts as a tie: a number, or 'matched' to give as many ties as people did.")
        ),
    ] = "matched",
    seed: Seed = 0,
    resamples: Resamples = 2_000,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")] = False,
) -> None:
    """Measure how well metrics agree with people's ratings, choices and rankings of systems."""
    _check(run_folder, benchmark, run, labels, real, simulated, group, tie_margin)
    from trialogue.workflows.mapped import with_mapping

    folder = out or run_folder or Path("runs/agreement")
    check_folder(folder)
    with steps(quiet=quiet) as tell:
        if real or simulated:
            _realism(
                with_mapping(real or [], mapping),
                with_mapping(simulated or [], mapping),
                folder,
                seed,
                resamples,
                as_json,
                tell,
            )
        elif benchmark is not None and run is not None:
            _benchmark(benchmark, run, labels, folder, seed, resamples, as_json, tell)
        elif run_folder is not None:
            from trialogue.workflows.agreement.agree import agree as run_agreement
            from trialogue.workflows.pipeline import report

            findings = run_agreement(
                run_folder,
                groups=group or (),
                tie_margin=_margin(tie_margin),
                seed=seed,
                resamples=resamples,
                progress=tell,
            )
            _show(findings, report(findings, folder), as_json, tell)


def _check(
    run_folder: Path | None,
    benchmark: str | None,
    run: Path | None,
    labels: Path | None,
    real: list[str] | None,
    simulated: list[str] | None,
    group: list[str] | None,
    tie_margin: str,
) -> None:
    """Raise UsageError listing every combination of options that makes no sense."""
    from trialogue.errors import UsageError

    wrong = []
    jobs = [run_folder is not None, benchmark is not None or run is not None, bool(real or simulated)]
    if not any(jobs):
        wrong.append("give the folder of a run, or --benchmark with --run, or --real with --simulated.")
    if sum(jobs) > 1:
        wrong.append("a run folder, --benchmark and --real are mutually exclusive.")
    if (benchmark is None) != (run is None):
        wrong.append("--benchmark and --run must be given together: the benchmark, and the predictions of the metric.")
    if labels is not None and benchmark is None:
        wrong.append("--labels requires --benchmark.")
    if bool(real) != bool(simulated):
        wrong.append(
            "--real and --simulated must be given together: dialogues with people, and dialogues with simulated users."
        )
    if group and run_folder is None:
        wrong.append("--group requires a run folder.")
    try:
        _margin(tie_margin)
    except UsageError as error:
        wrong.append(str(error))
    if wrong:
        raise UsageError("\n".join(wrong))


def _margin(text: str) -> float | Literal["matched"]:
    from trialogue.errors import UsageError

    if text == "matched":
        return "matched"
    try:
        margin = float(text)
    except ValueError:
        margin = -1.0
    if not 0 <= margin < float("inf"):
        raise UsageError(f"--tie-margin must be 'matched' or a number of at least 0, got {text!r}.")
    return margin


def _show(findings: "AgreementFindings", page: Path, as_json: bool, tell: StepProgress) -> None:
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.agreement.document import agreement_document
    from trialogue.report.render.terminal import document_text

    tell(f"writing {page.parent}")
    for warning in findings.warnings:
        tell.say(f"note: {warning}")
    if as_json:
        typer.echo(to_line(findings))
        return
    typer.echo(document_text(agreement_document(findings)))
    typer.echo(f"\nPage: {page}")


def _benchmark(
    name: str,
    run: Path,
    labels: Path | None,
    folder: Path,
    seed: int,
    resamples: int,
    as_json: bool,
    tell: StepProgress,
) -> None:
    from trialogue.workflows.agreement.benchmark import agree_benchmark

    found = agree_benchmark(
        name,
        run,
        labels=labels,
        seed=seed,
        resamples=resamples,
        progress=tell,
        note=lambda each: tell.say(f"note: {each}"),
    )
    _show(found.findings, found.write(folder), as_json, tell)
    if not as_json:
        typer.echo(
            f"Official table: {folder / 'official.json'}; run file for the official evaluator: {folder / 'run.json'}\n"
        )
        typer.echo(
            "Penalised: missing predictions count as the worst guess. Official: missing predictions are left out.\n"
        )
        typer.echo("                                    penalised          official")
        typer.echo("aspect            dataset       Pearson  Spearman  Pearson Spearman     n  rated")
        for cell in found.official:
            values = (cell.pearson_penalised, cell.spearman_penalised, cell.pearson, cell.spearman)
            texts = ["–" if value is None else f"{value:.3f}" for value in values]
            numbers = f"{texts[0]:>7}   {texts[1]:>7}  {texts[2]:>7}  {texts[3]:>7}"
            typer.echo(f"{cell.aspect:<18}{cell.dataset:<14}{numbers} {cell.n:>5}  {cell.rated:>5}")


def _realism(
    real: "list[str | Input]",
    simulated: "list[str | Input]",
    folder: Path,
    seed: int,
    resamples: int,
    as_json: bool,
    tell: StepProgress,
) -> None:
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.passport.realism import realism_document
    from trialogue.report.render.terminal import document_text
    from trialogue.workflows.pipeline import report
    from trialogue.workflows.simulation.realism import realism

    findings = realism(real, simulated, seed=seed, resamples=resamples, progress=tell)
    page = report(findings, folder)
    for warning in findings.warnings:
        tell.say(f"note: {warning}")
    typer.echo(to_line(findings) if as_json else document_text(realism_document(findings)))
    if not as_json:
        typer.echo(f"\nPage: {page}")

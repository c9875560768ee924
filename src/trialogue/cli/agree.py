"""``trialogue agree``: agreement of metrics with human judgements."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from annotated_types import Ge

from trialogue.cli.shared.inputs import Mapped
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.cli.shared.results import print_findings
from trialogue.options import Help, Resamples, Seed, Setting

if TYPE_CHECKING:
    from trialogue.subjects.agreement.commands.benchmark import BenchmarkResult
    from trialogue.subjects.agreement.records import AgreementFindings

TieMargin = Annotated[
    Annotated[float, Ge(0)] | Literal["matched"],
    Setting("Largest difference that counts as a tie: a number, or 'matched' to give as many ties as people did."),
]


def agree(
    run: Annotated[
        Path | None,
        typer.Argument(
            help="Folder written by 'trialogue evaluate'; with --benchmark, predictions in the benchmark's format or a file "
            "written by 'trialogue score --out'."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        Help("Output folder for the report page, tables and figures (default: the run's folder).", ("--out", "-o")),
    ] = None,
    benchmark: Annotated[str | None, Help("Evaluate a metric on a benchmark instead of a run: crsarena-eval.")] = None,
    labels: Annotated[
        Path | None, Help("With --benchmark: file with the benchmark's labels (default: the labels of the corpus).")
    ] = None,
    real: Annotated[
        list[str] | None, Help("Dialogues with real users, for comparison with simulated users (repeatable).")
    ] = None,
    simulated: Annotated[list[str] | None, Help("Dialogues with simulated users (repeatable).")] = None,
    mapping: Mapped = None,
    group: Annotated[
        list[str] | None,
        Setting("Report the systems of one dataset separately, as NAME=PATTERN: group=redial=*_redial (repeatable)."),
    ] = None,
    tie_margin: TieMargin = "matched",
    resamples: Resamples = 2_000,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Measure how well metrics agree with people's ratings, choices and rankings of systems."""
    _check(run, benchmark, labels, real, simulated, group)
    from trialogue.subjects.agreement.commands.agree import agree as run_agreement
    from trialogue.subjects.agreement.commands.benchmark import agree_benchmark
    from trialogue.subjects.agreement.pages.document import agreement_document
    from trialogue.subjects.simulated_users.commands.realism import realism
    from trialogue.subjects.simulated_users.pages.realism import realism_document
    from trialogue.workflows.mapped import with_mapping
    from trialogue.workflows.write_findings import write_findings

    folder = out or (run if run is not None and benchmark is None else Path("runs/agreement"))
    check_folder(folder)
    with steps() as tell:
        if real and simulated:
            sides = (with_mapping(real, mapping), with_mapping(simulated, mapping))
            compared = realism(*sides, seed=seed, resamples=resamples, progress=tell)
            page = write_findings(compared, folder)
            print_findings(compared, realism_document, as_json=as_json, tell=tell, page=page)
            return
        assert run is not None
        official = None
        if benchmark is None:
            found: AgreementFindings = run_agreement(
                run, groups=group or (), tie_margin=tie_margin, seed=seed, resamples=resamples, progress=tell
            )
            page = write_findings(found, folder)
        else:
            official = agree_benchmark(
                benchmark, run, labels=labels, seed=seed, resamples=resamples, progress=tell,
                note=lambda each: tell.say(f"note: {each}"),
            )  # fmt: skip
            found, page = official.findings, official.write(folder)
        tell(f"writing {page.parent}")
        print_findings(found, agreement_document, as_json=as_json, tell=tell, page=page)
    if official is not None and not as_json:
        _print_official(official, folder)


def _check(
    run: Path | None,
    benchmark: str | None,
    labels: Path | None,
    real: list[str] | None,
    simulated: list[str] | None,
    group: list[str] | None,
) -> None:
    """Raise UsageError listing every combination of options that makes no sense."""
    from trialogue.errors import UsageError

    is_realism = bool(real or simulated)
    wrong = {
        "give the folder of a run, a file of predictions with --benchmark, or --real with --simulated.": run is None
        and not is_realism,
        "a run or predictions and --real are mutually exclusive.": is_realism
        and (run is not None or benchmark is not None),
        "--labels requires --benchmark.": labels is not None and benchmark is None,
        "--real and --simulated must be given together: dialogues with people, and dialogues with simulated users.": bool(
            real
        )
        != bool(simulated),
        "--set group requires the folder of a run.": bool(group) and (run is None or benchmark is not None),
    }
    if any(wrong.values()):
        raise UsageError("\n".join(text for text, is_wrong in wrong.items() if is_wrong))


def _print_official(found: "BenchmarkResult", folder: Path) -> None:
    """The table of the benchmark's own evaluator."""
    typer.echo(
        f"Official table: {folder / 'official.json'}; run file for the official evaluator: {folder / 'run.json'}\n\n"
        "Penalised: missing predictions count as the worst guess. Official: missing predictions are left out.\n\n"
        "                                    penalised          official\n"
        "aspect            dataset       Pearson  Spearman  Pearson Spearman     n  rated"
    )
    for cell in found.official:
        values = (cell.pearson_penalised, cell.spearman_penalised, cell.pearson, cell.spearman)
        texts = ["–" if value is None else f"{value:.3f}" for value in values]
        numbers = f"{texts[0]:>7}   {texts[1]:>7}  {texts[2]:>7}  {texts[3]:>7}"
        typer.echo(f"{cell.aspect:<18}{cell.dataset:<14}{numbers} {cell.n:>5}  {cell.rated:>5}")

"""``trialogue agree`` and ``align``: how well metrics agree with people, and whether systems do as people do."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.app import reads
from trialogue.cli.shared.inputs import Explorer, LabelsBy, Mapped, Out, check_inputs
from trialogue.cli.shared.parameters import Call, Calls, Given
from trialogue.cli.shared.progress import check_folder, refuse_input, refuse_inputs_in, steps
from trialogue.cli.shared.results import print_findings
from trialogue.options import Help, Seed, Setting

if TYPE_CHECKING:
    from trialogue.subjects.agreement.commands.agree import Agreement
    from trialogue.subjects.agreement.commands.benchmark import BenchmarkResult
    from trialogue.subjects.agreement.records import AgreementFindings
    from trialogue.subjects.alignment.commands.result import AlignmentRun

NOTHING = "nothing; all texts already have human labels"


def _check(given: Given) -> Iterator[str]:
    run, benchmark = given["run"] is not None, given["benchmark"] is not None
    real, simulated = bool(given["real"]), bool(given["simulated"])
    if not (run or real or simulated):
        yield "give the folder of a run, a file of predictions with --benchmark, or --real with --simulated."
    if (real or simulated) and (run or benchmark):
        yield "a run or predictions and --real are mutually exclusive."
    if given["labels"] is not None and not benchmark:
        yield "--labels requires --benchmark."
    if real != simulated:
        yield "--real and --simulated must be given together: dialogues with people, and dialogues with simulated users."
    if given["groups"] and (benchmark or not run):
        yield "--set group requires the folder of a run."


@reads(
    check=_check,
    measure=Calls("subjects.agreement.commands.agree.agree", settings="group=groups tie_margin resamples seed"),
)
def agree(
    run: Path | None = None,
    *,
    measure: "Call[Agreement]",
    out: Path | None = None,
    benchmark: str | None = None,
    labels: Path | None = None,
    real: list[str] | None = None,
    simulated: list[str] | None = None,
    mapping: Mapped = None,
    as_json: bool = False,
) -> None:
    """Measure how well metrics agree with people's ratings, choices and rankings of systems.

    Args:
        run: Folder written by 'trialogue evaluate'; with --benchmark, predictions in the benchmark's format or a file
            written by 'trialogue score --out'.
        out: Output folder for the report page, tables and figures (default: the run's folder).
        benchmark: Evaluate a metric on a benchmark instead of a run: crsarena-eval.
        labels: With --benchmark: file with the benchmark's labels (default: the labels of the corpus).
        real: Dialogues with real users, for comparison with simulated users.
        simulated: Dialogues with simulated users.
    """
    from trialogue.subjects.agreement.commands.benchmark import agree_benchmark
    from trialogue.subjects.agreement.pages.document import agreement_document
    from trialogue.subjects.simulated_users.commands.realism import realism
    from trialogue.subjects.simulated_users.pages.realism import realism_document
    from trialogue.workflows.mapped import with_mapping
    from trialogue.workflows.write_findings import write_findings

    folder = out or (run if run is not None and benchmark is None else Path("runs/agreement"))
    check_folder(folder)
    sampling = {name: value for name, value in measure.given.items() if name in ("resamples", "seed")}
    with steps() as tell:
        if real and simulated:
            sides = (with_mapping(real, mapping), with_mapping(simulated, mapping))
            compared = realism(*sides, **sampling, progress=tell)
            page = write_findings(compared, folder)
            print_findings(compared, realism_document, as_json=as_json, tell=tell, page=page)
            return
        assert run is not None
        official = None
        if benchmark is None:
            found: AgreementFindings = measure(run, progress=tell)
            page = write_findings(found, folder)
        else:
            official = agree_benchmark(
                benchmark, run, labels=labels, **sampling, progress=tell, note=lambda each: tell.say(f"note: {each}")
            )
            found, page = official.findings, official.write(folder)
        tell(f"writing {page.parent}")
        print_findings(found, agreement_document, as_json=as_json, tell=tell, page=page)
    if official is not None and not as_json:
        _print_official(official, folder)


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


@reads(
    run=Calls(
        "subjects.alignment.commands.align.align",
        options="model metrics labels=answers",
        settings="pair_model baselines weights_from weights_t names any_language resamples seed",
    )
)
def align(
    responses: list[str] | None = None,
    *,
    situations: Annotated[list[str], Help(flags=("--situations", "-s"))],
    out: Out = Path("runs/alignment"),
    run: "Call[AlignmentRun]",
    mapping: Mapped = None,
    label_file: Path | None = None,
    label_study: Path | None = None,
    labels_by: LabelsBy = None,
    label_count: Annotated[int | None, Ge(1), Setting()] = None,
    explorer: Explorer = True,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Measure whether systems use the strategies that human recommenders used in the same situations.

    Args:
        responses: Files of the systems' replies (default: the replies stored with the situations).
        situations: Situations with reference replies: files or corpora.
        label_file: Write a file of texts for people to label. The labels check and correct the estimate.
        label_study: Create a study folder in which people label the texts in the browser.
        label_count: Number of situations to label (default: enough to halve the interval).
    """
    from trialogue.inputs.label_origins import declared_labeller
    from trialogue.subjects.alignment.labelling.plan import write_items
    from trialogue.subjects.alignment.labelling.study import label_study as make_study
    from trialogue.subjects.evaluation.pages.write import text_table
    from trialogue.workflows.mapped import with_mapping

    labeller = declared_labeller(labels_by)
    labels, names = run.given.get("answers"), run.given.get("names")
    weights_from = run.given.get("weights_from", ())
    corpora = [*situations, *(responses or ()), *weights_from]
    check_folder(out)
    refuse_inputs_in(out, [*corpora, labels])
    refuse_input(label_file, [*corpora, labels, names])
    _check_label_outputs(label_file, label_study)
    check_inputs(corpora, model=run.given.get("model"), pair_model=run.given.get("pair_model"), files=(names, labels))
    with steps() as tell:
        made = run(
            with_mapping(situations, mapping), with_mapping(responses or [], mapping),
            weights_from=with_mapping(weights_from, mapping), labels_by=labeller, progress=tell,
        )  # fmt: skip
        page = made.write(out, explorer=explorer)
        items = made.items(label_count, seed=seed) if label_file or label_study else []
        if label_file is not None and items:
            write_items(label_file, items)
        if label_study is not None and items:
            make_study(label_study, items)
    print_findings(made.findings, text_table, as_json=as_json, tell=tell)
    if label_file is not None:
        what = f"{label_file} ({len(items)} texts)" if items else NOTHING
        typer.echo(f"\nTo label: {what}", err=as_json)
    if label_study is not None:
        preview = f"preview it with: trialogue study serve {label_study} --preview"
        what = f"{label_study} ({len(items)} texts); {preview}" if items else NOTHING
        typer.echo(f"\nStudy: {what}", err=as_json)
    typer.echo(f"\nReport: {page}", err=as_json)


def _check_label_outputs(label_file: Path | None, label_study: Path | None) -> None:
    """Raise UsageError before the work starts if a file or study folder cannot be written."""
    from trialogue.errors import UsageError
    from trialogue.subjects.alignment.labelling.answers import TABLES

    if label_file is not None:
        if label_file.is_dir():
            raise UsageError(f"{label_file} is a folder; --label-file needs a file name.")
        if label_file.suffix.lower() in TABLES:
            raise UsageError(
                f"{label_file} is written as JSON Lines: choose a name that ends in .jsonl. Answers may be a table."
            )
        check_folder(label_file.absolute().parent)
    if label_study is not None:
        check_folder(label_study)
        if label_study.is_dir() and any(label_study.iterdir()):
            raise UsageError(f"{label_study} is not empty. Give --label-study a new or empty folder.")

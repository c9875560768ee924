"""``trialogue align``: Behavior Alignment of several systems."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import LabelsBy, Mapped, check_inputs
from trialogue.cli.shared.progress import check_folder, refuse_input, refuse_inputs_in, steps
from trialogue.options import AnyLanguage, Resamples, Seed

NOTHING = "nothing; all texts already have human labels"


def align(
    situations: Annotated[
        list[str],
        typer.Option("--situations", "-s", help="Situations with reference replies: files or corpora (repeatable)."),
    ],
    responses: Annotated[
        list[str] | None,
        typer.Argument(help="Files of the systems' replies (default: the replies stored with the situations)."),
    ] = None,
    more: Annotated[
        list[str] | None,
        typer.Option("--responses", "-r", help="Same as RESPONSES: files of the systems' replies (repeatable)."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the report and scores.")] = Path(
        "runs/alignment"
    ),
    model: Annotated[str | None, typer.Option(help="Folder of a strategy model (default: the bundled model).")] = None,
    pair_model: Annotated[
        str | None,
        typer.Option(
            help=("Folder of a pair classifier (cross-encoder), to also report implicit alignment as in the paper.")
        ),
    ] = None,
    baselines: Annotated[bool, typer.Option(help="Include baselines that ignore the user's input.")] = True,
    metric: Annotated[
        list[str] | None, typer.Option("--metric", "-m", help="Another metric to compute (repeatable).")
    ] = None,
    weights_from: Annotated[
        list[str] | None,
        typer.Option(
            help=(
                "Human dialogues with strategy labels, to also weight each position by how predictable "
                "people are (repeatable)."
            )
        ),
    ] = None,
    weights_t: Annotated[
        int, typer.Option(min=0, help="Number of preceding behaviors used to compute the weights.")
    ] = 1,
    names: Annotated[
        Path | None, typer.Option(help="YAML or JSON file that maps other strategy names to Trialogue's.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Human labels: answers to --label-file (JSON Lines or CSV), or the export of --label-study."),
    ] = None,
    labels_by: LabelsBy = None,
    mapping: Mapped = None,
    label_file: Annotated[
        Path | None,
        typer.Option(help="Write a file of texts for people to label. The labels check and correct the estimate."),
    ] = None,
    label_study: Annotated[
        Path | None, typer.Option(help="Create a study folder in which people label the texts in the browser.")
    ] = None,
    label_count: Annotated[
        int | None, typer.Option(min=1, help="Number of situations to label (default: enough to halve the interval).")
    ] = None,
    any_language: AnyLanguage = False,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    explorer: Annotated[
        bool,
        typer.Option("--explorer/--no-explorer", help="Write explorer.html, a page to browse individual dialogues."),
    ] = True,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")] = False,
) -> None:
    """Measure whether systems use the strategies that human recommenders used in the same situations."""
    from trialogue.report import text_table
    from trialogue.workflows.alignment.align import align as run_alignment
    from trialogue.workflows.inputs.label_origins import declared_labeller
    from trialogue.workflows.labelling.plan import write_items
    from trialogue.workflows.labelling.study import label_study as make_study
    from trialogue.workflows.mapped import with_mapping

    labeller = declared_labeller(labels_by)
    replies = [*(more or ()), *(responses or ())]
    check_folder(out)
    refuse_inputs_in(out, [*situations, *replies, *(weights_from or ()), labels])
    refuse_input(label_file, [*situations, *replies, *(weights_from or ()), labels, names])
    _check_label_outputs(label_file, label_study)
    corpora = [*situations, *replies, *(weights_from or ())]
    check_inputs(corpora, model=model, pair_model=pair_model, files=(names, labels))
    with steps(quiet=quiet) as tell:
        run = run_alignment(
            with_mapping(situations, mapping),
            with_mapping(replies, mapping),
            model=model,
            pair_model=pair_model,
            baselines=baselines,
            metrics=metric,
            weights_from=with_mapping(weights_from or (), mapping),
            weights_t=weights_t,
            answers=labels,
            labels_by=labeller,
            names=names,
            any_language=any_language,
            seed=seed,
            resamples=resamples,
            progress=tell,
        )
        page = run.write(out, explorer=explorer)
        items = run.items(label_count, seed=seed) if label_file or label_study else []
        if label_file is not None and items:
            write_items(label_file, items)
        if label_study is not None and items:
            make_study(label_study, items)
        for warning in run.findings.warnings:
            tell.say(f"note: {warning}")
    typer.echo(text_table(run.findings))
    if label_file is not None:
        what = f"{label_file} ({len(items)} texts)" if items else NOTHING
        typer.echo(f"\nTo label: {what}")
    if label_study is not None:
        what = (
            f"{label_study} ({len(items)} texts); preview it with: trialogue study preview {label_study}"
            if items
            else NOTHING
        )
        typer.echo(f"\nStudy: {what}")
    typer.echo(f"\nReport: {page}")


def _check_label_outputs(label_file: Path | None, label_study: Path | None) -> None:
    """Raise UsageError before the work starts if a file or study folder cannot be written."""
    from trialogue.errors import UsageError
    from trialogue.workflows.labelling.answers import TABLES

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

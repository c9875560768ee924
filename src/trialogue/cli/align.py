"""``trialogue align``: Behavior Alignment of several systems."""

from pathlib import Path
from typing import Annotated

import typer
from annotated_types import Ge

from trialogue.cli.shared.inputs import Explorer, LabelsBy, Mapped, Metrics, Names, Out, check_inputs
from trialogue.cli.shared.progress import check_folder, refuse_input, refuse_inputs_in, steps
from trialogue.options import AnyLanguage, Help, Resamples, Seed, Setting

NOTHING = "nothing; all texts already have human labels"
PairModel = Annotated[
    str | None,
    Setting("Folder of a pair classifier (cross-encoder): also report, or write, whether pairs share a strategy."),
]


def align(
    situations: Annotated[
        list[str], Help("Situations with reference replies: files or corpora (repeatable).", ("--situations", "-s"))
    ],
    responses: Annotated[
        list[str] | None,
        typer.Argument(help="Files of the systems' replies (default: the replies stored with the situations)."),
    ] = None,
    out: Out = Path("runs/alignment"),
    model: Annotated[str | None, Help("Folder of a strategy model (default: the bundled model).")] = None,
    metric: Metrics = None,
    labels: Annotated[
        Path | None, Help("Human labels: answers to --label-file (JSON Lines or CSV), or the export of --label-study.")
    ] = None,
    mapping: Mapped = None,
    label_file: Annotated[
        Path | None, Help("Write a file of texts for people to label. The labels check and correct the estimate.")
    ] = None,
    label_study: Annotated[
        Path | None, Help("Create a study folder in which people label the texts in the browser.")
    ] = None,
    pair_model: PairModel = None,
    baselines: Annotated[bool, Setting("Include baselines that ignore the user's input.")] = True,
    weights_from: Annotated[
        list[str] | None,
        Setting("Labelled human dialogues, to weight each position by how predictable people are (repeatable)."),
    ] = None,
    weights_t: Annotated[int, Ge(0), Setting("Number of preceding behaviors used to compute the weights.")] = 1,
    names: Names = None,
    labels_by: LabelsBy = None,
    label_count: Annotated[
        int | None, Ge(1), Setting("Number of situations to label (default: enough to halve the interval).")
    ] = None,
    any_language: AnyLanguage = False,
    resamples: Resamples = 10_000,
    explorer: Explorer = True,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Measure whether systems use the strategies that human recommenders used in the same situations."""
    from trialogue.inputs.label_origins import declared_labeller
    from trialogue.records.files.jsonl import to_line
    from trialogue.subjects.alignment.commands.align import align as run_alignment
    from trialogue.subjects.alignment.labelling.plan import write_items
    from trialogue.subjects.alignment.labelling.study import label_study as make_study
    from trialogue.subjects.evaluation.pages.write import text_table
    from trialogue.workflows.mapped import with_mapping

    labeller = declared_labeller(labels_by)
    corpora = [*situations, *(responses or ()), *(weights_from or ())]
    check_folder(out)
    refuse_inputs_in(out, [*corpora, labels])
    refuse_input(label_file, [*corpora, labels, names])
    _check_label_outputs(label_file, label_study)
    check_inputs(corpora, model=model, pair_model=pair_model, files=(names, labels))
    with steps() as tell:
        run = run_alignment(
            with_mapping(situations, mapping), with_mapping(responses or [], mapping), model=model,
            pair_model=pair_model, baselines=baselines, metrics=metric,
            weights_from=with_mapping(weights_from or (), mapping), weights_t=weights_t, answers=labels,
            labels_by=labeller, names=names, any_language=any_language, seed=seed, resamples=resamples, progress=tell,
        )  # fmt: skip
        page = run.write(out, explorer=explorer)
        items = run.items(label_count, seed=seed) if label_file or label_study else []
        if label_file is not None and items:
            write_items(label_file, items)
        if label_study is not None and items:
            make_study(label_study, items)
        for warning in run.findings.warnings:
            tell.say(f"note: {warning}")
    typer.echo(to_line(run.findings) if as_json else text_table(run.findings))
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

"""``trialogue align``."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import LabelsBy, check_inputs
from trialogue.cli.shared.progress import check_folder, refuse_input, refuse_inputs_in, steps

NOTHING = "nothing, people have labelled everything"


def align(
    situations: Annotated[
        list[str],
        typer.Option("--situations", "-s", help="Situations with references: files or corpora; may be repeated."),
    ],
    responses: Annotated[
        list[str] | None, typer.Argument(help="Files of the systems' replies (none: they are among the situations).")
    ] = None,
    more: Annotated[
        list[str] | None,
        typer.Option("--responses", "-r", help="The same: files of the systems' replies; may be repeated."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the report and scores.")] = Path(
        "runs/alignment"
    ),
    model: Annotated[
        str | None, typer.Option(help="Folder of a model of strategies; the bundled one by default.")
    ] = None,
    pair_model: Annotated[
        str | None, typer.Option(help="Folder of a classifier of pairs (cross-encoder): the paper's way, beside ours.")
    ] = None,
    baselines: Annotated[bool, typer.Option(help="Include baselines that ignore the user's input.")] = True,
    metric: Annotated[list[str] | None, typer.Option("--metric", "-m", help="Other metrics; may be repeated.")] = None,
    weights_from: Annotated[
        list[str] | None,
        typer.Option(help="Labelled dialogues of people: also weigh each place by how foreseeable people are there."),
    ] = None,
    weights_t: Annotated[int, typer.Option(min=0, help="Behaviors that the weights look back on.")] = 1,
    names: Annotated[
        Path | None, typer.Option(help="YAML or JSON file that maps other names of strategies to ours.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Labels of people: answers to --label-file (JSON Lines or CSV), or the export of --label-study."
        ),
    ] = None,
    labels_by: LabelsBy = None,
    label_file: Annotated[
        Path | None, typer.Option(help="Write what people should label, to sharpen and to test the estimate.")
    ] = None,
    label_study: Annotated[
        Path | None, typer.Option(help="Make a study folder of that: pages on which people label.")
    ] = None,
    label_count: Annotated[
        int | None, typer.Option(min=1, help="Situations to label; as many as would halve the interval by default.")
    ] = None,
    any_language: Annotated[
        bool, typer.Option("--any-language", help="Also align text in languages that the model does not know.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
    resamples: Annotated[int, typer.Option(min=100, help="Bootstrap resamples and permutations.")] = 10_000,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but the answer.")] = False,
) -> None:
    """Do systems use the strategies that human recommenders used in the same situations?"""
    from trialogue.report import text_table
    from trialogue.workflows.alignment.align import align as run_alignment
    from trialogue.workflows.inputs.label_origins import declared_labeller
    from trialogue.workflows.labelling.plan import write_items
    from trialogue.workflows.labelling.study import label_study as make_study

    labeller = declared_labeller(labels_by)
    replies = [*(more or ()), *(responses or ())]
    check_folder(out)
    refuse_inputs_in(out, [*situations, *replies, *(weights_from or ()), labels])
    refuse_input(label_file, [*situations, *replies, *(weights_from or ()), labels, names])
    _check_places(label_file, label_study)
    corpora = [*situations, *replies, *(weights_from or ())]
    check_inputs(corpora, model=model, pair_model=pair_model, files=(names, labels))
    with steps(quiet=quiet) as tell:
        run = run_alignment(
            situations,
            replies,
            model=model,
            pair_model=pair_model,
            baselines=baselines,
            metrics=metric,
            weights_from=weights_from or (),
            weights_t=weights_t,
            answers=labels,
            labels_by=labeller,
            names=names,
            any_language=any_language,
            seed=seed,
            resamples=resamples,
            progress=tell,
        )
        page = run.write(out)
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
        typer.echo(f"\nTo be labelled: {what}")
    if label_study is not None:
        what = (
            f"{label_study} ({len(items)} texts); look at it: trialogue study preview {label_study}"
            if items
            else NOTHING
        )
        typer.echo(f"\nStudy: {what}")
    typer.echo(f"\nReport: {page}")


def _check_places(label_file: Path | None, label_study: Path | None) -> None:
    """Raise UsageError now, not after all the work, where a file or a study cannot be written."""
    from trialogue.errors import UsageError
    from trialogue.workflows.labelling.answers import TABLES

    if label_file is not None:
        if label_file.is_dir():
            raise UsageError(f"{label_file} is a folder; --label-file wants the name of a file.")
        if label_file.suffix.lower() in TABLES:
            raise UsageError(
                f"{label_file} would be JSON Lines: give a name that ends in .jsonl. Answers may be a table."
            )
        check_folder(label_file.absolute().parent)
    if label_study is not None:
        check_folder(label_study)
        if label_study.is_dir() and any(label_study.iterdir()):
            raise UsageError(f"{label_study} has something in it. Give a new or empty folder with --label-study.")

"""Check the inputs of a command before the work begins, and report everything that is missing at once."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from trialogue.workflows.inputs.locations import Input

LabelsBy = Annotated[
    str | None,
    typer.Option(
        help=(
            "Origin of labels that do not state one: person, model, llm or scripted. Only labels by people "
            "can correct for the errors of a model."
        )
    ),
]


Mapped = Annotated[
    Path | None,
    typer.Option(
        "--mapping", help="YAML file that maps the columns of a table, or paths into JSON (trialogue data map)."
    ),
]


Decide = Annotated[
    Path | None,
    typer.Option(
        "--decide",
        help="Decision protocol (YAML): primary measure, significance level, margins, family of tests, exclusions.",
    ),
]


def check_inputs(
    given: Iterable["str | Input"],
    *,
    model: str | None = None,
    pair_model: str | None = None,
    files: Iterable[Path | None] = (),
) -> None:
    """Raise UsageError unless all corpora, files and models are there; with everything that is not.

    Args:
        given: corpora, files, or ``NAME=FILE``.
        model: folder of a model of strategies; None or ``"default"``: the bundled one.
        pair_model: folder of a classifier of pairs, or None.
        files: other files or folders that are read.
    """
    from trialogue.errors import TrialogueError, UsageError
    from trialogue.strategies.models import FILE
    from trialogue.workflows.inputs.locations import resolve

    problems = []
    for one in given:
        try:
            resolve(one)
        except TrialogueError as error:
            problems.append(str(error))
    problems += [f"{file}: no such file." for file in files if file is not None and not _test_path(file.exists)]
    if model not in (None, "default") and not _test_path((Path(str(model)) / FILE).is_file):
        problems.append(f"{model}: {_missing_model_text(Path(str(model)))}")
    if pair_model is not None and (why := _lacking_pairs(Path(pair_model))):
        problems.append(f"{pair_model}: {why}")
    if problems:
        raise UsageError("\n".join(dict.fromkeys(problems)))


def _missing_model_text(folder: Path) -> str:
    """Error for a folder without a strategy model, with the folder's content."""
    from trialogue.strategies.models import FILE
    from trialogue.strategies.pairs.crossencoder import PARTS

    if _test_path((folder / PARTS).is_file):
        return (
            "this is a pair classifier, which cannot label text. Use it together with a model: trialogue "
            f"align --pair-model {folder}. To evaluate it: trialogue strategies evaluate --model "
            "cross-encoder --data ..."
        )
    return f"no model here (no {FILE}). Train one with: trialogue strategies train --data inspired --out FOLDER"


def _lacking_pairs(folder: Path) -> str | None:
    """Error for a folder without a pair classifier; None if it has one."""
    from trialogue.strategies.models import FILE
    from trialogue.strategies.pairs.crossencoder import PARTS

    train = "Train one with: trialogue strategies train --model cross-encoder --data inspired --out FOLDER"
    if _test_path((folder / PARTS).is_file):
        return None
    if _test_path((folder / FILE).is_file):
        return f"this model labels sentences and belongs to --model; --pair-model needs a pair classifier. {train}"
    return f"no pair classifier here (no {PARTS}). {train}"


def _test_path(asked: Callable[[], bool]) -> bool:
    """Result of a path test; False for names that are too long and for inaccessible folders."""
    try:
        return asked()
    except OSError:
        return False

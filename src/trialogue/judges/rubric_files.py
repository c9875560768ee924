"""Read rubrics: those that come with Trialogue by name, others from YAML files with every mistake at once."""

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trialogue.errors import DataError, UnknownNameError
from trialogue.judges.rubric import Rubric
from trialogue.records.files.yaml_file import lines_of, problems_of_fields, read_fields

ENDING = ".yaml"
ENDINGS = (ENDING, ".yml")
HINT = "To start from a bundled one, print it: trialogue rubrics show overall"


def rubric_names() -> list[str]:
    """Names of the rubrics that come with Trialogue, sorted."""
    return sorted(
        each.name[: -len(ENDING)] for each in _bundled_files().iterdir() if each.name[-len(ENDING) :] == ENDING
    )


def load_rubric(given: str | Path) -> Rubric:
    """Get a rubric by its name, or read a file.

    Args:
        given: a name of ``rubric_names``, or the path of a YAML file.

    Raises:
        UnknownNameError: neither a name nor a file.
        DataError: the file has mistakes; all are listed, with line and field.
    """
    if isinstance(given, str) and given in rubric_names():
        return _bundled_rubric(given)
    path = Path(given)
    if path.suffix in ENDINGS or path.is_file():
        return read_rubric(path)
    raise UnknownNameError(
        "rubric", str(given), rubric_names(), hint="For your own rubric, give the path of its YAML file."
    )


def question_names(aspect: str) -> tuple[str, ...]:
    """Other names of the question that an aspect of the rubrics that come with Trialogue is compared with.

    >>> question_names("dialogue_overall")[0], question_names("none")
    ('overall', ())
    """
    return next(
        (each.also for name in rubric_names() for each in _bundled_rubric(name).aspects if each.name == aspect), ()
    )


def read_rubric(path: Path) -> Rubric:
    """Read and validate a rubric file.

    Raises:
        DataError: it cannot be read, or has mistakes; all are listed, with line and field.
    """
    fields = read_fields(path, hint=HINT)
    try:
        return Rubric.model_validate(fields)
    except ValidationError as error:
        raise DataError(
            problems_of_fields(error, fields, Rubric, file=str(path), lines=lines_of(path)), hint=HINT
        ) from error


def rubric_source(name: str) -> str:
    """The file of a rubric that comes with Trialogue, to begin one's own with.

    Raises:
        UnknownNameError: there is none of the name.
    """
    if name not in rubric_names():
        raise UnknownNameError("rubric", name, rubric_names())
    text: str = (_bundled_files() / f"{name}{ENDING}").read_text(encoding="utf-8")
    return text


@cache
def _bundled_rubric(name: str) -> Rubric:
    with as_file(_bundled_files() / f"{name}{ENDING}") as path:
        return read_rubric(path)


def _bundled_files() -> Any:
    return files("trialogue.judges") / "bundled"

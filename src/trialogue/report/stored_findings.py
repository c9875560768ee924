"""Read findings of any kind from a run."""

import json
from typing import TypeVar

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.records.base import Record
from trialogue.records.files.jsonl import parse_line, problems_of
from trialogue.records.runs import StoredFiles

FindingsT = TypeVar("FindingsT", bound=Record)


def read_as(stored: StoredFiles, name: str, kind: type[FindingsT], *, again: str) -> FindingsT:
    """The findings in a file of a run.

    In Python's JSON, since names may hold lone surrogates.

    Args:
        stored: the run.
        name: the file.
        kind: their type.
        again: the command that writes them.

    Raises:
        DataError: the run has no such file, it is not what was sealed, or it holds something else.
    """
    path, hint = str(stored.folder / name), f"Run {again} again."
    if name not in stored:
        what = f"this run of trialogue {stored.manifest.command} has no {name}."
        raise DataError(Problem(what, str(stored.folder), hint=hint))
    try:
        return parse_line(stored.read(name).decode("utf-8", "surrogatepass"), {kind.kind: kind})
    except ValidationError as error:
        raise DataError(problems_of(error, path, None), hint=hint) from error
    except json.JSONDecodeError as error:
        what = f"this is not JSON ({error.msg} at column {error.colno})."
        raise DataError(Problem(what, path, hint=hint)) from error
    except ValueError as error:
        raise DataError(Problem(str(error), path, hint=hint)) from error

"""Save and load sequence models as JSON: no pickle, nothing is executed."""

import json
from pathlib import Path

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files.opening import open_bytes, write_text
from trialogue.strategies.next_strategy.ngram import NGram
from trialogue.strategies.next_strategy.sequence import SequenceModel

FORMAT = 1
KINDS = {"ngram": NGram}


def save_sequence_model(model: SequenceModel, path: Path) -> None:
    """Write a model into a JSON file, whole or not at all; compressed if its name ends in ``.gz``."""
    write_text(path, json.dumps({"kind": "sequence_model", "format": FORMAT, **model.to_json()}) + "\n")


def load_sequence_model(path: Path) -> SequenceModel:
    """Read what ``save_sequence_model`` wrote: the same model, number by number.

    Raises:
        DataError: there is no such file, or it holds something else, or is damaged.
    """
    try:
        with open_bytes(path) as stream:
            stored = json.loads(stream.read())
        if stored["kind"] != "sequence_model" or stored["format"] != FORMAT:
            raise ValueError(f"not a sequence model of format {FORMAT}")
        return KINDS[stored["model"]].from_json(stored)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, EOFError, OSError, UsageError) as error:
        hint = "Write one with save_sequence_model."
        said = f"{type(error).__name__}: {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(Problem(f"this sequence model cannot be read ({said}).", str(path), hint=hint)) from error

"""Trialogue's JSON Lines format: any mix of dialogues, situations, responses, scores and preferences."""

import re
from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.records import Dialogue, Preference, Response, Score, Situation, read_records
from trialogue.records.files.jsonl import Note, Part

TYPES = (Dialogue, Situation, Response, Score, Preference)


def _recognises(head: Head) -> bool:
    return re.match(r'\s*\{\s*"kind"\s*:\s*"(dialogue|situation|response|scores?|preference)"', head.text) is not None


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    return read_records(path, *TYPES, note=note)


def read_part(path: Path, part: Part, note: Note) -> Iterator[AnyRecord]:
    """Read the records of a range of lines in an uncompressed file."""
    return read_records(path, *TYPES, note=note, part=part)


FORMAT = SimpleFormat(
    name="trialogue",
    summary="Trialogue's own JSON Lines: dialogues, situations, responses, scores, preferences; .gz and .zst too.",
    recognise=_recognises,
    reader=_read,
)

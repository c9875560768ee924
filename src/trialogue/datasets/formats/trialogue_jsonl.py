"""Trialogue's own JSON Lines: any mix of dialogues, situations, responses, scores and preferences."""

import re
from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.records import Dialogue, Preference, Response, Score, Situation, read_records
from trialogue.records.files.jsonl import Note

TYPES = (Dialogue, Situation, Response, Score, Preference)


def _recognises(head: Head) -> bool:
    return re.match(r'\s*\{\s*"kind"\s*:\s*"(dialogue|situation|response|scores?|preference)"', head.text) is not None


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    return read_records(path, *TYPES, note=note)


FORMAT = SimpleFormat(
    name="trialogue",
    summary="Trialogue's own JSON Lines: dialogues, situations, responses, scores, preferences; .gz and .zst too.",
    recognise=_recognises,
    reader=_read,
)

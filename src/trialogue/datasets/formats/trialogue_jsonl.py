"""Trialogue's JSON Lines format: any mix of dialogues, situations, responses, scores and preferences."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import cast

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.records import Dialogue, Preference, Record, Response, Score, Situation, read_records
from trialogue.records.base import Block
from trialogue.records.files.blocks import read_blocks
from trialogue.records.files.jsonl import Note, Part, kinds_of, parse_line
from trialogue.records.files.plain import PlainDialogue, plain_dialogue, plain_dialogues

NEAR_START = 64  # characters in which our lines name their kind
TYPES = (Dialogue, Situation, Response, Score, Preference)


def _recognises(head: Head) -> bool:
    return re.match(r'\s*\{\s*"kind"\s*:\s*"(dialogue|situation|response|scores?|preference)"', head.text) is not None


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    return read_records(path, *TYPES, note=note)


def read_part(path: Path, part: Part, note: Note) -> Iterator[AnyRecord]:
    """Read the records of a range of lines in an uncompressed file."""
    return read_records(path, *TYPES, note=note, part=part)


def read_plain(path: Path, part: Part | None, note: Note) -> Iterator[list[AnyRecord | PlainDialogue]]:
    """Read records, many at a time, dialogues of plain texts as such; mistakes are those of ``read_part``."""
    by_kind = kinds_of(TYPES)

    def parse(text: str) -> PlainDialogue | Record:
        may_be_plain = '"dialogue"' in text[:NEAR_START]
        return (plain_dialogue(text) if may_be_plain else None) or parse_line(text, by_kind)

    for parsed in read_blocks(path, plain_dialogues, parse, note=note, part=part):
        blocks = any(isinstance(each, Block) for each in parsed)
        records = chain.from_iterable(each.records() if isinstance(each, Block) else (each,) for each in parsed)
        yield cast("list[AnyRecord | PlainDialogue]", list(records) if blocks else parsed)


FORMAT = SimpleFormat(
    name="trialogue",
    summary="Trialogue's own JSON Lines: dialogues, situations, responses, scores, preferences; .gz and .zst too.",
    recognise=_recognises,
    reader=_read,
)

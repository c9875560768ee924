"""The records of the demo data, read once."""

from functools import cache
from typing import TypeVar

from trialogue.datasets.corpora.demo import bundled_path
from trialogue.records import Dialogue, Preference, Record, Response, Situation, read_records

RecordT = TypeVar("RecordT", bound=Record)


@cache
def _read(name: str, record_type: type[RecordT]) -> tuple[RecordT, ...]:
    return tuple(read_records(bundled_path(name), record_type))


def demo_situations() -> tuple[Situation, ...]:
    return _read("situations.jsonl", Situation)


def demo_responses() -> tuple[Response, ...]:
    return _read("responses.jsonl", Response)


def demo_dialogues() -> tuple[Dialogue, ...]:
    return _read("dialogues.jsonl", Dialogue)


def demo_preferences() -> tuple[Preference, ...]:
    return _read("preferences.jsonl", Preference)

"""Write records as CSV: one row per utterance of a dialogue, or one row per response and rater with its situation.

Lists are JSON lists. Each rating has its own column, ``rating_NAME`` or ``dialogue_rating_NAME``; ``raters`` holds the kind
of their raters. ``guess_mapping`` recognises all headings, so such a file can be read without a mapping.

Content that an output format cannot hold is counted by kind.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from trialogue.datasets.base import AnyRecord
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Rating, Record, Response, Situation, Utterance
from trialogue.records.files.jsonl import Note
from trialogue.records.files.opening import write_text

RecordT = TypeVar("RecordT", bound=Record)


@dataclass
class Losses:
    """Counts of content that an output file cannot hold."""

    file: str
    to: str
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, count: int = 1) -> None:
        """Count content that is not written."""
        if count:
            self.counts[kind] += count

    def of_fields(self, record: Record, *, held: Collection[str], kind: str = "") -> None:
        """Count the non-empty fields of a record that the format does not hold."""
        for name, field_info in type(record).model_fields.items():
            if name not in held and getattr(record, name) not in (None, (), {}, "", field_info.default):
                self.add(f"{kind or type(record).__name__.lower()} {name}")

    def settle(self, note: Note) -> None:
        """Report all counts once."""
        if self.counts:
            listing = ", ".join(f"{kind} ({count}×)" for kind, count in sorted(self.counts.items()))
            hint = "Trialogue's own format can store all records."
            note(
                Problem(f"not written, because the format {self.to} cannot store it: {listing}.", self.file, hint=hint)
            )

    def nothing_written(self, needed: str) -> DataError:
        """Create the error that nothing could be written."""
        given = ", ".join(f"{kind} ({count}×)" for kind, count in sorted(self.counts.items())) or "nothing"
        what = f"the format {self.to} stores {needed}, but the input has none; given: {given}."
        return DataError(Problem(what, self.file, hint="Trialogue's own format can store any record."))


def select_kind(records: Iterable[AnyRecord], kind: type[RecordT], losses: Losses) -> Iterator[RecordT]:
    """Iterate over the records of one kind, counting the others as losses.

    Raises:
        DataError: at the end, if there was none.
    """
    found = False
    for record in records:
        if isinstance(record, kind):
            found = True
            yield record
        else:
            losses.add(f"{type(record).__name__.lower()} records")
    if not found:
        raise losses.nothing_written(f"{kind.__name__.lower()}s")


UTTERANCE_COLUMNS = (
    "dialogue",
    "order",
    "speaker",
    "text",
    "system",
    "user",
    "utterance_id",
    "strategies",
    "mentions",
    "ranking",
    "raters",
)
RESPONSE_COLUMNS = (
    *("situation", "dialogue", "context", "reference", "targets", "system", "response", "strategies", "mentions"),
    *("ranking", "rater", "raters"),
)
Cells = dict[str, Any]


def write_csv(records: Iterable[AnyRecord], path: Path, losses: Losses) -> int:
    """Write dialogues, or else responses with their situations, as CSV; returns the number written.

    Raises:
        DataError: there are neither.
    """
    records = list(records)
    if any(isinstance(record, Dialogue) for record in records):
        dialogues = list(select_kind(records, Dialogue, losses))
        _write(path, UTTERANCE_COLUMNS, [row for dialogue in dialogues for row in _utterance_rows(dialogue, losses)])
        return len(dialogues)
    situations = {record.id: record for record in records if isinstance(record, Situation)}
    others = (record for record in records if not isinstance(record, Situation))
    responses = list(select_kind(others, Response, losses))
    answered = {response.situation_id for response in responses}
    losses.add("situations without response", sum(name not in answered for name in situations))
    for name in answered & situations.keys():
        _count_losses(situations[name], losses)
    rows = [row for response in responses for row in _response_rows(response, situations, losses)]
    _write(path, RESPONSE_COLUMNS, rows)
    return len(responses)


def _write(path: Path, leading_columns: tuple[str, ...], rows: list[Cells]) -> None:
    used = dict.fromkeys(column for row in rows for column, value in row.items() if value is not None)
    columns = [column for column in leading_columns if column in used] + [
        column for column in used if column not in leading_columns
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue().encode("utf-8", "replace").decode())  # a lone surrogate becomes "?"


def _utterance_rows(dialogue: Dialogue, losses: Losses) -> Iterator[Cells]:
    losses.of_fields(dialogue, held=("id", "utterances", "system", "user", "ratings"))
    losses.add("dialogues without utterances", not dialogue.utterances)
    ratings = _ratings(dialogue.ratings, "dialogue_rating", losses)
    for index, utterance in enumerate(dialogue.utterances):
        losses.of_fields(
            utterance, held=("speaker", "text", "id", "strategies", "mentions", "ranking", "ratings"), kind="utterance"
        )
        yield {
            "dialogue": dialogue.id,
            "order": index,
            "speaker": utterance.speaker,
            "text": utterance.text,
            "system": dialogue.system,
            "user": dialogue.user,
            "utterance_id": utterance.id,
            **_labels(utterance, losses),
            **_ratings(utterance.ratings, "rating", losses),
            **ratings,
            **_kinds((*utterance.ratings, *dialogue.ratings), losses),
        }


def _response_rows(response: Response, situations: dict[str, Situation], losses: Losses) -> Iterator[Cells]:
    utterance = response.utterance
    losses.of_fields(response, held=("situation_id", "system", "utterance"))
    losses.of_fields(utterance, held=("speaker", "text", "strategies", "mentions", "ranking", "ratings"))
    row = {
        **_situation_cells(response.situation_id, situations.get(response.situation_id)),
        "system": response.system,
        "response": utterance.text,
        **_labels(utterance, losses),
    }
    raters = dict.fromkeys(rating.rater for rating in utterance.ratings) or {None: None}
    for rater in raters:
        by_rater = tuple(rating for rating in utterance.ratings if rating.rater == rater)
        unnamed = tuple(rating.model_copy(update={"rater": None}) for rating in by_rater)
        yield {**row, "rater": rater, **_ratings(unnamed, "rating", losses), **_kinds(by_rater, losses)}


def _situation_cells(name: str, situation: Situation | None) -> Cells:
    if situation is None:
        return {"situation": name}
    context = [{"speaker": utterance.speaker, "text": utterance.text} for utterance in situation.context]
    return {
        "situation": name,
        "dialogue": situation.dialogue_id,
        "context": json.dumps(context, ensure_ascii=False),
        "reference": situation.reference.text if situation.reference else None,
        "targets": None if situation.targets is None else json.dumps(situation.targets, ensure_ascii=False),
    }


def _count_losses(situation: Situation, losses: Losses) -> None:
    losses.of_fields(situation, held=("id", "context", "reference", "targets", "dialogue_id"))
    for utterance in situation.context:
        losses.of_fields(utterance, held=("speaker", "text"), kind="context utterance")
    if situation.reference:
        losses.of_fields(situation.reference, held=("speaker", "text"), kind="reference")


def _labels(utterance: Utterance, losses: Losses) -> Cells:
    labels, mentions = utterance.strategies, utterance.mentions
    losses.add("origins of strategies", sum(label.origin != "annotated" for label in labels or ()))
    losses.add("kinds of labellers", sum(label.by is not None for label in labels or ()))
    losses.add("ids of mentioned items", sum(mention.item_id is not None for mention in mentions or ()))
    cells = {
        "strategies": labels and [label.strategy for label in labels],
        "mentions": None if mentions is None else [mention.title for mention in mentions],
        "ranking": utterance.ranking,
    }
    return {key: None if value is None else json.dumps(value, ensure_ascii=False) for key, value in cells.items()}


def _kinds(ratings: tuple[Rating, ...], losses: Losses) -> Cells:
    """The kind of the raters of a row."""
    kinds = {rating.raters for rating in ratings}
    losses.add("kinds of raters", len(kinds) > 1)
    return {"raters": next(iter(kinds)).value} if len(kinds) == 1 else {}


def _ratings(ratings: tuple[Rating, ...], prefix: str, losses: Losses) -> Cells:
    cells: Cells = {}
    for rating in ratings:
        if f"{prefix}_{rating.name}" in cells:
            losses.add("repeated ratings with the same name")
        cells.setdefault(f"{prefix}_{rating.name}", int(rating.value) if rating.value.is_integer() else rating.value)
        losses.add("raters", rating.rater is not None)
        losses.add("scales of ratings", rating.low is not None or rating.high is not None)
    return cells

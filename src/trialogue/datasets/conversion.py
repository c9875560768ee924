"""Convert conversations: to Trialogue's JSON Lines, DialogueKit's JSON, and tables (CSV)."""

import csv
import io
import itertools
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from trialogue.datasets.base import AnyRecord
from trialogue.errors import DataError, Problem, UnknownNameError, UsageError
from trialogue.records import Dialogue, JsonValue, Rating, Record, Response, Situation, Utterance, write_records
from trialogue.records.files.jsonl import Note, warn
from trialogue.records.files.opening import open_replacing, write_text
from trialogue.records.trace import Trace

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


ROLES = {"user": "user", "system": "assistant"}


def convert(records: Iterable[AnyRecord], path: Path | str, *, to: str = "trialogue", note: Note = warn) -> int:
    """Write records in another format, atomically.

    ``trialogue`` holds every record, and streams. ``dialoguekit`` and ``openai-chat`` hold dialogues. ``csv`` holds
    dialogues (a row per utterance) or else responses with their situations (a row per response and rater), under headings
    that ``guess_mapping`` understands.

    Args:
        records: what to write.
        path: where to; ``.gz`` and ``.zst`` are compressed.
        to: one of ``targets()``.
        note: called once, at the end, with the number of records of each kind that the format cannot store.

    Returns:
        How many records are in the file.

    Raises:
        UnknownNameError: there is no such format to write.
        DataError: nothing among the records that the format could hold; no file is written.
    """
    if to not in _WRITERS:
        raise UnknownNameError("format to write", to, _WRITERS)
    losses = Losses(str(path), to)
    count = _WRITERS[to](records, Path(path), losses)
    losses.settle(note)
    return count


def shard(records: Iterable[AnyRecord], folder: Path | str, *, size: int, suffix: str = ".jsonl") -> list[Path]:
    """Write records to several files of a new folder, in order, each atomically.

    Args:
        records: what to write; only one file's records are held in memory.
        folder: is made; must be absent or empty.
        size: records in each file but the last.
        suffix: of the files; ``.jsonl.gz`` and ``.jsonl.zst`` are compressed.

    Returns:
        The files, whose order by name is that of the records.

    Raises:
        UsageError: the folder has files already, or is a file.
        DataError: there are no records.
    """
    folder, rest = Path(folder), iter(records)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file, not a folder. Name a new folder.")
    if folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty: name a new folder, so that no older shard is read as one of these.")
    files: list[Path] = []
    while part := list(itertools.islice(rest, size)):
        folder.mkdir(parents=True, exist_ok=True)
        files.append(folder / f"part-{len(files):06d}{suffix}")
        write_records(files[-1], part)
    if not files:
        raise DataError(Problem("there are no records to write.", str(folder)))
    return files


def targets() -> list[str]:
    """Names of the output formats."""
    return sorted(_WRITERS)


def _write_trialogue(records: Iterable[AnyRecord], path: Path, _: Losses) -> int:
    return write_records(path, records)


def _write_dialoguekit(records: Iterable[AnyRecord], path: Path, losses: Losses) -> int:
    from trialogue.datasets.dialoguekit.format import write_dialoguekit  # no other format needs it

    dialogues = list(select_kind(records, Dialogue, losses))
    write_dialoguekit(path, dialogues)
    return len(dialogues)


def _write_openai_chat(records: Iterable[AnyRecord], path: Path, losses: Losses) -> int:
    count = 0
    with open_replacing(path) as stream:
        for dialogue in select_kind(records, Dialogue, losses):
            line = json.dumps(_chat(dialogue, losses), ensure_ascii=False, separators=(",", ":"))
            stream.write(line.encode("utf-8", "surrogatepass") + b"\n")
            count += 1
    return count


def _chat(dialogue: Dialogue, losses: Losses) -> dict[str, Any]:
    """A dialogue in OpenAI's chat format."""
    losses.of_fields(dialogue, held=("id", "utterances", "system", "user", "trace", "meta"))
    metadata = {key: value for key, value in dialogue.meta.items() if key != "messages"}
    names = {"id": dialogue.id, "model": dialogue.system, "user": dialogue.user}
    entry = {key: value for key, value in names.items() if value is not None}
    entry |= _amounts(dialogue.trace)
    return {**entry, "messages": _messages(dialogue, losses), **({"metadata": metadata} if metadata else {})}


def _messages(dialogue: Dialogue, losses: Losses) -> list[dict[str, Any]]:
    """Its utterances, and in their places the messages beside them that the reader of this format keeps in meta."""
    aside = _messages_by_place(dialogue.meta.get("messages"), losses)
    messages: list[dict[str, Any]] = []
    for index, utterance in enumerate(dialogue.utterances):
        messages += aside.pop(index, ())
        losses.of_fields(utterance, held=("speaker", "text", "id", "trace", "meta"))
        messages += _tool_messages(utterance.trace)
        own = {"id": utterance.id} if utterance.id is not None else {}
        own |= _amounts(utterance.trace)
        messages.append({"role": ROLES[utterance.speaker], "content": utterance.text, **own, **_free(utterance.meta)})
    messages += _tool_messages(dialogue.trace)
    return [*messages, *(message for index in sorted(aside) for message in aside[index])]


def _tool_messages(trace: Trace | None) -> Iterator[dict[str, Any]]:
    """The calls of tools in a turn, and what came back."""
    calls = () if trace is None else trace.calls or ()
    if asked := [
        {
            "type": "function",
            **({} if call.id is None else {"id": call.id}),
            "function": {"name": call.name, **({} if call.arguments is None else {"arguments": _text(call.arguments)})},
        }
        for call in calls
    ]:
        yield {"role": "assistant", "content": None, "tool_calls": asked}
    for call in calls:
        if call.has_result:
            known = {"tool_call_id": call.id, "error": call.error, "latency_s": call.latency_s}
            held = {key: value for key, value in known.items() if value is not None and value != call.result}
            yield {"role": "tool", "name": call.name, **held, "content": call.result}


def _text(arguments: JsonValue) -> str:
    """Arguments as OpenAI's format has them: JSON in a text."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _amounts(trace: Trace | None) -> dict[str, Any]:
    """Time, tokens and cost under their usual names."""
    if trace is None:
        return {}
    usage = {"prompt_tokens": trace.input_tokens, "completion_tokens": trace.output_tokens}
    tokens = {key: value for key, value in usage.items() if value is not None}
    known = {"latency_s": trace.latency_s, "cost": trace.cost, "usage": tokens or None}
    return {key: value for key, value in known.items() if value is not None}


def _free(meta: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: value for key, value in meta.items() if key not in ("role", "content", "id")}


def _messages_by_place(kept: JsonValue, losses: Losses) -> dict[int, list[dict[str, Any]]]:
    by_place: dict[int, list[dict[str, Any]]] = {}
    for message in kept if isinstance(kept, list) else ():
        before = message.get("before") if isinstance(message, dict) else None
        if isinstance(message, dict) and isinstance(before, int) and "role" in message:
            by_place.setdefault(before, []).append({key: said for key, said in message.items() if key != "before"})
        else:
            losses.add("entries of meta 'messages' that are not messages")
    return by_place


_WRITERS: dict[str, Callable[[Iterable[AnyRecord], Path, Losses], int]] = {
    "trialogue": _write_trialogue,
    "dialoguekit": _write_dialoguekit,
    "openai-chat": _write_openai_chat,
    "csv": write_csv,
}

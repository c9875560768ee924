"""Convert records to other programs' formats.

Content that a format cannot hold is counted and reported, never silently dropped.
"""

import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from trialogue.datasets.base import AnyRecord
from trialogue.datasets.conversion.csv_files import Losses, select_kind, write_csv
from trialogue.errors import DataError, Problem, UnknownNameError, UsageError
from trialogue.records import Dialogue, JsonValue, write_records
from trialogue.records.files.jsonl import Note, warn
from trialogue.records.files.opening import open_replacing
from trialogue.records.trace import Trace

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
        UsageError: the folder has files already.
        DataError: there are no records.
    """
    folder, rest = Path(folder), iter(records)
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

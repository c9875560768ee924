"""ShareGPT format: ``{"conversations": [{"from": "human", "value": …}, {"from": "gpt", "value": …}]}``.

One per line or in a JSON list; ``id`` and ``model`` are optional. ``human`` and ``user`` are the user; ``gpt``,
``assistant``, ``model`` and names of chat models are the system. Messages of ``system``, tools and functions are not part of
the dialogue: they go to ``meta["messages"]``, each with the number of utterances ``before`` it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.failures import ERRORS, FAILED_CONVERSATION, error_of, failure_in, failure_of
from trialogue.datasets.json_documents import ParseReport, bare_stem, kind_of
from trialogue.datasets.json_objects import JsonObject, first_object, read_objects
from trialogue.records import Dialogue, JsonValue, Speaker, Utterance
from trialogue.records.files.jsonl import Note

SPEAKERS: dict[str, Speaker] = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "bot", "chatgpt", "bing", "bard", "claude", "gemini"), "system"),
}
ASIDE = (
    "system",
    "tool",
    "function",
    "function_call",
    "function_response",
    "tool_call",
    "tool_response",
    "observation",
)


def _recognise(head: Head) -> bool:
    if head.is_folder or not (head.is_json_object or head.is_json_list):
        return False
    entry = first_object(head.text)
    if entry is None:  # longer than the head: judge by its keys, as far as they can be seen
        return head.has_keys("conversations", "from", "value")
    messages = entry.get("conversations")
    return isinstance(messages, list) and bool(messages) and all(_is_message(message) for message in messages)


def _is_message(message: object) -> bool:
    return isinstance(message, dict) and "from" in message and "value" in message


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    report = ParseReport(str(path), note)
    ids: dict[str, int] = {}
    for number, (line, entry) in enumerate(read_objects(path, report), start=1):
        name = _name(entry, f"{bare_stem(path)}-{number}", line, report)
        first = ids.setdefault(name, number)
        if first != number:
            hint = "Ids must be unique within a file; without ids, conversations are numbered."
            report.wrong(f"id {name!r} is already the id of conversation {first}.", "id", line=line, hint=hint)
        dialogue = _dialogue(entry, name, bare_stem(path), line, report)
        if not report.problems:
            yield dialogue
    report.settle()


def _name(entry: JsonObject, fallback: str, line: int, report: ParseReport) -> str:
    given = entry.get("id")
    if given is None or given == "":
        return fallback
    if isinstance(given, bool) or not isinstance(given, str | int):
        report.wrong(f"expected a string, got {kind_of(given)}.", "id", line=line)
        return fallback
    return str(given)


def _dialogue(entry: JsonObject, name: str, stem: str, line: int, report: ParseReport) -> Dialogue:
    utterances: list[Utterance] = []
    aside: list[JsonValue] = []
    for number, message in enumerate(_messages(entry, line, report)):
        at = f"conversations[{number}]"
        if not _is_message(message):
            report.wrong("expected a message {from, value}.", at, line=line)
            continue
        sender, text = message["from"], message["value"]
        if sender in ASIDE or sender in ERRORS or (not text and failure_in(error_of(message)) is not None):
            aside.append({**message, "before": len(utterances)})
        elif not isinstance(text, str):
            report.wrong(f"expected a string, got {kind_of(text)}.", f"{at}.value", line=line)
        elif not isinstance(sender, str) or sender.lower() not in SPEAKERS:
            hint = f"Known: {', '.join((*SPEAKERS, *ASIDE))}."
            report.wrong(f"unknown sender {sender!r}.", f"{at}.from", line=line, hint=hint)
        else:
            rest: dict[str, Any] = {key: value for key, value in message.items() if key not in ("from", "value")}
            utterances.append(Utterance(speaker=SPEAKERS[sender.lower()], text=text, meta=rest))
    if not utterances:
        report.mend("a conversation has no text by the user or assistant", "conversations", line=line)
    model = entry.get("model")
    failure = failure_of(entry, entry.get("conversations"), SPEAKERS)
    if failure is not None:
        report.mend(FAILED_CONVERSATION, "conversations", line=line)
    kept = {key: value for key, value in entry.items() if key not in ("id", "conversations", "model")}
    return Dialogue(
        id=name,
        utterances=tuple(utterances),
        system=model if isinstance(model, str) and model else stem,
        source=stem,
        ended_by=None if failure is None else failure[0],
        ending_detail=None if failure is None else failure[1],
        meta=kept | ({"messages": aside} if aside else {}),
    )


def _messages(entry: JsonObject, line: int, report: ParseReport) -> list[Any]:
    messages = entry.get("conversations")
    if isinstance(messages, list):
        return messages
    report.wrong(f"expected a list of messages, got {kind_of(messages)}.", "conversations", line=line)
    return []


FORMAT = SimpleFormat(
    name="sharegpt",
    summary="ShareGPT's format: JSON Lines or a JSON list of {conversations: [{from, value}, ...]}, model and id optional.",
    recognise=_recognise,
    reader=_read,
)

"""OpenAI chat format: ``{"messages": [{"role": …, "content": …}, …]}``, one per line or in a JSON list.

``user`` is the user, ``assistant`` the system. Messages of ``system``, ``developer``, ``tool`` and ``function``, and what an
assistant only says to its tools, are not part of the dialogue: they go to ``meta["messages"]``, each with the number of
utterances ``before`` it. The system's name is ``system``, else ``model``, else ``metadata.system``, else the file's stem;
the user's is ``user`` or ``metadata.user``. Numbers under ``rating``, ``satisfaction``, ``score`` and similar keys, and
those of an object ``ratings``, are ratings of the whole dialogue. An ``error`` of the entry, or of a message after which the
assistant says nothing more, is how the dialogue failed (``datasets.failures``). All other fields of an entry are kept in
``meta``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.failures import ERRORS, FAILED_CONVERSATION, error_of, failure_in, failure_of
from trialogue.datasets.json_documents import ParseReport, as_number, bare_stem, kind_of
from trialogue.datasets.json_objects import JsonObject, first_object, read_objects
from trialogue.datasets.tables.guess import rated_name
from trialogue.records import Dialogue, JsonValue, Rating, Speaker, Utterance
from trialogue.records.files.jsonl import Note, problems_of

SPEAKERS: dict[str, Speaker] = {"user": "user", "assistant": "system"}
ASIDE = ("system", "developer", "tool", "function")
LONGEST_NAME = 100  # characters; a longer text under "system", or one of several lines, is a prompt
TEXT_PARTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}


def _recognise(head: Head) -> bool:
    if head.is_folder or not (head.is_json_object or head.is_json_list):
        return False
    entry = first_object(head.text)
    if entry is None:  # longer than the head: judge by its keys, as far as they can be seen
        ours = re.match(r'\s*\{\s*"kind"', head.text)
        return ours is None and head.has_keys("messages", "role", "content")
    messages = entry.get("messages")
    return isinstance(messages, list) and bool(messages) and all(isinstance(m, dict) and "role" in m for m in messages)


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    report = ParseReport(str(path), note)
    seen: dict[str, int] = {}
    systems = SystemFields()
    for number, (line, entry) in enumerate(read_objects(path, report), start=1):
        systems.see(entry, line)
        dialogue = dialogue_of(entry, f"{bare_stem(path)}-{number}", bare_stem(path), line, report)
        if dialogue is None:
            continue
        if (first := seen.setdefault(dialogue.id, number)) != number:
            hint = "Ids must be unique within a file; without ids, conversations are numbered."
            report.wrong(f"id {dialogue.id!r} is already the id of conversation {first}.", "id", line=line, hint=hint)
        if not report.problems:
            yield dialogue
    systems.settle(report)
    report.settle()


@dataclass
class SystemFields:
    """Interpretation of the field ``system`` in one file: system names or prompts, never both.

    Where both stood, every entry with a prompt would count as a dialogue of one and the same further system.
    """

    name: str = ""
    """The first name."""
    prompt_line: int | None = None
    """Line of the first prompt."""

    def see(self, entry: JsonObject, line: int) -> None:
        """Record one entry."""
        value = entry.get("system")
        if _is_prompt(value):
            self.prompt_line = line if self.prompt_line is None else self.prompt_line
        elif isinstance(value, str) and value:
            self.name = self.name or value

    def settle(self, report: ParseReport) -> None:
        """Report the mistake if both occurred."""
        if self.name and self.prompt_line is not None:
            what = (
                f"'system' names the system in other conversations ({self.name!r}); here it holds a text of more than "
                f"{LONGEST_NAME} characters or several lines, as prompts do."
            )
            hint = "Put the names under 'model' and the prompts under 'metadata', or shorten the names."
            report.wrong(what, "system", line=self.prompt_line, hint=hint)


def _is_prompt(value: object) -> bool:
    return isinstance(value, str) and (len(value) > LONGEST_NAME or "\n" in value)


def dialogue_of(entry: JsonObject, fallback: str, source: str, line: int, report: ParseReport) -> Dialogue | None:
    """Parse the dialogue of one entry; None if it is invalid (reported to ``report``).

    Args:
        entry: ``{messages: [{role, content}, ...], ...}``.
        fallback: its id, where it has none.
        source: where it comes from; also the name of its system, where it names none.
        line: its place, for mistakes.
        report: what is wrong and what was mended.
    """
    known = len(report.problems)
    rest = {key: value for key, value in entry.items() if key not in ("messages", "metadata")}
    given = entry.get("metadata")
    if given is not None and not isinstance(given, dict):
        report.wrong(f"expected an object, got {kind_of(given)}.", "metadata", line=line)
        given = None
    metadata: JsonObject = dict(given or {})
    name = _text(rest, "id", line, report) or fallback
    named = [
        _system(rest, line, report),
        _text(rest, "model", line, report),
        _text(metadata, "system", line, report),
    ]
    system = next((each for each in named if each), source)
    user = _text(rest, "user", line, report) or _text(metadata, "user", line, report)
    ratings = list(_ratings(rest, line, report))
    utterances, aside = _sort_messages(entry.get("messages"), line, report)
    failure = failure_of(entry, entry.get("messages"), SPEAKERS)
    if failure is not None:
        report.mend(FAILED_CONVERSATION, "messages", line=line)
    if len(report.problems) > known:
        return None
    if not utterances:
        report.mend("a conversation has no text by the user or assistant", "messages", line=line)
    for key in [key for key, value in rest.items() if as_number(value) is not None]:
        hint = 'A rating under another name is read from an object: "ratings": {"name": number}.'
        report.mend(f"numbers under {key!r} were not read as ratings; kept in meta", key, line=line, hint=hint)
    meta = metadata | rest | ({"messages": aside} if aside else {})
    try:
        return Dialogue(
            id=name,
            utterances=tuple(utterances),
            system=system,
            user=user,
            source=source,
            ratings=tuple(ratings),
            ended_by=None if failure is None else failure[0],
            ending_detail=None if failure is None else failure[1],
            meta=meta,
        )
    except ValidationError as error:
        report.problems += problems_of(error, report.file, line)
        return None


def _system(fields: JsonObject, line: int, report: ParseReport) -> str | None:
    """The name of the system, taken out of an entry; a prompt under this key stays."""
    value = fields.get("system")
    if _is_prompt(value):
        report.mend("a text too long for a name was read as a prompt and kept in meta", "system", line=line)
        return None
    return _text(fields, "system", line, report)


def _ratings(fields: JsonObject, line: int, report: ParseReport) -> Iterator[Rating]:
    """Ratings of the whole dialogue, taken out of an entry; null is none."""
    given = fields.get("ratings")
    if isinstance(given, dict):
        del fields["ratings"]
        for name, value in given.items():
            yield from _rating(str(name), value, f"ratings.{name}", line, report)
    for key in list(fields):
        name = rated_name(key)
        if name is None or (key != "rating" and as_number(fields[key]) is None):
            continue
        report.mend(f"numbers under {key!r} were read as ratings of the whole dialogue", key, line=line)
        yield from _rating(name, fields.pop(key), key, line, report)


def _rating(name: str, value: object, field: str, line: int, report: ParseReport) -> Iterator[Rating]:
    number = as_number(value)
    if number is not None:
        yield Rating(name=name, value=number)
    elif value is not None:
        report.wrong(f"expected a number, got {kind_of(value)}.", field, line=line)


def _text(fields: JsonObject, key: str, line: int, report: ParseReport) -> str | None:
    """A name, taken out of an entry; None if there is none."""
    value = fields.pop(key, None)
    if value is None or value == "":
        return None
    if isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    report.wrong(f"expected a string, got {kind_of(value)}.", key, line=line)
    return None


def _sort_messages(messages: object, line: int, report: ParseReport) -> tuple[list[Utterance], list[JsonValue]]:
    """Split messages into those of the dialogue and the others."""
    utterances: list[Utterance] = []
    aside: list[JsonValue] = []
    if not isinstance(messages, list):
        what = f"expected a list of messages, got {kind_of(messages)}." if messages is not None else "there are none."
        report.wrong(what, "messages", line=line)
        messages = []
    for index, message in enumerate(messages):
        at = f"messages.{index}"
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(message, dict) or not isinstance(role, str):
            report.wrong("expected a message with a role.", at, line=line)
        elif role in ERRORS or (role in SPEAKERS and not message.get("content") and failure_in(error_of(message))):
            aside.append({**message, "before": len(utterances)})
        elif role not in SPEAKERS and role not in ASIDE:
            hint = f"Known: {', '.join((*SPEAKERS, *ASIDE))}."
            report.wrong(f"unknown role {role!r}.", f"{at}.role", line=line, hint=hint)
        elif role in ASIDE or _has_only_calls(message):
            aside.append({**message, "before": len(utterances)})
        elif utterance := _utterance(message, SPEAKERS[role], at, line, report):
            utterances.append(utterance)
    return utterances, aside


def _has_only_calls(message: JsonObject) -> bool:
    return not message.get("content") and bool(message.get("tool_calls") or message.get("function_call"))


def _utterance(message: JsonObject, speaker: Speaker, at: str, line: int, report: ParseReport) -> Utterance | None:
    text = _content(message, at, line, report)
    meta: dict[str, Any] = {key: value for key, value in message.items() if key not in ("role", "content", "id")}
    if text is None:
        return None
    if not text:
        report.mend("an empty message; kept", f"{at}.content", line=line)
    try:
        return Utterance(speaker=speaker, text=text, id=_text(dict(message), "id", line, report), meta=meta)
    except ValidationError as error:
        report.problems += problems_of(error, report.file, line)
        return None


def _content(message: JsonObject, at: str, line: int, report: ParseReport) -> str | None:
    """The text of a message; its parts are joined by line breaks, those without text left out."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if content is None and isinstance(message.get("refusal"), str):
        return str(message["refusal"])
    if not isinstance(content, list):
        report.wrong(f"expected a string or a list of parts, got {kind_of(content)}.", f"{at}.content", line=line)
        return None
    texts = []
    for index, part in enumerate(content):
        kind = part.get("type") if isinstance(part, dict) else None
        text = part.get(TEXT_PARTS.get(str(kind), "")) if isinstance(part, dict) else part
        if isinstance(text, str):
            texts.append(text)
        elif isinstance(part, dict) and isinstance(kind, str) and kind not in TEXT_PARTS:
            report.mend(f"a part of type {kind!r} has no text and was left out", f"{at}.content", line=line)
        else:
            where = f"{at}.content.{index}"
            report.wrong(f"expected a part {{type, text}}, got {kind_of(part)}.", where, line=line)
    return "\n".join(texts)


FORMAT = SimpleFormat(
    name="openai-chat",
    summary="OpenAI's chat format: JSON Lines or a JSON list of {messages: [{role, content}, ...]}, model and id optional.",
    recognise=_recognise,
    reader=_read,
)

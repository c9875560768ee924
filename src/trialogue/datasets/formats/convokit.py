"""ConvoKit conversations: ``utterances.jsonl``, alone or in a corpus folder.

An utterance has ``id``, ``speaker`` (or ``user``), ``conversation_id`` (or ``root``), ``text``, ``reply-to``, ``timestamp``.
Utterances of a conversation are ordered by time if all have one, else by file order. Whether a speaker
is the user or the system is read from the name (``user``, ``assistant``, ...), or from ``role`` in the metadata of the
utterance or, in ``speakers.json``, of the speaker. Metadata are kept.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.door.values import as_number
from trialogue.datasets.json_documents import (
    JsonObject,
    ParseReport,
    bare_stem,
    first_object,
    kind_of,
    read_json,
    read_objects,
)
from trialogue.datasets.tables.mapping import Speakers, obvious
from trialogue.records import Dialogue, JsonValue, Speaker, Utterance
from trialogue.records.files.jsonl import Note, problems_of

UTTERANCES, SPEAKERS, CONVERSATIONS = "utterances.jsonl", "speakers.json", "conversations.json"
ROLES = ("role", "speaker_role", "speaker_type", "participant_role", "side")
REPLY_TO = ("reply-to", "reply_to")
MAPPING = "{dialogue: conversation_id, speaker: speaker, text: text, speakers: {NAME: user}}"
HINT = f"Map the speakers with --mapping: {MAPPING}."


def _recognise(head: Head) -> bool:
    if head.is_folder:
        return UTTERANCES in head.names and _is_utterance(first_object(Head(head.path / UTTERANCES).text))
    return head.is_json_object and _is_utterance(first_object(head.text))


def _is_utterance(entry: JsonObject | None) -> bool:
    if entry is None or "text" not in entry or not any(key in entry for key in REPLY_TO):
        return False
    return ("speaker" in entry or "user" in entry) and ("conversation_id" in entry or "root" in entry)


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    file = path / UTTERANCES if path.is_dir() else path
    report = ParseReport(str(file), note)
    roles = _read_metadata(file.parent / SPEAKERS, note) if path.is_dir() else {}
    about = _read_metadata(file.parent / CONVERSATIONS, note) if path.is_dir() else {}
    speakers = Speakers({name: role for name, meta in roles.items() if (role := _role(meta)) is not None})
    source = path.name if path.is_dir() else bare_stem(path)
    conversations: dict[str, list[tuple[int, JsonObject]]] = {}
    for line, entry in read_objects(file, report):
        name = entry.get("conversation_id", entry.get("root"))
        if isinstance(name, str | int) and not isinstance(name, bool):
            conversations.setdefault(str(name), []).append((line, entry))
        else:
            what = f"expected the id of a conversation, got {kind_of(name)}."
            report.wrong(what, "conversation_id", line=line)
    dialogues = [
        Dialogue(
            id=name,
            utterances=tuple(_utterances(_in_order(entries), speakers, report)),
            source=source,
            meta=about.get(name, {}),
        )
        for name, entries in conversations.items()
    ]
    if speakers.unknown:
        speakers.settle("speaker", report)
        report.wrong("which speakers are users and which are systems is not specified.", "speaker", hint=HINT)
    report.settle()
    yield from dialogues


def _read_metadata(path: Path, note: Note) -> dict[str, dict[str, JsonValue]]:
    """The metadata of speakers or conversations by id; {} where there is no such file."""
    if not path.is_file():
        return {}
    report = ParseReport(str(path), note)
    content = read_json(path, report)
    report.settle()
    found = content.items() if isinstance(content, dict) else ()
    return {name: _meta(entry) for name, entry in found if isinstance(entry, dict)}


def _meta(entry: JsonObject) -> dict[str, JsonValue]:
    """ConvoKit's ``meta``, or, in older files, the fields beside it."""
    meta = entry.get("meta", entry)
    return dict(meta) if isinstance(meta, dict) else {}


def _role(meta: JsonObject) -> Speaker | None:
    entries = (meta.get(key) for key in ROLES)
    return next((role for value in entries if isinstance(value, str) and (role := obvious(value)) is not None), None)


def _in_order(entries: list[tuple[int, JsonObject]]) -> list[tuple[int, JsonObject]]:
    times = [as_number(_time(entry)) for _, entry in entries]
    if any(time is None for time in times):
        return entries
    order = sorted(range(len(entries)), key=lambda place: times[place] or 0.0)
    return [entries[place] for place in order]


def _time(entry: JsonObject) -> object:
    """A time as a number: some corpora write it as a text."""
    time = entry.get("timestamp")
    try:
        return float(time) if isinstance(time, str) else time
    except ValueError:
        return None


def _utterances(entries: list[tuple[int, JsonObject]], speakers: Speakers, report: ParseReport) -> Iterator[Utterance]:
    for line, entry in entries:
        name, text, meta = entry.get("speaker", entry.get("user")), entry.get("text"), _own_meta(entry)
        name = name.get("id") if isinstance(name, dict) else name  # older files hold the speaker itself
        if not isinstance(text, str):
            report.wrong(f"expected a string, got {kind_of(text)}.", "text", line=line)
            continue
        speaker = _role(meta) or speakers.resolve(str(name), line)
        own = {} if name is None else {"speaker": str(name)}
        known = entry.get("id")
        try:
            yield Utterance(
                speaker=speaker or "user", text=text, id=None if known is None else str(known), meta={**meta, **own}
            )
        except ValidationError as error:
            report.problems += problems_of(error, report.file, line)


def _own_meta(entry: JsonObject) -> dict[str, Any]:
    meta = entry.get("meta")
    return dict(meta) if isinstance(meta, dict) else {}


FORMAT = SimpleFormat(
    name="convokit",
    summary="ConvoKit's utterances.jsonl, alone or in a corpus folder with speakers.json and conversations.json.",
    recognise=_recognise,
    reader=_read,
)

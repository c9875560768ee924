"""Prediction/reference pairs as written by generation scripts: ``{"pred": …, "label": …}``, one per line.

A pair is a situation with the reference and the system's reply to it; the system is named after the file. A list of texts
for a reference is several references of one reply. The preceding context is in ``context``, ``history``, ``input``,
``dialog`` or ``prompt`` (a text with one utterance per line, or a list of texts or of {role, content}). Where it is missing,
the situation holds an empty user utterance, and only measures that compare a reply with its reference are meaningful. The
dialogue that a context is cut from is in ``dialogue_id``, ``dialog_id`` or ``conversation_id``, or in ``dialogue`` where it
holds one word: replies to one dialogue are a cluster. An
``error`` beside a reply, or in place of one, is a failure (``datasets.failures``). Files of several systems share their
situations where they hold the same references at the same lines.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.door.values import identifier, is_absent, names_of
from trialogue.datasets.failures import FAILED, error_key, error_meta, failure_in
from trialogue.datasets.json_documents import JsonObject, ParseReport, bare_stem, first_object, kind_of, read_objects
from trialogue.datasets.tables.mapping import Mapping
from trialogue.datasets.tables.responses import context_of
from trialogue.datasets.tables.rows import Row
from trialogue.records import JsonValue, Response, Situation, Utterance
from trialogue.records.files.jsonl import Note

PREDICTIONS = ("pred", "prediction", "predicted", "hyp", "hypothesis", "generated", "generation", "output")
REFERENCES = ("label", "reference", "ref", "gold", "target", "ground_truth", "references", "labels", "refs")
CONTEXTS = ("context", "history", "input", "inputs", "dialog", "dialogue", "prompt", "source")
DIALOGUES = names_of("dialogue_ids")
SPEAKER = re.compile(r"^\s*(system|assistant|bot|recommender)\s*:\s*", re.IGNORECASE)
"""Some scripts keep who speaks in front of a reply; it is no word of it."""


def _key(entry: JsonObject, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in entry), None)


def _recognise(head: Head) -> bool:
    if head.is_folder or not (head.is_json_object or head.is_json_list):
        return False
    entry = first_object(head.text) or {}
    prediction, reference = _key(entry, PREDICTIONS), _key(entry, REFERENCES)
    replied = prediction is not None and isinstance(entry[prediction], str)
    failed = error_key(entry) is not None and (prediction is None or entry[prediction] is None)
    return "kind" not in entry and (replied or failed) and reference is not None and _are_references(entry[reference])


def _are_references(value: JsonValue) -> bool:
    """Whether a value is one reference or several."""
    several = isinstance(value, list) and value and all(isinstance(each, str) for each in value)
    return isinstance(value, str) or bool(several)


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    report = ParseReport(str(path), note)
    records: list[AnyRecord] = []
    for number, (line, entry) in enumerate(read_objects(path, report), start=1):
        records += _pair(entry, number, line, bare_stem(path), report)
    report.settle()
    yield from records


def _pair(entry: JsonObject, number: int, line: int, system: str, report: ParseReport) -> list[AnyRecord]:
    key = error_key(entry)
    failure = failure_in(entry[key]) if key is not None else None
    given = _key(entry, PREDICTIONS)
    no_reply = failure is not None and (given is None or entry[given] is None)
    prediction = "" if no_reply else _text(entry, PREDICTIONS, line, report)
    references = _references(entry, line, report)
    if prediction is None or references is None:
        return []
    dialogue_key = _dialogue_key(entry)
    context = _context({key: value for key, value in entry.items() if key != dialogue_key}, line, report)
    said = tuple(Utterance(speaker="system", text=text) for text in references if text)
    messages = [utterance.model_dump(mode="json", exclude_defaults=True) for utterance in context]
    name = f"{number}-{hashlib.sha256(repr([messages, *references]).encode('utf-8', 'replace')).hexdigest()[:8]}"
    if failure is not None:
        report.mend(FAILED, key or "", line=line)
    elif not prediction:
        report.mend("a reply is blank; kept", given or "", line=line)
    return [
        Situation(
            id=name,
            context=context,
            reference=next(iter(said), None),
            further_references=said[1:],
            dialogue_id=None if dialogue_key is None else identifier(entry[dialogue_key]),
            meta={} if context[-1].text else {"context": "unknown"},
        ),
        Response(
            situation_id=name,
            system=system,
            utterance=Utterance(speaker="system", text=prediction),
            failure=None if failure is None else failure[0],
            meta=({} if prediction else {"blank": True}) | error_meta(None if failure is None else failure[1]),
        ),
    ]


def _dialogue_key(entry: JsonObject) -> str | None:
    """The field that names the dialogue; one called ``dialogue`` may as well hold the history, and then is none."""
    for key in DIALOGUES:
        value = entry.get(key)
        if isinstance(value, bool) or not isinstance(value, str | int | float) or is_absent(value):
            continue
        if len(identifier(value).split()) == 1:
            return key
    return None


def _references(entry: JsonObject, line: int, report: ParseReport) -> list[str] | None:
    """The references of a reply, one or several; None where they are not what they should be."""
    key = _key(entry, REFERENCES)
    given = entry.get(key) if key is not None else None
    several = key is not None and isinstance(given, list) and _are_references(given)
    entries = [{str(key): each} for each in given] if several and isinstance(given, list) else [entry]
    found = [_text(each, REFERENCES, line, report) for each in entries]
    known = [each for each in found if each is not None]
    if len(known) > 1 and not all(known):
        report.mend("a blank one of several references was left out", str(key), line=line)
    return known if len(known) == len(found) else None


def _text(entry: JsonObject, names: tuple[str, ...], line: int, report: ParseReport) -> str | None:
    key = _key(entry, names)
    value = entry.get(key) if key is not None else None
    if isinstance(value, str):
        plain = SPEAKER.sub("", value)
        if plain != value:
            report.mend("the speaker in front of a reply was removed", key or "", line=line)
        return plain.strip()
    what = f"one of {', '.join(names[:4])} is needed." if key is None else f"expected a string, got {kind_of(value)}."
    report.wrong(what, key or "", line=line)
    return None


def _context(entry: JsonObject, line: int, report: ParseReport) -> tuple[Utterance, ...]:
    """Dialogue history; one empty utterance of the user if unknown."""
    key = _key(entry, CONTEXTS)
    context = context_of(Row(line, entry), Mapping(response="-", context=key, system_name="-"), report) if key else ()
    if context and context[-1].speaker == "user":
        return context
    report.mend("the file has no context for the replies; only comparisons with references are possible", line=line)
    return (*context, Utterance(speaker="user", text=""))


FORMAT = SimpleFormat(
    name="prediction-pairs",
    summary="Replies with references: JSON Lines or a JSON list of {pred, label}, with an optional context.",
    recognise=_recognise,
    reader=_read,
)

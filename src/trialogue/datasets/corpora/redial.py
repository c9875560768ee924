"""ReDial (Li et al., NeurIPS 2018): people recommending films to people, with film-level flags: suggested, seen, liked.

Reads the publisher's JSON Lines and those of iEvaLM (Wang et al., EMNLP 2023), which add the output of an entity linker
(``entity``, ``item``, ``thread``, ``masked_text``, ``word``; not read). The seeker is the one who began the conversation.

Texts name films as ``@123``; the title is substituted, and ``meta["as_published"]`` keeps the original text. Flags, as
the publisher describes them: suggested 1 by the recommender, 0 brought up by the seeker; seen and liked 1 yes, 0 no, 2 did
not say (None here). Both parties answered for the seeker; their answers often differ.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trialogue.datasets.base import AnyRecord, Corpus, Head, SimpleFormat, card
from trialogue.datasets.corpora.mentions import tidy_title
from trialogue.datasets.door.values import as_number
from trialogue.datasets.json_documents import (
    JsonObject,
    ParseReport,
    bare_stem,
    files_at,
    in_file_or_folder,
    kind_of,
    read_objects,
)
from trialogue.records import Dialogue, ItemOpinion, JsonValue, Mention, Speaker, Utterance
from trialogue.records.files.jsonl import Note

SUFFIXES = (".jsonl", ".json")
MARKS = ("movieMentions", "conversationId", "senderWorkerId")
NAMED = re.compile(r"@(\d+)")
QUESTIONNAIRES: tuple[tuple[Speaker, str], ...] = (("user", "initiatorQuestions"), ("system", "respondentQuestions"))
ANSWERS = {0: False, 1: True, 2: None}


def _is_redial(head: Head) -> bool:
    return head.is_json_object and head.has_keys(*MARKS)


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    what, hint = "this folder contains no JSON Lines file of ReDial.", "Get it with: trialogue data get redial"
    seen: dict[str, str] = {}
    for file in files_at(path, _is_redial, what=what, hint=hint, suffixes=SUFFIXES):
        yield from _read_file(file, note, seen)


def _read_file(path: Path, note: Note, seen: dict[str, str]) -> Iterator[Dialogue]:
    report = ParseReport(str(path), note)
    source = f"redial/{bare_stem(path)}"
    for line, entry in read_objects(path, report):
        dialogue = _dialogue(entry, source, line, report)
        if dialogue is None:
            continue
        first = seen.setdefault(dialogue.id, f"{path.name}, line {line}")
        if first != f"{path.name}, line {line}":
            report.wrong(f"dialogue {dialogue.id!r} is already in {first}.", "conversationId", line=line)
        if not report.problems:
            yield dialogue
    report.settle()


def _dialogue(entry: JsonObject, source: str, line: int, report: ParseReport) -> Dialogue | None:
    known = len(report.problems)
    names = [_name(entry, key, line, report) for key in ("conversationId", "initiatorWorkerId", "respondentWorkerId")]
    if len(set(names[1:])) < 2 and len(report.problems) == known:
        report.wrong(f"initiator and respondent are the same worker, {names[1]}.", "initiatorWorkerId", line=line)
    titles = _titles(entry, line, report)
    parties: dict[str, Speaker] = {names[2]: "system", names[1]: "user"}
    utterances = list(_utterances(entry.get("messages"), parties, titles, line, report))
    opinions = _opinions(entry, titles, line, report)
    if len(report.problems) > known:
        return None
    if not utterances:
        report.mend("a dialogue without messages", "messages", line=line)
    return Dialogue(
        id=names[0],
        utterances=tuple(utterances),
        system="human",
        user=f"worker {names[1]}",
        source=source,
        opinions=opinions,
        meta={"recommender": f"worker {names[2]}"},
    )


def _name(entry: JsonObject, key: str, line: int, report: ParseReport) -> str:
    value = entry.get(key)
    if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
        return str(value).strip()
    what = f"expected a number or a string, got {kind_of(value)}." if key in entry else "this field is missing."
    report.wrong(what, key, line=line)
    return ""


def _titles(entry: JsonObject, line: int, report: ParseReport) -> dict[str, str | None]:
    """Title by film id; None where the corpus has no title."""
    given = _table(entry, "movieMentions", line, report)
    titles: dict[str, str | None] = {}
    for number, title in given.items():
        if title is not None and not isinstance(title, str):
            report.wrong(f"expected a title, got {kind_of(title)}.", f"movieMentions.{number}", line=line)
        titles[number] = (tidy_title(title) or None) if isinstance(title, str) else None
    return titles


def _table(entry: JsonObject, key: str, line: int, report: ParseReport) -> dict[str, Any]:
    """An object of the corpus; an empty one is written as an empty list."""
    value = entry.get(key)
    if isinstance(value, dict):
        return value
    if value not in (None, []):
        report.wrong(f"expected an object, got {kind_of(value)}.", key, line=line)
    return {}


def _utterances(
    messages: object, parties: dict[str, Speaker], titles: dict[str, str | None], line: int, report: ParseReport
) -> Iterator[Utterance]:
    if not isinstance(messages, list):
        report.wrong(f"expected a list of messages, got {kind_of(messages)}.", "messages", line=line)
        return
    for index, message in enumerate(messages):
        at = f"messages.{index}"
        if not isinstance(message, dict) or not isinstance(message.get("text"), str):
            report.wrong("expected a message with a 'text' string.", at, line=line)
            continue
        speaker = parties.get(str(message.get("senderWorkerId")))
        if speaker is None:
            what = f"{kind_of(message.get('senderWorkerId'))} is neither initiator nor respondent."
            report.wrong(what, f"{at}.senderWorkerId", line=line)
            continue
        yield _utterance(message, speaker, titles, line, report)


def _utterance(
    message: JsonObject, speaker: Speaker, titles: dict[str, str | None], line: int, report: ParseReport
) -> Utterance:
    published: str = message["text"]
    text, mentions = resolve_titles(published, titles)
    for number in NAMED.findall(published):
        if titles.get(number) is None:
            report.mend("a film id (@…) has no title in its conversation; the id stays in the text", "text", line=line)
    number = message.get("messageId", message.get("turn_id"))
    meta: dict[str, JsonValue] = {} if text == published else {"as_published": published}
    if (seconds := as_number(message.get("timeOffset"))) is not None:
        meta["time_offset_s"] = seconds
    return Utterance(
        speaker=speaker, text=text, id=None if number is None else str(number), mentions=mentions, meta=meta
    )


def resolve_titles(published: str, titles: dict[str, str | None]) -> tuple[str, tuple[Mention, ...]]:
    """Replace ``@123`` by titles, and return the mentions with their offsets; ids without a title are kept.

    >>> text, mentions = resolve_titles("Like @5 or @6?", {"5": "Troy (2004)"})
    >>> text, mentions[0].item_id, text[mentions[0].start : mentions[0].end], len(mentions)
    ('Like Troy (2004) or @6?', '5', 'Troy (2004)', 1)
    """
    parts: list[str] = []
    mentions: list[Mention] = []
    behind = length = 0
    for match in NAMED.finditer(published):
        title = titles.get(match[1])
        if title is None:
            continue
        parts += (published[behind : match.start()], title)
        start = length + match.start() - behind
        behind, length = match.end(), start + len(title)
        mentions.append(Mention(title=title, item_id=match[1], start=start, end=length))
    return "".join((*parts, published[behind:])), tuple(mentions)


def _opinions(
    entry: JsonObject, titles: dict[str, str | None], line: int, report: ParseReport
) -> tuple[ItemOpinion, ...] | None:
    opinions = [
        opinion
        for by, key in QUESTIONNAIRES
        for number, answers in _table(entry, key, line, report).items()
        if (opinion := _opinion(by, number, answers, titles.get(number), f"{key}.{number}", line, report))
    ]
    return tuple(opinions) or None  # an empty questionnaire was not filled in


def _opinion(
    by: Speaker, number: str, answers: object, title: str | None, at: str, line: int, report: ParseReport
) -> ItemOpinion | None:
    if not isinstance(answers, dict):
        report.wrong(f"expected answers {{suggested, seen, liked}}, got {kind_of(answers)}.", at, line=line)
        return None
    flags = {}
    for name in ("suggested", "seen", "liked"):
        value = answers.get(name, 2)
        if not isinstance(value, int) or isinstance(value, bool) or value not in ANSWERS:
            report.wrong(f"expected 0, 1 or 2, got {kind_of(value)}.", f"{at}.{name}", line=line)
            return None
        flags[name] = ANSWERS[value]
    if title is None:
        report.mend("answers about a film without a title; its id is used", at, line=line)
    return ItemOpinion(title=title or f"@{number}", item_id=number, by=by, **flags)


SOURCE = card("redial")

FORMAT = SimpleFormat(
    name="redial",
    summary="ReDial's JSON Lines (raw, or as in iEvaLM): conversations with film mentions and questionnaires.",
    recognise=in_file_or_folder(_is_redial, suffixes=SUFFIXES),
    reader=_read,
)

CORPUS = Corpus(source=SOURCE, reader=_read)

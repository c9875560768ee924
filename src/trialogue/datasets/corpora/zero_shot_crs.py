"""Lists of items that language models recommend for turns of dialogues, as published with He et al. (CIKM 2023).

The publisher's folder has ``data/<corpus>/`` (``test.jsonl``, ``entity2id.json``, ``item_ids.json``) and, for each model,
``src/<model>/general/intermediate/<corpus>/extracted.jsonl``, whose line ``index`` (from 0) answers that line of
``test.jsonl``. Lines become situations, lists become responses with a ranking. Items are compared by name, as the published
metrics do (two films of one name are one item): ids are names of entities, without brackets and hyphens.

Every line is a reply of the system, so roles are counted backwards: the last text is the user's. Some of the publisher's
contexts open with an empty placeholder and some do not, and some begin with the system.

Names in the lists were matched with the nearest of all entities, people and genres included; the edit distances are in
``meta.edit_distances``. An item listed twice keeps both places. Short lists stay short. Names of all entities of the
context, films or not, are in the situation's ``meta.seen``.

The paper has four columns: of whole lists, of lists without names farther than two edits (``filtered``), without those of
``meta.seen`` (``unseen``), and without either. Each is a format of its own, such as ``zero-shot-crs-unseen``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.door.values import as_number
from trialogue.datasets.json_documents import ParseReport, kind_of, objects_by_line, read_json
from trialogue.errors import DataError, Problem
from trialogue.records import JsonValue, Mention, MentionedBy, Response, Situation, Speaker, Utterance
from trialogue.records.files.jsonl import Note

NAME = "zero-shot-crs"
TESTS = "data/*/test.jsonl"
LISTS = "src/*/general/intermediate/{corpus}/extracted.jsonl"
ENTITIES, ITEMS = "entity2id.json", "item_ids.json"
BRACKETS = re.compile(r"\([^()]*\)")
APART = str.maketrans("_->", "   ")
FARTHEST = 2  # edits between a generated name and the nearest entity, from the publisher's evaluate.py


def name_of(entity: str) -> str:
    """Name of an entity, as the publisher's lists have it.

    >>> name_of("<http://dbpedia.org/resource/Spider-Man_(2002_film)>")
    'Spider Man'
    """
    bare = entity.rsplit("/", 1)[-1].translate(APART)
    return " ".join(BRACKETS.sub("", bare).split())


@dataclass(frozen=True)
class Lists:
    """Which names of the generated lists are kept."""

    filtered: bool = False
    """Leave out names farther than ``FARTHEST`` edits from the nearest entity."""
    unseen: bool = False
    """Leave out names of entities of the context."""

    @property
    def name(self) -> str:
        """Name of the format that reads them so."""
        return "-".join([NAME, *(["filtered"] if self.filtered else []), *(["unseen"] if self.unseen else [])])

    def keeps(self, entry: Mapping[str, JsonValue], seen: JsonValue) -> bool:
        """Whether a name is kept; one without a distance is not near."""
        distance = as_number(entry.get("min_edit_distance"))
        is_near = distance is not None and distance <= FARTHEST
        is_new = not isinstance(seen, list) or entry.get("nearest_movie") not in seen
        return (is_near or not self.filtered) and (is_new or not self.unseen)


class _Corpus:
    """One corpus of the publisher: names of its entities, and which of them are items."""

    def __init__(self, folder: Path, report: ParseReport) -> None:
        ids = read_json(folder / ENTITIES, report)
        items = read_json(folder / ITEMS, report)
        if not isinstance(ids, dict) or not isinstance(items, list):
            report.wrong(f"expected an object in {ENTITIES} and a list in {ITEMS} next to this file.")
            ids, items = {}, []
        self.names = {number: name_of(entity) for entity, number in ids.items() if isinstance(number, int)}
        self.items = frozenset(each for each in items if isinstance(each, int))

    def known_entities(self, numbers: JsonValue, at: str, report: ParseReport) -> list[int]:
        """Those entities that have a name."""
        given = numbers if isinstance(numbers, list) else []
        for number in given:
            if not isinstance(number, int) or number not in self.names:
                report.wrong(f"an unknown entity: {number!r}.", at)
        return [number for number in given if isinstance(number, int) and number in self.names]

    def names_of(self, numbers: Iterable[int]) -> list[str]:
        """Names of entities."""
        return [self.names[number] for number in numbers]

    def items_among(self, numbers: Iterable[int]) -> list[str]:
        """Names of the items among entities."""
        return self.names_of(number for number in numbers if number in self.items)


def _situations(path: Path, note: Note) -> list[Situation]:
    report = ParseReport(str(path), note)
    corpus = _Corpus(path.parent, report)
    found: list[Situation] = []
    for number, entry in objects_by_line(path, report):
        context, reply = entry.get("context"), entry.get("resp")
        if not isinstance(context, list) or not all(isinstance(each, str) for each in context) or not context:
            report.wrong(f"the context must be a list of texts, got {kind_of(context)}.", "context", line=number)
        elif not isinstance(reply, str):
            report.wrong(f"the reply must be text, got {kind_of(reply)}.", "resp", line=number)
        else:
            targets = corpus.items_among(corpus.known_entities(entry.get("rec"), f"rec, line {number}", report))
            before = corpus.known_entities(entry.get("prev_entity"), f"prev_entity, line {number}", report)
            dialogue = f"{path.parent.name}/{entry.get('dialog_id')}"
            found.append(
                Situation(
                    id=f"{dialogue}#{entry.get('turn_id')}",
                    context=tuple(_context([str(each) for each in context], corpus.items_among(before))),
                    reference=Utterance(speaker="system", text=reply, mentions=tuple(map(_mention, targets))),
                    targets=tuple(targets),
                    dialogue_id=dialogue,
                    source=f"{NAME}/{path.parent.name}",
                    meta={"seen": [*dict.fromkeys(corpus.names_of(before))]},
                )
            )
    report.settle()
    return found


def _context(texts: list[str], before: list[str]) -> Iterator[Utterance]:
    """Messages, the last one and every second before it the user's; empty ones are placeholders, except the last.

    The publisher lists the entities of the whole context: each item stands with the first message that has its name, or
    else with the last one, so that none is missing.
    """
    last = len(texts) - 1
    named: dict[int, list[str]] = {}
    for name in dict.fromkeys(before):
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        place = next((place for place, text in enumerate(texts) if pattern.search(text.replace("-", " "))), last)
        named.setdefault(place, []).append(name)
    for place, text in enumerate(texts):
        speaker: Speaker = "system" if (last - place) % 2 else "user"
        if text.strip() or place == last:
            yield Utterance(speaker=speaker, text=text, mentions=tuple(map(_mention, named.get(place, []))))


def _mention(name: str) -> Mention:
    return Mention(title=name, item_id=name, origin="publisher", by=MentionedBy.ANNOTATED)


def _responses(path: Path, situations: list[Situation], system: str, note: Note, *, lists: Lists) -> Iterator[Response]:
    report = ParseReport(str(path), note)
    found: dict[int, Response] = {}
    left_out = total = 0
    for number, entry in objects_by_line(path, report):
        index, listed = entry.get("index"), entry.get("rec_list")
        if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(situations):
            what = f"the index must be that of a line in test.jsonl, 0 to {len(situations) - 1}, got {index!r}."
            report.wrong(what, "index", line=number)
        elif index in found:
            report.wrong(f"the index {index} occurs twice.", "index", line=number)
        elif not isinstance(listed, list) or not all(_is_entry(each) for each in listed):
            report.wrong("rec_list must be a list of objects with nearest_movie.", "rec_list", line=number)
        else:
            entries = [each for each in listed if isinstance(each, dict)]
            kept = [each for each in entries if lists.keeps(each, situations[index].meta["seen"])]
            left_out, total = left_out + len(entries) - len(kept), total + len(entries)
            found[index] = Response(
                situation_id=situations[index].id,
                system=system,
                utterance=Utterance(
                    speaker="system",
                    text=_text_of(entry),
                    ranking=tuple(str(each["nearest_movie"]) for each in kept),
                ),
                meta={
                    "movie_names": [each.get("movie_name") for each in kept],
                    "edit_distances": [each.get("min_edit_distance") for each in kept],
                },
            )
    if missing := len(situations) - len(found):
        report.mend(f"{missing} of {len(situations)} situations have no list by {system}")
    if lists != Lists():
        report.mend(f"{left_out} of {total} names in lists by {system} were left out, as {lists.name} says")
    report.settle()
    yield from (found[index] for index in sorted(found))


def _is_entry(given: JsonValue) -> bool:
    return isinstance(given, dict) and isinstance(given.get("nearest_movie"), str)


def _text_of(entry: Mapping[str, JsonValue]) -> str:
    """The model's words: ``resp.choices[0].message.content``; "" where they were not published."""
    answer = entry.get("resp")
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    text = message.get("content") if isinstance(message, dict) else None
    return text if isinstance(text, str) else ""


def read_folder(folder: Path, note: Note, *, lists: Lists) -> Iterator[AnyRecord]:
    """The situations of every corpus in the publisher's folder, then each model's responses, by name.

    Raises:
        DataError: there is no ``data/<corpus>/test.jsonl``, or with the mistakes of a file.
    """
    tests = sorted(folder.glob(TESTS))
    if not tests:
        what = f"this folder contains no {TESTS}."
        raise DataError(Problem(what, str(folder), hint="Give the publisher's folder, with data and src in it."))
    for test in tests:
        situations = _situations(test, note)
        yield from situations
        for path in sorted(folder.glob(LISTS.format(corpus=test.parent.name))):
            system = path.relative_to(folder).parts[1]
            yield from _responses(path, situations, system, note, lists=lists)


def _recognises(head: Head) -> bool:
    return head.is_folder and {"data", "src"} <= head.names and any(head.path.glob(TESTS))


def _format(lists: Lists, summary: str) -> SimpleFormat:
    """A format that reads lists so; only that of whole lists is recognised, the others must be named."""
    recognise = _recognises if lists == Lists() else _never
    return SimpleFormat(lists.name, summary, recognise, partial(read_folder, lists=lists))


def _never(head: Head) -> bool:
    return False


FORMAT = _format(
    Lists(), "Item lists by language models for dialogue turns (He et al., CIKM 2023): the publisher's folder."
)
FILTERED = _format(
    Lists(filtered=True),
    f"As zero-shot-crs, without names farther than {FARTHEST} edits from the nearest entity (filtered_True).",
)
UNSEEN = _format(Lists(unseen=True), "As zero-shot-crs, without names that the context mentions (exclude_seen_True).")
FILTERED_UNSEEN = _format(
    Lists(filtered=True, unseen=True), "As zero-shot-crs, without distant names and names that the context mentions."
)

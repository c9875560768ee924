"""Dialogues of language-model users in the format of iEvaLM and CONCEPT: one JSON file per dialogue, one folder per system.

Both keep the simulated dialogue in ``simulator_dialog.context``, with the system's ranked list behind each of its messages.
They differ in what the user is after. iEvaLM's user looks for the titles in ``rec``, and the dialogue goes on from a human
one (``context``), which is what the system was given first: it is read as the beginning of the dialogue. CONCEPT's user has
a set of genres (``simulator_dialog.attributes``) and a persona; ``context``, ``rec`` and ``resp`` around it belong to
another dialogue and are not read. Its goal set is every film whose genres are that set, by the publisher's item files.

Both have their systems talk about ReDial and about OpenDialKG, in folders ``<system>/redial_eval`` and
``<system>/opendialkg_eval``. A system trained on one corpus is another system than that trained on the other, with items
under other ids: it is named ``kbrd_redial``, as in CRSArena, and the source is ``concept/redial`` or ``ievalm/redial``.

Where iEvaLM's systems chose what to ask about (``option``, which is kept in ``meta``), the source begins
``ievalm/attributes``.
A message that only asks has no ranking: in a case without any, ``need_recall@last`` is undefined, as in iEvaLM, and
``need_recall@all-cases`` a miss. Items of a list that its text names are mentioned.

Flags of success are kept as they were published, as scores of the dialogue (1 where a flag is ever true):
``published_success@list`` of ``rec_success_rec`` and iEvaLM's ``rec_success``, ``published_success@text`` of
``rec_success_dialogue``.

The publishers keep dialogues in ``<system>/<corpus>_eval/`` and the items of each corpus in ``data/<corpus>/``
(``id2info.json`` and ``entity2id.json``), below a folder above the dialogues. One number means different items in two
corpora, so dialogues of one corpus are never read with the items of another: as in the publishers' scripts, the name of the
folder decides.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.failures import failure_of
from trialogue.datasets.json_documents import ParseReport, files_at, first_json, kind_of, read_each, read_json
from trialogue.errors import DataError, Problem
from trialogue.records import (
    Constraint,
    Dialogue,
    Ending,
    JsonValue,
    MeasureName,
    Mention,
    MentionedBy,
    Need,
    NeedSource,
    Score,
    Speaker,
    Utterance,
)
from trialogue.records.files.jsonl import Note

INFO, ENTITIES = "id2info.json", "entity2id.json"
DATA = ("data", "code/data")
"""Folders of the publishers that have a folder of item files for each corpus."""
EVALUATION = "_eval"
"""End of the name of a folder with the dialogues of one corpus."""
HIGHEST = 10  # folders above a dialogue that are looked at


@dataclass(frozen=True)
class Origin:
    """The system and the corpus of a dialogue, by its folders."""

    system: str
    """Name of the system, with the corpus where it is known: ``kbrd_opendialkg``."""
    corpus: str | None
    """Name of the corpus, as in ``data/<corpus>``; None: no folder says."""

    @classmethod
    def of(cls, path: Path) -> Self:
        """From the nearest ``<system>/<corpus>_eval`` above a file; without one, the file's folder is the system's.

        >>> Origin.of(Path("/save_5/chat/kbrd/opendialkg_eval/7_3.json"))
        Origin(system='kbrd_opendialkg', corpus='opendialkg')
        """
        folders = path.resolve().parents
        for folder in folders[:HIGHEST]:
            if folder.name.endswith(EVALUATION):
                corpus = folder.name.split("_")[0]
                return cls(f"{folder.parent.name}_{corpus}", corpus)
        return cls(folders[0].name, None)


@dataclass(frozen=True)
class ItemTable:
    """Item data in the publisher's files."""

    ids: Mapping[str, str]
    """Id by the name of an entity."""
    genres: Mapping[str, frozenset[str]]
    """Genres of an item by id; entities that are no items are not there."""
    titles: Mapping[str, str]
    """Title of an item by id."""

    def id_of(self, name: str) -> str:
        """The id of a name; the name itself where there is none."""
        return self.ids.get(name, name)

    def with_genres(self, genres: frozenset[str]) -> tuple[str, ...]:
        """Ids of the items that have these genres and no others."""
        return tuple(sorted(item for item, own in self.genres.items() if own == genres))


NO_ITEMS = ItemTable({}, {}, {})


@lru_cache(maxsize=64)
def items_for(folder: Path, corpus: str | None) -> ItemTable:
    """Items of a corpus from the nearest files beside or above a folder; ``NO_ITEMS`` where there are none.

    Raises:
        DataError: no folder names the corpus, and there are items of several.
    """
    for above in [folder, *folder.parents][:HIGHEST]:
        found = [place for place in _places(above, corpus) if (place / INFO).is_file()]
        if len(found) > 1 and found[0] != above and corpus is None:
            raise _ambiguous(folder, found)
        if found:
            return _read(found[0])
    return NO_ITEMS


def _places(above: Path, corpus: str | None) -> Iterator[Path]:
    """Where the items of a corpus may be at a folder: in it, or below it; of any corpus where that is not known."""
    yield above
    for data in DATA:
        yield from [above / data / corpus] if corpus else sorted((above / data).glob("*"))


def _ambiguous(folder: Path, found: list[Path]) -> DataError:
    names = ", ".join(dict.fromkeys(place.name for place in found))
    what = f"no folder says which corpus these dialogues are about, and there are items of several: {names}."
    hint = f"Put them in a folder named after their corpus, for example {folder.name}/{found[-1].name}{EVALUATION}."
    return DataError(Problem(what, str(folder), hint=hint))


@lru_cache(maxsize=4)
def _read(place: Path) -> ItemTable:
    report = ParseReport(str(place / INFO), lambda _: None)
    given = read_json(place / INFO, report)
    names = read_json(place / ENTITIES, report) if (place / ENTITIES).is_file() else {}
    ids = {str(name): str(number) for name, number in names.items()} if isinstance(names, dict) else {}
    genres: dict[str, frozenset[str]] = {}
    titles: dict[str, str] = {}
    for key, fields in given.items() if isinstance(given, dict) else ():
        if isinstance(fields, dict):
            # the keys are ids of another list: items are the same entities by their name alone
            title, own = str(fields.get("name")), fields.get("genre")
            item = ids.get(title, str(key))
            genres[item] = frozenset(map(str, own)) if isinstance(own, list) else frozenset()
            titles[item] = title
    return ItemTable(ids, genres, titles)


NAME = "ievalm"
SPEAKERS: dict[str, Speaker] = {"user": "user", "assistant": "system"}
STOP = "[END]"
OPTION = "option"
"""Field of a system's message with the letter of the option that it chose, where iEvaLM has it ask about attributes."""
ATTRIBUTE_MODE = "attributes"
EXCHANGES = {"concept": 10, "ievalm": 5}
"""After so many, CONCEPT and iEvaLM stop a dialogue."""
FLAGS = {
    "rec_success_rec": "published_success@list",
    "rec_success": "published_success@list",
    "rec_success_dialogue": "published_success@text",
}
DEEPEST = 4  # folders below the one given in which a first dialogue is looked for
SHORTEST = 5  # letters of a title that is looked for in a text: It and Up are words
YEAR = re.compile(r"\s*\((?:19|20)\d\d\)\s*\Z")


def read_file(path: Path, note: Note) -> Iterator[AnyRecord]:
    """The dialogue of one file, and its published flags as scores.

    Raises:
        DataError: with every mistake of the file.
    """
    report = ParseReport(str(path), note)
    data = read_json(path, report)
    inner = data.get("simulator_dialog") if isinstance(data, dict) else None
    messages = inner.get("context") if isinstance(inner, dict) else None
    if not isinstance(data, dict) or not isinstance(inner, dict) or not isinstance(messages, list):
        report.wrong(f"expected an object with simulator_dialog.context, got {kind_of(data)}.")
        report.settle()
        return
    origin = Origin.of(path)
    films = items_for(path.resolve().parent, origin.corpus)
    is_concept = "attributes" in inner
    asks = any(isinstance(each, dict) and isinstance(each.get(OPTION), str) for each in messages)
    utterances = [] if is_concept else list(_opening(data, films, report))
    utterances += _utterances(messages, films, report)
    need = _need_of_genres(inner, films) if is_concept else _need_of_titles(data, films, report)
    report.settle()
    ending, detail = _ending(data, messages, EXCHANGES["concept" if is_concept else "ievalm"])
    mode = f"{ATTRIBUTE_MODE}/" if asks else ""
    name = f"{origin.system}/{mode}{path.stem}"
    kind = "concept" if is_concept else f"{NAME}/{ATTRIBUTE_MODE}" if asks else NAME
    yield Dialogue(
        id=name,
        utterances=tuple(utterances),
        system=origin.system,
        source=f"{kind}/{origin.corpus}" if origin.corpus else kind,
        need=need.model_copy(update={"fits": _fits(need, utterances, films), "is_resolved": bool(films.genres)}),
        ended_by=ending,
        ending_detail=detail,
    )
    yield from _flags(messages, origin.system, name)


def _opening(data: Mapping[str, JsonValue], films: ItemTable, report: ParseReport) -> Iterator[Utterance]:
    """Human dialogue that iEvaLM continues: users at even positions; empty texts are placeholders."""
    context = data.get("context")
    targets = [*_texts(data.get("rec")), *_texts(data.get("entity"))]
    for place, text in enumerate(context if isinstance(context, list) else []):
        if not isinstance(text, str):
            report.wrong(f"a message must be text, got {kind_of(text)}.", f"context[{place}]")
        elif text.strip():
            speaker: Speaker = "system" if place % 2 else "user"
            named = [name for name in dict.fromkeys(targets) if _names(text, name)]
            yield Utterance(speaker=speaker, text=text, mentions=_mentions(named, films), meta={"part": "context"})


def _names(text: str, title: str) -> bool:
    """Whether a text names a title, with or without its year, between word boundaries."""
    bare = YEAR.sub("", title)
    return len(bare) >= SHORTEST and re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", text, re.IGNORECASE) is not None


def _lists(text: str, title: str) -> bool:
    """Whether a list names a title; short ones count with their year."""
    return (YEAR.search(title) is not None and title in text) or _names(text, title)


def _utterances(messages: list[JsonValue], films: ItemTable, report: ParseReport) -> Iterator[Utterance]:
    for place, message in enumerate(messages):
        at = f"simulator_dialog.context[{place}]"
        if not isinstance(message, dict):
            report.wrong(f"a message must be an object, got {kind_of(message)}.", at)
            continue
        speaker, text = SPEAKERS.get(str(message.get("role"))), message.get("content")
        if speaker is None:
            report.wrong(f'the role must be "user" or "assistant", got {kind_of(message.get("role"))}.', f"{at}.role")
        elif not isinstance(text, str):
            report.wrong(f"a message must be text, got {kind_of(text)}.", f"{at}.content")
        else:
            items = message.get("rec_items")
            ranking = _ranking(items) if isinstance(items, list) and items else None
            kept = {key: message[key] for key in ("feelings", OPTION) if isinstance(message.get(key), str)}
            names = _texts(message.get("entity"))
            if OPTION in kept and ranking is not None and not names:
                names = [films.titles[item] for item in ranking if _lists(text, films.titles.get(item, ""))]
            yield Utterance(
                speaker=speaker,
                text=text.replace(STOP, "").rstrip() if speaker == "user" else text,
                mentions=_mentions(names, films),
                ranking=ranking,
                meta=kept,
            )


def _ranking(items: list[JsonValue]) -> tuple[str, ...]:
    """Ids, best first; one that occurs twice counts where it stands first."""
    return tuple(dict.fromkeys(map(str, items)))


def _mentions(names: list[str], films: ItemTable) -> tuple[Mention, ...]:
    """Entities that are items; people and genres are none. Without the publisher's files, all of them."""
    return tuple(
        Mention(title=name, item_id=films.id_of(name), origin="publisher", by=MentionedBy.ANNOTATED)
        for name in names
        if not films.genres or films.id_of(name) in films.genres
    )


def _texts(given: JsonValue) -> list[str]:
    return [each for each in given if isinstance(each, str)] if isinstance(given, list) else []


def _need_of_genres(inner: Mapping[str, JsonValue], films: ItemTable) -> Need:
    genres, persona = _texts(inner.get("attributes")), " ".join(_texts(inner.get("profile")))
    return Need(
        id=_short_hash([*genres, persona]),
        constraints=tuple(Constraint(attribute="genre", values=(genre,)) for genre in genres),
        acceptable=films.with_genres(frozenset(genres)),
        persona=persona,
        source=NeedSource.IMPORTED,
        catalogue_size=len(films.genres) or None,
    )


def _need_of_titles(data: Mapping[str, JsonValue], films: ItemTable, report: ParseReport) -> Need:
    titles = _texts(data.get("rec"))
    if films.ids and (unknown := [title for title in titles if title not in films.ids]):
        report.mend(f"{len(unknown)} of {len(titles)} targets are not in {ENTITIES}: no list can name them", "rec")
    targets = tuple(dict.fromkeys(map(films.id_of, titles)))
    return Need(
        id=_short_hash([data.get("dialog_id"), data.get("turn_id"), *targets]),
        targets=targets,
        acceptable=targets,
        source=NeedSource.IMPORTED,
        catalogue_size=len(films.genres) or None,
    )


def _short_hash(content: JsonValue) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]


def _fits(need: Need, utterances: list[Utterance], films: ItemTable) -> dict[str, float]:
    """Share of the genres that each item has that the system named; items that no file knows are left out."""
    genres = {each.values[0] for each in need.constraints}
    named = {each.item_id or "" for said in utterances for each in said.mentions or () if said.speaker == "system"}
    found = {}
    for item in sorted(each for each in named if each in films.genres):
        own = len(genres & films.genres[item]) / len(genres) if genres else float(item in need.acceptable)
        found[item] = round(own, 4)
    return found


def _ending(data: Mapping[str, JsonValue], messages: list[JsonValue], most: int) -> tuple[Ending, str | None]:
    """Ending: a recorded error, the user's stop token, success, or the limit of turns."""
    failure = failure_of(data, messages, SPEAKERS)
    if failure is not None:
        return failure
    said = [each for each in messages if isinstance(each, dict)]
    last = said[-1] if said else {}
    if last.get("role") == "user" and STOP in str(last.get("content")):
        return Ending.USER_ENDED, None
    if any(each.get("rec_success") is True for each in said):
        return Ending.OTHER, "a target is in the list"
    exchanges = sum(each.get("role") == "assistant" for each in said)
    return (Ending.TURN_LIMIT, None) if exchanges >= most else (Ending.OTHER, "nothing records why it ended")


def _flags(messages: list[JsonValue], system: str, name: str) -> Iterator[Score]:
    said = [each for each in messages if isinstance(each, dict)]
    for flag, measure in FLAGS.items():
        values = [each[flag] for each in said if isinstance(each.get(flag), bool)]
        if values:
            yield Score(
                measure=MeasureName(measure),
                level="dialogue",
                value=float(any(values)),
                system=system,
                dialogue_id=name,
            )


def read_folder(folder: Path, note: Note) -> Iterator[AnyRecord]:
    """Every dialogue below a folder, by path.

    Raises:
        DataError: there is none; or with the mistakes of all files.
    """
    what = "this folder contains no dialogues of iEvaLM or CONCEPT."
    hint = "Expected a JSON file for each dialogue, with simulator_dialog.context in it."
    paths = files_at(folder, _is_dialogue, what=what, hint=hint, is_deep=True)
    lacking = {
        origin.corpus: place
        for place, origin in {path.parent: Origin.of(path) for path in reversed(paths)}.items()
        if not items_for(place.resolve(), origin.corpus).genres
    }
    for corpus, place in lacking.items():
        of = f" of {corpus}" if corpus else ""
        note(Problem(f"there is no {INFO}{of} next to or above the dialogues: goals have no items.", str(place)))
    yield from read_each(paths, read_file, note)


def _is_dialogue(head: Head) -> bool:
    is_document = head.is_json_object and not head.is_json_lines
    return is_document and (head.has_keys("simulator_dialog") or _is_large(head))


def _is_large(head: Head) -> bool:
    """Whether the file is longer than the read prefix and starts like these files."""
    return head.has_keys("dialog_id", "turn_id", "context", "template")


def _recognises(head: Head) -> bool:
    if not head.is_folder:
        return _is_dialogue(head)
    first = first_json(head.path, DEEPEST)
    return first is not None and _is_dialogue(Head(first))


FORMAT = SimpleFormat(
    name=NAME,
    summary="Dialogues with language models as users, written by iEvaLM or CONCEPT: one JSON file each, or folders "
    "of them.",
    recognise=_recognises,
    reader=read_file,
    folder_reader=read_folder,
)

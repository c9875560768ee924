"""The annotated conversations of Zhang and Balog (KDD 2020): 25 real users with each of three film recommenders.

A file is one object, ``{dialogue id: [[speaker, text, label], ...]}``: one label per utterance, read as its only dialogue
act. Labels are kept as they are, including typos and two numbers: the published figures were computed with them.

Ids are ``{file}/{id in the file}``, since the three files share some. An id of six digits or more is that of a Telegram
chat, with ``-1`` or ``-2`` where a person returned: it becomes the ``user``, and is the same person across files (1047672896
talked to all three systems). The ids 1 to 25 only number the dialogues and do not identify a user: user unknown.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import Corpus, Head, SimpleFormat, card
from trialogue.datasets.json_documents import (
    ParseReport,
    bare_stem,
    excerpt_of,
    files_at,
    in_file_or_folder,
    kind_of,
    read_json,
)
from trialogue.records import ActOrigin, Dialogue, DialogueAct, JsonValue, Speaker, Utterance
from trialogue.records.files.jsonl import Note, warn

NAME = "kdd2020"
SYSTEMS = {"1219_andchill": "and-chill", "1225_mb": "kelly", "1224_ms": "jmrs1"}  # the paper's A, B and C
SPEAKERS: dict[str, Speaker] = {"user": "user", "agent": "system"}
CHAT_ID = re.compile(r"(\d{6,})(-\d+)?")  # the shortest in the files has eight digits, the longest number given two
FIRST_TRIPLE = re.compile(r'\s*\{\s*"[^"\\]*"\s*:\s*\[\s*\[\s*"(user|agent)"\s*,\s*"(\\.|[^"\\])*"\s*,\s*("|\d)')


def read_file(path: Path, note: Note = warn) -> Iterator[Dialogue]:
    """Read the dialogues of one file, in order.

    The system is named after the file where that is one of the three published ones, else by the file's name.

    Raises:
        DataError: with every mistake of the file.
    """
    report = ParseReport(str(path), note)
    data = read_json(path, report)
    if not isinstance(data, dict) or not data:
        hint = 'Expected {"dialogue id": [["user", "Hello", "Non-disclose"], ...], ...}.'
        report.wrong(f"expected an object of dialogues, got {kind_of(data)}.", hint=hint)
        data = {}
    dialogues = [_dialogue(key, triples, bare_stem(path), report) for key, triples in data.items()]
    _note_twins(dialogues, report)
    report.settle()
    yield from dialogues


def read_folder(folder: Path, note: Note) -> Iterator[Dialogue]:
    """Read every annotated file in a folder, by name.

    Raises:
        DataError: there is none.
    """
    what = "this folder contains no annotated dialogues of KDD 2020."
    hint = f"Expected {', '.join(f'{stem}.json' for stem in SYSTEMS)}."
    for path in files_at(folder, _is_triples, what=what, hint=hint):
        yield from read_file(path, note)


def _dialogue(key: str, triples: JsonValue, stem: str, report: ParseReport) -> Dialogue:
    if not isinstance(triples, list):
        report.wrong(f"a dialogue must be a list, got {kind_of(triples)}.", key)
        triples = []
    said = [_utterance(triple, f"{key}[{index}]", report) for index, triple in enumerate(triples)]
    return Dialogue(
        id=f"{stem}/{key}",
        utterances=tuple(utterance for utterance in said if utterance is not None),
        system=SYSTEMS.get(stem, stem),
        user=person[1] if (person := CHAT_ID.fullmatch(key)) else None,
        source=NAME,
    )


def _utterance(triple: JsonValue, at: str, report: ParseReport) -> Utterance | None:
    if not isinstance(triple, list) or len(triple) != 3:
        report.wrong(f"an utterance must be [speaker, text, label], got {excerpt_of(triple)}.", at)
        return None
    speaker, text, label = triple
    if not isinstance(speaker, str) or speaker not in SPEAKERS:
        report.wrong(f'the speaker must be "user" or "agent", got {kind_of(speaker)}.', f"{at}[0]")
        return None
    if not isinstance(text, str):
        report.wrong(f"the text must be a string, got {kind_of(text)}.", f"{at}[1]")
        return None
    intent = _intent(label, f"{at}[2]", report)
    acts = (DialogueAct(intent=intent),)
    return Utterance(speaker=SPEAKERS[speaker], text=text, acts=acts, acts_by=ActOrigin.ANNOTATED)


def _intent(label: JsonValue, at: str, report: ParseReport) -> str:
    if isinstance(label, int) and not isinstance(label, bool):
        report.mend(f"the label {label} is a number, and was kept as a string", at)
        return str(label)
    if not isinstance(label, str):
        report.wrong(f"a label must be a string, got {kind_of(label)}.", at)
        return ""
    return label


def _note_twins(dialogues: list[Dialogue], report: ParseReport) -> None:
    first: dict[tuple[Utterance, ...] | str, str] = {}
    for dialogue in dialogues:
        content = "\n".join(utterance.model_dump_json() for utterance in dialogue.utterances)
        twin = first.setdefault(content, dialogue.id)
        if twin != dialogue.id:
            report.mend(f"the dialogues {twin!r} and {dialogue.id!r} are identical word for word; both were kept")


def _is_triples(head: Head) -> bool:
    return FIRST_TRIPLE.match(head.text) is not None


FORMAT = SimpleFormat(
    name=NAME,
    summary="Annotated dialogues of KDD 2020: {id: [[speaker, text, label], ...]}, or a folder of such files.",
    recognise=in_file_or_folder(_is_triples),
    reader=read_file,
    folder_reader=read_folder,
)

CORPUS = Corpus(source=card(NAME), reader=read_folder)

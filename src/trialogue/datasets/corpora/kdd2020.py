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

from trialogue.datasets.base import Corpus, Head, SimpleFormat, Source, remote_files
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

ADDRESS = "https://raw.githubusercontent.com/iai-group/kdd2020-usersim/a18f435/code/data"
FILES = {
    "1219_andchill.json": "1fcf094d7a9e944628cea8df86ccedd4a740f0f0c4c9d96ee33cb597514f98f3",
    "1224_ms.json": "e510666e7eb14d5a83a5dc8bc415301819c39bed04f9090b2ffb5f631e338c4f",
    "1225_mb.json": "edd29d7f3abc28fdd8611be983cd40ab27037c7a767fc9334918e841f228304d",
}

CORPUS = Corpus(
    source=Source(
        name=NAME,
        title="KDD 2020 user simulation",
        summary="75 conversations of real users with three film recommenders, with a dialogue act for every utterance.",
        folder="kdd2020",
        homepage="https://github.com/iai-group/kdd2020-usersim",
        revision="a18f435",
        files=remote_files(ADDRESS, FILES),
        licence="none stated",
        citation=(
            "Zhang and Balog (2020). Evaluating Conversational Recommender Systems via User Simulation. KDD 2020, 1512-1520."
        ),
        bibtex=(
            "@inproceedings{zhang2020evaluating,\n"
            "  author = {Zhang, Shuo and Balog, Krisztian},\n"
            "  title = {Evaluating Conversational Recommender Systems via User Simulation},\n"
            "  booktitle = {KDD},\n"
            "  pages = {1512--1520},\n"
            "  year = {2020}\n}"
        ),
        counts={"dialogues": 75, "utterances": 2367},
        defects=(
            "Two labels are numbers (dialogue ids pasted over them), and two are misspelt: Suggesnt, Clairfy. Kept.",
            "Two utterances of And chill's dialogue 3 sound like the user's and are labelled so, but are stored as the "
            "agent's.",
            "Dialogues 6 and 9 with And chill are the same.",
            "The users are not all different people: 1047672896 occurs four times, four more ids twice.",
            "Emoji were lost as '??' before publication (25 utterances with And chill).",
        ),
    ),
    reader=read_folder,
)

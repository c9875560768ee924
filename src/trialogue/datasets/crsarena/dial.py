"""CRSArena-Dial (Bernard et al., WSDM 2025): people talk with two of nine recommenders and vote for the better one.

The conversations are DialogueKit JSON with a sentiment, ``satisfied`` or ``frustrated``, read as a Rating
``satisfaction`` of 1 or 0 by the user. A vote (CSV) becomes a Preference; its id is that of its setting and row
(``open-17``), its sides are joined to the conversations by ``{agent}_{user}``. One person voted twice on the same pair, 38
seconds apart: published Elo scores count both rows, so both are read, and the source of the later one ends in
``(duplicate)``, so that analyses of people rather than rows can exclude it (``is_duplicate``).

A folder is read as a whole: conversations before votes, the open setting before the closed one, each in file order.
"""

from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import Corpus, Head, SimpleFormat, Source, remote_files
from trialogue.datasets.crsarena.votes import DUPLICATE, VOTES_HEADER, is_duplicate, read_votes
from trialogue.datasets.dialoguekit.format import CRSARENA_SENTIMENT, read_dialoguekit
from trialogue.datasets.json_documents import bare_stem, files_like, in_file_or_folder
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Preference, Rating
from trialogue.records.files.jsonl import Note

__all__ = ["CORPUS", "DUPLICATE", "FORMAT", "is_duplicate"]

NAME = "crsarena-dial"
SETTINGS = ("open", "closed")  # anyone on the web; paid workers of a crowd platform
SATISFACTION = {"satisfied": 1.0, "frustrated": 0.0}


def read_folder(folder: Path, note: Note) -> Iterator[Dialogue | Preference]:
    """Read every conversation and vote of a folder, whatever the file names.

    Raises:
        DataError: nothing of it is there, or two files hold the same conversation.
    """
    conversations, votes = (
        sorted(files_like(folder, _is_conversations), key=_place),
        sorted(files_like(folder, _is_votes, suffixes=(".csv",)), key=_place),
    )
    if not conversations and not votes:
        hint = "Expected crs_arena_dial_open.json, votes_open.csv and the same for closed."
        raise DataError(
            Problem("this folder contains no conversations or votes of CRSArena-Dial.", str(folder), hint=hint)
        )
    on_record: dict[str, Path] = {}
    for path in conversations:
        for dialogue in read_conversations(path, note):
            _remember(dialogue.id, path, on_record)
            yield dialogue
    for path in votes:
        yield from read_votes(path, setting_of(path), set(on_record), note)


def read_conversations(path: Path, note: Note) -> Iterator[Dialogue]:
    """Read the conversations of one file, with the user's sentiment as a rating.

    Raises:
        DataError: a sentiment is neither satisfied nor frustrated, or the file is no DialogueKit JSON.
    """
    problems: list[Problem] = []
    rated = []
    for index, dialogue in enumerate(read_dialoguekit(path, note=note)):
        sentiment = dialogue.meta.get("sentiment")
        value = SATISFACTION.get(sentiment) if isinstance(sentiment, str) else None
        if value is None:
            what = f"the sentiment must be satisfied or frustrated, got {sentiment!r}."
            problems.append(Problem(what, str(path), field=f"[{index}].metadata.sentiment"))
        else:
            rated.append(_add_rating(dialogue, value, f"{NAME}/{setting_of(path)}"))
    if problems:
        raise DataError(problems)
    yield from rated


def setting_of(path: Path) -> str:
    """``"open"`` or ``"closed"`` if the file name contains it; else its stem."""
    stem = bare_stem(path)
    return next((setting for setting in SETTINGS if setting in stem.lower()), stem)


def _add_rating(dialogue: Dialogue, value: float, source: str) -> Dialogue:
    rating = Rating(name="satisfaction", value=value, rater="user", low=0, high=1)
    meta = {key: said for key, said in dialogue.meta.items() if key != "sentiment"}
    ratings = (*dialogue.ratings, rating)
    return dialogue.model_copy(update={"ratings": ratings, "source": source, "meta": meta})


def _remember(identity: str, path: Path, on_record: dict[str, Path]) -> None:
    if identity in on_record:
        what = f"the conversation {identity!r} is also in {on_record[identity].name}."
        raise DataError(Problem(what, str(path), hint="Is one of the files a copy? Remove it."))
    on_record[identity] = path


def _place(path: Path) -> tuple[int, str]:
    setting = setting_of(path)
    return SETTINGS.index(setting) if setting in SETTINGS else len(SETTINGS), path.name


def _is_conversations(head: Head) -> bool:
    return head.is_json_list and CRSARENA_SENTIMENT.search(head.text) is not None


def _is_votes(head: Head) -> bool:
    return {name.strip() for name in head.first_line.split(",")} >= set(VOTES_HEADER)


def _recognises(head: Head) -> bool:
    fits = (in_file_or_folder(_is_conversations), in_file_or_folder(_is_votes, suffixes=(".csv",)))
    return any(fit(head) for fit in fits)


def _read_file(path: Path, note: Note) -> Iterator[Dialogue | Preference]:
    if _is_votes(Head(path)):
        return read_votes(path, setting_of(path), None, note)
    return read_conversations(path, note)


FORMAT = SimpleFormat(
    name=NAME,
    summary="CRSArena-Dial: a folder of conversations with satisfaction (JSON) and votes (CSV), or one of its files.",
    recognise=_recognises,
    reader=_read_file,
    folder_reader=read_folder,
)

ADDRESS = "https://raw.githubusercontent.com/iai-group/crsarena-dial/dd7f4e7/data"
FILES = {
    "crs_arena_dial_open.json": "59afb9531a4b7c632c9366e5d169f33cfea655b4b4d1012da0a44374cc0891cf",
    "crs_arena_dial_closed.json": "2f97b75e4218eabcde7519a4cc1165daf51671eb4accb92977dc089a99798a79",
    "votes_open.csv": "2f9776be21f44ede88095fc62222a3646f12425318956d3b1d78bc10cf6080cc",
    "votes_closed.csv": "7092c7c01ebb0eaa93ae8de2b1dd2d9a7960e3fde5a325516290890ba558b939",
}

CORPUS = Corpus(
    source=Source(
        name=NAME,
        title="CRSArena-Dial",
        summary="Conversations of people with nine recommenders, their satisfaction, and 185 votes between two "
        "recommenders.",
        folder="crsarena_dial",
        homepage="https://github.com/iai-group/crsarena-dial",
        revision="dd7f4e7",
        files=remote_files(ADDRESS, FILES),
        licence="none stated",
        citation=(
            "Bernard, Joko, Hasibi and Balog (2025). CRS Arena: Crowdsourced Benchmarking of Conversational Recommender "
            "Systems. WSDM 2025."
        ),
        bibtex=(
            "@inproceedings{bernard2025crsarena,\n"
            "  author = {Bernard, Nolwenn and Joko, Hideaki and Hasibi, Faegheh and Balog, Krisztian},\n"
            "  title = {{CRS} Arena: Crowdsourced Benchmarking of Conversational Recommender Systems},\n"
            "  booktitle = {WSDM},\n"
            "  year = {2025}\n}"
        ),
        counts={"dialogues": 474, "utterances": 4519, "preferences": 185},
        defects=(
            "Its README says 187 votes; there are 185 (81 open, 104 closed), 72 of them ties.",
            f"One vote occurs twice (open, rows 42 and 43); the source of the second ends in {DUPLICATE!r}.",
            "Three open votes (rows 25, 34 and 57) lack one of their two conversations.",
            "Nine utterances are empty, and two conversations (open) consist of a single user utterance.",
        ),
    ),
    reader=read_folder,
)

"""Corpora in DialogueKit JSON: dialogues with IAI MovieBot, and IARD's annotated ReDial dialogues.

Only corpus-specific details are handled here; the format is that of ``dialoguekit``.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from trialogue.datasets.base import Corpus, Source, remote_files
from trialogue.datasets.dialoguekit.format import read_dialoguekit
from trialogue.records import ActOrigin, Dialogue
from trialogue.records.files.jsonl import Note

ADDRESS = "https://raw.githubusercontent.com/iai-group/UserSimCRS/1e7d339/data/datasets"
HOMEPAGE = "https://github.com/iai-group/UserSimCRS"
REVISION = "1e7d339"
LICENCE = "Apache-2.0"
MOVIEBOT_FILE, IARD_FILE = "annotated_dialogues.json", "formatted_IARD_annotated_gold.json"


def _moviebot(dialogue: Dialogue) -> Dialogue:
    return _mark_annotated(dialogue).model_copy(update={"source": "moviebot"})


def _iard(dialogue: Dialogue) -> Dialogue:
    """Both parties are people, so the system is "human"; which person recommended is kept in meta."""
    meta = {**dialogue.meta, "recommender": dialogue.system}
    return _mark_annotated(dialogue).model_copy(update={"source": "iard", "system": "human", "meta": meta})


def _mark_annotated(dialogue: Dialogue) -> Dialogue:
    """The dialogue with its acts as those of annotators, which the format itself does not say."""
    said = (
        each.model_copy(update={"acts_by": ActOrigin.ANNOTATED if each.acts else None}) for each in dialogue.utterances
    )
    return dialogue.model_copy(update={"utterances": tuple(said)})


def _reader(name: str, change: Callable[[Dialogue], Dialogue]) -> Callable[[Path, Note], Iterator[Dialogue]]:
    def read(folder: Path, note: Note) -> Iterator[Dialogue]:
        yield from map(change, read_dialoguekit(folder / name, note=note))

    return read


MOVIEBOT = Corpus(
    source=Source(
        name="moviebot",
        title="IAI MovieBot dialogues",
        summary="Eight dialogues between people and IAI MovieBot, with intents and slots for every utterance.",
        folder="moviebot_dialoguekit",
        homepage=HOMEPAGE,
        revision=REVISION,
        files=remote_files(
            f"{ADDRESS}/moviebot",
            {MOVIEBOT_FILE: "653dc3924741e27c70956c9f9f6eec242ca17293d42f5a81e07b32ad15697db0"},
        ),
        licence=LICENCE,
        citation=(
            "Afzali, Drzewiecki, Balog and Zhang (2023). UserSimCRS: A User Simulation Toolkit for Evaluating "
            "Conversational Recommender Systems. WSDM 2023, 1160-1163."
        ),
        bibtex=(
            "@inproceedings{afzali2023usersimcrs,\n"
            "  author = {Afzali, Jafar and Drzewiecki, Aleksander Mark and Balog, Krisztian and Zhang, Shuo},\n"
            "  title = {{UserSimCRS}: A User Simulation Toolkit for Evaluating Conversational Recommender Systems},\n"
            "  booktitle = {WSDM},\n"
            "  year = {2023}\n}"
        ),
        counts={"dialogues": 8, "utterances": 210},
        defects=(
            "Every user is called 'User': the users are unknown, so each dialogue counts as a different person.",
            "Slots have no offsets, and utterances no ids.",
        ),
    ),
    reader=_reader(MOVIEBOT_FILE, _moviebot),
)

IARD = Corpus(
    source=Source(
        name="iard",
        title="IARD",
        summary="77 ReDial dialogues between people, annotated with intents of both parties and slots (the gold part).",
        folder="iard",
        homepage=HOMEPAGE,
        revision=REVISION,
        files=remote_files(
            f"{ADDRESS}/iard", {IARD_FILE: "bc234893b808bd3d3ca2e72b5d68fcc1a974cada8333b4cd19cb9a3941d5b755"}
        ),
        licence=LICENCE,
        citation=(
            "Cai and Chen (2020). Predicting User Intents and Satisfaction with Dialogue-based Conversational "
            "Recommendations. UMAP 2020, 33-42. In the form published with UserSimCRS."
        ),
        bibtex=(
            "@inproceedings{cai2020predicting,\n"
            "  author = {Cai, Wanling and Chen, Li},\n"
            "  title = {Predicting User Intents and Satisfaction with Dialogue-based Conversational Recommendations},\n"
            "  booktitle = {UMAP},\n"
            "  pages = {33--42},\n"
            "  year = {2020}\n}"
        ),
        counts={"dialogues": 77, "utterances": 1103},
        defects=(
            "Ids are numbers, and both parties are people of ReDial: the system is 'human', and meta records which person.",
            "One slot has the year of a film (1982) where its offset should be.",
        ),
    ),
    reader=_reader(IARD_FILE, _iard),
)

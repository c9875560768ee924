"""Rated corpora that no part of Trialogue was made on: USS (CCPE, SGD) and RecLLMSim, as dialogues with people's ratings.

Their fields, scales and traps are those of the publishers (revisions ``8ba06bd`` and ``d680f2f``). The files lie in folders
of a local mirror: ``uss/CCPE.txt``, ``uss/SGD.txt``, ``recllmsim/human_exp_V2/USER/TASK/NUMBER.json``.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from trialogue.records import Dialogue, Rating, Utterance

SATISFACTION = "satisfaction"
OVERALL = "OVERALL"
SPEAKERS = {"USER": "user", "SYSTEM": "system", "user": "user", "assistant": "system"}


def uss(path: Path) -> list[Dialogue]:
    """The dialogues of one file of USS, each rated 1 to 5 by 3 to 7 outsiders; raters are nested in dialogues."""
    blocks = path.read_text("utf-8").strip("\n").split("\n\n")
    return [_uss_dialogue(path.stem, place, block.splitlines()) for place, block in enumerate(blocks)]


def _uss_dialogue(corpus: str, place: int, lines: Iterable[str]) -> Dialogue:
    identity = f"{corpus.lower()}-{place}"
    utterances: list[Utterance] = []
    ratings: tuple[Rating, ...] = ()
    for line in lines:
        role, text, _action, given = line.split("\t")
        if text == OVERALL:
            ratings = tuple(
                Rating(name=SATISFACTION, value=int(value), rater=f"{identity}-{rater}", low=1, high=5)
                for rater, value in enumerate(given.split(","))
            )
        else:
            utterances.append(Utterance.model_validate({"speaker": SPEAKERS[role], "text": text}))
    return Dialogue(id=identity, utterances=tuple(utterances), ratings=ratings, system=corpus.lower(), source="uss")


def recllmsim(folder: Path) -> list[Dialogue]:
    """The rated dialogues of people with four assistants; the rating is the mean of the person's ratings of its turns."""
    return list(_recllmsim(folder))


def _recllmsim(folder: Path) -> Iterator[Dialogue]:
    for path in sorted(folder.glob("human_exp_V2/*/*/*.json")):
        content: dict[str, Any] = json.loads(path.read_text("utf-8"))
        given = [int(turn["satisfaction"]) for turn in content["history"] if turn.get("satisfaction")]
        user = path.parts[-3]
        rating = Rating(name=SATISFACTION, value=sum(given) / len(given), rater=user, low=1, high=5)
        yield Dialogue(
            id="/".join(path.parts[-3:]),
            utterances=tuple(
                Utterance.model_validate({"speaker": SPEAKERS[turn["role"]], "text": turn["content"]})
                for turn in content["history"]
            ),
            ratings=(rating,),
            system=content["chat_model"],
            user=user,
            source="recllmsim",
        )

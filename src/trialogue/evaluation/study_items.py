"""From what was read (dialogues, situations, replies) to the items of a human study."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np

from trialogue.errors import DataError, Problem, UsageError
from trialogue.evaluation.material import Material, gather
from trialogue.records import Dialogue, Utterance
from trialogue.seeds import rng_for
from trialogue.study.design.items import (
    MOST_LINES,
    AnyItem,
    ChatItem,
    LabellingItem,
    Message,
    PreferenceItem,
    RatingItem,
    RealismItem,
    Talk,
)

DEMO = "demo"
CHATS = 1  # items of each system that is talked to: raters_per_item says how many talk to it


def items_for(
    study_type: str,
    responses: Sequence[str | Path] = (),
    *,
    human: Sequence[str | Path] = (),
    simulated: Sequence[str | Path] = (),
    agents: Sequence[str] = (),
    most: int | None = None,
    seed: int = 0,
) -> list[AnyItem]:
    """The items of a study.

    Args:
        study_type: rating, preference, realism, chat or labelling.
        responses: files or corpora with replies to situations (rating, preference) or dialogues (labelling, preference);
            the demo corpus by default.
        human: realism: dialogues of people.
        simulated: realism: dialogues of simulated users, with the same agents.
        agents: chat: names of the systems in the study file.
        most: at most so many, drawn at random.
        seed: of what is drawn.

    Raises:
        UsageError: something is missing.
        DataError: there is nothing in the files that such a study could show.
    """
    rng = rng_for(seed, "study items", study_type)
    if study_type == "chat":
        return [ChatItem(key=f"chat-{name}", agents=(name,)) for name in agents]
    if study_type == "realism":
        return _drawn(_realism(human, simulated, rng), most, rng)
    material = gather([str(each) for each in responses] or [DEMO])
    make: dict[str, Callable[[Material], list[AnyItem]]] = {
        "rating": _ratings,
        "preference": _preferences,
        "labelling": _labels,
    }
    items = make[study_type](material)
    if not items:
        needed = {"rating": "replies of systems to situations", "labelling": "dialogues with system messages"}
        what = f"there is nothing for a study of type {study_type}: {needed.get(study_type, 'two systems')} are needed."
        raise DataError(Problem(what, ", ".join(map(str, responses)) or DEMO))
    return _drawn(items, most, rng)


def _drawn(items: list[AnyItem], most: int | None, rng: np.random.Generator) -> list[AnyItem]:
    if most is None or most >= len(items):
        return items
    return [items[place] for place in sorted(rng.choice(len(items), size=most, replace=False).tolist())]


def _messages(utterances: Iterable[Utterance]) -> tuple[Message, ...]:
    return tuple(Message(speaker=each.speaker, text=each.text) for each in utterances)[-MOST_LINES:]


def _by_situation(material: Material) -> dict[str, dict[str, str]]:
    """Text by system, for each situation; a system without words there is left out."""
    found: dict[str, dict[str, str]] = {}
    for response in material.responses:
        if response.utterance.text.strip():
            found.setdefault(response.situation_id, {})[response.system] = response.utterance.text
    return found


def _ratings(material: Material) -> list[AnyItem]:
    """Situations to which every system has something to say: each is judged in the same places as the others."""
    replies = _by_situation(material)
    systems = {name for texts in replies.values() for name in texts}
    return [
        RatingItem(
            key=situation.id,
            dialogue_id=situation.dialogue_id,
            context=_messages(situation.context),
            responses=replies[situation.id],
        )
        for situation in material.situations
        if set(replies.get(situation.id, ())) == systems
    ]


def _preferences(material: Material) -> list[AnyItem]:
    """Every two different replies to a situation."""
    replies = _by_situation(material)
    return [
        PreferenceItem(
            key=f"{situation.id}|{a}|{b}",
            dialogue_id=situation.dialogue_id,
            context=_messages(situation.context),
            responses={a: texts[a], b: texts[b]},
        )
        for situation in material.situations
        for texts in [replies.get(situation.id, {})]
        for a, b in combinations(sorted(texts), 2)
        if texts[a].strip() != texts[b].strip()
    ]


def _labels(material: Material) -> list[AnyItem]:
    """Every message of a recommender, in its dialogue up to there."""
    named = _names(material.dialogues)
    return [
        LabellingItem(
            key=f"{dialogue.system or ''}{'/' if dialogue.system else ''}{dialogue.id}#{place}",
            dialogue_id=name,
            messages=_messages(dialogue.utterances[: place + 1]),
            utterance=place,
        )
        for dialogue, name in zip(material.dialogues, named, strict=True)
        if len(dialogue.utterances) <= MOST_LINES
        for place, utterance in enumerate(dialogue.utterances)
        if utterance.speaker == "system" and utterance.text.strip()
    ]


def _names(dialogues: Sequence[Dialogue]) -> list[str]:
    """Ids of dialogues, with the system in front where two have the same one: labels are known by them."""
    times = Counter(dialogue.id for dialogue in dialogues)
    return [each.id if times[each.id] == 1 else f"{each.system or ''}/{each.id}" for each in dialogues]


def _realism(human: Sequence[str | Path], simulated: Sequence[str | Path], rng: np.random.Generator) -> list[AnyItem]:
    """Each simulated dialogue beside one of a person with the same agent (any agent, where none is shared)."""
    if not human or not simulated:
        raise UsageError("A realism study needs dialogues of people (--human) and of simulated users (--simulated).")
    people = gather([str(each) for each in human]).dialogues
    made = gather([str(each) for each in simulated]).dialogues
    found: list[AnyItem] = []
    for number, dialogue in enumerate(made, start=1):
        others = [each for each in people if (each.id, each.utterances) != (dialogue.id, dialogue.utterances)]
        same = [each for each in others if each.system == dialogue.system] or others
        if not same or not dialogue.utterances:
            continue
        beside = same[int(rng.integers(len(same)))]
        found.append(
            RealismItem(
                key=f"pair-{number}",
                dialogue_id=dialogue.id,
                agent=dialogue.system or "",
                simulator=str(dialogue.user or "simulated").partition("/")[0],
                human=_talk(beside),
                simulated=_talk(dialogue),
            )
        )
    if not found:
        raise DataError(Problem("there are no two dialogues to be compared.", ", ".join(map(str, simulated))))
    return found


def _talk(dialogue: Dialogue) -> Talk:
    return Talk(id=dialogue.id, messages=_messages(dialogue.utterances))

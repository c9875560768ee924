"""Build the items of a human study from dialogues, situations and replies."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from typing import Annotated, Any, TypeAlias

import numpy as np
from annotated_types import Ge
from pydantic import ValidationError

from trialogue.errors import DataError, Problem, UsageError
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.inputs.locations import Named
from trialogue.options import Seed
from trialogue.records import Dialogue, Situation, Speaker, Utterance
from trialogue.records.files.jsonl import Note, problems_of, warn
from trialogue.records.kinds.acts import replayed_system
from trialogue.seeds import rng_for
from trialogue.simulation.source import users_of_source
from trialogue.study.design.items import (
    MAX_LINES,
    SIMULATED,
    AnyItem,
    ChatItem,
    LabellingItem,
    PreferenceItem,
    RatingItem,
    RealismItem,
)

Fields: TypeAlias = dict[str, Any]
DEMO = "demo"
PER_CELL = 25  # pairs of each simulator with each agent in Zhang and Balog (KDD 2020, sec. 6.3)
CHATS = 1  # items of each system that is talked to: raters_per_item says how many talk to it


def items_for(
    study_type: str,
    responses: Sequence[Named] = (),
    *,
    human: Sequence[Named] = (),
    simulated: Sequence[Named] = (),
    agents: Sequence[str] = (),
    most: Annotated[int, Ge(1)] | None = None,
    per_cell: Annotated[int, Ge(1)] = PER_CELL,
    speaker: Speaker = "system",
    whole: bool = False,
    seed: Seed = 0,
    note: Note = warn,
) -> list[AnyItem]:
    """Build the items of a study.

    Args:
        study_type: rating, preference, realism, chat or labelling.
        responses: files or corpora with replies to situations (rating, preference), or dialogues (labelling, and both with
            ``whole``); the demo corpus by default.
        human: realism: dialogues with human users.
        simulated: realism: dialogues with simulated users of the same agents; one whose agent no person talked to is left
            out.
        agents: chat: names of the systems in the study file.
        most: maximum number of items, sampled at random. Realism: as evenly as possible among simulators and agents.
        speaker: labelling: whose messages are labelled.
        whole: rating, preference: whether whole conversations are judged.
        per_cell: realism: maximum number of pairs of each simulator with each agent. They are drawn at random.
        seed: seed of the draw.
        note: called with what is left out; a Python warning by default.

    Raises:
        UsageError: a required input is missing.
        DataError: the files contain nothing that such a study could show.
    """
    rng = rng_for(seed, "study items", study_type)
    if study_type == "chat":
        return [ChatItem(key=f"chat-{name}", agents=(name,)) for name in agents]
    if study_type == "realism":
        return _realism(human, simulated, rng, note, per_cell=per_cell, most=most)
    material = gather(list(responses) or [DEMO])
    make: dict[str, Callable[[InputRecords], list[AnyItem]]] = {
        "rating": _ratings,
        "preference": _preferences,
        "labelling": partial(_labels, speaker=speaker),
    }
    if whole:
        make |= {"rating": _conversations, "preference": partial(_pairs_of_conversations, rng=rng, note=note)}
    items = make[study_type](material)
    if not items:
        needed = {
            "rating": "dialogues with systems" if whole else "replies by systems to situations",
            "labelling": "dialogues with messages to label",
        }
        wanted = needed.get(study_type, "dialogues of two systems" if whole else "replies of two systems")
        what = f"the files contain nothing for a study of type {study_type}, which needs {wanted}."
        raise DataError(Problem(what, ", ".join(map(str, responses)) or DEMO))
    return _draw_items(items, most, rng)


def _draw_items(items: list[AnyItem], most: int | None, rng: np.random.Generator) -> list[AnyItem]:
    if most is None or most >= len(items):
        return items
    return [items[place] for place in sorted(rng.choice(len(items), size=most, replace=False).tolist())]


def _valid(kind: type[AnyItem], rows: Iterable[Fields]) -> list[AnyItem]:
    """Validated items of one kind.

    Raises:
        DataError: every text or id that no page can show, all at once.
    """
    made: list[AnyItem] = []
    problems: list[Problem] = []
    for fields in rows:
        try:
            made.append(kind.model_validate(fields))
        except ValidationError as error:
            problems += problems_of(error, f"item {fields['key']}", None)
    if problems:
        raise DataError(problems)
    return made


def _messages(utterances: Sequence[Utterance]) -> tuple[dict[str, str], ...]:
    return tuple({"speaker": each.speaker, "text": each.text} for each in utterances[-MAX_LINES:])


def _texts_by_situation(material: InputRecords) -> dict[str, dict[str, str]]:
    """Text by system, for each situation; a system without words there is left out."""
    found: dict[str, dict[str, str]] = {}
    for response in material.responses:
        if response.utterance.text.strip():
            found.setdefault(response.situation_id, {})[response.system] = response.utterance.text
    return found


def _ratings(material: InputRecords) -> list[AnyItem]:
    """Situations with replies of every system; all systems are judged on the same ones."""
    replies = _texts_by_situation(material)
    systems = {name for texts in replies.values() for name in texts}
    return _valid(
        RatingItem,
        (
            {**_of_situation(situation), "key": situation.id, "responses": replies[situation.id]}
            for situation in material.situations
            if set(replies.get(situation.id, ())) == systems
        ),
    )


def _preferences(material: InputRecords) -> list[AnyItem]:
    """Every pair of different replies to a situation."""
    replies = _texts_by_situation(material)
    return _valid(
        PreferenceItem,
        (
            {
                **_of_situation(situation),
                "key": f"{situation.id}|{a}|{b}",
                "responses": {a: texts[a], b: texts[b]},
            }
            for situation in material.situations
            for texts in [replies.get(situation.id, {})]
            for a, b in combinations(sorted(texts), 2)
            if texts[a].strip() != texts[b].strip()
        ),
    )


def _by_system(material: InputRecords) -> dict[str, list[tuple[str, Dialogue]]]:
    """Dialogues with a system, with the ids that answers refer to.

    Raises:
        DataError: dialogues whose system is unknown, or that are too long for a page.
    """
    found: dict[str, list[tuple[str, Dialogue]]] = {}
    nameless, long = [], []
    for name, dialogue in zip(names_of(material.dialogues), material.dialogues, strict=True):
        if not dialogue.utterances:
            continue
        if dialogue.system is None:
            nameless.append(name)
        elif len(dialogue.utterances) > MAX_LINES:
            long.append(name)
        found.setdefault(dialogue.system or "", []).append((name, dialogue))
    problems = []
    if nameless:
        what = f"{len(nameless)} dialogues name no system, such as {nameless[0]!r}"
        problems.append(Problem(f"{what}.", hint="Name it: NAME=FILE."))
    if long:
        problems.append(Problem(f"{len(long)} dialogues have more than {MAX_LINES} messages, such as {long[0]!r}."))
    if problems:
        raise DataError(problems)
    return found


def _talk_fields(name: str, dialogue: Dialogue) -> Fields:
    return {"id": name, "messages": _messages(dialogue.utterances)}


def _conversations(material: InputRecords) -> list[AnyItem]:
    """Every dialogue of every system, to be rated by itself."""
    return _valid(
        RatingItem,
        (
            {"key": name, "conversation": {system: _talk_fields(name, dialogue)}}
            for system, talks in sorted(_by_system(material).items())
            for name, dialogue in talks
        ),
    )


def _pairs_of_conversations(material: InputRecords, *, rng: np.random.Generator, note: Note) -> list[AnyItem]:
    """For every two systems, each dialogue of one beside a dialogue of the other one.

    That is the one with the same id (both had one task), else one drawn at random; a dialogue is in one pair with each other
    system.
    """
    rows: list[Fields] = []
    for (a, talks_a), (b, talks_b) in combinations(sorted(_by_system(material).items()), 2):
        pairs = _couple(talks_a, talks_b, rng)
        if left := len(talks_a) + len(talks_b) - 2 * len(pairs):
            longer = a if len(talks_a) > len(talks_b) else b
            note(
                Problem(
                    f"{left} dialogues of {longer} are left out: the other system has no dialogue to compare with them."
                )
            )
        rows += [
            {"key": f"{one[0]}|{other[0]}", "dialogues": {a: _talk_fields(*one), b: _talk_fields(*other)}}
            for one, other in pairs
        ]
    return _valid(PreferenceItem, rows)


Talk: TypeAlias = tuple[str, Dialogue]


def _couple(first: Sequence[Talk], second: Sequence[Talk], rng: np.random.Generator) -> list[tuple[Talk, Talk]]:
    """Pairs with the same id, then of the rest at random, as many as the shorter side has."""
    by_id = {dialogue.id: (name, dialogue) for name, dialogue in second}
    same = [(one, by_id.pop(one[1].id)) for one in first if one[1].id in by_id]
    met = {talk[0] for pair in same for talk in pair}
    rest = [[talk for talk in talks if talk[0] not in met] for talks in (first, second)]
    drawn = [[talks[place] for place in rng.permutation(len(talks)).tolist()] for talks in rest]
    return [*same, *zip(drawn[0], drawn[1], strict=False)]


def _of_situation(situation: Situation) -> Fields:
    return {"dialogue_id": situation.dialogue_id, "context": _messages(situation.context)}


def _labels(material: InputRecords, *, speaker: Speaker = "system") -> list[AnyItem]:
    """Every message of a speaker, with the dialogue up to it."""
    named = names_of(material.dialogues)
    return _valid(
        LabellingItem,
        (
            {
                "key": f"{dialogue.system or ''}{'/' if dialogue.system else ''}{dialogue.id}#{place}",
                "dialogue_id": name,
                "messages": _messages(dialogue.utterances[: place + 1]),
                "utterance": place,
            }
            for dialogue, name in zip(material.dialogues, named, strict=True)
            if len(dialogue.utterances) <= MAX_LINES
            for place, utterance in enumerate(dialogue.utterances)
            if utterance.speaker == speaker and utterance.text.strip()
        ),
    )


def names_of(dialogues: Sequence[Dialogue]) -> list[str]:
    """Ids of dialogues, unique, since answers refer to them: those that occur twice get system and user in front."""
    names = [each.id for each in dialogues]
    for part in ("system", "user"):
        times = Counter(names)
        names = [
            name if times[name] == 1 else f"{getattr(each, part) or ''}/{name}"
            for name, each in zip(names, dialogues, strict=True)
        ]
    return names


def _realism(
    human: Sequence[Named],
    simulated: Sequence[Named],
    rng: np.random.Generator,
    note: Note,
    *,
    per_cell: int,
    most: int | None,
) -> list[AnyItem]:
    """Pairs of a simulated dialogue and a human one with the same agent: another agent's words would tell them apart.

    The agent of a simulated dialogue may be a replay of the person's, and the draw is stratified by simulator and agent.
    Human dialogues are used equally often, and nobody is shown the same one twice: a participant who saw two pairs with the
    same human dialogue would know which it is.
    """
    if not human or not simulated:
        raise UsageError(
            "A realism study needs dialogues with human users (--real) and with simulated users (--simulated)."
        )
    people, machines = _talks(human), _talks(simulated)
    if not people or not machines:
        raise DataError(
            Problem(
                "a realism study needs at least one dialogue with a human user and one with a simulated user.",
                ", ".join(map(str, simulated)),
            )
        )
    times = Counter[str]()
    rows: list[Fields] = []
    alone: list[Dialogue] = []
    chosen = _draw_stratified(machines, per_cell, most, rng)
    if len(chosen) < len(machines):
        what = f"{len(chosen)} of {len(machines)} simulated dialogues are drawn, at most {per_cell} per simulator and agent"
        note(
            Problem(f"{what}.", ", ".join(map(str, simulated)), hint="Change that with --set per_cell=... and most=...")
        )
    for number, (name, dialogue) in enumerate(chosen, start=1):
        agent = None if dialogue.system is None else replayed_system(dialogue.system)
        same = [
            (id_, each)
            for id_, each in people
            if each.system == agent is not None and (each.id, each.utterances) != (dialogue.id, dialogue.utterances)
        ]
        if not same:
            alone.append(dialogue)
            continue
        least = min(times[id_] for id_, _ in same)
        fresh = [(id_, each) for id_, each in same if times[id_] == least]
        beside, person = fresh[int(rng.integers(len(fresh)))]
        times[beside] += 1
        rows.append(
            {
                "key": f"pair-{number}",
                "dialogue_id": beside,
                "agent": agent,
                "simulator": _simulator(dialogue),
                "human": {"id": beside, "messages": _messages(person.utterances)},
                "simulated": {"id": name, "messages": _messages(dialogue.utterances)},
            }
        )
    _check_pairs(alone, [each for _, each in people], simulated, rows, note)
    return _valid(RealismItem, rows)


def _draw_stratified(
    talks: Sequence[tuple[str, Dialogue]], per_cell: int, most: int | None, rng: np.random.Generator
) -> list[tuple[str, Dialogue]]:
    """At most ``per_cell`` dialogues of each simulator with each agent, and ``most`` in all, in their order."""
    cells: dict[tuple[str, str | None], list[int]] = {}
    for place, (_, dialogue) in enumerate(talks):
        cells.setdefault((_simulator(dialogue), dialogue.system), []).append(place)
    drawn = [rng.permutation(places).tolist()[:per_cell] for places in cells.values()]
    rounds = [row[turn] for turn in range(max(map(len, drawn), default=0)) for row in drawn if turn < len(row)]
    return [talks[place] for place in sorted(rounds[:most])]


def _simulator(dialogue: Dialogue) -> str:
    """User simulator: the kind of users declared by the run, else its corpus; never the code of one dialogue."""
    return users_of_source(dialogue) or dialogue.source or SIMULATED


def _check_pairs(
    alone: Sequence[Dialogue],
    people: Sequence[Dialogue],
    files: Sequence[Named],
    rows: Sequence[Fields],
    note: Note,
) -> None:
    """Refuse a study without a pair, and note unpaired simulated dialogues, with the agents of both sides."""
    if not alone:
        return
    theirs, persons = _agents(alone), _agents(people)
    have = (
        "1 simulated dialogue (agent {}) has"
        if len(alone) == 1
        else f"{len(alone)} simulated dialogues (agent {{}}) have"
    )
    what = (
        f"{have.format(theirs)} no other human dialogue with the same agent (agents of the human dialogues: {persons})"
    )
    hint = (
        "Both dialogues of a pair need the same agent; otherwise its messages reveal which is which. If two "
        "names mean one "
    )
    hint += "agent, give both files that name: --real NAME=FILE --simulated NAME=FILE."
    problem = Problem(f"{what}.", ", ".join(map(str, files)), hint=hint)
    if not rows:
        raise DataError(problem)
    note(Problem(f"{what}; left out.", ", ".join(map(str, files)), hint=hint))


def _agents(dialogues: Sequence[Dialogue]) -> str:
    """Names of the agents of dialogues; "unnamed" for those without one."""
    return ", ".join(sorted({each.system or "unnamed" for each in dialogues}))


def _talks(files: Sequence[Named]) -> list[tuple[str, Dialogue]]:
    """Non-empty dialogues, with the ids that answers refer to."""
    found = [each for each in gather(files).dialogues if each.utterances]
    return list(zip(names_of(found), found, strict=True))

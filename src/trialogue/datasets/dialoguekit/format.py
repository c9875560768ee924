"""DialogueKit JSON, the format of DialogueKit, UserSimCRS and IAI MovieBot: reading and writing.

A file is a list of dialogues with acts and slots. Import is tolerant (spellings, ids as numbers, missing parts, crashed
dialogues), export is exact: DialogueKit 0.1.1 loads it, and its own export of that reads back equal, except for utterances
without id or annotation, to which DialogueKit gives an id and an empty list of acts.

What is written is read again as equal records. Every field that DialogueKit has is written as DialogueKit 0.1.1 reads it,
with ids in both spellings (its reader expects ``conversation_id``, its writer and older tools ``conversation ID``). The
output is then parsed by our own reader, and whatever differs is added under the metadata key ``trialogue``, which
DialogueKit carries along unread.

Corpora in DialogueKit JSON: dialogues with IAI MovieBot, and IARD's annotated ReDial dialogues.

Only corpus-specific details are handled here; the format is that of ``dialoguekit``.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from trialogue.datasets.base import Corpus, Head, SimpleFormat, card
from trialogue.datasets.dialoguekit.parsing import (
    CONVERSATION_IDS,
    FEEDBACK,
    OURS,
    OURS_VERSION,
    SATISFACTION,
    UTTERANCE_IDS,
    dialogue_of,
    utterance_of,
)
from trialogue.datasets.json_documents import ParseReport, kind_of, read_json
from trialogue.errors import UsageError
from trialogue.records import ActOrigin, Dialogue, JsonValue, Record, Utterance
from trialogue.records.files.jsonl import Note, warn
from trialogue.records.files.opening import open_replacing

PARTICIPANTS = {"system": "AGENT", "user": "USER"}
RESERVED_KEYS = {  # keys that mean something to a DialogueKit reader, so that no metadata may go by these names
    *("participant", "utterance", *UTTERANCE_IDS, "dialogue_acts", "intent", "slot_values", "slots"),
    *("metadata", FEEDBACK, OURS),
}


def write_dialoguekit(path: Path | str, dialogues: Iterable[Dialogue]) -> int:
    """Write a DialogueKit JSON file atomically; returns the number of dialogues.

    Compressed by suffix (``.gz``, ``.zst``). One dialogue a line.

    Raises:
        UsageError: two dialogues have the same id, by which DialogueKit's tools would mix them up.
    """
    dialogues = list(dialogues)
    twice = [identity for identity, count in Counter(dialogue.id for dialogue in dialogues).items() if count > 1]
    if twice:
        raise UsageError(
            f"{len(twice)} dialogue ids occur more than once, for example {twice[0]!r}. Make them unique first."
        )
    with open_replacing(Path(path)) as stream:
        for part in _parts(dialogues):
            stream.write(part)
    return len(dialogues)


def to_dialoguekit(dialogue: Dialogue) -> dict[str, JsonValue]:
    """Convert one dialogue to an object of a DialogueKit file."""
    data: dict[str, JsonValue] = dict.fromkeys(CONVERSATION_IDS, dialogue.id)
    for role, name in (("agent", dialogue.system), ("user", dialogue.user)):
        if name is not None:
            data[role] = {"id": name, "type": role.upper()}
    metadata = {key: value for key, value in dialogue.meta.items() if key != OURS}
    read_back = dialogue_of({**data, "metadata": metadata, "conversation": []}, "", _silent_report())
    metadata |= _unrepresented_content(dialogue, read_back, besides={"utterances", "id"})
    data["conversation"] = [_utterance(utterance) for utterance in dialogue.utterances]
    return {**data, "metadata": metadata} if metadata else data


def _utterance(utterance: Utterance) -> dict[str, JsonValue]:
    data: dict[str, JsonValue] = {"participant": PARTICIPANTS[utterance.speaker], "utterance": utterance.text}
    if utterance.id is not None:
        data |= dict.fromkeys(UTTERANCE_IDS, utterance.id)
    if utterance.acts is not None:
        data["dialogue_acts"] = [  # null, not "": with "" DialogueKit 0.1.1 reads the file, but cannot export it again
            {
                "intent": act.intent or None,
                "slot_values": [[slot.slot, slot.value, slot.start, slot.end] for slot in act.slots],
            }
            for act in utterance.acts
        ]
    data |= {key: value for key, value in utterance.meta.items() if _is_flat(key, value)}
    data |= _ratings(utterance)
    return data | _unrepresented_content(utterance, utterance_of(data, "", _silent_report()))


def _is_flat(key: str, value: JsonValue) -> bool:
    if key == "annotations":  # DialogueKit unpacks pairs
        return isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value)
    return key not in RESERVED_KEYS


def _ratings(utterance: Utterance) -> dict[str, JsonValue]:
    """The ratings that DialogueKit has a place for: feedback of the user, 0 or 1, and satisfaction."""
    ratings: dict[str, JsonValue] = {}
    for rating in utterance.ratings:
        if rating.name == FEEDBACK and rating.value in (0, 1):
            ratings.setdefault(FEEDBACK, int(rating.value))
        if rating.name == SATISFACTION:
            ratings.setdefault(SATISFACTION, int(rating.value) if rating.value.is_integer() else rating.value)
    return ratings


def _unrepresented_content(
    record: Record, read_back: Record | None, *, besides: Iterable[str] = ()
) -> dict[str, JsonValue]:
    """Content that the DialogueKit form cannot hold, under our key; {} if there is none."""
    fields = type(record).model_fields
    lost = [name for name in fields if name not in besides and getattr(record, name) != getattr(read_back, name, None)]
    if not lost:
        return {}
    dumped = record.to_json()
    empty = {name: fields[name].get_default(call_default_factory=True) for name in lost}
    return {OURS: {"v": OURS_VERSION, **{name: dumped.get(name, empty[name]) for name in lost}}}


def _silent_report() -> ParseReport:
    return ParseReport("", lambda problem: None)


def _parts(dialogues: list[Dialogue]) -> Iterator[bytes]:
    yield b"["
    for index, dialogue in enumerate(dialogues):
        yield (b",\n" if index else b"\n") + _line(to_dialoguekit(dialogue))
    yield b"\n]\n"


def _line(data: dict[str, JsonValue]) -> bytes:
    try:
        return json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can represent
        return json.dumps(data, allow_nan=False).encode()


CRSARENA_SENTIMENT = re.compile(r'"metadata"\s*:\s*\{\s*"sentiment"\s*:\s*"(satisfied|frustrated)"')
"""Field that identifies a DialogueKit file as CRSArena-Dial's, whose own reader interprets the sentiment."""

MANY = 30  # dialogues of one user: hardly a person in one file


def read_dialoguekit(path: Path, *, note: Note = warn) -> list[Dialogue]:
    """Read the dialogues of a file in order, with ids made unique (the original is in ``meta["conversation_id"]``).

    ``system`` and ``user`` are the ids of agent and user; None where missing, or DialogueKit's placeholders "Agent" and
    "User". ``metadata.error`` is a failure, attributed to the party that its text names
    (``dialoguekit_errors``). ``utterance_feedback`` (0/1, by the user) and
    ``satisfaction`` become ratings. Whatever else a file says is kept in ``meta``.

    Raises:
        DataError: with every mistake of the file.
    """
    report = ParseReport(str(path), note)
    data = read_json(path, report)
    if not isinstance(data, list):
        hint = "Enclose a single dialogue in [ and ]." if isinstance(data, dict) and "conversation" in data else ""
        report.wrong(f"expected a list of dialogues, got {kind_of(data)}.", hint=hint)
        data = []
    elif not data:
        report.wrong("the list is empty; expected dialogues.", hint="Was the simulation or export interrupted?")
    dialogues = [dialogue_of(entry, f"[{index}]", report) for index, entry in enumerate(data)]
    whole = _with_unique_ids([dialogue for dialogue in dialogues if dialogue is not None], report)
    _note_shared_user(whole, report)
    report.settle()
    return whole


def _note_shared_user(dialogues: list[Dialogue], report: ParseReport) -> None:
    """Say so where many dialogues have one user and no need or persona: a simulator has one id for all its users."""
    counts = Counter(each.user for each in dialogues if each.need is None and each.user is not None)
    for user, count in counts.items():
        if count >= MANY:
            report.mend(
                f"{count} dialogues without an information need or a persona have the user {user!r}, and count as one "
                "person's",
                hint="If that is a simulator, store the need in metadata.information_need, or leave the user out.",
            )


def _with_unique_ids(dialogues: list[Dialogue], report: ParseReport) -> list[Dialogue]:
    taken, seen, renamed = {dialogue.id for dialogue in dialogues}, Counter[str](), []
    for index, dialogue in enumerate(dialogues):
        seen[dialogue.id] += 1
        if not dialogue.id:
            report.mend("a dialogue without an id was named by its position", f"[{index}]")
            renamed.append(_rename(dialogue, f"dialogue-{index + 1}", taken))
        elif seen[dialogue.id] > 1:
            report.mend("a repeated dialogue id was made unique", f"[{index}].conversation_id")
            renamed.append(_rename(dialogue, f"{dialogue.id}~{seen[dialogue.id]}", taken))
        else:
            renamed.append(dialogue)
    return renamed


def _rename(dialogue: Dialogue, name: str, taken: set[str]) -> Dialogue:
    while name in taken:
        name += "~"
    taken.add(name)
    meta = {**dialogue.meta, "conversation_id": dialogue.id} if dialogue.id else dialogue.meta
    return dialogue.model_copy(update={"id": name, "meta": meta})


def _recognises(head: Head) -> bool:
    is_dialogues = head.is_json_list and head.has_keys("conversation", "participant")
    return is_dialogues and CRSARENA_SENTIMENT.search(head.text) is None


def _read(path: Path, note: Note) -> Iterator[Dialogue]:
    yield from read_dialoguekit(path, note=note)


FORMAT = SimpleFormat(
    name="dialoguekit",
    summary="DialogueKit JSON, as written by DialogueKit, UserSimCRS and IAI MovieBot: dialogues with acts and slots.",
    recognise=_recognises,
    reader=_read,
)

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


MOVIEBOT = Corpus(source=card("moviebot"), reader=_reader(MOVIEBOT_FILE, _moviebot))

IARD = Corpus(source=card("iard"), reader=_reader(IARD_FILE, _iard))

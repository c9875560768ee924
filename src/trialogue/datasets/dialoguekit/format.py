"""DialogueKit JSON, the format of DialogueKit, UserSimCRS and IAI MovieBot: reading and writing.

A file is a list of dialogues with acts and slots. Import is tolerant (spellings, ids as numbers, missing parts, crashed
dialogues), export is exact: DialogueKit 0.1.1 loads it, and its own export of that reads back equal, except for utterances
without id or annotation, to which DialogueKit gives an id and an empty list of acts.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import Head, SimpleFormat
from trialogue.datasets.dialoguekit.parsing import dialogue_of
from trialogue.datasets.dialoguekit.writer import to_dialoguekit, write_dialoguekit
from trialogue.datasets.json_documents import ParseReport, kind_of, read_json
from trialogue.records import Dialogue
from trialogue.records.files.jsonl import Note, warn

__all__ = ["CRSARENA_SENTIMENT", "FORMAT", "read_dialoguekit", "to_dialoguekit", "write_dialoguekit"]

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

"""Annotated conversations bundled with Trialogue, and users fitted on them."""

import importlib.resources
import re
from collections.abc import Iterator
from functools import cache

from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.fingerprints import TrainingDialogues, training_dialogues
from trialogue.records import ActOrigin, Dialogue, DialogueAct, Mention, SlotValue, Utterance
from trialogue.simulation.language.phrases import ITEM
from trialogue.simulation.users.fit import fit_users
from trialogue.simulation.users.options import METHODS, method
from trialogue.simulation.users.population import UserModel

SHAPES = ("guided", "item-centred", "genre-led")
"""Kinds of agents that the conversations were had with."""

_MARK = re.compile(r"\[(?P<title>[^\]]*)\]|<(?:(?P<attribute>[^<>:]*):)?(?P<value>[^<>]*)>")
_LINE = re.compile(r"(?P<speaker>[ua]) (?P<label>\S+) \| (?P<text>.*)")


def bundled_dialogues(shape: str | None = None) -> tuple[Dialogue, ...]:
    """Bundled conversations with agents of one shape; None: all of them.

    Raises:
        UnknownNameError: there is no such shape.
    """
    if shape is not None and shape not in SHAPES:
        raise UnknownNameError("shape of agent", shape, SHAPES)
    return tuple(dialogue for each in SHAPES if shape in (None, each) for dialogue in _file(each))


def bundled_users(kind: str, shape: str | None = None) -> UserModel:
    """One of the paper's simulators (``qrfa-single``, ``cir6-single``, ``cir6-pkg``), fitted on these conversations.

    Raises:
        UnknownNameError: there is no such simulator, or no such shape of agent.
    """
    options = method(kind)
    fitted = _fit_bundled(shape)
    return UserModel(
        name=kind if shape is None else f"{kind}/{shape}",
        interaction=fitted.interaction,
        examples=fitted.examples,
        phrasebook=fitted.phrasebook,
        temperature=fitted.temperature,
        options=options,
    )


def qrfa_single() -> UserModel:
    """QRFA with single item preferences, fitted on all conversations."""
    return bundled_users("qrfa-single")


def cir6_single() -> UserModel:
    """CIR6 with single item preferences, fitted on all conversations."""
    return bundled_users("cir6-single")


def cir6_pkg() -> UserModel:
    """CIR6 with a personal knowledge graph, fitted on all conversations."""
    return bundled_users("cir6-pkg")


@cache
def _fit_bundled(shape: str | None) -> UserModel:
    return fit_users(
        bundled_dialogues(shape), name=f"bundled/{shape or 'all'}", calibrate=False, fingerprints=False, styles=False
    )


def bundled_training(name: str) -> TrainingDialogues | None:
    """Training data of bundled users; None for others.

    It is not kept with the users, since every process that simulates makes them anew.
    """
    kind, _, shape = name.partition("/")
    if kind not in METHODS:
        return None
    return training_dialogues((dialogue.id, dialogue) for dialogue in bundled_dialogues(shape or None))


@cache
def _file(shape: str) -> tuple[Dialogue, ...]:
    path = importlib.resources.files(__name__) / f"{shape}.txt"
    return tuple(parse(path.read_text(encoding="utf-8"), system=f"reference:{shape}", file=str(path)))


def parse(text: str, *, system: str, file: str = "") -> Iterator[Dialogue]:
    """Parse dialogues from their text format; see the folder's README.

    Raises:
        DataError: a line is in no known form.
    """
    name, said = "", list[Utterance]()
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("= "):
            if said:
                yield Dialogue(id=name, utterances=tuple(said), system=system, source="bundled")
            name, said = line[2:].strip(), []
        elif found := _LINE.fullmatch(line):
            said.append(_utterance(found["speaker"], found["label"], found["text"].replace("\\n", "\n")))
        else:
            raise DataError(Problem(f"not a line of a dialogue: {line[:60]!r}.", file, number))
    if said:
        yield Dialogue(id=name, utterances=tuple(said), system=system, source="bundled")


def _utterance(speaker: str, label: str, text: str) -> Utterance:
    plain, at = "", 0
    slots: list[SlotValue] = []
    for mark in _MARK.finditer(text):
        plain += text[at : mark.start()]
        value = mark["title"] if mark["title"] is not None else mark["value"]
        slot = ITEM if mark["title"] is not None else mark["attribute"] or "genre"
        slots.append(SlotValue(slot=slot, value=value, start=len(plain), end=len(plain) + len(value)))
        plain, at = plain + value, mark.end()
    plain += text[at:]
    if speaker == "u":
        act = DialogueAct(intent=label, slots=tuple(slots))
        return Utterance(speaker="user", text=plain, acts=(act,), acts_by=ActOrigin.ANNOTATED, mentions=())
    named = [Mention(title=s.value or "", start=s.start, end=s.end) for s in slots if s.slot == ITEM]
    return Utterance(
        speaker="system",
        text=plain,
        acts=(DialogueAct(intent=label),),
        acts_by=ActOrigin.ANNOTATED,
        mentions=tuple(named),
    )

"""Report section on the passport of simulated users, if one exists beside the dialogues."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trialogue.findings.passport.distances import Aspect
from trialogue.findings.passport.gates import GateFlags
from trialogue.findings.passport.user_sample import UserSample
from trialogue.fingerprints import TrainingDialogues, normalise
from trialogue.metrics.gates.detect import gates_in, vocabulary_of
from trialogue.records import Dialogue, Ending, Utterance, sha256_of
from trialogue.records.runs import open_run
from trialogue.simulation.source import WORDING, Wording
from trialogue.workflows.pipeline.beside import NOTHING_BESIDE, Beside
from trialogue.workflows.simulation.realism_features import acts_of, features_of, is_annotated, user_turns_of

if TYPE_CHECKING:
    from trialogue.findings.passport.records import PassportFindings


LONG = 5  # words of a message that is a copy if somebody else wrote the same; shorter ones recur
SHARED_LABELS = 0.5  # of the labels on each side that both must know, so that annotated acts can be compared
ENDINGS = {
    Ending.AGENDA_EMPTY: "user",
    Ending.USER_GAVE_UP: "user",
    Ending.USER_ENDED: "user",
    Ending.AGENT_ENDED: "agent",
    Ending.TURN_LIMIT: "limit",
    Ending.OTHER: "other",
}
"""Party that ended a dialogue; all failures are one further kind."""


def user_side(dialogues: Sequence[Dialogue], *, from_labels: bool) -> UserSample:
    """The users of some dialogues, counted.

    Args:
        dialogues: dialogues in each of which the user says something.
        from_labels: whether acts are those annotated, or those recognised in the text.
    """
    said = [user_turns_of(dialogue) for dialogue in dialogues]
    counts: dict[str, tuple[Counter[Hashable], ...]] = {
        Aspect.ACTS: tuple(Counter[Hashable](acts_of(each, from_labels=from_labels)) for each in dialogues),
        Aspect.VOCABULARY: tuple(Counter[Hashable](word for turn in each.words for word in turn) for each in said),
        Aspect.LENGTHS: tuple(Counter[Hashable](len(turn) for turn in each.words) for each in said),
        Aspect.TURNS: tuple(Counter[Hashable]([len(each.turns)]) for each in said),
        Aspect.ENDINGS: tuple(map(_ending, dialogues)),
        Aspect.COPYING: tuple(map(_long_messages, dialogues)),
    }
    return UserSample(
        rows=np.array([features_of(dialogue) for dialogue in dialogues], dtype=np.float64),
        clusters=tuple(dialogue.cluster for dialogue in dialogues),
        systems=tuple(dialogue.system or "" for dialogue in dialogues),
        counts=counts,
    )


def _ending(dialogue: Dialogue) -> Counter[Hashable]:
    """Party that ended a dialogue; empty if not recorded."""
    if dialogue.ended_by is None:
        return Counter()
    return Counter([ENDINGS.get(dialogue.ended_by, "failure")])


def _long_messages(dialogue: Dialogue) -> Counter[Hashable]:
    texts = [normalise(each.text) for each in dialogue.utterances if each.speaker == "user"]
    return Counter(text for text in texts if len(text.split()) >= LONG)


def annotated_alike(real: Sequence[Dialogue], simulated: Sequence[Dialogue]) -> bool:
    """Whether acts are annotated on both sides, mostly with labels that both sides have."""
    if not (is_annotated(real) and is_annotated(simulated)):
        return False
    sides = [sum((acts_of(each, from_labels=True) for each in side), Counter[str]()) for side in (real, simulated)]
    shared = set(sides[0]) & set(sides[1])
    return all(sum(side[label] for label in shared) >= SHARED_LABELS * side.total() for side in sides)


def gate_flags(dialogues: Sequence[Dialogue], catalogue: str | None = None) -> GateFlags:
    """Results of every gate on dialogues, with the values of their needs.

    Args:
        dialogues: the dialogues.
        catalogue: of the items that needs are about, as ``load_catalogue`` takes it; None: unknown.
    """
    vocabulary = vocabulary_of(each.need for each in dialogues if each.need is not None)
    facts = None
    if catalogue is not None and any(each.need for each in dialogues):
        from trialogue.workflows.inputs.knowledge import facts_of_catalogue  # here: most evaluations need no catalogue

        facts = facts_of_catalogue(catalogue)
    flags = tuple(gates_in(each, vocabulary, facts) for each in dialogues)
    return GateFlags(flags, tuple(each.cluster for each in dialogues))


def copied_dialogues(real: Iterable[Dialogue], simulated: Sequence[Dialogue]) -> int:
    """Simulated dialogues whose every message stands, in this order, in a real one."""
    known = {tuple(each.text for each in dialogue.utterances) for dialogue in real}
    return sum(tuple(each.text for each in dialogue.utterances) in known for dialogue in simulated)


def recognised_dialogues(real: Sequence[Dialogue], trained: TrainingDialogues | None) -> int:
    """Real dialogues that users were fitted on."""
    return 0 if trained is None else sum(trained.recognise(each) is not None for each in real)


def models_of(dialogues: Iterable[Dialogue]) -> dict[str, int]:
    """Messages of users by the model that answered for them, with its fingerprint where the endpoint gives one."""
    counts: Counter[str] = Counter()
    for each in user_messages(dialogues):
        if (model := each.meta.get("model")) is not None:
            fingerprint = each.meta.get("system_fingerprint")
            counts[str(model) if fingerprint is None else f"{model} ({fingerprint})"] += 1
    return dict(sorted(counts.items()))


def with_names(dialogues: Iterable[Dialogue], names: Mapping[str, str]) -> list[Dialogue]:
    """Dialogues whose systems have the names that simulated users know them by."""
    return [each.model_copy(update={"system": names.get(each.system or "", each.system)}) for each in dialogues]


WORDINGS = {
    Wording.MODEL: "Said",
    Wording.LOST_VALUE: "Value lost",
    Wording.NEW_VALUE: "Value added",
    Wording.OTHER_STANCE: "Other stance",
    Wording.QUESTION: "Question or not",
    Wording.OTHER_ACT: "Other act",
    Wording.TOO_LONG: "Too long",
    Wording.CUT: "Cut off",
}
"""Outcomes of a model's wordings as heads of columns."""
FILE, PAGE = "passport.json", "passport.html"
FOLDER = "passport"
"""In the folder of a simulation, where its passport is written."""


@dataclass(frozen=True)
class StoredPassport:
    """A passport that was written before."""

    path: Path
    findings: "PassportFindings"


def stored_passports(given: Sequence[object]) -> Iterator[StoredPassport]:
    """The passports beside dialogues: in their folder, in ``passport`` in it, or in the folder above; each once.

    Raises:
        DataError: a file of that name is no passport.
    """
    known = set()
    for one in given:
        path = Path(one) if isinstance(one, str | Path) else None
        if path is None or not path.exists():
            continue
        folder = path if path.is_dir() else path.parent
        for place in (folder / FILE, folder / FOLDER / FILE, folder.parent / FILE):
            if place.is_file() and place.resolve() not in known:
                known.add(place.resolve())
                yield StoredPassport(place, read_passport(place))


def read_passport(path: Path) -> "PassportFindings":
    """A passport that ``trialogue users passport`` wrote.

    Raises:
        DataError: it is none, or the run is not what was sealed.
    """
    from trialogue.findings.passport.records import PassportFindings  # here: most runs have no passport beside them

    return open_run(path.parent).record(path.name, PassportFindings, again="trialogue users passport")


def passports_beside(given: Sequence[object]) -> Beside:
    """A section for each passport beside the dialogues, and its checksum."""
    stored = list(stored_passports(given))
    if not stored:
        return NOTHING_BESIDE
    from trialogue.findings.sections import passport_section

    return Beside(
        sections=tuple(passport_section(each.findings, page=str(each.path.with_name(PAGE))) for each in stored),
        inputs={f"passport of {each.findings.users}": sha256_of(each.path) for each in stored},
    )


def wordings_beside(dialogues: Iterable[Dialogue]) -> Beside:
    """A section on the wordings of hybrid users, if the dialogues have any."""
    by_system: dict[str, Counter[str]] = {}
    for each in dialogues:
        by_system.setdefault(each.system or "", Counter()).update(wordings_of([each]))
    counts = {system: dict(sorted(found.items())) for system, found in by_system.items() if found}
    if not counts:
        return NOTHING_BESIDE
    from trialogue.findings.sections import wordings_section

    return Beside(sections=(wordings_section(counts, {outcome.value: title for outcome, title in WORDINGS.items()}),))


def wordings_of(dialogues: Iterable[Dialogue]) -> dict[str, int]:
    """Outcomes of the wordings of an agenda's messages."""
    outcomes = (each.meta.get(WORDING) for each in user_messages(dialogues))
    return dict(sorted(Counter(str(each) for each in outcomes if each is not None).items()))


def user_messages(dialogues: Iterable[Dialogue]) -> Iterable[Utterance]:
    """What users say in dialogues."""
    return (each for dialogue in dialogues for each in dialogue.utterances if each.speaker == "user")

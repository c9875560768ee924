"""Counts per system: dialogues, replies, people, and completed tasks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from trialogue.findings import SystemFacts
from trialogue.metrics import Conversation
from trialogue.metrics.gates.detect import Vocabulary, gates_in, vocabulary_of
from trialogue.records import CompletionCounts, Dialogue, Role, Utterance
from trialogue.records.kinds.shifts import CorpusShift
from trialogue.records.kinds.suspicions import HINTS, Gate
from trialogue.simulation.source import WORDING, users_of_source

FaultsOfUsers = Mapping[tuple[str, str], Sequence[Gate]]
"""User faults by (system, dialogue); dialogues without faults have no entry."""


def faults_of_users(
    dialogues: Iterable[Dialogue],
    catalogue: str | None = None,
    *,
    vocabulary: Vocabulary | None = None,
) -> dict[tuple[str, str], tuple[Gate, ...]]:
    """The faults of the users of dialogues that are evaluated together: what users could wish for is of all their needs.

    Args:
        dialogues: the dialogues.
        catalogue: of the items that needs are about, as ``load_catalogue`` takes it; None: descriptions of items are not
            recognised, only titles.
        vocabulary: values that any of their needs asks for; None: it is looked up first, in a pass of its own.
    """
    if vocabulary is None:
        dialogues = list(dialogues)
        vocabulary = vocabulary_of(dialogue.need for dialogue in dialogues if dialogue.need is not None)
    facts = None
    found = {}
    for dialogue in dialogues:
        if facts is None and catalogue is not None and dialogue.need is not None:
            from trialogue.inputs.knowledge import facts_of_catalogue  # here: most have no catalogue

            facts = facts_of_catalogue(catalogue)
        gates = tuple(gate for gate, fires in gates_in(dialogue, vocabulary, facts).items() if fires)
        if gates:
            found[dialogue.system or "", dialogue.id] = gates
    return found


def tallies_of(conversations: Iterable[Conversation]) -> "dict[str, Tally]":
    """What there is of each system, by its name.

    Args:
        conversations: all that count for how much there is of a system.
    """
    tallies: dict[str, Tally] = {}
    for each in conversations:
        tallies.setdefault(each.system, Tally(each.role)).add(each)
    return tallies


def facts_of(
    tallies: "Mapping[str, Tally]",
    completed: Mapping[str, CompletionCounts],
    faults: FaultsOfUsers,
    *,
    seeds: tuple[int, ...] = (),
) -> tuple[SystemFacts, ...]:
    """Counts by system name; baselines are omitted unless there is nothing else.

    Args:
        tallies: what there is of each system.
        completed: what each system finished, by its name.
        faults: faults of their users.
        seeds: of the simulations that dialogues are from.
    """
    gates: dict[str, Counter[Gate]] = {}
    gated = Counter(system for (system, _), own in faults.items() if not HINTS.issuperset(own))
    for (system, _), own in faults.items():
        gates.setdefault(system, Counter()).update(own)
    evaluated = [system for system in sorted(tallies) if tallies[system].role is Role.SYSTEM]
    return tuple(
        tallies[name].facts(name, completed.get(name), seeds, gates.get(name, Counter()), gated[name])
        for name in evaluated or sorted(tallies)
    )


def people_among(dialogues: Iterable[Dialogue]) -> int | None:
    """Number of distinct participants; None if unknown, or only simulated users."""
    return len({each.user for each in dialogues if each.user and users_of_source(each) is None}) or None


def wordings_by_system(dialogues: Iterable[Dialogue]) -> dict[str, dict[str, int]]:
    """How the wordings of an agenda's messages turned out, by system; systems whose users have none have no entry."""
    counts: dict[str, Counter[str]] = {}
    for dialogue in dialogues:
        outcomes = [said.meta.get(WORDING) for said in dialogue.utterances if said.meta and said.speaker == "user"]
        if found := [str(each) for each in outcomes if each is not None]:
            counts.setdefault(dialogue.system or "", Counter()).update(found)
    return {system: dict(sorted(found.items())) for system, found in counts.items()}


@dataclass
class Tally:
    """What conversations of a system add up to, one after the other."""

    role: Role
    dialogues: int = 0
    replies: int = 0
    simulated: int = 0
    people: set[str] = field(default_factory=set)
    models: set[str] = field(default_factory=set)
    user_models: set[str] = field(default_factory=set)
    shift: CorpusShift | None = None
    """Of the first reply that has one."""
    reference_shift: CorpusShift | None = None
    """Of the first reference that has one."""

    def add(self, conversation: Conversation) -> None:
        """Count a conversation."""
        self.dialogues += 1
        said_by_it = conversation.utterances
        self.replies += len(said_by_it)
        for said in said_by_it:
            if said.meta:
                self.models |= _models(said)
            if self.shift is None:
                self.shift = _shift(said)
        dialogue = conversation.dialogue
        if dialogue is None:
            for reply in conversation.replies:
                self.reference_shift = self.reference_shift or _shift(reply.reference)
            return
        is_simulated = users_of_source(dialogue) is not None
        self.simulated += is_simulated
        if dialogue.user and not is_simulated:
            self.people.add(dialogue.user)
        for said in dialogue.utterances:
            if said.meta and said.speaker == "user":
                self.user_models |= _models(said)

    def facts(
        self,
        system: str,
        completion: CompletionCounts | None,
        seeds: tuple[int, ...],
        gates: Counter[Gate],
        gated: int,
    ) -> SystemFacts:
        """The counts, with those of faults of users: by gate, and of dialogues with more than hints."""
        return SystemFacts(
            system=system,
            shift=self.shift or self.reference_shift,
            dialogues=self.dialogues,
            replies=self.replies,
            people=len(self.people) or None,
            simulated=self.simulated,
            seeds=seeds if self.simulated else (),
            models=tuple(sorted(self.models)),
            user_models=tuple(sorted(self.user_models)),
            completion=completion,
            gates={gate: gates[gate] for gate in Gate if gates[gate]},
            gated=gated,
        )


def _models(message: Utterance) -> set[str]:
    """The language model that answered, as its server named it, with the fingerprint of its configuration."""
    meta = message.meta
    if not meta or not meta.get("model"):
        return set()
    return {" ".join(str(part) for part in (meta.get("model"), meta.get("system_fingerprint")) if part)}


def _shift(said: Utterance | None) -> CorpusShift | None:
    """The distance that is stored with the strategy distribution of a reply or a reference."""
    belief = None if said is None else said.strategy_distribution
    return None if belief is None else belief.shift

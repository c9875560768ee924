"""Counts per system: dialogues, replies, people, and completed tasks."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from trialogue.findings import SystemFacts
from trialogue.metrics import Conversation
from trialogue.metrics.gates.detect import gates_in, vocabulary_of
from trialogue.records import CompletionCounts, Dialogue, Role, Utterance
from trialogue.records.kinds.gates import Gate
from trialogue.records.kinds.shifts import CorpusShift
from trialogue.simulation.source import users_of_source

FaultsOfUsers = Mapping[tuple[str, str], Sequence[Gate]]
"""User faults by (system, dialogue); dialogues without faults have no entry."""


def faults_of_users(dialogues: Iterable[Dialogue]) -> dict[tuple[str, str], tuple[Gate, ...]]:
    """The faults of the users of dialogues that are evaluated together: what users could wish for is of all their needs."""
    every = list(dialogues)
    vocabulary = vocabulary_of(dialogue.need for dialogue in every if dialogue.need is not None)
    found = {}
    for dialogue in every:
        gates = tuple(gate for gate, fires in gates_in(dialogue, vocabulary).items() if fires)
        if gates:
            found[dialogue.system or "", dialogue.id] = gates
    return found


def facts_of(
    conversations: Iterable[Conversation],
    completed: Mapping[str, CompletionCounts] | None = None,
    faults: FaultsOfUsers | None = None,
) -> tuple[SystemFacts, ...]:
    """Counts by system name; baselines are omitted unless there is nothing else.

    Args:
        conversations: all that count for how much there is of a system.
        completed: what each system finished, by its name.
        faults: of their users, where these are known; None: they are detected.
    """
    groups: defaultdict[str, list[Conversation]] = defaultdict(list)
    for conversation in conversations:
        groups[conversation.system].append(conversation)
    talks = (each.dialogue for own in groups.values() for each in own if each.dialogue is not None)
    known = faults_of_users(talks) if faults is None else faults
    evaluated = [system for system in sorted(groups) if groups[system][0].role is Role.SYSTEM]
    return tuple(
        _facts(system, groups[system], (completed or {}).get(system), known) for system in evaluated or sorted(groups)
    )


def people_among(dialogues: Iterable[Dialogue]) -> int | None:
    """Number of distinct participants; None if unknown, or only simulated users."""
    return len({each.user for each in dialogues if each.user and users_of_source(each) is None}) or None


def _facts(
    system: str, own: Sequence[Conversation], completion: CompletionCounts | None, known: FaultsOfUsers
) -> SystemFacts:
    faults = [known.get((system, each.dialogue.id), ()) for each in own if each.dialogue is not None]
    counts = Counter(gate for found in faults for gate in found)
    people = {
        each.dialogue.user
        for each in own
        if each.dialogue is not None and each.dialogue.user and users_of_source(each.dialogue) is None
    }
    return SystemFacts(
        system=system,
        shift=_shift(own),
        dialogues=len(own),
        replies=sum(len(each.replies) for each in own),
        people=len(people) or None,
        simulated=sum(each.dialogue is not None and users_of_source(each.dialogue) is not None for each in own),
        models=_models(reply.utterance for each in own for reply in each.replies),
        user_models=_models(
            said
            for each in own
            if each.dialogue is not None
            for said in each.dialogue.utterances
            if said.speaker == "user"
        ),
        completion=completion,
        gates={gate: counts[gate] for gate in Gate if counts[gate]},
        gated=sum(bool(found) for found in faults),
    )


def _models(messages: Iterable[Utterance]) -> tuple[str, ...]:
    """The language models that answered, as their servers named them, with the fingerprints of their configurations."""
    answered = {
        " ".join(str(part) for part in (meta.get("model"), meta.get("system_fingerprint")) if part)
        for meta in (message.meta for message in messages)
        if meta.get("model")
    }
    return tuple(sorted(answered))


def _shift(own: Sequence[Conversation]) -> CorpusShift | None:
    """The distance of its replies, or else of the references, that is stored with the strategy distributions."""
    replies = [reply for each in own for reply in each.replies]
    for side in ([reply.utterance for reply in replies], [reply.reference for reply in replies]):
        for utterance in side:
            belief = None if utterance is None else utterance.strategy_distribution
            if belief is not None and belief.shift is not None:
                return belief.shift
    return None

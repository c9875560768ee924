"""How much there is of each system: dialogues, replies, people, and what it finished of what it was asked to do."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from trialogue.findings import SystemFacts
from trialogue.metrics import Conversation
from trialogue.records import CompletionCounts, Dialogue, Role
from trialogue.simulation.source import users_of_source


def facts_of(
    conversations: Iterable[Conversation], completed: Mapping[str, CompletionCounts] | None = None
) -> tuple[SystemFacts, ...]:
    """One for each system, by name; baselines are left out unless there is nothing else.

    Args:
        conversations: all that count for how much there is of a system.
        completed: what each system finished, by its name.
    """
    groups: defaultdict[str, list[Conversation]] = defaultdict(list)
    for conversation in conversations:
        groups[conversation.system].append(conversation)
    evaluated = [system for system in sorted(groups) if groups[system][0].role is Role.SYSTEM]
    return tuple(
        _facts(system, groups[system], (completed or {}).get(system)) for system in evaluated or sorted(groups)
    )


def people_among(dialogues: Iterable[Dialogue]) -> int | None:
    """Different people who took part; None: unknown, or simulated users alone."""
    return len({each.user for each in dialogues if each.user and users_of_source(each) is None}) or None


def _facts(system: str, own: Sequence[Conversation], completion: CompletionCounts | None) -> SystemFacts:
    people = {
        each.dialogue.user
        for each in own
        if each.dialogue is not None and each.dialogue.user and users_of_source(each.dialogue) is None
    }
    return SystemFacts(
        system=system,
        dialogues=len(own),
        replies=sum(len(each.replies) for each in own),
        people=len(people) or None,
        simulated=sum(each.dialogue is not None and users_of_source(each.dialogue) is not None for each in own),
        models=_models(own),
        completion=completion,
    )


def _models(own: Sequence[Conversation]) -> tuple[str, ...]:
    """The language models that answered, as their servers named them, with the fingerprints of their configurations."""
    answered = {
        " ".join(str(part) for part in (meta.get("model"), meta.get("system_fingerprint")) if part)
        for conversation in own
        for meta in (reply.utterance.meta for reply in conversation.replies)
        if meta.get("model")
    }
    return tuple(sorted(answered))

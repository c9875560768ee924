"""How much there is of each system, how its dialogues ended, and which situations it answered."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from trialogue.metaeval import Outcomes, SystemFacts
from trialogue.metrics import Conversation
from trialogue.records import Role


def facts_of(conversations: Iterable[Conversation], offline: Sequence[Conversation]) -> tuple[SystemFacts, ...]:
    """One for each system, by name; baselines are left out unless there is nothing else.

    Args:
        conversations: all that count for how much there is of a system.
        offline: replies to situations, also of systems that had dialogues.
    """
    groups: defaultdict[str, list[Conversation]] = defaultdict(list)
    for conversation in conversations:
        groups[conversation.system].append(conversation)
    answered: defaultdict[str, set[str]] = defaultdict(set)
    for conversation in offline:
        answered[conversation.system].update(
            str(reply.situation_id) for reply in conversation.replies if reply.text.strip() or reply.utterance.ranking
        )
    asked = len({str(reply.situation_id) for conversation in offline for reply in conversation.replies})
    evaluated = [system for system in sorted(groups) if groups[system][0].role is Role.SYSTEM]
    return tuple(
        _facts(system, groups[system], len(answered[system]) if system in answered else None, asked)
        for system in evaluated or sorted(groups)
    )


def _facts(system: str, own: Sequence[Conversation], answered: int | None, asked: int) -> SystemFacts:
    people = {each.dialogue.user for each in own if each.dialogue is not None and each.dialogue.user}
    return SystemFacts(
        system=system,
        dialogues=len(own),
        replies=sum(len(each.replies) for each in own),
        people=len(people) or None,
        outcomes=_outcomes(own),
        situations_answered=answered,
        situations_asked=None if answered is None else asked,
    )


def _outcomes(own: Sequence[Conversation]) -> Outcomes | None:
    """How dialogues ended; None where nobody recorded it of any."""
    endings = [each.dialogue.ended_by for each in own if each.dialogue is not None]
    if not any(endings):
        return None
    faults = (ending.fault for ending in endings if ending is not None)
    failed = Counter(fault.value for fault in faults if fault is not None)
    return Outcomes(dialogues=len(endings), failed=dict(sorted(failed.items())))

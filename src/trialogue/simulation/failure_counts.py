"""Count the failures recorded in dialogues by ending."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from trialogue.records import Dialogue, Ending


@dataclass(frozen=True)
class FailureCount:
    """Dialogues that ended in one kind of failure."""

    ending: Ending
    """Kind of failure."""
    dialogues: int
    """Number of dialogues."""
    example: str
    """Id of the first of them."""
    detail: str
    """Cause in the example; "" if not recorded."""


def failed_in(dialogues: Iterable[Dialogue]) -> list[FailureCount]:
    """Kinds of failures in dialogues, most frequent first, each with an example; [] if none failed.

    >>> failed_in([Dialogue(id="d", utterances=(), ended_by=Ending.AGENT_TIMEOUT)])
    [FailureCount(ending=<Ending.AGENT_TIMEOUT: 'agent_timeout'>, dialogues=1, example='d', detail='')]
    """
    failures: dict[Ending, FailureCount] = {}
    for dialogue in dialogues:
        ending = dialogue.ended_by
        if ending is None or not ending.is_failure:
            continue
        first = failures.get(ending) or FailureCount(ending, 0, dialogue.id, dialogue.ending_detail or "")
        failures[ending] = replace(first, dialogues=first.dialogues + 1)
    return sorted(failures.values(), key=lambda each: -each.dialogues)


def in_a_line(failed: FailureCount, *, longest: int = 160) -> str:
    """One-line summary: count, fault and example dialogue.

    >>> in_a_line(FailureCount(Ending.AGENT_INVALID_REPLY, 2, "d", "answered without any text."))
    'agent_invalid_reply (fault: agent) 2, as in d: answered without any text.'
    """
    detail = " ".join(failed.detail.split())
    short = detail if len(detail) <= longest else detail[: longest - 1] + "…"
    what = f"{failed.ending} (fault: {failed.ending.fault}) {failed.dialogues:,}"
    return f"{what}, as in {failed.example}{': ' if short else ''}{short}"

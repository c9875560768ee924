"""Count the failures recorded in dialogues by ending, and what repeated requests to agents cost."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from trialogue.records import Dialogue, Ending, RetryCost
from trialogue.records.files.opening import open_bytes


@dataclass(frozen=True)
class FailureCount:
    """Dialogues that ended in one kind of failure."""

    ending: Ending
    dialogues: int
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


FIELD = b'"retries":{'
"""Marker in the line of a dialogue with retried requests. Other lines, nearly all, are not parsed."""


def retries_in(path: Path) -> dict[str, tuple[int, RetryCost]]:
    """(Number of dialogues with retries, their cost) by agent, in order of appearance.

    Args:
        path: dialogues, as a simulation writes them.
    """
    found: dict[str, tuple[int, RetryCost]] = {}
    with open_bytes(path) as lines:
        for line in lines:
            if FIELD not in line:
                continue
            fields = json.loads(line)
            if not fields.get("retries"):  # it stands in the meta of somebody else
                continue
            dialogues, cost = found.get(name := str(fields.get("system")), (0, RetryCost()))
            found[name] = (dialogues + 1, cost + RetryCost.model_validate(fields["retries"]))
    return found


def retries_in_a_line(agent: str, dialogues: int, cost: RetryCost) -> str:
    """One-line summary of an agent's retry costs.

    >>> retries_in_a_line("mine", 3, RetryCost(count=5, waited_s=7.25))
    'mine: 5 requests were repeated in 3 dialogues, after waiting 7.2 s'
    """
    requests = "1 request was" if cost.count == 1 else f"{cost.count:,} requests were"
    where = "1 dialogue" if dialogues == 1 else f"{dialogues:,} dialogues"
    return f"{agent}: {requests} repeated in {where}, after waiting {cost.waited_s:.1f} s"

"""Read and summarise the cost of retried agent requests, from the file that a simulation wrote."""

import json
from pathlib import Path

from trialogue.records import RetryCost
from trialogue.records.files.opening import open_bytes

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

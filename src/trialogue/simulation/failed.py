"""Why dialogues failed: the failures of agents that stand in their records, gathered by kind."""

from collections.abc import Iterable
from dataclasses import dataclass

from trialogue.records import Dialogue
from trialogue.records.endings import FAILURES


@dataclass(frozen=True)
class Failed:
    """Dialogues that ended in failures of one kind."""

    kind: str
    """``unreachable``, ``timeout``, ``error``, ``malformed``, ``empty``, ``closed``, ``lost``; "" where nobody said."""
    dialogues: int
    """How many."""
    example: str
    """Id of the first of them."""
    detail: str
    """What was wrong in that one; "" where nobody said."""


def failed_in(dialogues: Iterable[Dialogue]) -> list[Failed]:
    """Kinds of failures that dialogues ended in, the commonest first, with one of each to open; [] if none failed.

    >>> failed_in([Dialogue(id="d", utterances=(), ended_by="timeout", meta={"error": {"kind": "timeout"}})])
    [Failed(kind='timeout', dialogues=1, example='d', detail='')]
    """
    found: dict[str, Failed] = {}
    for dialogue in dialogues:
        if dialogue.ended_by not in FAILURES:
            continue
        error = dialogue.meta.get("error")
        told = error if isinstance(error, dict) else {}
        kind = str(told.get("kind") or "")
        first = found.get(kind) or Failed(kind, 0, dialogue.id, str(told.get("detail") or ""))
        found[kind] = Failed(kind, first.dialogues + 1, first.example, first.detail)
    return sorted(found.values(), key=lambda each: -each.dialogues)


def in_a_line(failed: Failed, *, longest: int = 160) -> str:
    """How often, and as in which dialogue.

    >>> in_a_line(Failed("empty", 2, "d", "answered without any text."))
    'empty 2, as in d: answered without any text.'
    """
    detail = " ".join(failed.detail.split())
    short = detail if len(detail) <= longest else detail[: longest - 1] + "…"
    return f"{failed.kind or 'unknown'} {failed.dialogues:,}, as in {failed.example}{': ' if short else ''}{short}"

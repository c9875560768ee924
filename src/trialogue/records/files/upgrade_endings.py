"""Upgrade endings from version 1 (free text) to version 2."""

import re
from collections.abc import Mapping
from typing import Any

from trialogue.records.kinds.endings import Ending

_REGULAR: Mapping[str, Ending] = {
    "user": Ending.USER_ENDED,  # the last three are a study's words
    "system": Ending.AGENT_ENDED,
    "limit": Ending.TURN_LIMIT,
}
_FAILED: Mapping[str, Ending] = {
    "timeout": Ending.AGENT_TIMEOUT,
    "lost": Ending.LOST,
    "error": Ending.UNKNOWN_FAILURE,  # written by the reader of DialogueKit files for a failure of any party
}
_KINDS: Mapping[object, Ending] = {
    "timeout": Ending.AGENT_TIMEOUT,
    "unreachable": Ending.AGENT_UNREACHABLE,
    "malformed": Ending.AGENT_INVALID_REPLY,
    "empty": Ending.AGENT_INVALID_REPLY,
}
"""What an agent's error was, as version 1 kept it in ``meta.error.kind``; anything else is an error like others."""
_RATE_LIMIT = re.compile(r"answered with status 429\b")
"""Version 1 kept the status of an answer in the message alone."""


def ending_from_1(fields: dict[str, Any]) -> None:
    """Upgrade ``ended_by`` of a dialogue to version 2, in place.

    Any other word is kept as the detail of an unknown failure: "bored" and "segfault" look the same from here, and a
    dialogue that may have failed must not count as a success. It is missing data, and the threat to the verdict quotes the
    word.

    The message of an error moves from ``meta.error``, where it was the simulation's, to ``ending_detail``; what another
    program wrote under that name stays there, too.
    """
    word = fields.get("ended_by")
    if not isinstance(word, str):
        return
    meta = fields.get("meta")
    error = meta.get("error") if isinstance(meta, dict) else None
    ending, detail = _ending_of(word, error)
    fields["ended_by"] = ending
    if detail is not None:
        fields.setdefault("ending_detail", detail)
    if isinstance(error, dict) and set(error) == {"kind", "detail"}:
        fields["meta"] = {key: value for key, value in meta.items() if key != "error"}  # type: ignore[union-attr]


def _ending_of(word: str, error: object) -> tuple[Ending, str | None]:
    detail = _message(error)
    # Version 1 had one ending for all failures of an agent; the kind and the message say which one it was.
    if word == "agent_error":
        kind = error.get("kind") if isinstance(error, dict) else None
        limited = detail is not None and _RATE_LIMIT.search(detail)
        return (Ending.RATE_LIMITED if limited else _KINDS.get(kind, Ending.AGENT_ERROR)), detail
    if word in _FAILED:
        return _FAILED[word], detail
    if word in _REGULAR:
        return _REGULAR[word], None
    if word in set(Ending):
        return Ending(word), detail
    return Ending.UNKNOWN_FAILURE, word if detail is None else f"{word}: {detail}"


def _message(error: object) -> str | None:
    """The message of an error: the simulation's ``detail``, or type and trace as DialogueKit writes them."""
    if not isinstance(error, dict):
        return None
    if "detail" in error:
        return str(error["detail"])
    parts = [str(error[key]) for key in ("error_type", "trace") if error.get(key)]
    return ": ".join(parts) or None

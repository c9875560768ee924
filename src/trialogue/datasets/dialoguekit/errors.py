"""Attribute exceptions recorded by DialogueKit or UserSimCRS to the agent or the simulator.

Their simulation stores an exception's class and text (``metadata.error``) without attribution. The text is a
traceback or only a message, depending on the version. A traceback is attributed by the innermost file that is known to be
the agent's or the simulator's. Without one, messages that only one party's code raises decide. Everything else is unknown:
an exception such as ``KeyError: 'GENRE'`` may come from either side, and is not guessed.
"""

import re
from collections.abc import Sequence

from trialogue.datasets.failures import LIMITS, OF_AGENTS
from trialogue.records import Ending, JsonValue

NEAR = 3  # parts of a path that are looked at; folders further up say where something is installed, not whose it is
_FRAME = re.compile(r'File "([^"]+)", line \d+')
_FILES: Sequence[tuple[re.Pattern[str], Ending]] = (
    # Agents come first: those that the toolkits ship lie in folders of the simulator's.
    (re.compile(r"agents?/|(^|[/_])agent\.py$|moviebot|ievalm", re.I), Ending.AGENT_ERROR),
    (re.compile(r"usersimcrs|simulator|user_modeling|/user\.py$|dialoguekit/nl[ug]/", re.I), Ending.USER_ERROR),
    (re.compile(r"connector|platforms?/", re.I), Ending.HARNESS_ERROR),
)
"""Party at fault by file in a traceback."""

_MESSAGES: Sequence[tuple[re.Pattern[str], Ending]] = (
    *LIMITS,
    # The agenda of a UserSimCRS user is a deque, its preferences a choice from what is left of them.
    (re.compile(r"pop from an? empty (deque|list)", re.I), Ending.USER_ERROR),
    (re.compile(r"\bagenda\b|preference model|user model|interaction model|information need", re.I), Ending.USER_ERROR),
    (re.compile(r"\bNLU\b|\bNLG\b|satisfaction classifier|intent classifier|user simulator", re.I), Ending.USER_ERROR),
    (re.compile(r"simulated user|user_simulator|usersimcrs\.", re.I), Ending.USER_ERROR),
    *OF_AGENTS,
    (re.compile(r"\b(agent|recommender|CRS)\b.*\b(fail|error|crash|respon|repl)", re.I | re.S), Ending.AGENT_ERROR),
)
"""Party at fault by error message, most reliable first: agents of these toolkits are called over HTTP, simulators are
not."""

_MODEL = re.compile(r"ollama|openai|llm_interface|\bLLM\b", re.I)
"""Language models of these toolkits are the simulator's: agents are servers of their own."""


def ending_of_error(error: JsonValue) -> tuple[Ending, str | None]:
    """Map ``metadata.error``, an object with class and trace or a text, to (ending, detail).

    >>> ending_of_error({"error_type": "IndexError", "trace": "pop from an empty deque"})
    (<Ending.USER_ERROR: 'user_error'>, 'IndexError: pop from an empty deque')
    >>> ending_of_error({"error_type": "KeyError", "trace": "'GENRE'"})[0]
    <Ending.UNKNOWN_FAILURE: 'unknown_failure'>
    """
    detail = _detail(error)
    if detail is None:
        return Ending.UNKNOWN_FAILURE, None
    said = _ending_by_message(detail)
    if said is not None and said.fault is Ending.HARNESS_ERROR.fault:
        return said, detail
    owner = _ending_by_file(detail)
    if owner is Ending.AGENT_ERROR and said is not None and said.fault is owner.fault:
        return said, detail  # which of the agent's failures it was
    if owner is not None:
        return owner, detail
    if said is not None and said.fault is Ending.AGENT_ERROR.fault and _MODEL.search(detail):
        return Ending.USER_ERROR, detail
    return said or Ending.UNKNOWN_FAILURE, detail


def _detail(error: JsonValue) -> str | None:
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        return None if error in (None, True, False) else str(error)
    trace = error.get("trace")
    lines = "".join(map(str, trace)) if isinstance(trace, list) else trace  # as traceback.format_exception gives them
    parts = [str(part).strip() for part in (error.get("error_type"), lines) if part]
    return ": ".join(parts) or str(error) if error else None


def _ending_by_file(detail: str) -> Ending | None:
    for name in reversed(_FRAME.findall(detail)):
        path = "/".join(name.replace("\\", "/").split("/")[-NEAR:])
        for pattern, ending in _FILES:
            if pattern.search(path):
                return ending
    return None


def _ending_by_message(detail: str) -> Ending | None:
    """By the message alone: the paths of a traceback name many things that are not to blame."""
    message = _FRAME.sub("", detail)
    return next((ending for pattern, ending in _MESSAGES if pattern.search(message)), None)

"""Parse one DialogueKit dialogue and its parts into records, accepting every spelling seen in real files.

Fields that DialogueKit has are read from these fields. Content that only our records hold (strategies, mentions, rankings,
...) is read from the key ``trialogue`` that our writer adds to the metadata; content without a field in our records goes to
``meta``, so nothing is lost. Paths in messages are those of jq: ``[3].conversation[2].participant``.

Attribute exceptions recorded by DialogueKit or UserSimCRS to the agent or the simulator.

Their simulation stores an exception's class and text (``metadata.error``) without attribution. The text is a
traceback or only a message, depending on the version. A traceback is attributed by the innermost file that is known to be
the agent's or the simulator's. Without one, messages that only one party's code raises decide. Everything else is unknown:
an exception such as ``KeyError: 'GENRE'`` may come from either side, and is not guessed.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import ValidationError

from trialogue.datasets.door.values import as_number
from trialogue.datasets.failures import LIMITS, OF_AGENTS
from trialogue.datasets.json_documents import ParseReport, excerpt_of, kind_of
from trialogue.records import (
    Constraint,
    Dialogue,
    DialogueAct,
    Ending,
    JsonValue,
    Need,
    NeedSource,
    Rating,
    Record,
    SlotValue,
    Utterance,
)
from trialogue.records.files.jsonl import problems_of
from trialogue.records.files.upgrade import upgrade

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


def need_in(data: JsonValue, persona: JsonValue = None) -> Need | None:
    """Parse an information need (constraints, requests and target items); None if there is none.

    Its id follows from what it holds: dialogues with the same need are with the same case, whichever the agent was. A
    simulator has one id for all its users, who are not one person.

    >>> need = need_in({"target_items": [{"item_id": "1"}], "constraints": {"GENRE": "comedy"}, "requests": ["PLOT"]})
    >>> need.targets, need.constraints[0].values, need.requests
    (('1',), ('comedy',), ('PLOT',))
    """
    if not isinstance(data, dict):
        return _need_of_persona(persona)
    constraints, requests, targets = data.get("constraints"), data.get("requests"), data.get("target_items")
    held = [
        Constraint(attribute=str(slot), values=values)
        for slot, value in (constraints.items() if isinstance(constraints, dict) else ())
        if (values := _texts(value if isinstance(value, list) else [value]))
    ]
    items = targets if isinstance(targets, list) else []
    ids = _texts([item.get("item_id") for item in items if isinstance(item, dict)])
    if not held and not ids:
        return _need_of_persona(persona)
    parts = [data.get(name) for name in ("constraints", "requests", "target_items", "persona")]
    text = json.dumps(parts if persona in (None, "") else [*parts, persona], sort_keys=True)
    return Need(
        id=hashlib.sha256(text.encode()).hexdigest()[:12],
        constraints=tuple(held),
        targets=ids,
        acceptable=ids,
        requests=_texts(requests if isinstance(requests, list) else []),
        persona=_words_of(persona),
        source=NeedSource.IMPORTED,
    )


def _need_of_persona(persona: JsonValue) -> Need | None:
    """Need derived from a persona without constraints: sufficient to distinguish cases."""
    words = _words_of(persona)
    if not words:
        return None
    return Need(id=hashlib.sha256(words.encode()).hexdigest()[:12], persona=words, source=NeedSource.IMPORTED)


def _words_of(persona: JsonValue) -> str:
    """A persona as text; UserSimCRS keeps a free dictionary.

    >>> _words_of({"patience": "low", "age": 30}), _words_of("curious"), _words_of(None)
    ('age=30, patience=low', 'curious', '')
    """
    if isinstance(persona, dict):
        return ", ".join(f"{key}={value}" for key, value in sorted(persona.items()))
    return persona if isinstance(persona, str) else ""


def _texts(values: list[JsonValue]) -> tuple[str, ...]:
    return tuple(str(value) for value in values if value not in (None, ""))


OURS = "trialogue"
"""Key, in the metadata of an utterance or a dialogue, of the content that DialogueKit has no field for."""
OURS_VERSION = 2  # version 1 had any word as an ending
UTTERANCE_IDS = ("utterance_id", "utterance ID")  # what DialogueKit reads, what it writes
CONVERSATION_IDS = ("conversation_id", "conversation ID")
SPEAKERS = {"AGENT": "system", "USER": "user"}
PLACEHOLDERS = ("Agent", "User")  # what DialogueKit puts where a file names nobody: no system's and no person's name
OFFSETS_AS_WRITTEN = "slot_offsets_as_written"
"""Key in an utterance's ``meta`` of slot offsets that point nowhere, by ``"{act}.{slot}"``."""
NOWHERE = -1  # stands for an offset that is not a whole number, and is outside of every text
LONGEST_PATH = 100  # characters of a path in a message; that of a deeply nested value has no end
FEEDBACK, SATISFACTION = "utterance_feedback", "satisfaction"

RecordT = TypeVar("RecordT", bound=Record)


def dialogue_of(data: JsonValue, path: str, report: ParseReport) -> Dialogue | None:
    """Parse a dialogue, with the id "" if it has none; None if it is invalid (reported to ``report``)."""
    if not isinstance(data, dict):
        report.wrong(f"a dialogue must be an object, got {kind_of(data)}.", path)
        return None
    remaining, n_problems = dict(data), len(report.problems)
    fields: dict[str, Any] = {
        "id": _take_id(remaining, CONVERSATION_IDS, path, report) or "",
        "utterances": _utterances(remaining.pop("conversation", None), f"{path}.conversation", report),
        "system": _take_participant(remaining, "agent", path, report),
        "user": _take_participant(remaining, "user", path, report),
    }
    meta = _merge_metadata(remaining, remaining.pop("metadata", None))
    ours = _take_own_additions(meta, Dialogue.kind, path, report)
    fields["meta"] = meta
    if meta.get("error"):
        fields["ended_by"], fields["ending_detail"] = ending_of_error(meta["error"])
    need = need_in(meta.get("information_need"), meta.get("persona"))
    if need is not None:
        fields["need"] = need
    return None if len(report.problems) > n_problems else _validate(Dialogue, fields | ours, path, report)


def utterance_of(data: JsonValue, path: str, report: ParseReport) -> Utterance | None:
    """Parse an utterance; None if it is invalid (reported to ``report``)."""
    if not isinstance(data, dict):
        report.wrong(f"an utterance must be an object, got {kind_of(data)}.", path)
        return None
    remaining, n_problems = dict(data), len(report.problems)
    text = _take_text(remaining, path, report)
    misplaced: dict[str, JsonValue] = {}
    fields: dict[str, Any] = {
        "speaker": _take_speaker(remaining, path, report),
        "text": text,
        "id": _take_id(remaining, UTTERANCE_IDS, path, report),
        "acts": _take_acts(remaining, text, misplaced, path, report),
    }
    meta = _merge_metadata(remaining, remaining.pop("metadata", None))
    ours = _take_own_additions(meta, Utterance.kind, path, report)
    fields["ratings"] = _take_ratings(meta)
    fields["meta"] = {**meta, OFFSETS_AS_WRITTEN: misplaced} if misplaced else meta
    return None if len(report.problems) > n_problems else _validate(Utterance, fields | ours, path, report)


def _utterances(data: JsonValue, path: str, report: ParseReport) -> list[Utterance | None]:
    if not isinstance(data, list):
        report.wrong(f"a conversation must be a list of utterances, got {kind_of(data)}.", path)
        return []
    return [utterance_of(entry, f"{path}[{index}]", report) for index, entry in enumerate(data)]


def _take_speaker(remaining: dict[str, JsonValue], path: str, report: ParseReport) -> str:
    given = remaining.pop("participant", None)
    speaker = SPEAKERS.get(given.strip().upper()) if isinstance(given, str) else None
    if speaker is None:
        hint = 'Expected "AGENT" or "USER".'
        report.wrong(f"{kind_of(given)} is not a participant.", f"{path}.participant", hint=hint)
    return speaker or ""


def _take_text(remaining: dict[str, JsonValue], path: str, report: ParseReport) -> str:
    given = remaining.pop("utterance", None)
    if given is None:
        report.mend("an utterance without text was read as an empty one", f"{path}.utterance")
        return ""
    if not isinstance(given, str):
        report.wrong(f"the text of an utterance must be a string, got {kind_of(given)}.", f"{path}.utterance")
        return ""
    return given


def _take_id(remaining: dict[str, JsonValue], keys: tuple[str, str], path: str, report: ParseReport) -> str | None:
    """The id under either spelling. If both are there and differ, the second one stays where it is and ends up in meta."""
    key = keys[0] if remaining.get(keys[0]) is not None else keys[1]
    identity = _name(remaining.pop(key, None), f"{path}.{key}", report)
    other = keys[1] if key == keys[0] else keys[0]
    if other in remaining:
        if remaining[other] is None or _name(remaining[other], f"{path}.{other}", report) == identity:
            del remaining[other]
        else:
            report.mend(
                f"{key!r} and {other!r} differ; {key!r} was used, the other was kept in meta", f"{path}.{other}"
            )
    return identity


def _take_participant(remaining: dict[str, JsonValue], role: str, path: str, report: ParseReport) -> str | None:
    """The id of the agent or user, given as object, text or number; None where none is given, or a placeholder."""
    given = remaining.pop(role, None)
    identity = given
    if isinstance(given, dict):
        identity = given.get("id")
        if set(given) - {"id", "type"} or given.get("type") not in (None, role.upper()):
            remaining[role] = given  # says more than its id: kept as meta
    name = _name(identity, f"{path}.{role}", report)
    return None if name in PLACEHOLDERS else name


def _name(given: JsonValue, path: str, report: ParseReport) -> str | None:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    report.wrong(f"an id must be a string or a whole number, got {kind_of(given)}.", path)
    return None


def _take_ratings(meta: dict[str, JsonValue]) -> list[Rating]:
    """``utterance_feedback`` and ``satisfaction`` as ratings; values that are no ratings stay where they are."""
    ratings = []
    if as_number(meta.get(FEEDBACK)) in (0.0, 1.0):
        value = as_number(meta.pop(FEEDBACK)) or 0.0
        ratings.append(Rating(name=FEEDBACK, value=value, rater="user", low=0, high=1))
    satisfaction = as_number(meta.get(SATISFACTION))
    if satisfaction is not None:
        del meta[SATISFACTION]
        ratings.append(Rating(name=SATISFACTION, value=satisfaction))
    return ratings


def _take_acts(
    remaining: dict[str, JsonValue], text: str, misplaced: dict[str, JsonValue], path: str, report: ParseReport
) -> list[DialogueAct] | None:
    """Dialogue acts; None where not annotated. An intent of the utterance itself (DialogueKit before 0.1) is one act."""
    given = remaining.pop("dialogue_acts", None)
    if given is None and isinstance(remaining.get("intent"), str):
        keys = ("intent", "slot_values", "slots")
        given, path = [{key: remaining.pop(key) for key in keys if key in remaining}], f"{path}.intent"
    else:
        path = f"{path}.dialogue_acts"
    if given is None:
        return None
    if not isinstance(given, list):
        report.wrong(f"dialogue acts must be a list, got {kind_of(given)}.", path)
        return None
    return [_act(act, text, str(index), misplaced, f"{path}[{index}]", report) for index, act in enumerate(given)]


def _act(
    given: JsonValue, text: str, key: str, misplaced: dict[str, JsonValue], path: str, report: ParseReport
) -> DialogueAct:
    if not isinstance(given, dict):
        hint = 'For example {"intent": "DISCLOSE", "slot_values": []}.'
        report.wrong(f"a dialogue act must be an object, got {kind_of(given)}.", path, hint=hint)
        return DialogueAct(intent="")
    raw = given.get("slot_values") or given.get("slots") or []
    pairs = [[slot, value] for slot, value in raw.items()] if isinstance(raw, dict) else raw
    if not isinstance(pairs, list):
        report.wrong(f"slot values must be a list, got {kind_of(raw)}.", f"{path}.slot_values")
        pairs = []
    slots = [
        _slot(entry, text, f"{key}.{index}", misplaced, f"{path}.slot_values[{index}]", report)
        for index, entry in enumerate(pairs)
    ]
    return DialogueAct(intent=_intent(given.get("intent"), f"{path}.intent", report), slots=tuple(slots))


def _intent(given: JsonValue, path: str, report: ParseReport) -> str:
    if given is None or isinstance(given, str):
        return given or ""
    if isinstance(given, dict | list):
        report.wrong(f"an intent must be a string, got {kind_of(given)}.", path)
        return ""
    hint = "UserSimCRS writes true and false where its model has YES and NO without quotes."
    report.mend(
        f"the intent {json.dumps(given)} was read as a string", path, hint=hint if isinstance(given, bool) else ""
    )
    return json.dumps(given)


def _slot(
    given: JsonValue, text: str, key: str, misplaced: dict[str, JsonValue], path: str, report: ParseReport
) -> SlotValue:
    """A slot from ``[slot, value, start, end]`` or an object of these; shorter lists have no value or no offsets."""
    if isinstance(given, dict):
        given = [given.get("slot", given.get("key")), *(given.get(name) for name in ("value", "start", "end"))]
    if not isinstance(given, list) or not 1 <= len(given) <= 4:
        report.wrong(f"a slot must be [slot, value, start, end], got {excerpt_of(given)}.", path)
        return SlotValue(slot="")
    slot, value, start, end = [*given, None, None, None][:4]
    span = _span(start, end, len(text))
    if span is None:
        report.mend(f"offsets outside the text were left out and kept in meta ({OFFSETS_AS_WRITTEN!r})", path)
        misplaced[key] = [start, end]
    begin, stop = span or (None, None)
    name, value_text = _scalar(slot, f"{path}[0]", report), _scalar(value, f"{path}[1]", report)
    return SlotValue(slot=name or "", value=value_text, start=begin, end=stop)


def _span(start: JsonValue, end: JsonValue, length: int) -> tuple[int | None, int | None] | None:
    """Offsets as numbers, either of which may be unknown; None if they point outside of a text of that length."""
    begin, stop = _whole_number(start), _whole_number(end)
    numbers = [number for number in (begin, stop) if number is not None]
    is_inside = numbers == sorted(numbers) and all(0 <= number <= length for number in numbers)
    return (begin, stop) if is_inside else None


def _whole_number(given: JsonValue) -> int | None:
    if given is None:
        return None
    if isinstance(given, str):
        return int(given) if given.isdecimal() and len(given) < 10 else NOWHERE
    number = as_number(given)
    return int(number) if number is not None and number.is_integer() else NOWHERE


def _scalar(given: JsonValue, path: str, report: ParseReport) -> str | None:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, dict | list):
        report.wrong(f"a slot and its value must be strings, got {kind_of(given)}.", path)
        return None
    return json.dumps(given)


def _merge_metadata(remaining: dict[str, JsonValue], metadata: JsonValue) -> dict[str, JsonValue]:
    """Metadata nested and flat as one; where a key is in both, the flat one says so in its name."""
    if not isinstance(metadata, dict):
        return remaining if metadata is None else {**remaining, "metadata": metadata}
    clashes = {key for key in remaining if key in metadata and metadata[key] != remaining[key]}
    return {**{f"{key} (outside metadata)" if key in clashes else key: remaining[key] for key in remaining}, **metadata}


def _take_own_additions(meta: dict[str, JsonValue], kind: str, path: str, report: ParseReport) -> dict[str, JsonValue]:
    """Remove our writer's additions from the metadata; a foreign key of the same name has no version and is kept."""
    ours = meta.get(OURS)
    if not isinstance(ours, dict) or not isinstance(version := ours.get("v"), int):
        return {}
    if version > OURS_VERSION:
        what = f"this part has version {version}, but this version of Trialogue reads up to {OURS_VERSION}."
        report.wrong(what, f"{path}.{OURS}", hint="Upgrade Trialogue, or delete that key.")
    del meta[OURS]
    fields = {key: value for key, value in ours.items() if key != "v"}
    upgrade(kind, fields, version)
    return fields


def _validate(record: type[RecordT], fields: dict[str, Any], path: str, report: ParseReport) -> RecordT | None:
    try:
        return record.model_validate(fields)
    except ValidationError as error:
        for problem in problems_of(error, report.file, None):
            report.wrong(problem.what, f"{path}.{problem.field}"[:LONGEST_PATH])
        return None

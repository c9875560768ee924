"""Parse one DialogueKit dialogue and its parts into records, accepting every spelling seen in real files.

Fields that DialogueKit has are read from these fields. Content that only our records hold (strategies, mentions, rankings,
...) is read from the key ``trialogue`` that our writer adds to the metadata; content without a field in our records goes to
``meta``, so nothing is lost. Paths in messages are those of jq: ``[3].conversation[2].participant``.
"""

import json
from typing import Any, TypeVar

from pydantic import ValidationError

from trialogue.datasets.dialoguekit.errors import ending_of_error
from trialogue.datasets.dialoguekit.needs import need_in
from trialogue.datasets.json_documents import Findings, as_number, excerpt_of, kind_of
from trialogue.records import Dialogue, DialogueAct, JsonValue, Rating, Record, SlotValue, Utterance
from trialogue.records.files.jsonl import problems_of
from trialogue.records.files.upgrade import upgrade

OURS = "trialogue"
"""Key of what DialogueKit has no field for, in the metadata of an utterance or a dialogue."""
OURS_VERSION = 2  # 1 had endings of any word
UTTERANCE_IDS = ("utterance_id", "utterance ID")  # what DialogueKit reads, what it writes
CONVERSATION_IDS = ("conversation_id", "conversation ID")
SPEAKERS = {"AGENT": "system", "USER": "user"}
PLACEHOLDERS = ("Agent", "User")  # what DialogueKit puts where a file names nobody: no system's and no person's name
OFFSETS_AS_WRITTEN = "slot_offsets_as_written"
"""Key in an utterance's ``meta`` of slot offsets that point nowhere, by ``"{act}.{slot}"``."""
NOWHERE = -1  # an offset that is no offset
LONGEST_PATH = 100  # characters of a path in a message: deep nonsense has endless ones
FEEDBACK, SATISFACTION = "utterance_feedback", "satisfaction"

RecordT = TypeVar("RecordT", bound=Record)


def dialogue_of(data: JsonValue, at: str, findings: Findings) -> Dialogue | None:
    """Parse a dialogue, with the id "" if it has none; None if it is invalid (reported to ``findings``)."""
    if not isinstance(data, dict):
        findings.wrong(f"a dialogue must be an object, got {kind_of(data)}.", at)
        return None
    rest, known = dict(data), len(findings.problems)
    fields: dict[str, Any] = {
        "id": _take_id(rest, CONVERSATION_IDS, at, findings) or "",
        "utterances": _utterances(rest.pop("conversation", None), f"{at}.conversation", findings),
        "system": _take_participant(rest, "agent", at, findings),
        "user": _take_participant(rest, "user", at, findings),
    }
    meta = _merge_metadata(rest, rest.pop("metadata", None))
    ours = _take_own_additions(meta, Dialogue.kind, at, findings)
    fields["meta"] = meta
    if meta.get("error"):
        fields["ended_by"], fields["ending_detail"] = ending_of_error(meta["error"])
    need = need_in(meta.get("information_need"), meta.get("persona"))
    if need is not None:
        fields["need"] = need
    return None if len(findings.problems) > known else _validate(Dialogue, fields | ours, at, findings)


def utterance_of(data: JsonValue, at: str, findings: Findings) -> Utterance | None:
    """Parse an utterance; None if it is invalid (reported to ``findings``)."""
    if not isinstance(data, dict):
        findings.wrong(f"an utterance must be an object, got {kind_of(data)}.", at)
        return None
    rest, known = dict(data), len(findings.problems)
    text = _take_text(rest, at, findings)
    odd_offsets: dict[str, JsonValue] = {}
    fields: dict[str, Any] = {
        "speaker": _take_speaker(rest, at, findings),
        "text": text,
        "id": _take_id(rest, UTTERANCE_IDS, at, findings),
        "acts": _take_acts(rest, text, odd_offsets, at, findings),
    }
    meta = _merge_metadata(rest, rest.pop("metadata", None))
    ours = _take_own_additions(meta, Utterance.kind, at, findings)
    fields["ratings"] = _take_ratings(meta)
    fields["meta"] = {**meta, OFFSETS_AS_WRITTEN: odd_offsets} if odd_offsets else meta
    return None if len(findings.problems) > known else _validate(Utterance, fields | ours, at, findings)


def _utterances(data: JsonValue, at: str, findings: Findings) -> list[Utterance | None]:
    if not isinstance(data, list):
        findings.wrong(f"a conversation must be a list of utterances, got {kind_of(data)}.", at)
        return []
    return [utterance_of(entry, f"{at}[{index}]", findings) for index, entry in enumerate(data)]


def _take_speaker(rest: dict[str, JsonValue], at: str, findings: Findings) -> str:
    given = rest.pop("participant", None)
    speaker = SPEAKERS.get(given.strip().upper()) if isinstance(given, str) else None
    if speaker is None:
        hint = 'Expected "AGENT" or "USER".'
        findings.wrong(f"{kind_of(given)} is not a participant.", f"{at}.participant", hint=hint)
    return speaker or ""


def _take_text(rest: dict[str, JsonValue], at: str, findings: Findings) -> str:
    given = rest.pop("utterance", None)
    if given is None:
        findings.mend("an utterance without text was read as an empty one", f"{at}.utterance")
        return ""
    if not isinstance(given, str):
        findings.wrong(f"the text of an utterance must be a string, got {kind_of(given)}.", f"{at}.utterance")
        return ""
    return given


def _take_id(rest: dict[str, JsonValue], keys: tuple[str, str], at: str, findings: Findings) -> str | None:
    """The id under either spelling. If both are there and differ, the second one stays where it is and ends up in meta."""
    key = keys[0] if rest.get(keys[0]) is not None else keys[1]
    identity = _name(rest.pop(key, None), f"{at}.{key}", findings)
    other = keys[1] if key == keys[0] else keys[0]
    if other in rest:
        if rest[other] is None or _name(rest[other], f"{at}.{other}", findings) == identity:
            del rest[other]
        else:
            findings.mend(
                f"{key!r} and {other!r} differ; {key!r} was used, the other was kept in meta", f"{at}.{other}"
            )
    return identity


def _take_participant(rest: dict[str, JsonValue], role: str, at: str, findings: Findings) -> str | None:
    """The id of the agent or user, given as object, text or number; None where none is given, or a placeholder."""
    given = rest.pop(role, None)
    identity = given
    if isinstance(given, dict):
        identity = given.get("id")
        if set(given) - {"id", "type"} or given.get("type") not in (None, role.upper()):
            rest[role] = given  # says more than its id: kept as meta
    name = _name(identity, f"{at}.{role}", findings)
    return None if name in PLACEHOLDERS else name


def _name(given: JsonValue, at: str, findings: Findings) -> str | None:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    findings.wrong(f"an id must be a string or a whole number, got {kind_of(given)}.", at)
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
    rest: dict[str, JsonValue], text: str, odd: dict[str, JsonValue], at: str, findings: Findings
) -> list[DialogueAct] | None:
    """Dialogue acts; None where not annotated. An intent of the utterance itself (DialogueKit before 0.1) is one act."""
    given = rest.pop("dialogue_acts", None)
    if given is None and isinstance(rest.get("intent"), str):
        keys = ("intent", "slot_values", "slots")
        given, at = [{key: rest.pop(key) for key in keys if key in rest}], f"{at}.intent"
    else:
        at = f"{at}.dialogue_acts"
    if given is None:
        return None
    if not isinstance(given, list):
        findings.wrong(f"dialogue acts must be a list, got {kind_of(given)}.", at)
        return None
    return [_act(act, text, str(index), odd, f"{at}[{index}]", findings) for index, act in enumerate(given)]


def _act(given: JsonValue, text: str, key: str, odd: dict[str, JsonValue], at: str, findings: Findings) -> DialogueAct:
    if not isinstance(given, dict):
        hint = 'For example {"intent": "DISCLOSE", "slot_values": []}.'
        findings.wrong(f"a dialogue act must be an object, got {kind_of(given)}.", at, hint=hint)
        return DialogueAct(intent="")
    raw = given.get("slot_values") or given.get("slots") or []
    pairs = [[slot, value] for slot, value in raw.items()] if isinstance(raw, dict) else raw
    if not isinstance(pairs, list):
        findings.wrong(f"slot values must be a list, got {kind_of(raw)}.", f"{at}.slot_values")
        pairs = []
    slots = [
        _slot(entry, text, f"{key}.{index}", odd, f"{at}.slot_values[{index}]", findings)
        for index, entry in enumerate(pairs)
    ]
    return DialogueAct(intent=_intent(given.get("intent"), f"{at}.intent", findings), slots=tuple(slots))


def _intent(given: JsonValue, at: str, findings: Findings) -> str:
    if given is None or isinstance(given, str):
        return given or ""
    if isinstance(given, dict | list):
        findings.wrong(f"an intent must be a string, got {kind_of(given)}.", at)
        return ""
    hint = "UserSimCRS writes true and false where its model has YES and NO without quotes." * isinstance(given, bool)
    findings.mend(f"the intent {json.dumps(given)} was read as a string", at, hint=hint)
    return json.dumps(given)


def _slot(given: JsonValue, text: str, key: str, odd: dict[str, JsonValue], at: str, findings: Findings) -> SlotValue:
    """A slot from ``[slot, value, start, end]`` or an object of these; shorter lists have no value or no offsets."""
    if isinstance(given, dict):
        given = [given.get("slot", given.get("key")), *(given.get(name) for name in ("value", "start", "end"))]
    if not isinstance(given, list) or not 1 <= len(given) <= 4:
        findings.wrong(f"a slot must be [slot, value, start, end], got {excerpt_of(given)}.", at)
        return SlotValue(slot="")
    slot, value, start, end = [*given, None, None, None][:4]
    span = _span(start, end, len(text))
    if span is None:
        findings.mend(f"offsets outside the text were left out and kept in meta ({OFFSETS_AS_WRITTEN!r})", at)
        odd[key] = [start, end]
    begin, stop = span or (None, None)
    name, said = _scalar(slot, f"{at}[0]", findings), _scalar(value, f"{at}[1]", findings)
    return SlotValue(slot=name or "", value=said, start=begin, end=stop)


def _span(start: JsonValue, end: JsonValue, length: int) -> tuple[int | None, int | None] | None:
    """Offsets as numbers, either of which may be unknown; None if they point outside of a text of that length."""
    begin, stop = _whole_number(start), _whole_number(end)
    known = [number for number in (begin, stop) if number is not None]
    return (begin, stop) if known == sorted(known) and all(0 <= number <= length for number in known) else None


def _whole_number(given: JsonValue) -> int | None:
    if given is None:
        return None
    if isinstance(given, str):
        return int(given) if given.isdecimal() and len(given) < 10 else NOWHERE
    number = as_number(given)
    return int(number) if number is not None and number.is_integer() else NOWHERE


def _scalar(given: JsonValue, at: str, findings: Findings) -> str | None:
    if given is None or isinstance(given, str):
        return given
    if isinstance(given, dict | list):
        findings.wrong(f"a slot and its value must be strings, got {kind_of(given)}.", at)
        return None
    return json.dumps(given)


def _merge_metadata(rest: dict[str, JsonValue], metadata: JsonValue) -> dict[str, JsonValue]:
    """Metadata nested and flat as one; where a key is in both, the flat one says so in its name."""
    if not isinstance(metadata, dict):
        return rest if metadata is None else {**rest, "metadata": metadata}
    clashes = {key for key in rest if key in metadata and metadata[key] != rest[key]}
    return {**{f"{key} (outside metadata)" if key in clashes else key: rest[key] for key in rest}, **metadata}


def _take_own_additions(meta: dict[str, JsonValue], kind: str, at: str, findings: Findings) -> dict[str, JsonValue]:
    """Remove our writer's additions from the metadata; a foreign key of the same name has no version and is kept."""
    ours = meta.get(OURS)
    if not isinstance(ours, dict) or not isinstance(version := ours.get("v"), int):
        return {}
    if version > OURS_VERSION:
        what = f"version {version} of this part is newer than the newest that this Trialogue reads ({OURS_VERSION})."
        findings.wrong(what, f"{at}.{OURS}", hint="Upgrade Trialogue, or delete that key.")
    del meta[OURS]
    fields = {key: value for key, value in ours.items() if key != "v"}
    if kind == Dialogue.kind:
        fields.setdefault("meta", meta)  # where version 1 had the message of an error
    upgrade(kind, fields, version)
    return fields


def _validate(record: type[RecordT], fields: dict[str, Any], at: str, findings: Findings) -> RecordT | None:
    try:
        return record.model_validate(fields)
    except ValidationError as error:
        for problem in problems_of(error, findings.file, None):
            findings.wrong(problem.what, f"{at}.{problem.field}"[:LONGEST_PATH])
        return None

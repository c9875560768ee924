"""Spans of OpenTelemetry and the log records that belong to them: OTLP's JSON, or one object each, as SDKs export them.

A log record is joined to its span by their ids, however these are written. Records of a span that is missing are a span
without an end. Contents that an instrumentation writes as log records (``gen_ai.user.message``, ``gen_ai.choice``,
``gen_ai.client.inference.operation.details``) become the attributes that other ones write into spans.

Rebuild conversations from calls of a language model, each of which repeats the history that it was given.

Traces hold one entry for each call of a model (a *step*): what it was given, and what it answered. A conversation is its
longest history, once, and not what all steps hold together. Steps of several conversations may be interleaved, some may be
missing, and one that failed or was regenerated is repeated with the same history.

A step continues what ends as its history begins. Where histories are cut or rewritten (a window, a summary), it continues
behind the last answer that both have. Steps without the id of a conversation are joined by their histories alone.
"""

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from trialogue.datasets.door.values import plain_number
from trialogue.datasets.formats.openai_chat import Entries
from trialogue.datasets.json_documents import JsonObject, ParseReport

INPUT, OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
CHOICE, DETAILS = "gen_ai.choice", "gen_ai.client.inference.operation.details"
"""Events: an answer of a model (conventions before 1.37), and all attributes of a call (from then on)."""
NO_SPAN = "a log record names no span and was left out"
NO_EVENT = "a log record is no event of a language model and was left out"
SPAN_MISSING = "a log record refers to a span that is missing from the file, so the duration of that span is unknown"


@dataclass
class Span:
    """A span, whatever wrote it."""

    line: int
    """Line of the object that holds it."""
    id: str
    trace: str
    parent: str
    start: float
    end: float | None
    fields: JsonObject
    events: list[tuple[str, JsonObject]]
    status: object
    told: dict[str, list[JsonObject]] = field(default_factory=dict)
    """Messages that its log records hold, by the attribute that holds them elsewhere."""
    error: str | None = None
    """Why it failed; None: it did not."""

    @property
    def kind(self) -> str:
        """Its operation, or OpenInference's kind."""
        kind = self.first("gen_ai.operation.name", "openinference.span.kind")
        holds = any(name in self.fields or name in self.told for name in (INPUT, OUTPUT))
        holds = holds or any(name.startswith("gen_ai.prompt.0") for name in self.fields)
        return str(kind or ("chat" if holds else ""))

    def first(self, *names: str) -> Any:
        """The first attribute that is there."""
        return next((self.fields[name] for name in names if self.fields.get(name) not in (None, "")), None)


@dataclass
class SpanLog:
    """The spans of one or more files, with what their log records say of them."""

    _spans: dict[tuple[str, str], Span] = field(default_factory=dict)
    _records: list[tuple[Span, str, object]] = field(default_factory=list)
    """Log records: where and when, the name of the event, and its body."""

    def add(self, entries: Entries, report: ParseReport) -> None:
        """Read the spans and the log records of a file."""
        for line, entry in entries:
            for given in _unpack(entry):
                span = _span(given, line)
                name = _event_name(given)
                if not span.trace or not span.id:
                    if name is None:
                        report.wrong("expected a span with the ids of trace and span.", "spanId", line=line)
                    else:
                        report.mend(NO_SPAN, line=line)
                elif name is None:
                    self._spans.setdefault((span.trace, span.id), span)
                elif name.startswith("gen_ai.") or name == "exception":
                    self._records.append((span, name, _value(given.get("body"))))
                else:
                    report.mend(NO_EVENT, line=line)

    def settle(self, report: ParseReport) -> list[Span]:
        """The spans, with the contents of their log records."""
        for at, name, body in self._records:
            if (at.trace, at.id) not in self._spans:
                report.mend(SPAN_MISSING, line=at.line)
            span = self._spans.setdefault((at.trace, at.id), at)
            if name == DETAILS:
                span.fields = {**at.fields, **span.fields}
            elif (message := _message_of(name, body)) is not None:
                place = OUTPUT if name == CHOICE else INPUT
                span.told.setdefault(place, []).append(message)
            elif span is not at:
                span.events.append((name, at.fields))
        for span in self._spans.values():
            span.fields = {**span.told, **span.fields}
            span.error = _error(span.status, span.fields, span.events)
        return list(self._spans.values())


def _span(given: JsonObject, line: int) -> Span:
    """A span, or where and when a log record was written; ids are "" where there are none."""
    context = _get(given, "context")
    ids = context if isinstance(context, dict) else given
    trace, name = (_id(_get(ids, key)) for key in ("traceId", "spanId"))
    times = [
        _seconds(*(_get(given, name) for name in names))
        for names in (
            ("startTimeUnixNano", "startTime"),
            ("observedTimeUnixNano", "observedTimestamp"),
            ("timeUnixNano", "timestamp"),
        )
    ]
    events = [
        (str(each.get("name") or each.get("event_name")), attributes_of(each.get("attributes")))
        for each in objects_in(given.get("events"))
    ]
    return Span(
        line=line,
        id=name,
        trace=trace,
        parent=_id(_get(given, "parentSpanId") or _get(given, "parentId")),
        start=next((time for time in times if time is not None), float(line)),
        end=_seconds(_get(given, "endTimeUnixNano"), _get(given, "endTime")),
        fields=attributes_of(_get(given, "attributes")),
        events=events,
        status=_get(given, "status"),
    )


def _id(given: object) -> str:
    """An id in hexadecimal digits: SDKs write 0x before it, and the JSON of protobuf has it in Base64. "": there is none.

    >>> _id("0xf214014c0b099384"), _id("8hQBTAsJk4Q="), _id(None)
    ('f214014c0b099384', 'f214014c0b099384', '')
    """
    text = given.strip().removeprefix("0x") if isinstance(given, str) else ""
    if text.endswith("="):
        try:
            text = base64.b64decode(text, validate=True).hex()
        except (binascii.Error, ValueError):
            return text
    return text if text.strip("0") else ""


def _event_name(given: JsonObject) -> str | None:
    """The event that a log record is; "": a message of a program; None: it is a span."""
    if "body" not in given and not _get(given, "eventName"):
        return None
    return str(_get(given, "eventName") or attributes_of(_get(given, "attributes")).get("event.name") or "")


def _message_of(name: str, body: object) -> JsonObject | None:
    """The message that an event is; None: it is none."""
    own = re.fullmatch(r"gen_ai\.(\w+)\.message", name)
    if own is None and name != CHOICE:
        return None
    fields: JsonObject = body if isinstance(body, dict) else {}
    message = fields["message"] if isinstance(fields.get("message"), dict) else fields
    return {"role": "assistant" if own is None else own[1], "tool_call_id": fields.get("id"), **message}


def _unpack(entry: JsonObject) -> Iterator[JsonObject]:
    """The spans and log records of one object of a file."""
    kinds = {"resourceSpans": ("scopeSpans", "spans"), "resourceLogs": ("scopeLogs", "logRecords")}
    known = {kind: places for kind, places in kinds.items() if isinstance(_get(entry, kind), list)}
    if not known:
        yield entry
    for kind, (scopes, members) in known.items():
        for resource in objects_in(_get(entry, kind)):
            for scope in objects_in(_get(resource, scopes) or _get(resource, "instrumentationLibrarySpans")):
                yield from objects_in(_get(scope, members))


def objects_in(value: object) -> list[JsonObject]:
    """The objects of a list; []: it is none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _get(fields: Mapping[str, Any], name: str) -> Any:
    """A field of OTLP, under its name in JSON or the one that it has in SDKs (``start_time_unix_nano``)."""
    return fields.get(name, fields.get(re.sub(r"([A-Z])", r"_\1", name).lower()))


def attributes_of(given: object) -> JsonObject:
    """Attributes as plain JSON."""
    if isinstance(given, list):
        return {str(each.get("key")): _value(each.get("value")) for each in objects_in(given)}
    return dict(given) if isinstance(given, dict) else {}


def _value(given: object) -> Any:
    """A value of OTLP as plain JSON; what is none of OTLP's stays as it is."""
    if not isinstance(given, dict) or len(given) != 1:
        return given
    kind, value = next(iter(given.items()))
    match kind.replace("_", "").lower():
        case "arrayvalue":
            return [_value(each) for each in _members(value)]
        case "kvlistvalue":
            return attributes_of(_members(value))
        case "intvalue":
            number = plain_number(value)
            return value if number is None else int(number)
        case "stringvalue" | "boolvalue" | "doublevalue" | "bytesvalue":
            return value
        case _:
            return given


def _members(value: object) -> list[Any]:
    found = value.get("values") if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _seconds(nanoseconds: object, written: object) -> float | None:
    number = plain_number(nanoseconds)
    if number is not None:
        return number / 1e9
    try:
        return datetime.fromisoformat(written).timestamp() if isinstance(written, str) else None
    except ValueError:
        return None


def _error(given: object, fields: JsonObject, events: list[tuple[str, JsonObject]]) -> str | None:
    """Why a span failed, in the words of its exception, else of its status; None: it did not."""
    status = given if isinstance(given, dict) else {}
    code = str(_get(status, "statusCode") or status.get("code") or "")
    kind = fields.get("error.type")
    if not kind and not code.upper().endswith(("ERROR", "2")):
        return None
    raised = [each["exception.message"] for _, each in events if each.get("exception.message")]
    words = raised[-1] if raised else status.get("message") or status.get("description")
    return ": ".join(str(each) for each in (kind, words) if each) or "error"


def decode(value: object) -> Any:
    """A value, from JSON if it is a text; None: it is a text, and no JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return None


def nest(fields: JsonObject, name: str) -> Any:
    """The value that was written as one attribute for each part of it, such as ``gen_ai.prompt.0.role``."""
    if name in fields:
        return fields[name]
    below = {key[len(name) + 1 :]: value for key, value in fields.items() if key.startswith(f"{name}.")}
    heads = list(dict.fromkeys(key.partition(".")[0] for key in below))
    if heads and all(head.isdecimal() for head in heads):
        return [nest(below, head) for head in sorted(heads, key=int)]
    return {head: nest(below, head) for head in heads}


SYSTEM = "assistant"


@dataclass(frozen=True)
class Piece:
    """A part of a message: a text, a call of a tool, a result, a thought."""

    role: str
    """``user``, ``assistant`` or ``tool``."""
    part: JsonObject
    """As chat formats have it."""
    opens: bool
    """Whether a message begins with it."""
    step: "Step | None" = None
    """The step that answered it; None: it is only known from the history of later ones."""
    is_beside: bool = False
    """Whether it is a text beside calls of tools, which some histories leave out."""

    def key(self) -> str | None:
        """What two pieces have in common that are the same; None: histories may leave it out, such as a thought."""
        kind = self.part.get("type")
        if kind == "reasoning" or self.is_beside:
            return None
        if kind == "text":
            return f"{self.role}: {str(self.part.get('text')).strip()}"
        return json.dumps([kind, {name: _plain(value) for name, value in self.part.items()}], sort_keys=True)


def _plain(value: object) -> object:
    """A value, decoded if it is JSON as text: calls are written either way."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


@dataclass(eq=False)
class Step:
    """One call of a language model."""

    start: float
    end: float | None
    group: str
    """Id of the conversation; "": none is recorded."""
    trace: str
    """What it was recorded with: without the id of a conversation, only steps of one trace are tried again."""
    prompt: str
    """Instructions of the system, which may change within a conversation."""
    given: Sequence[Piece]
    """The history, without instructions."""
    answer: Sequence[Piece]
    """What the model answered; (): nothing, or it failed."""
    is_apart: bool = False
    """Whether it is the work of a tool, and speaks to nobody in the conversation."""
    fields: JsonObject = field(default_factory=dict)
    """Further facts, for the reader."""
    error: str | None = None


@dataclass(eq=False)
class History:
    """A conversation as far as it is known."""

    id: str
    prompt: str = ""
    pieces: list[Piece] = field(default_factory=list)
    steps: list[tuple[int, Step]] = field(default_factory=list)
    """Steps with the number of pieces that they were given, in order of time; those that were tried again among them."""
    apart: int = 0
    """Steps that are not part of the conversation: a tool's, or of another prompt that shares nothing with it."""
    branches: list["_Branch"] = field(default_factory=list)
    """Ways in which it went on; one of them is chosen."""

    @property
    def retried(self) -> int:
        """Steps whose answer did not go on: they failed, or another one was made of the same history."""
        return len(self.steps) - self.apart - len({id(each.step) for each in self.pieces if each.step is not None})

    @property
    def unseen(self) -> int:
        """Messages of the system whose step is missing."""
        return sum(each.opens and each.role == SYSTEM and each.step is None for each in self.pieces)


@dataclass(eq=False)
class _Branch:
    """One way in which a conversation went on."""

    owner: History
    pieces: list[Piece]
    trace: str


def histories(steps: Iterable[Step]) -> list[History]:
    """The conversations that steps belong to, in the order in which they began."""
    groups: dict[str, _Group] = {}
    for step in sorted(steps, key=lambda each: each.start):
        groups.setdefault(step.group, _Group(step.group)).take(step)
    found = [history for group in groups.values() for history in group.settle()]
    found.sort(key=lambda each: each.steps[0][1].start)
    taken: Counter[str] = Counter()
    for history in found:  # without ids, several conversations may begin in one trace
        taken[history.id] += 1
        history.id += f"-{taken[history.id]}" if taken[history.id] > 1 else ""
    return found


class _Group:
    """Steps of one conversation, or all that name none."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._ends: dict[int, list[_Branch]] = {}
        self._asked: dict[int, list[_Branch]] = {}
        self._passed: dict[tuple[str, int], History] = {}
        self._histories: list[History] = []

    def take(self, step: Step) -> None:
        """Add a step to the conversation that it continues, or begin one."""
        marks = _marks(step.given)
        if step.is_apart:
            self._put_apart(step)
        elif found := self._continuation(step, marks):
            branch, place = found
            self._grow(branch, step, step.given[place:])
        elif twin := self._twin(step, marks[-1]):
            self._grow(self._branch_of(twin.owner, step), step, step.given)
        elif self._name and self._histories:
            self._align(step, self._histories[0])
        elif passed := [self._passed[at] for each in marks[:0:-1] if (at := (step.trace, each)) in self._passed]:
            self._align(step, passed[0])
        else:
            self._histories.append(History(self._name or step.trace, step.prompt))
            self._grow(self._branch_of(self._histories[-1], step), step, step.given)

    def _branch_of(self, history: History, step: Step) -> _Branch:
        history.branches.append(_Branch(history, [], step.trace))
        return history.branches[-1]

    def _continuation(self, step: Step, marks: list[int]) -> tuple[_Branch, int] | None:
        """The branch that ends as the history of a step begins, the longest first, and where it ends."""
        for place in range(len(marks) - 1, 0, -1):
            known = self._ends.get(marks[place], [])
            own = [each for each in known if each.trace == step.trace]
            known = own or [each for each in known if self._name or each.pieces[-1].role == SYSTEM]
            if known:
                return known[0], place
        return None

    def _twin(self, step: Step, mark: int) -> _Branch | None:
        known = self._asked.get(mark, [])
        return next((each for each in known if self._name or each.trace == step.trace), None)

    def _align(self, step: Step, history: History) -> None:
        """Continue a conversation whose history was cut or rewritten, or that a failed call had gone on, behind the last
        answer that is known."""
        branch = max(history.branches, key=lambda each: len(each.pieces))
        known = {each.key() for each in branch.pieces if each.role == SYSTEM} - {None}
        shared = [place for place, each in enumerate(step.given) if each.role == SYSTEM and each.key() in known]
        if not shared and step.prompt != history.prompt:
            self._put_apart(step)
            return
        self._grow(branch, step, step.given[shared[-1] + 1 if shared else 0 :])

    def _put_apart(self, step: Step) -> None:
        """What a step of no conversation took belongs to the turn in which it was made."""
        near = [each for each in self._histories if each.steps[-1][1].trace == step.trace] or self._histories[-1:]
        if near:
            near[-1].apart += 1
            near[-1].steps.append((len(near[-1].branches[-1].pieces), step))

    def _grow(self, branch: _Branch, step: Step, new: Sequence[Piece]) -> None:
        known = self._ends.get(_marks(branch.pieces)[-1], [])
        if branch in known:
            known.remove(branch)
            self._passed[branch.trace, _marks(branch.pieces)[-1]] = branch.owner
        branch.pieces += new
        branch.trace = step.trace
        self._asked.setdefault(_marks(branch.pieces)[-1], []).insert(0, branch)
        branch.owner.steps.append((len(branch.pieces), step))
        branch.pieces += step.answer
        self._ends.setdefault(_marks(branch.pieces)[-1], []).append(branch)

    def settle(self) -> Iterator[History]:
        """The conversations, each in its longest branch; of several equally long ones, the latest."""
        for history in self._histories:
            history.pieces = max(reversed(history.branches), key=lambda each: len(each.pieces)).pieces
            yield history


def _marks(pieces: Sequence[Piece]) -> list[int]:
    """A hash of every beginning of a history, the empty one first."""
    found = [0]
    for each in pieces:
        key = each.key()
        found.append(found[-1] if key is None else hash((found[-1], key)))
    return found

"""Spans of OpenTelemetry and the log records that belong to them: OTLP's JSON, or one object each, as SDKs export them.

A log record is joined to its span by their ids, however these are written. Records of a span that is missing are a span
without an end. Contents that an instrumentation writes as log records (``gen_ai.user.message``, ``gen_ai.choice``,
``gen_ai.client.inference.operation.details``) become the attributes that other ones write into spans.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
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

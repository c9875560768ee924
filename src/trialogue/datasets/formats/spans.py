"""Spans of OpenTelemetry, whatever wrote them: OTLP's JSON, or one object a span, as the exporters of SDKs write it."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trialogue.datasets.door.values import plain_number
from trialogue.datasets.formats.openai_chat import Entries
from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.json_objects import JsonObject


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
    error: str | None

    @property
    def kind(self) -> str:
        """Its operation, or OpenInference's kind."""
        kind = self.first("gen_ai.operation.name", "openinference.span.kind")
        return str(kind or ("chat" if any(name.startswith("gen_ai.prompt.0") for name in self.fields) else ""))

    def first(self, *names: str) -> Any:
        """The first attribute that is there."""
        return next((self.fields[name] for name in names if self.fields.get(name) not in (None, "")), None)


def read_spans(entries: Entries, report: ParseReport) -> Iterator[Span]:
    """The spans of a file, in its order."""
    for line, entry in entries:
        for given in _unpack(entry):
            context = _get(given, "context")
            ids = context if isinstance(context, dict) else given
            trace, name = (_get(ids, key) for key in ("traceId", "spanId"))
            if not isinstance(trace, str) or not isinstance(name, str):
                report.wrong("expected a span with the ids of trace and span.", "spanId", line=line)
                continue
            fields = attributes_of(_get(given, "attributes"))
            start, end = (
                _seconds(_get(given, f"{side}TimeUnixNano"), _get(given, f"{side}Time")) for side in ("start", "end")
            )
            parent = str(_get(given, "parentSpanId") or _get(given, "parentId") or "")
            events = [
                (str(each.get("name") or each.get("event_name")), attributes_of(each.get("attributes")))
                for each in objects_in(given.get("events"))
            ]
            error = _error(_get(given, "status"), fields, events)
            yield Span(line, name, trace, parent, float(line) if start is None else start, end, fields, events, error)


def _unpack(entry: JsonObject) -> Iterator[JsonObject]:
    """The spans of one object of a file."""
    resources = _get(entry, "resourceSpans")
    if not isinstance(resources, list):
        yield entry
        return
    for resource in objects_in(resources):
        scopes = _get(resource, "scopeSpans") or _get(resource, "instrumentationLibrarySpans")
        yield from (span for scope in objects_in(scopes) for span in objects_in(scope.get("spans")))


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
    """An attribute of OTLP as plain JSON."""
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
        case _:
            return value


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

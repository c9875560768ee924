"""Logs of Inspect: ``.eval`` archives, and the same as JSON; a folder of logs is read file by file.

A sample is a dialogue with its task, an epoch a trial. The system is the evaluated model. A score is a program's, or a
model's where its scorer asked one; ``C`` and ``I`` are 1 and 0, ``P`` is one half. Members of an archive are compressed with
Zstandard, which Python's own ``zipfile`` reads from 3.14 on.
"""

import json
import struct
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from trialogue.datasets.base import ZIP, Head
from trialogue.datasets.door.values import as_number
from trialogue.datasets.formats.openai_chat import Entries, chat_format, has_entry
from trialogue.datasets.formats.tau import with_ending
from trialogue.datasets.json_documents import JsonObject, ParseReport, kind_of, read_json
from trialogue.errors import DataError, Problem
from trialogue.extras import need

HEADERS = ("header.json", "_journal/start.json")
"""Members with what holds for the whole log; the second is that of a run that was not ended."""
ZSTANDARD = 93  # zip's number of the method
LARGEST = 1 << 30  # bytes of a member, unpacked
ATTACHMENT = "attachment://"
GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, True: 1.0, False: 0.0}
"""Values of Inspect's scorers that are no numbers, as Inspect itself counts them."""
CANCELLED = "CancelledError"
READ = ("input_tokens", "input_tokens_cache_write", "input_tokens_cache_read")


def _entries(path: Path, report: ParseReport) -> Entries:
    log = _archive(path) if Head(path).text.startswith(ZIP) else iter([read_json(path, report)])
    header = _object(next(log))
    evaluation = _object(header.get("eval"))
    listed = header.get("samples")
    for place, sample in enumerate(listed if isinstance(listed, list) else log, start=1):
        if not isinstance(sample, dict):
            report.wrong(f"expected a sample, got {kind_of(sample)}.", "samples", line=place)
            continue
        for _ in sample.get("error_retries") or ():
            report.mend("a sample failed and was tried again: only its last attempt is read", "error_retries")
        yield place, _entry(sample, evaluation)
    if header.get("status") not in (None, "success"):
        report.mend(f"the log is that of a run with status {header['status']!r}", "status")


def _archive(path: Path) -> Iterator[Any]:
    """The header of an archive, then its samples by name.

    Raises:
        DataError: it is damaged, or no log of Inspect.
    """
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as raw:
            members = {each.filename: each for each in archive.infolist()}
            header = next((members[name] for name in HEADERS if name in members), None)
            if header is None:
                raise DataError(Problem(f"there is no {HEADERS[0]} in this archive.", str(path)))
            samples = [each for name, each in members.items() if name.startswith("samples/")]
            for member in (header, *samples):
                yield json.loads(_unpack(archive, member, raw))
    # zipfile raises NotImplementedError for compressions that it does not know.
    except (zipfile.BadZipFile, struct.error, EOFError, ValueError, NotImplementedError) as error:
        what = f"this archive cannot be read ({error})."
        raise DataError(Problem(what, str(path), hint="Is the file complete? See: inspect log dump")) from error


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, raw: Any) -> bytes:
    if member.file_size > LARGEST:
        raise ValueError(f"{member.filename} has more than {LARGEST:,} bytes")
    if member.compress_type != ZSTANDARD:
        return archive.read(member)
    zstandard = need("zstandard", extra="data", purpose="read .eval files")
    raw.seek(member.header_offset)
    name, extra = struct.unpack("<26xHH", raw.read(30))
    raw.seek(name + extra, 1)
    packed = raw.read(member.compress_size)
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed) as stream:
            found: bytes = stream.read(LARGEST)
    except zstandard.ZstdError as error:
        raise ValueError(f"{member.filename}: {error}") from error
    return found


def _object(value: object) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _entry(sample: JsonObject, evaluation: JsonObject) -> JsonObject:
    """A sample as an entry of a chat file."""
    sample = _with_attachments(sample, _object(sample.get("attachments")))
    events = [each for each in sample.get("events") or () if isinstance(each, dict)]
    models = [each for each in events if each.get("event") == "model"]
    tools = {each.get("message_id"): each for each in events if each.get("event") == "tool"}
    asked = {each.get("span_id") for each in models}
    scorers = [each for each in events if each.get("event") == "score"]
    graded = {each.get("scorer") for each in scorers if each.get("span_id") in asked}
    answers = {_object(choice.get("message")).get("id"): each for each in models for choice in _choices(each)}
    failure = str(_object(sample.get("error")).get("message") or "")
    entry: JsonObject = {
        "id": sample.get("id"),
        "trial": sample.get("epoch"),
        "model": evaluation.get("model"),
        "messages": list(_messages(sample.get("messages"), answers, tools)),
        "tools": next((each["tools"] for each in models if each.get("tools")), None),
        "ratings": dict(_ratings(_object(sample.get("scores")), graded)),
        "ending": _object(sample.get("limit")).get("type"),
        "error": "harness_error" if failure.startswith(CANCELLED) else failure,
        "metadata": sample.get("metadata"),
    }
    return {name: value for name, value in entry.items() if value not in (None, "", {})}


def _with_attachments(value: Any, attachments: Mapping[str, Any]) -> Any:
    """A value with its attachments in their places; Inspect keeps long texts once."""
    if isinstance(value, str) and value.startswith(ATTACHMENT):
        return attachments.get(value.removeprefix(ATTACHMENT), value)
    if isinstance(value, list):
        return [_with_attachments(each, attachments) for each in value]
    if isinstance(value, dict):
        return {name: _with_attachments(each, attachments) for name, each in value.items() if name != "attachments"}
    return value


def _choices(event: JsonObject) -> list[JsonObject]:
    return [each for each in _object(event.get("output")).get("choices") or () if isinstance(each, dict)]


def _messages(
    given: object, answers: Mapping[object, JsonObject], tools: Mapping[object, JsonObject]
) -> list[JsonObject]:
    """Messages, with tokens beside each answer, and the time of a turn beside its last one."""
    messages: list[JsonObject] = []
    times: list[tuple[float, float]] = []
    last: JsonObject = {}
    for message in filter(None, map(_object, given if isinstance(given, list) else ())):
        made = {name: message[name] for name in ("role", "content", "tool_call_id") if message.get(name) is not None}
        messages.append(made)
        match message.get("role"):
            case "user":
                times, last = [], {}
            case "assistant":
                event = answers.get(message.get("id"), {})
                times += _times(event)
                last.pop("latency_s", None)
                last = made
                made |= _calls(message) | _usage(event)
            case "tool":
                event = tools.get(message.get("id"), {})
                times += (took := _times(event))
                made |= {"latency_s": took[0][1] - took[0][0]} if took else {}
                if error := _object(message.get("error")):  # the model is shown its words in place of a result
                    words = str(error.get("message") or error.get("type"))
                    made |= {"error": words, "content": message.get("content") or words}
        if last and times:
            last["latency_s"] = times[-1][1] - times[0][0]
    return messages


def _calls(message: JsonObject) -> JsonObject:
    """The calls of an answer; what is no JSON stays the text that the model wrote."""
    calls = [
        {"id": each.get("id"), "name": each.get("function"), "arguments": each.get("arguments")}
        for each in map(_object, message.get("tool_calls") or ())
    ]
    return {"tool_calls": calls} if calls else {}


def _usage(event: JsonObject) -> JsonObject:
    """Tokens and cost; Inspect counts tokens of a prompt that were cached apart from the others."""
    usage = _object(_object(event.get("output")).get("usage"))
    read = [usage[name] for name in READ if usage.get(name) is not None]
    given = {"input_tokens": sum(read) if read else None, "output_tokens": usage.get("output_tokens")}
    found = {name: value for name, value in {**given, "cost": usage.get("total_cost")}.items() if value is not None}
    return {"usage": found} if found else {}


def _times(event: JsonObject) -> list[tuple[float, float]]:
    """[(beginning, end)] of an event, in seconds; []: not recorded."""
    given = (event.get("timestamp"), event.get("completed"))
    try:
        start, end = (datetime.fromisoformat(each).timestamp() for each in given if isinstance(each, str))
    except ValueError:
        return []
    return [(start, end)]


def _ratings(scores: Mapping[str, Any], graded: set[Any]) -> Iterator[tuple[str, JsonObject]]:
    """Scores as ratings of the dialogue; one with several values is one rating for each."""
    for name, score in scores.items():
        value = _object(score).get("value")
        several = value.items() if isinstance(value, dict) else [("", value)]
        for part, each in several:
            number = GRADES.get(each, as_number(each)) if isinstance(each, str | bool | int | float) else None
            if number is None:
                continue
            scale = {"min": 0, "max": 1} if 0 <= number <= 1 else {}
            source = "model" if name in graded or name.startswith("model_graded") else "program"
            yield f"{name}.{part}" if part else name, {"value": number, **scale, "source": source}


FORMAT = chat_format(
    "inspect",
    "Logs of Inspect: .eval archives, or JSON {version, status, eval, samples: [{id, epoch, messages, scores}, ...]}.",
    has_entry(("version", "status", "eval", "plan"), in_folder=(".json", ".eval"), archive="_journal/"),
    _entries,
    settle=with_ending,
    suffixes=(".json", ".eval"),
    tried="logs of inspect-ai 0.3.285 with its mock model, as .eval and JSON: failing tools, parallel calls, "
    "several epochs, an interrupted run",
)

"""Traces of OpenTelemetry and logs of Inspect: the same dialogue in any format is the same dialogue.

The files were written by the tools themselves (``tests/data/traces/make.py``).
"""

import base64
import contextlib
import gzip
import json
import random
import re
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trialogue
from trialogue.datasets import get_format, read, recognise
from trialogue.errors import DataError, Problem
from trialogue.inputs.inputs import gather
from trialogue.records import Dialogue, Ending, Raters
from trialogue.records.trace import join_traces

FOLDER = Path(__file__).parents[2] / "data" / "traces"
FORMATS = {
    "openai.jsonl": "openai-chat",
    "anthropic.jsonl": "openai-chat",
    "otel.jsonl": "otel",
    "otlp.json": "otel",
    "inspect.eval": "inspect",
    "inspect.json.gz": "inspect",
}
Span = dict[str, Any]


def dialogues(path: Path, notes: list[str] | None = None) -> list[Dialogue]:
    found: list[Problem] = []
    made = [each for each in read(path, note=found.append) if isinstance(each, Dialogue)]
    if notes is not None:
        notes += map(str, found)
    return made


def words(dialogue: Dialogue) -> list[Any]:
    """What was said and done, without the ids of dialogues and the words of errors."""
    return [
        (
            said.speaker,
            said.text,
            said.trace
            and [
                [(call.name, call.arguments, call.result, call.error is None) for call in said.trace.calls or ()],
                (said.trace.input_tokens, said.trace.output_tokens),
            ],
        )
        for said in dialogue.utterances
    ]


def by_name(path: Path) -> dict[str, list[Any]]:
    return {(each.task or each.id): words(each) for each in dialogues(path)}


@pytest.mark.parametrize(("name", "form"), FORMATS.items())
def test_a_dialogue_is_the_same_in_every_format_of_traces(name: str, form: str) -> None:
    assert recognise(FOLDER / name).name == form
    assert by_name(FOLDER / name) == by_name(FOLDER / "openai.jsonl")


def values(name: str) -> dict[str, float | None]:
    """The value of every measure that such a log has: the default ones, and those of its other variants."""
    more = ("tool_calls@unanswered", "tool_calls@per_dialogue", "tokens@input", "tokens@output", "latency@longest")
    runs = [trialogue.evaluate(FOLDER / name, metrics=metrics, resamples=100) for metrics in (None, list(more))]
    leagues = [league for run in runs for league in run.findings.leagues]
    return {
        each.measure.name: each.standings[0].estimate.value for each in leagues if "includes" not in each.measure.name
    }


def test_all_measures_have_equal_values_in_every_format_of_traces() -> None:
    expected = values("openai.jsonl")
    assert expected["tool_calls@failed|v1"] == 1 / 5
    assert expected["tokens@output|v1"] == (20 + 21 + 22 + 23 + 24 + 25 + 20 + 21 + 20) / 3
    for name in FORMATS:
        assert values(name) == pytest.approx(expected, rel=1e-4), name


# Spans


def spans() -> list[Span]:
    return [json.loads(line) for line in (FOLDER / "otel.jsonl").read_text(encoding="utf-8").splitlines()]


def written(tmp_path: Path, given: list[Span]) -> Path:
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in given), encoding="utf-8")
    return path


def chats(given: list[Span], name: str = "comedy") -> list[Span]:
    fields = (each["attributes"] for each in given)
    return [
        each
        for each, own in zip(given, fields, strict=True)
        if own["gen_ai.operation.name"] == "chat" and own["gen_ai.conversation.id"] == name
    ]


def texts(dialogue: Dialogue) -> list[str]:
    return [said.text for said in dialogue.utterances]


EXPECTED = {each.id: each for each in dialogues(FOLDER / "otel.jsonl")}


@pytest.mark.parametrize("seed", range(3))
def test_interleaved_spans_in_any_order_are_the_same_conversations(tmp_path: Path, seed: int) -> None:
    given = spans()
    random.Random(seed).shuffle(given)
    assert {each.id: each for each in dialogues(written(tmp_path, given))} == {
        each.id: each.model_copy(update={"source": "spans"}) for each in EXPECTED.values()
    }


def without_ids(given: list[Span]) -> list[Span]:
    for each in given:
        each["attributes"].pop("gen_ai.conversation.id", None)
    return given


def test_without_ids_conversations_are_put_together_by_their_histories_and_that_is_said(tmp_path: Path) -> None:
    notes: list[str] = []
    found = dialogues(written(tmp_path, without_ids(spans())), notes)
    assert [words(each) for each in found] == [words(each) for each in EXPECTED.values()]
    assert any("a conversation has no id" in note and "3 times" in note for note in notes)


def test_two_people_who_begin_alike_are_two_conversations_without_ids(tmp_path: Path) -> None:
    given = without_ids([*spans(), *spans()])
    for place, each in enumerate(given):  # the second half: another user, in other traces
        if place >= len(given) // 2:
            each["context"]["trace_id"] += "b"
    found = dialogues(written(tmp_path, given))
    assert sorted(map(texts, found)) == sorted(2 * [texts(each) for each in EXPECTED.values()])


def again(span: Span, *, after: str, answer: str | None) -> Span:
    """The same call of a model, made again: with another answer, or an error."""
    made: Span = json.loads(json.dumps(span))
    made["context"]["span_id"] += "f"
    made["start_time"] = made["end_time"] = after
    if answer is None:
        made["status"] = {"status_code": "ERROR", "description": "429 Too Many Requests"}
        made["attributes"].pop("gen_ai.output.messages")
        made["attributes"] |= {"error.type": "RateLimitError", "gen_ai.usage.output_tokens": 0}
    else:
        message = {"role": "assistant", "parts": [{"type": "text", "content": answer}]}
        made["attributes"]["gen_ai.output.messages"] = json.dumps([message])
    return made


@pytest.mark.parametrize("answer", [None, "No idea."])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("has_ids", [True, False])
def test_a_call_that_was_made_again_is_said_once_and_paid_twice(
    tmp_path: Path, answer: str | None, first: bool, has_ids: bool
) -> None:
    given = spans()
    span = chats(given)[1]  # answered "How about ...?", and went on
    moment = datetime.fromisoformat(span["start_time"]) + timedelta(microseconds=-1 if first else 1)
    given.append(again(span, after=moment.isoformat(), answer=answer))
    notes: list[str] = []
    found = {
        texts(each)[0]: each for each in dialogues(written(tmp_path, given if has_ids else without_ids(given)), notes)
    }
    assert len(found) == 3
    comedy = found[texts(EXPECTED["comedy"])[0]]
    assert texts(comedy) == texts(EXPECTED["comedy"])
    assert comedy.ended_by is None
    trace, before = comedy.utterances[1].trace, EXPECTED["comedy"].utterances[1].trace
    assert trace is not None
    assert before is not None
    assert trace.input_tokens == (before.input_tokens or 0) + span["attributes"]["gen_ai.usage.input_tokens"]
    assert any("made again" in note for note in notes)


def test_a_missing_span_is_known_from_later_histories_and_counted(tmp_path: Path) -> None:
    given = spans()
    given.remove(chats(given)[0])
    notes: list[str] = []
    found = {each.id: each for each in dialogues(written(tmp_path, given), notes)}
    assert texts(found["comedy"]) == texts(EXPECTED["comedy"])
    first = found["comedy"].utterances[1].trace
    assert first is not None
    assert [call.latency_s is not None for call in first.calls or ()] == [True]  # its span is there
    assert any("only known from later histories" in note for note in notes)


def change(given: list[Span], name: str, how: Callable[[list[Any]], list[Any]]) -> None:
    for each in chats(given, name):
        messages = json.loads(each["attributes"]["gen_ai.input.messages"])
        each["attributes"]["gen_ai.input.messages"] = json.dumps(how(messages))


def last_turn(messages: list[Any]) -> list[Any]:
    """Messages after the last answer: what a server that keeps the history is sent."""
    place = max((place for place, each in enumerate(messages) if each["role"] == "assistant"), default=-1)
    return messages[place + 1 :]


@pytest.mark.parametrize("how", [last_turn, lambda messages: messages[-3:], lambda messages: messages[-4:]])
def test_histories_that_are_cut_are_continued(tmp_path: Path, how: Callable[[list[Any]], list[Any]]) -> None:
    given = spans()
    change(given, "comedy", how)
    found = {each.id: each for each in dialogues(written(tmp_path, given))}
    assert words(found["comedy"]) == words(EXPECTED["comedy"])


def test_a_model_that_a_tool_asks_speaks_to_nobody_and_its_tokens_count(tmp_path: Path) -> None:
    given = spans()
    tool = next(each for each in given if each["attributes"]["gen_ai.operation.name"] == "execute_tool")
    inner = again(chats(given)[0], after=tool["start_time"], answer="comedy, before 1960")
    inner["parent_id"] = tool["context"]["span_id"]
    title = again(chats(given)[-1], after=chats(given)[-1]["end_time"], answer="A title")
    title["attributes"]["gen_ai.system_instructions"] = json.dumps([{"type": "text", "content": "Find a title."}])
    title["attributes"]["gen_ai.input.messages"] = json.dumps(
        [{"role": "user", "parts": [{"type": "text", "content": "The whole conversation"}]}]
    )
    notes: list[str] = []
    found = {each.id: each for each in dialogues(written(tmp_path, [*given, inner, title]), notes)}
    assert texts(found["comedy"]) == texts(EXPECTED["comedy"])
    assert any("no part of its conversation" in note and "2 times" in note for note in notes)
    traces = [said.trace for each in (found, EXPECTED) for said in each["comedy"].utterances if said.trace]
    tokens = [each.input_tokens or 0 for each in traces]
    more = sum(each["attributes"]["gen_ai.usage.input_tokens"] for each in (inner, title))
    assert sum(tokens[: len(tokens) // 2]) == sum(tokens[len(tokens) // 2 :]) + more


def test_a_conversation_whose_last_call_failed_says_how(tmp_path: Path) -> None:
    given = spans()
    last = chats(given)[-1]
    given[given.index(last)] = again(last, after=last["start_time"], answer=None)
    found = {each.id: each for each in dialogues(written(tmp_path, given))}
    assert found["comedy"].ended_by is Ending.RATE_LIMITED
    assert texts(found["comedy"]) == texts(EXPECTED["comedy"])[:-1]


def test_call_ids_that_are_given_again_do_not_mix_calls(tmp_path: Path) -> None:
    text = (FOLDER / "otel.jsonl").read_text(encoding="utf-8")
    for name in ("comedy-1", "comedy-2", "comedy-3"):
        text = text.replace(f'"{name}"', '"call_0"').replace(f'\\"{name}\\"', '\\"call_0\\"')
    path = tmp_path / "spans.jsonl"
    path.write_text(text, encoding="utf-8")
    assert by_name(path)["comedy"] == words(EXPECTED["comedy"])


def test_contents_that_were_not_captured_or_were_cut_off_are_said(tmp_path: Path) -> None:
    given = spans()
    for each in given:
        for name in ("gen_ai.input.messages", "gen_ai.output.messages"):
            each["attributes"].pop(name, None)
    with pytest.raises(DataError, match="no span of a model holds messages"):
        dialogues(written(tmp_path, given))
    given = spans()
    last = chats(given)[-1]["attributes"]
    last["gen_ai.input.messages"] = last["gen_ai.input.messages"][:100]
    notes: list[str] = []
    found = {each.id: each for each in dialogues(written(tmp_path, given), notes)}
    assert texts(found["comedy"]) == [text for text in texts(EXPECTED["comedy"]) if text != "Thanks, bye!"]
    assert any("cut off by a limit" in note for note in notes)


def test_evaluations_are_ratings_of_nobody_known(tmp_path: Path) -> None:
    given = spans()
    fields = {"gen_ai.evaluation.name": "relevance", "gen_ai.evaluation.score.value": 0.5}
    chats(given)[0]["events"] = [{"name": "gen_ai.evaluation.result", "attributes": fields}]
    found = {each.id: each for each in dialogues(written(tmp_path, given))}
    ((name, value, raters),) = ((each.name, each.value, each.raters) for each in found["comedy"].ratings)
    assert (name, value, raters) == ("relevance", 0.5, Raters.UNKNOWN)


def flat(messages: list[Any], name: str) -> dict[str, Any]:
    """Messages as conventions before 1.37 have them: an attribute for each part."""
    found: dict[str, Any] = {}
    for place, message in enumerate(messages):
        found[f"{name}.{place}.role"] = message["role"]
        for number, part in enumerate(message["parts"]):
            if part["type"] == "text":
                found[f"{name}.{place}.content"] = part["content"]
            elif part["type"] == "tool_call":
                call = {"id": part["id"], "name": part["name"], "arguments": json.dumps(part["arguments"])}
                place_of = f"{name}.{place}.tool_calls.{number - len(message['parts']) + 1 if number else 0}"
                found |= {f"{place_of}.{key}": value for key, value in call.items()}
            else:
                found |= {f"{name}.{place}.tool_call_id": part["id"], f"{name}.{place}.content": part["response"]}
    return found


def test_attributes_of_older_conventions_are_read(tmp_path: Path) -> None:
    given = [each for each in spans() if each["attributes"].get("gen_ai.conversation.id") != "warm"]
    for each in (*chats(given), *chats(given, "greeting")):
        fields = each["attributes"]
        fields |= flat(json.loads(fields.pop("gen_ai.input.messages")), "gen_ai.prompt")
        fields |= flat(json.loads(fields.pop("gen_ai.output.messages")), "gen_ai.completion")
    assert by_name(written(tmp_path, given)) == {name: words(each) for name, each in EXPECTED.items() if name != "warm"}


# Log records


def record(span: Span, name: str, body: Any = None, fields: Any = None) -> Span:
    """A log record of a span, as the SDK exports it."""
    ids = {key: span["context"][key] for key in ("trace_id", "span_id")}
    return {"body": body, "attributes": fields or {}, "observed_timestamp": span["end_time"], **ids, "event_name": name}


def body_of(parts: list[Any]) -> Any:
    """A message as an event before 1.37 holds it; the text of one that calls tools is left out, as openai-v2 does."""
    calls = [
        {"id": part["id"], "type": "function", "function": {**part, "arguments": json.dumps(part["arguments"])}}
        for part in parts
        if part["type"] == "tool_call"
    ]
    if calls:
        return {"tool_calls": calls}
    (part,) = parts
    return {"content": part["content"]} if part["type"] == "text" else {"content": part["response"], "id": part["id"]}


def as_events(span: Span) -> list[Span]:
    """The contents of a span, taken out of it, as one log record for each message."""
    given, answer = (json.loads(span["attributes"].pop(f"gen_ai.{side}.messages")) for side in ("input", "output"))
    made = [record(span, f"gen_ai.{each['role']}.message", body_of(each["parts"])) for each in given]
    said = "".join(part["content"] for part in answer[0]["parts"] if part["type"] == "text")
    message = {"role": "assistant", "content": said, **body_of(answer[0]["parts"])}
    return [*made, record(span, "gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": message})]


def as_details(span: Span) -> list[Span]:
    """The contents of a span, taken out of it, as one log record."""
    held = [name for name in span["attributes"] if name.endswith(("messages", "instructions"))]
    fields = {name: json.loads(span["attributes"].pop(name)) for name in held}
    return [
        record(span, "gen_ai.client.inference.operation.details", fields={"gen_ai.usage.input_tokens": 1, **fields})
    ]


def as_both(span: Span) -> list[Span]:
    """The contents of a span, in it and in a log record."""
    return as_details(json.loads(json.dumps(span)))


FORMS: dict[str, Callable[[str], str]] = {
    "0x": lambda name: name,
    "hexadecimal": lambda name: name.removeprefix("0x"),
    "Base64": lambda name: base64.b64encode(bytes.fromhex(name.removeprefix("0x"))).decode(),
}


@pytest.mark.parametrize("kind", [as_events, as_details, as_both])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", ["one file", "folder"])
def test_contents_in_log_records_are_joined_to_their_spans(
    tmp_path: Path, kind: Callable[[Span], list[Span]], form: str, place: str
) -> None:
    given = spans()
    logs = [made for each in given if "gen_ai.input.messages" in each["attributes"] for made in kind(each)]
    for each in logs:
        each |= {key: FORMS[form](each[key]) for key in ("trace_id", "span_id")}
    random.Random(form).shuffle(given)
    path = written(tmp_path, given if place == "folder" else [*given, *logs])
    if place == "folder":
        (tmp_path / "logs.jsonl").write_text("".join(json.dumps(each) + "\n" for each in logs), encoding="utf-8")
        path = tmp_path
    assert recognise(path).name == "otel"
    assert {each.id: words(each) for each in dialogues(path)} == {name: words(each) for name, each in EXPECTED.items()}


@pytest.mark.parametrize("kind", [as_events, as_details])
def test_log_records_alone_are_conversations_without_times(tmp_path: Path, kind: Callable[[Span], list[Span]]) -> None:
    logs = [made for each in spans() if "gen_ai.input.messages" in each["attributes"] for made in kind(each)]
    notes: list[str] = []
    found = dialogues(written(tmp_path, logs), notes)
    assert sorted(map(texts, found)) == sorted(map(texts, EXPECTED.values()))
    assert all(said.trace is None or said.trace.latency_s is None for each in found for said in each.utterances)
    assert any("a span that is missing" in note and "(9 times" in note for note in notes)


def test_log_records_that_belong_to_nothing_are_counted(tmp_path: Path) -> None:
    given = spans()
    other = [record(given[0], name, "starting") for name in ("", "app.started")]
    lost = record(
        {**given[0], "context": {"trace_id": None, "span_id": "0x0"}}, "gen_ai.user.message", {"content": "?"}
    )
    notes: list[str] = []
    assert len(dialogues(written(tmp_path, [*given, *other, lost]), notes)) == 3
    assert any("no event of a language model" in note and "(2 times" in note for note in notes)
    assert any("names no span" in note for note in notes)


@pytest.mark.parametrize("name", ["before", "details"])
def test_what_the_instrumentation_of_openai_writes_is_read(name: str) -> None:
    """``before``: of conventions before 1.37; ``make_openai_v2.py`` wrote both."""
    notes: list[str] = []
    (found,) = dialogues(FOLDER / "openai_v2" / name, notes)
    said = ["I want a comedy", "Let me look.", "How about Some Like It Hot (1959)?", "Is it long?", "Thanks"]
    assert texts(found) == [*said, "You are welcome."]
    (call,) = [call for each in found.utterances for call in (each.trace and each.trace.calls) or ()]
    assert (call.name, call.arguments, call.result) == ("search_films", {"genre": "comedy"}, '["some-like-it-hot"]')
    assert found.ended_by is None  # the request that a limit refused was followed by another one
    assert any("failed or was made again" in note for note in notes)
    assert found.utterances[-1].trace is not None
    assert found.utterances[-1].trace.input_tokens == 16


def test_spans_whose_contents_are_in_log_records_elsewhere_say_so(tmp_path: Path) -> None:
    only = tmp_path / "spans.jsonl"
    only.write_bytes((FOLDER / "openai_v2" / "before" / "spans.jsonl").read_bytes())
    with pytest.raises(DataError, match="give the folder that holds spans and log records"):
        dialogues(only)


# Turns that an agent reports the id of a trace of


def simulated(tmp_path: Path, form: str) -> Path:
    """The dialogues of the spans as a simulation has them: texts, and with the first reply of each turn the id."""
    rows = []
    for each in EXPECTED.values():
        messages: list[Any] = []
        for said in each.utterances:
            own: dict[str, Any] = {"role": "user" if said.speaker == "user" else "assistant", "content": said.text}
            if own["role"] == "assistant" and messages[-1]["role"] == "user":
                own["trace_id"] = form.format(said.meta["trace_id"])
            messages.append(own)
        rows.append({"id": f"s-{each.id}", "model": "mine", "messages": messages})
    path = tmp_path / "simulated.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["{}", "0x{}", "00-{}-00f067aa0ba902b7-01"])
@pytest.mark.parametrize("is_first", [True, False])
def test_calls_of_a_turn_are_found_by_the_id_of_its_trace(tmp_path: Path, form: str, is_first: bool) -> None:
    files = [written(tmp_path, spans()), simulated(tmp_path, form)]
    material = gather(files if is_first else files[::-1])
    assert [each.system for each in material.dialogues] == 3 * ["mine"]  # traces are no further dialogues
    for made, known in zip(material.dialogues, EXPECTED.values(), strict=True):
        traces = [[said.trace for said in each.utterances if said.trace is not None] for each in (made, known)]
        assert join_traces(traces[0]) == join_traces(traces[1])
    assert "5 of 5 turns with the id of a trace were found in the traces." in material.warnings


def test_traces_of_other_turns_stay_dialogues(tmp_path: Path) -> None:
    path = simulated(tmp_path, "{}")
    path.write_text(re.sub('"trace_id": "[^"]*"', '"trace_id": "another"', path.read_text(encoding="utf-8")), "utf-8")
    material = gather([path, written(tmp_path, spans())])
    assert len(material.dialogues) == 6
    assert not any("id of a trace" in each for each in material.warnings)


# Inspect


def log() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gzip.decompress((FOLDER / "inspect.json.gz").read_bytes()))
    return found


def test_scores_of_inspect_are_a_programs_or_a_models(tmp_path: Path) -> None:
    given = log()
    sample = given["samples"][0]
    sample["scores"] |= {"model_graded_qa": {"value": "P"}, "parts": {"value": {"tone": 2.5, "fit": True, "why": "x"}}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    ratings = {each.name: (each.value, each.high, each.raters) for each in dialogues(path)[0].ratings}
    assert ratings == {
        "includes": (0.0, 1.0, Raters.PROGRAM),
        "model_graded_qa": (0.5, 1.0, Raters.MODEL),
        "parts.tone": (2.5, None, Raters.PROGRAM),
        "parts.fit": (1.0, 1.0, Raters.PROGRAM),
    }


def test_a_sample_that_failed_or_reached_a_limit_says_so(tmp_path: Path) -> None:
    given = log()
    given["status"] = "error"
    first, second, third = given["samples"]
    first["error"] = {"message": "CancelledError('Cancelled via cancel scope')", "traceback": "..."}
    second["limit"] = {"type": "message", "limit": 4}
    third["error"] = {"message": "RateLimitError('429 Too Many Requests')", "traceback": "..."}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    notes: list[str] = []
    assert [each.ended_by for each in dialogues(path, notes)] == [
        Ending.HARNESS_ERROR,
        Ending.TURN_LIMIT,
        Ending.RATE_LIMITED,
    ]
    assert any("status 'error'" in note for note in notes)


def test_a_folder_of_logs_is_read_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_bytes((FOLDER / "inspect.eval").read_bytes())
    assert recognise(tmp_path).name == "inspect"
    assert len(dialogues(tmp_path)) == 3


@pytest.mark.parametrize("damage", ["cut", "no header", "no zip"])
def test_a_damaged_archive_is_an_error_with_its_file(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "log.eval"
    whole = (FOLDER / "inspect.eval").read_bytes()
    if damage == "cut":
        path.write_bytes(whole[: len(whole) // 2])
    elif damage == "no header":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("_journal/summaries/1.json", "{}")
    else:
        path.write_bytes(b"PK\x03\x04 _journal/ nothing")
    with pytest.raises(DataError, match=r"log\.eval: .*archive"):
        dialogues(path)


# Damage

ODD: list[Any] = [[], {}, [{}], ["a"]]
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.sampled_from(ODD))


def damage(value: Any, data: st.DataObject) -> Any:
    """The value with one part replaced, or left out."""
    if isinstance(value, str) and value[:1] in ("[", "{") and data.draw(st.booleans()):
        return json.dumps(damage(json.loads(value), data))
    if not isinstance(value, dict | list) or not value or not data.draw(st.integers(0, 5)):
        return data.draw(VALUES)
    places = list(value) if isinstance(value, dict) else list(range(len(value)))
    place = data.draw(st.sampled_from(places))
    copied: Any = value.copy()
    if data.draw(st.booleans()) and isinstance(value, dict):
        del copied[place]
    else:
        copied[place] = damage(value[place], data)
    return copied


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), form=st.sampled_from(["otel", "otlp", "inspect"]))
def test_damaged_traces_are_read_or_refused_with_a_message(tmp_path: Path, data: st.DataObject, form: str) -> None:
    path = tmp_path / "log.json"
    if form == "otel":
        entries = spans()
        place = data.draw(st.integers(0, len(entries) - 1))
        entries[place] = damage(entries[place], data)
        path.write_text("".join(json.dumps(each) + "\n" for each in entries), encoding="utf-8")
    else:
        whole = json.loads((FOLDER / "otlp.json").read_text(encoding="utf-8")) if form == "otlp" else log()
        path.write_text(json.dumps(damage(whole, data)), encoding="utf-8")
    with contextlib.suppress(DataError):
        list(get_format("inspect" if form == "inspect" else "otel").read(path, note=lambda _: None))

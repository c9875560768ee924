"""The engineer's page: one command over a log, without renaming, says what its owner's own lines of numpy say, and more."""

import csv
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trialogue
from trialogue.findings.log_records import LogFindings, Party
from trialogue.records import Reason, ReasonCode
from trialogue.subjects.evaluation.commands.evaluate import Run
from trialogue.subjects.evaluation.pages.write import text_table

Entry = dict[str, Any]
COUNT = 120


def log(change: Callable[[int, Entry], None] = lambda _n, _entry: None, count: int = COUNT) -> list[Entry]:
    """Chats of two versions with tools, times, tokens, costs, topics and thumbs."""
    rng = np.random.default_rng(7)
    entries = []
    for number in range(count):
        messages: list[Entry] = []
        for turn in range(1 + number % 3):
            failed = bool(rng.random() < 0.15)
            arguments = json.dumps({"city": f"city {rng.integers(9)}", "turn": turn})
            messages += [
                {"role": "user", "content": f"Which hotel in city {number} is best for {turn} people?"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": f"c{turn}", "function": {"name": "search", "arguments": arguments}}],
                },
                {"role": "tool", "tool_call_id": f"c{turn}", "content": "Error: none" if failed else "Hotel Lux"},
                {
                    "role": "assistant",
                    "content": f"Hotel Lux number {rng.integers(1000)} is a good one to stay at.",
                    "latency_ms": int(rng.integers(200, 3000)),
                    "usage": {
                        "prompt_tokens": int(rng.integers(99, 999)),
                        "completion_tokens": int(rng.integers(9, 99)),
                    },
                    "cost_usd": float(rng.uniform(0.001, 0.004)),
                },
            ]
        entry: Entry = {"id": f"chat {number}", "model": f"v{9 + number % 2}", "topic": "ab"[number % 5 > 2]}
        entry |= {
            "user_id": f"u{number // 3}",
            "messages": messages,
            "feedback": "up" if rng.random() < 0.6 else "down",
        }
        if number % 6 == 5:
            del entry["feedback"]
        change(number, entry)
        entries.append(entry)
    return entries


def run(tmp_path: Path, entries: list[Entry], **more: Any) -> Run:
    file = tmp_path / "log.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in entries), encoding="utf-8")
    return trialogue.evaluate(file, resamples=300, **more)


def log_of(tmp_path: Path, entries: list[Entry], **more: Any) -> LogFindings:
    found = run(tmp_path, entries, **more).findings.log
    assert found is not None
    return found


def rows(folder: Path, name: str) -> dict[tuple[str, str], dict[str, str]]:
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return {(each["measure"], each["system"]): each for each in csv.DictReader(file)}


def test_all_that_the_owners_own_lines_print_is_there_and_equal(tmp_path: Path) -> None:
    entries = log()
    run(tmp_path, entries).write(tmp_path / "out")
    found = rows(tmp_path / "out", "log.csv")
    for system in ("v9", "v10"):
        own = [each for each in entries if each["model"] == system]
        replies = [said for each in own for said in each["messages"] if "latency_ms" in said]
        results = [said["content"] for each in own for said in each["messages"] if said["role"] == "tool"]
        expected = {
            "human:feedback": np.mean([each["feedback"] == "up" for each in own if "feedback" in each]),
            "Latency, p50": np.quantile([said["latency_ms"] / 1000 for said in replies], 0.5),
            "Latency, p95": np.quantile([said["latency_ms"] / 1000 for said in replies], 0.95),
            "tool_calls@failed|v1": np.mean([text.startswith("Error") for text in results]),
            "tool_calls@per_dialogue|v1": len(results) / len(own),
            "cost@per_dialogue|v1": sum(said["cost_usd"] for said in replies) / len(own),
            "tokens@input|v1": sum(said["usage"]["prompt_tokens"] for said in replies) / len(own),
            "tokens@output|v1": sum(said["usage"]["completion_tokens"] for said in replies) / len(own),
        }
        for measure, value in expected.items():
            assert float(found[measure, system]["value"]) == pytest.approx(float(value), rel=1e-12), measure
            low, high = (found[measure, system][end] for end in ("low", "high"))
            assert (low == high == "") or float(low) <= value <= float(high), measure
        assert found["Latency, p50", system]["low"]
        assert int(found["Latency, p95", system]["clusters"]) < len(replies)


def test_one_screen_says_what_an_engineer_asks(tmp_path: Path) -> None:
    done = run(tmp_path, log())
    text = text_table(done.findings, width=80)
    for what in (
        "Feedback",
        "Failed, by any sign",
        "Latency, p95 (s)",
        "Cost per satisfied person",
        "Ignored tool results",
    ):
        assert what in text
    assert "Probability that v10 is worse than v9 on Feedback: " in text  # 10 comes after 9
    assert "Where" not in text
    assert "v10 is significantly worse in 0 of" in text
    assert "Not read: topic" not in text
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) <= 66
    page = done.write(tmp_path / "out").read_text(encoding="utf-8")
    first = page[: page.index('class="folds"')].replace("<wbr>", "")
    assert "Latency, p95" in first
    links = re.findall(r'href="(explorer.html#open=[^"]+)"', page)
    worst = done.findings.log.worst if done.findings.log is not None else ()
    assert len(worst) == 10
    assert all(any(f"/{each.system}/{each.dialogue.replace(' ', '%20')}" in link for link in links) for each in worst)


def test_the_probability_of_harm_is_half_of_p_on_the_side_of_the_difference(tmp_path: Path) -> None:
    done = run(tmp_path, log())
    found = done.findings.log
    contrast = done.league("human:feedback").contrast_of("v10", "v9")
    assert found is not None
    assert contrast is not None
    p, value = contrast.difference.p, contrast.difference.value
    assert p is not None
    assert value is not None
    assert (found.old, found.new) == ("v9", "v10")
    assert found.harm == pytest.approx(p / 2 if value > 0 else 1 - p / 2)


def test_nothing_that_a_system_records_itself_is_ranked(tmp_path: Path) -> None:
    done = run(tmp_path, log())
    recorded = [
        each
        for each in done.findings.leagues
        if each.measure.measured.metric in ("latency", "cost", "tokens", "tool_calls")
    ]
    assert len(recorded) >= 9
    assert {each.measure.better for each in recorded} == {"neither"}
    assert not any(contrast.leader for each in recorded for contrast in each.contrasts)


def test_times_in_seconds_and_milliseconds_are_the_same(tmp_path: Path) -> None:
    def seconds(_number: int, entry: Entry) -> None:
        for said in entry["messages"]:
            if "latency_ms" in said:
                said["latency_s"] = said.pop("latency_ms") / 1000

    one, other = log_of(tmp_path, log()), log_of(tmp_path, log(seconds))
    for a, b in zip(one.measures, other.measures, strict=True):
        assert [each.value for each in a.values.values()] == pytest.approx([each.value for each in b.values.values()])


def value_of(found: LogFindings, title: str, system: str) -> tuple[float | None, int, int | None]:
    row = next(each for each in found.measures if each.title == title)
    return row.values[system].value, row.values[system].n, row.units.get(system)


def test_times_of_one_version_alone_leave_the_other_undefined(tmp_path: Path) -> None:
    def forget(_number: int, entry: Entry) -> None:
        for said in entry["messages"]:
            if entry["model"] == "v10":
                said.pop("latency_ms", None)

    found = log_of(tmp_path, log(forget))
    assert value_of(found, "Latency, p95", "v10")[:2] == (None, 0)
    assert value_of(found, "Latency, p95", "v9")[0] is not None


def test_costs_of_the_happy_half_alone_are_counted_where_they_are_shown(tmp_path: Path) -> None:
    def forget(_number: int, entry: Entry) -> None:
        for said in entry["messages"]:
            if entry.get("feedback") != "up":
                said.pop("cost_usd", None)

    done = run(tmp_path, log(forget))
    found = done.findings.log
    assert found is not None
    liked = sum(each.get("feedback") == "up" and each["model"] == "v9" for each in log(forget))
    assert value_of(found, "Cost per dialogue", "v9")[1:] == (liked, COUNT // 2)
    assert value_of(found, "Cost per satisfied person", "v9")[1:] == (liked, COUNT * 5 // 12 + 10)
    assert f"Recorded for {liked} of 60 dialogues" in text_table(done.findings)


def test_no_feedback_on_one_side_has_no_probability_and_no_slices(tmp_path: Path) -> None:
    def forget(_number: int, entry: Entry) -> None:
        if entry["model"] == "v10":
            entry.pop("feedback", None)

    found = log_of(tmp_path, log(forget))
    assert (found.harm, found.slices) == (None, ())
    assert found.no_harm is not None
    assert len(found.worst) == 10


def test_where_every_dialogue_failed_no_probability_and_no_slice_is_given(tmp_path: Path) -> None:
    found = log_of(tmp_path, log(lambda _n, entry: entry.update(error="500 Server Error")))
    assert found.no_harm == Reason.of(ReasonCode.VERDICT_WITHHELD)
    assert found.slices == ()
    assert {each.blame.party: each.dialogues for each in found.blames} == {Party.MODEL: {"v9": 60, "v10": 60}}
    assert value_of(found, "Failed, by any sign", "v9")[0] == 1.0
    none = log_of(tmp_path, log())
    assert none.blames == ()
    assert value_of(none, "Failed, by any sign", "v9")[0] == 0.0


def test_the_worst_come_failed_ones_first_then_by_rating_and_failed_calls(tmp_path: Path) -> None:
    def fail(number: int, entry: Entry) -> None:
        if number in (20, 40):
            entry["error"] = "500 Server Error"

    found = log_of(tmp_path, log(fail)).worst
    assert {each.dialogue for each in found[:2]} == {"chat 20", "chat 40"}
    assert all(each.blame is None and each.value == 0.0 for each in found[2:])
    assert all(a.failed_calls >= b.failed_calls for a, b in pairwise(found[2:]))


def test_one_person_with_most_chats_widens_the_intervals(tmp_path: Path) -> None:
    def whale(number: int, entry: Entry) -> None:
        entry["user_id"] = "whale" if number % 4 < 2 else entry["user_id"]

    widths = []
    for each in (log_of(tmp_path, log()), log_of(tmp_path, log(whale))):
        interval = next(row for row in each.measures if row.title == "Latency, p50").values["v9"].interval
        assert interval is not None
        widths.append(interval.high - interval.low)
    assert widths[1] > 1.5 * widths[0]


def test_names_with_spaces_and_emoji_and_more_versions_are_shown(tmp_path: Path) -> None:
    def rename(number: int, entry: Entry) -> None:
        entry["model"] = ("my bot 🚀", "my bot 🚀 2", "<b>")[number % 3]

    done = run(tmp_path, log(rename))
    found = done.findings.log
    assert found is not None
    assert (found.old, found.new) == (None, None)
    assert {each.system for each in found.slices} == {"my bot 🚀", "my bot 🚀 2", "<b>"}  # each against all others
    assert {each.against for each in found.slices} == {""}
    assert "Probability" not in text_table(done.findings)
    assert "my bot 🚀 2" in done.write(tmp_path / "out").read_text(encoding="utf-8")


def test_metrics_that_were_asked_for_stay_on_the_terminal(tmp_path: Path) -> None:
    text = text_table(run(tmp_path, log(), metrics=["latency@longest"]).findings)
    assert "Latency" in text
    assert "Failed, by any sign" not in text


def test_chats_with_feedback_alone_have_slices_and_a_probability_too(tmp_path: Path) -> None:
    def plain(_number: int, entry: Entry) -> None:
        kept = [said for said in entry["messages"] if said["role"] != "tool" and said["content"]]
        entry["messages"] = [{"role": said["role"], "content": said["content"]} for said in kept]

    done = run(tmp_path, log(plain))
    found = done.findings.log
    assert found is not None
    assert found.slices
    assert not found.leads
    assert "Probability that v10 is worse than v9" in text_table(done.findings)


def test_the_same_log_gives_the_same_bytes(tmp_path: Path) -> None:
    first, second = (run(tmp_path, log()).write(tmp_path / name).parent for name in "ab")
    for name in ("log.csv", "slices.csv", "worst.csv", "findings.json", "report.html"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def exchanges(folder: Path, entries: list[Entry]) -> Path:
    """The first exchange of each chat as a row."""
    heads = (
        "conversation_id",
        "model",
        "user_id",
        "topic",
        "user",
        "assistant",
        "thumbs",
        "latency_ms",
        "prompt_tokens",
        "completion_tokens",
        "cost_usd",
    )
    with (folder / "exchanges.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(heads)
        for each in entries:
            asked, *_, said = each["messages"][:4]
            amounts = (said["latency_ms"], *said["usage"].values(), said["cost_usd"])
            facts = (each["id"], each["model"], each["user_id"], each["topic"], asked["content"], said["content"])
            table.writerow([*facts, each.get("feedback", ""), *amounts])
    return folder / "exchanges.csv"


def messages(folder: Path, entries: list[Entry], *, whole: bool) -> Path:
    """The same with a row for each message; amounts stand beside the reply, or beside every message."""
    with (folder / "messages.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(
            ["conversation_id", "model", "user_id", "topic", "role", "message", "thumbs", "cost_usd", "latency_ms"]
        )
        for each in entries:
            asked, *_, said = each["messages"][:4]
            for message, amounts in ((asked, whole), (said, True)):
                taken = (said["cost_usd"], "" if whole else said["latency_ms"]) if amounts else ("", "")
                facts = (each["id"], each["model"], each["user_id"], each["topic"], message["role"], message["content"])
                table.writerow([*facts, each.get("feedback", ""), *taken])
    return folder / "messages.csv"


def test_tables_of_messages_and_of_exchanges_say_the_same(tmp_path: Path) -> None:
    def shorten(_number: int, entry: Entry) -> None:
        asked, *_, said = entry["messages"][:4]
        entry["messages"] = [asked, said]
        entry["thumbs"] = entry.pop("feedback", None)

    expected = log_of(tmp_path, log(shorten))
    for file in (
        exchanges(tmp_path, log()),
        messages(tmp_path, log(), whole=False),
        messages(tmp_path, log(), whole=True),
    ):
        found = trialogue.evaluate(file, resamples=300).findings
        assert found.log is not None
        known = {each.measure or each.title: each.values for each in expected.measures}
        same = {each.measure or each.title: each.values for each in found.log.measures}
        assert {"human:thumbs", "cost@per_dialogue|v1"} <= same.keys()
        for measure, values in same.items():
            for system, estimate in values.items():
                assert estimate.value == pytest.approx(known[measure][system].value), (file.name, measure)
        assert [each.difference.value for each in found.log.slices] == pytest.approx(
            [each.difference.value for each in expected.slices]
        )
        assert "topic" in found.log.fields


def test_a_probability_under_a_conditional_verdict_says_so_and_one_without_variation_is_undefined(
    tmp_path: Path,
) -> None:
    def fails(number: int, entry: Entry) -> None:
        if number % 2 and number % 5 < 2:
            entry["messages"] = entry["messages"][:1]
            entry["error"] = "HTTP 503 Service Unavailable"
            entry.pop("feedback", None)
        elif "feedback" in entry:
            entry["feedback"] = "up" if number % 2 or number % 4 else "down"

    found = run(tmp_path, log(fails, 300))
    assert found.findings.log is not None
    assert found.findings.log.is_harm_conditional
    assert "under the conditions of the verdict above" in " ".join(text_table(found.findings).split())

    def same(_number: int, entry: Entry) -> None:
        entry["feedback"] = "up"

    constant = log_of(tmp_path, log(same))
    assert constant.harm is None
    assert constant.no_harm is not None


def test_a_version_that_nobody_rated_is_named_and_nothing_is_said_twice(tmp_path: Path) -> None:
    def unrated(number: int, entry: Entry) -> None:
        if number % 2:
            entry.pop("feedback", None)
            entry["messages"] = entry["messages"][:1]
            entry["error"] = "HTTP 503 Service Unavailable"

    lines = text_table(run(tmp_path, log(unrated, 60)).findings).splitlines()
    said = [line for line in lines if "finished without a failure" in line and not line.startswith("Blocked")]
    assert len(said) == 1

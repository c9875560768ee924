"""Failures that other programs recorded beside replies and conversations become typed failures, and are counted."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from trialogue.datasets.failures import failure_in
from trialogue.errors import DataError
from trialogue.findings.threats import ThreatCode
from trialogue.findings.threats.texts import sentence
from trialogue.inputs.inputs import gather
from trialogue.records import Dialogue, Ending, Response
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.workflows.score import score

pytestmark = pytest.mark.filterwarnings("ignore::trialogue.records.files.jsonl.RepairWarning")
SAID = "I would suggest that you watch the film Heat tonight"


def lines(path: Path, entries: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


def replies(path: Path) -> list[Response]:
    return list(gather([path]).responses)


def dialogues(path: Path) -> list[Dialogue]:
    return list(gather([path]).dialogues)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("HTTPError: 503 Server Error: Service Unavailable for url", Ending.AGENT_ERROR),
        ({"code": 429, "message": "slow down"}, Ending.RATE_LIMITED),
        ({"type": "insufficient", "message": "Rate limit reached for model"}, Ending.RATE_LIMITED),
        ("OSError: [Errno 28] No space left on device", Ending.HARNESS_ERROR),
        ("Incorrect API key provided", Ending.HARNESS_ERROR),
        ("torch.cuda.OutOfMemoryError: CUDA out of memory", Ending.HARNESS_ERROR),
        ("requests.exceptions.ReadTimeout", Ending.AGENT_TIMEOUT),
        ("timeout", Ending.AGENT_TIMEOUT),
        ("[Errno 111] Connection refused", Ending.AGENT_UNREACHABLE),
        ("json.decoder.JSONDecodeError: Expecting value: line 1 column 1", Ending.AGENT_INVALID_REPLY),
        ("This model's maximum context length is 4096 tokens", Ending.AGENT_ERROR),
        (["", "bad gateway"], Ending.AGENT_ERROR),
        ("agent_error", Ending.AGENT_ERROR),
        ("KeyError: 'genre'", Ending.UNKNOWN_FAILURE),
        (True, Ending.UNKNOWN_FAILURE),
        (500, Ending.AGENT_ERROR),
    ],
)
def test_an_error_is_charged_to_whom_its_words_name(given: object, expected: Ending) -> None:
    found = failure_in(given)
    assert found is not None
    assert found[0] is expected


@pytest.mark.parametrize(
    "given", [None, "", " ", "None", "nan", False, 0, {}, [], 0.25, "0.31", float("nan"), "user_ended"[:0]]
)
def test_nothing_and_sizes_of_errors_are_no_failures(given: object) -> None:
    assert failure_in(given) is None


def test_prediction_pairs_with_errors_are_failed_replies(tmp_path: Path) -> None:
    entries: list[dict[str, Any]] = [
        {"pred": SAID, "label": SAID, "error": None},
        {"pred": "", "label": SAID, "error": "ReadTimeout: 30 s"},
        {"pred": None, "label": SAID, "error": {"type": "APIError", "message": "502 bad gateway"}},
        {"label": SAID, "exception": "429 Client Error: Too Many Requests"},
        {"pred": "", "label": SAID},
    ]
    path = lines(tmp_path / "mine.jsonl", entries)
    assert [each.failure for each in replies(path)] == [
        None,
        Ending.AGENT_TIMEOUT,
        Ending.AGENT_ERROR,
        Ending.RATE_LIMITED,
        None,
    ]
    assert [each.meta.get("error") for each in replies(path)][1] == "ReadTimeout: 30 s"


def test_a_file_whose_first_reply_failed_is_recognised(tmp_path: Path) -> None:
    entries: list[dict[str, Any]] = [{"pred": None, "label": SAID, "error": "boom"}, {"pred": SAID, "label": SAID}]
    path = lines(tmp_path / "x.jsonl", entries)
    assert [each.failure for each in replies(path)] == [Ending.UNKNOWN_FAILURE, None]


def test_a_missing_reply_without_an_error_stays_a_mistake_of_the_file(tmp_path: Path) -> None:
    entries: list[dict[str, Any]] = [{"pred": SAID, "label": SAID}, {"pred": None, "label": SAID, "error": ""}]
    path = lines(tmp_path / "x.jsonl", entries)
    with pytest.raises(DataError, match="field pred: expected a string, got null"):
        replies(path)


def test_a_column_of_errors_makes_failed_replies_and_sizes_of_errors_do_not(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        f"situation_id,system,context,response,error\n1,crs,hello,{SAID},\n2,crs,hi,,connection refused\n"
    )
    assert [each.failure for each in replies(tmp_path / "a.csv")] == [None, Ending.AGENT_UNREACHABLE]
    (tmp_path / "b.csv").write_text(f"situation_id,system,context,response,error\n1,crs,hello,{SAID},0.2\n")
    assert [each.failure for each in replies(tmp_path / "b.csv")] == [None]


def test_an_utterance_table_says_which_dialogues_failed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "dialogue_id,speaker,text,error\nd1,user,hi,\nd1,system,hello there,\nd2,user,hi,\nd2,system,,timed out\n"
        "d3,user,hi,\nd3,system,,timed out\nd3,system,hello after all,\n"
    )
    assert {each.id: each.ended_by for each in dialogues(tmp_path / "a.csv")} == {
        "d1": None,
        "d2": Ending.AGENT_TIMEOUT,
        "d3": None,  # it answered when asked again
    }


@pytest.mark.parametrize("shape", ["openai", "sharegpt"])
@pytest.mark.parametrize("place", ["entry", "message", "role"])
def test_chat_logs_keep_how_they_failed(shape: str, place: str, tmp_path: Path) -> None:
    names = {
        "openai": ("messages", "role", "content", "assistant"),
        "sharegpt": ("conversations", "from", "value", "gpt"),
    }
    messages, role, text, system = names[shape]
    user = "user" if shape == "openai" else "human"
    good = [{role: user, text: "hi"}, {role: system, text: "hello"}]
    failed: list[dict[str, Any]] = [{role: user, text: "hi"}]
    entry: dict[str, Any] = {messages: failed}
    if place == "entry":
        entry["error"] = {"code": 500, "message": "internal server error"}
    elif place == "message":
        failed.append({role: system, text: None, "error": "500 Server Error"})
    else:
        failed.append({role: "error", text: "Internal Server Error"})
    path = lines(tmp_path / "x.jsonl", [{messages: good}, entry])
    first, second = dialogues(path)
    assert (first.ended_by, second.ended_by) == (None, Ending.AGENT_ERROR)
    assert len(second.utterances) == 1
    assert second.ending_detail


def test_an_error_that_a_reply_follows_is_no_end(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "error": "timeout"},
        {"role": "assistant", "content": "hello"},
    ]
    (found,) = dialogues(lines(tmp_path / "x.jsonl", [{"messages": messages}]))
    assert found.ended_by is None


def test_readers_say_that_they_read_a_failure(tmp_path: Path) -> None:
    path = lines(tmp_path / "x.jsonl", [{"pred": None, "label": SAID, "error": "timeout"}])
    assert any("records an error instead of a reply" in str(line) for line in gather([path]).warnings)


def failing(folder: Path, *, every: int) -> list[Path]:
    """A good system, and one that repeats the references where it answers and fails in one of so many situations."""
    good = [
        {"context": f"number {n}, please", "pred": f"{SAID} {n} {n % 3}", "label": f"{SAID} {n}"} for n in range(40)
    ]
    bad = [
        {**entry, "pred": None, "error": "500 Server Error"} if n % every == 0 else {**entry, "pred": entry["label"]}
        for n, entry in enumerate(good)
    ]
    return [lines(folder / "good.jsonl", good), lines(folder / "bad.jsonl", bad)]


def test_evaluate_counts_failed_replies_as_the_worst_outcome_and_names_them(tmp_path: Path) -> None:
    run = evaluate(*failing(tmp_path, every=2), metrics=["rouge_l@f1"], resamples=200)
    values = {each.system: each.estimate.value for each in run.league("rouge_l").standings}
    assert values["bad"] == pytest.approx(0.5)  # 1 where it answers, 0 in the other half
    assert values["good"] is not None
    assert values["good"] > 0.8
    codes = {(each.code, each.systems) for each in run.findings.threats}
    assert (ThreatCode.ABSTENTION, ("bad",)) in codes  # 20 of 40
    assert not any(each.leader == "bad" for each in run.league("rouge_l").contrasts)


def test_a_system_that_never_replied_has_no_rank(tmp_path: Path) -> None:
    run = evaluate(*failing(tmp_path, every=1), metrics=["rouge_l@f1"], resamples=200)
    assert (ThreatCode.NEVER_FINISHED, ("bad",)) in {(each.code, each.systems) for each in run.findings.threats}
    assert {each.system: each.rank_low for each in run.league("rouge_l").standings}["bad"] is None


def test_score_counts_failed_replies_as_the_worst_outcome(tmp_path: Path) -> None:
    _, bad = failing(tmp_path, every=2)
    (found,) = [each for each in score(bad, metrics=["rouge_l@f1"]) if each.level == "system"]
    assert found.value == pytest.approx(0.5)


def test_a_version_that_fails_more_often_is_worse_whatever_its_replies_are_like(tmp_path: Path) -> None:
    """Distinct words of the replies that there are decide nothing about those that there are not."""
    good, bad = failing(tmp_path, every=4)
    found = compare(good, bad, on=["distinct(n=2)@ratio"], resamples=200).comparison
    assert found.light == "worse"
    assert found.answer[0].startswith("bad is worse than good: 10 of its 40 replies failed because of the agent")
    back = compare(bad, good, on=["distinct(n=2)@ratio"], resamples=200).comparison
    assert back.failures is not None
    assert not back.failures.is_worse


def test_replies_that_others_failed_are_missing_and_block_a_verdict_above_five_percent(tmp_path: Path) -> None:
    good, bad = failing(tmp_path, every=4)
    bad.write_text(bad.read_text().replace("500 Server Error", "429 Too Many Requests"))
    run = evaluate(good, bad, metrics=["rouge_l@f1"], resamples=200)
    (threat,) = [each for each in run.findings.threats if each.code is ThreatCode.MISSING_DIALOGUES]
    assert sentence(threat) == "10 of 40 replies of bad are missing: they failed, but not because of the agent."
    assert {each.system: each.rank_low for each in run.league("rouge_l").standings}["bad"] is None

"""A language model beside people: against a server of our own that answers as OpenAI's API does. Never one of them."""

import csv
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.cli.words import trialogue
from tests.llm.scripted import script, weights_in
from trialogue.errors import DataError, UsageError
from trialogue.llm import ChatOptions, Completion, choose
from trialogue.records import MeasureName, Preference, Raters, Score
from trialogue.records.files.jsonl import to_line
from trialogue.study.design.questions import Question
from trialogue.subjects.people.commands.model_rater import points_of, rate_by_model
from trialogue.subjects.people.commands.report import study_findings, study_report
from trialogue.transport.retry import Retries

SCALE = ["Not at all", "Hardly", "So-so", "Quite", "Very"]
STUDY = {
    "study": "beside",
    "title": "Which reply is useful?",
    "type": "rating",
    "criteria": [{"name": "useful", "question": "How useful is the reply?", "scale": SCALE}],
    "consent": {"text": "You may leave."},
}
TALK = [{"speaker": "user", "text": "A thriller, please."}]
ITEMS = 8


@contextmanager
def answering(answer: Callable[[str], str]) -> Iterator[tuple[str, list[str]]]:
    """(address, prompts that came) of a server that answers each prompt."""
    prompts: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompts.append(body["messages"][-1]["content"])
            said = answer(body["messages"][-1]["content"])
            choice = {"message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
            reply = {"model": "judge-1", "choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 1}}
            sent = json.dumps(reply if said else {"error": {"message": "no", "code": 400}}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *given: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", prompts
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def options(url: str, **more: object) -> ChatOptions:
    return ChatOptions.model_validate({"url": url, "model": "judge", "retries": Retries(most=0), **more})


def a_study(folder: Path, kind: str = "rating") -> tuple[Path, Path]:
    """(study folder, export) with ratings of three people, who find ``good`` better than ``bad``."""
    study, export = folder / "study", folder / "export"
    study.mkdir()
    export.mkdir()
    fields = {**STUDY, "type": kind} if kind == "rating" else {**STUDY, "type": kind, "criteria": []}
    (study / "study.yaml").write_text(json.dumps(fields), "utf-8")
    replies = {"good": "Heat.", "bad": "Water."}
    rows = [{"key": f"s{number}", "context": TALK, "responses": replies} for number in range(ITEMS)]
    (study / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    scores = [
        rating(f"P{person}", number, system, 4.0 + (number + person) % 2 if system == "good" else 1.0 + number % 2)
        for person in range(3)
        for number in range(ITEMS)
        for system in replies
    ]
    votes = [
        Preference(
            id=f"P{person}:{number}", a="bad", b="good", choice="b", rater=f"P{person}", situation_id=f"s{number}"
        )
        for person in range(3)
        for number in range(ITEMS)
    ]
    if kind == "rating":
        (export / "scores.jsonl").write_text("".join(to_line(one) + "\n" for one in scores), "utf-8")
    else:
        (export / "preferences.jsonl").write_text("".join(to_line(one) + "\n" for one in votes), "utf-8")
    return study, export


def rating(rater: str, number: int, system: str, value: float, raters: Raters = Raters.PEOPLE) -> Score:
    return Score(
        measure=MeasureName("human:useful"),
        level="response",
        value=value,
        system=system,
        situation_id=f"s{number}",
        rater=rater,
        raters=raters,
    )


def test_a_model_rates_beside_people_marked_everywhere_and_changes_no_number_of_theirs(tmp_path: Path) -> None:
    study, export = a_study(tmp_path)
    alone = study_findings(export)
    with answering(lambda prompt: "5" if "Heat." in prompt else " 2. ") as (url, prompts):
        rated, usage = rate_by_model(study, export, options(url))
    assert (len(rated.scores), rated.unanswered, usage.calls) == (2 * ITEMS, 0, 2 * ITEMS)
    assert {one.raters for one in rated.scores} == {Raters.MODEL}
    assert "How useful is the reply?\n1. Not at all\n" in prompts[0]
    assert "user: A thriller, please." in prompts[0]
    beside = study_findings(export)
    for field in ("ratings", "flow", "choices", "raters", "warnings"):
        assert getattr(beside, field) == getattr(alone, field)
    found = beside.model_ratings[0]
    assert (found.rater, found.ratings, found.units) == ("judge", 16, 16)
    assert {one.system: (one.mean, one.people) for one in found.systems} == {"good": (5.0, 4.5), "bad": (2.0, 1.5)}
    assert found.difference.value == pytest.approx(0.5)
    assert found.correlation.value is not None
    assert beside.answer[: len(alone.answer)] == alone.answer
    assert beside.answer[-1].startswith("judge (a language model, not people) gave 16 answers to the same questions")
    page = study_report(export, tmp_path / "report").read_text("utf-8")
    assert "Language models and people" in page
    assert "<bdi>judge (language model)</bdi></th>" in page.replace("<wbr>", "")
    assert "mean ratings by judge (language model), next to people" in page
    assert "16</b> answers by language models" in page
    assert "48</b> ratings" in page  # of three people, as before
    table = list(csv.DictReader((tmp_path / "report" / "models.csv").read_text("utf-8").splitlines()))
    means = [(row["rater"], row["kind"], row["system"], row["value"], row["people"]) for row in table[:2]]
    assert means == [("judge", "mean", "bad", "2.0", "1.5"), ("judge", "mean", "good", "5.0", "4.5")]
    assert [row["kind"] for row in table[2:]] == ["correlation", "correlation_of_people", "difference"]
    assert float(table[4]["value"]) == pytest.approx(0.5)
    assert {row["n"] for row in table[2:5:2]} == {"16"}
    people_part = page[: page.index('<section id="models"')]
    assert "judge (language model)" not in people_part


def test_a_model_on_this_machine_rates_and_a_second_run_asks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, export = a_study(tmp_path)
    scripted = script(monkeypatch, lambda prompt: "5" if "Heat." in prompt else "2")
    given = ["study", "rate", str(study), "--export", str(export), "--set", f"model.cache={tmp_path / 'cache'}"]
    weights = weights_in(tmp_path)
    for _ in range(2):
        result = trialogue(*given, "--model", f"huggingface:{weights}")
        assert result.returncode == 0, result.stderr
    assert len(scripted.prompts) == 2 * ITEMS
    lines = [json.loads(line) for line in (export / "model_scores.jsonl").read_text("utf-8").splitlines()]
    assert {(line["system"], line["value"], line["rater"]) for line in lines} == {
        ("good", 5, "tiny"),
        ("bad", 2, "tiny"),
    }


@pytest.mark.parametrize("more", [[], ["--model", "m"], ["--model", "huggingface:"]])
def test_one_model_has_to_be_given(more: list[str], tmp_path: Path) -> None:
    result = trialogue("study", "rate", tmp_path, "--export", tmp_path, *more)
    assert result.returncode == 2
    assert "--model" in result.stderr or "huggingface:FOLDER" in result.stderr


def test_answers_of_a_model_among_those_of_people_are_taken_out(tmp_path: Path) -> None:
    _, export = a_study(tmp_path)
    alone = study_findings(export)
    smuggled = [rating("judge", number, "bad", 5.0, Raters.MODEL) for number in range(ITEMS)]
    with (export / "scores.jsonl").open("a", encoding="utf-8") as stream:
        stream.writelines(to_line(one) + "\n" for one in smuggled)
    beside = study_findings(export)
    assert beside.ratings == alone.ratings
    assert beside.raters == (Raters.PEOPLE,)
    assert beside.model_ratings[0].ratings == ITEMS


def test_people_in_the_file_of_models_are_a_mistake(tmp_path: Path) -> None:
    _, export = a_study(tmp_path)
    (export / "model_scores.jsonl").write_text(to_line(rating("P9", 0, "bad", 5.0)) + "\n", "utf-8")
    with pytest.raises(DataError, match=r"model_scores\.jsonl, line 1, field raters: .*not a language model"):
        study_findings(export)


def test_a_model_chooses_in_both_orders_and_contradiction_is_a_tie(tmp_path: Path) -> None:
    study, export = a_study(tmp_path, "preference")
    with answering(lambda prompt: "1") as (url, _):  # whatever stands first
        rated, _ = rate_by_model(study, export, options(url), name="first")
    assert {one.choice for one in rated.preferences} == {"tie"}
    assert study_findings(export).model_choices[0].agreement.value is None
    heat_first = "A:\nHeat."
    with answering(lambda prompt: "1" if heat_first in prompt else "3") as (url, prompts):
        rated, _ = rate_by_model(study, export, options(url), name="right")
    assert len(prompts) == 2 * ITEMS
    found = study_findings(export)
    assert [(one.rater, one.choices, one.ties, one.agreement.value) for one in found.model_choices] == [
        ("right", ITEMS, 0, 1.0)
    ]
    assert found.choices is not None
    assert found.choices.judgements == 3 * ITEMS
    study_report(export, tmp_path / "report")
    table = list(csv.DictReader((tmp_path / "report" / "models.csv").read_text("utf-8").splitlines()))
    assert [(row["rater"], row["kind"], row["value"], row["n"]) for row in table] == [
        ("right", "agreement", "1.0", "8")
    ]


@pytest.mark.parametrize("said", ["6", "0", "Very", "I would say 5, or 4", "5/5", "-", "the 3rd"])
def test_what_is_not_one_number_of_an_option_is_no_choice(said: str) -> None:
    class Model:
        def complete(self, messages: object, *, seed: int | None, trial: str) -> Completion:
            return Completion(text=said)

    chosen = choose(Model(), "task", "How?", SCALE)
    assert chosen.option is None
    assert "chose none" in str(chosen.why)


@pytest.mark.parametrize(("said", "option"), [("3", 2), (" (3) ", 2), ("**5**", 4), ("<think>1 or 2</think>\n4.", 3)])
def test_a_number_is_a_choice_whatever_stands_around_it_that_is_no_word(said: str, option: int) -> None:
    class Model:
        def complete(self, messages: object, *, seed: int | None, trial: str) -> Completion:
            return Completion(text=said)

    assert choose(Model(), "task", "How?", SCALE).option == option


def test_the_cache_answers_again_and_a_model_that_never_answers_writes_nothing(tmp_path: Path) -> None:
    study, export = a_study(tmp_path)
    with answering(lambda prompt: "4") as (url, prompts):
        first, _ = rate_by_model(study, export, options(url, cache=tmp_path / "cache"))
        again, usage = rate_by_model(study, export, options(url, cache=tmp_path / "cache"))
    assert again == first
    assert (usage.calls, usage.cached, len(prompts)) == (0, 16, 16)
    written = (export / "model_scores.jsonl").read_bytes()
    with answering(lambda prompt: "") as (url, _), pytest.raises(UsageError, match="answered none of 16 questions"):
        rate_by_model(study, export, options(url))
    assert (export / "model_scores.jsonl").read_bytes() == written


def test_only_what_a_model_can_rate_is_asked(tmp_path: Path) -> None:
    study, export = a_study(tmp_path)
    with pytest.raises(UsageError, match="Export the study first"):
        rate_by_model(study, tmp_path / "none", options("http://127.0.0.1:9/v1"))
    (study / "study.yaml").write_text(json.dumps({**STUDY, "type": "realism", "criteria": []}), "utf-8")
    with pytest.raises(UsageError, match="rating or preference; this one is realism"):
        rate_by_model(study, export, options("http://127.0.0.1:9/v1"))


def test_a_slider_is_asked_by_places_and_compared_in_its_own_numbers_and_what_is_not_asked_is_named(
    tmp_path: Path,
) -> None:
    study, export = a_study(tmp_path)
    slider = {"low": 0, "high": 100, "ends": ["useless", "perfect"]}
    criteria = [
        {"name": "useful", "question": "How useful?", "slider": slider},
        {"name": "why", "question": "Why?", "text": {"lines": 2}},
    ]
    order = {"name": "order", "question": "Which is better?", "ranking": "replies"}
    (study / "study.yaml").write_text(json.dumps({**STUDY, "criteria": criteria, "questions": [order]}), "utf-8")
    lines: list[str] = []
    with answering(lambda prompt: "9") as (url, prompts):
        rated, _ = rate_by_model(study, export, options(url), progress=lines.append)
    assert len(prompts) == 2 * ITEMS
    assert "1. 0 (useless)\n2. 10\n" in prompts[0]
    assert "\n11. 100 (perfect)\n" in prompts[0]
    assert {one.value for one in rated.scores} == {80.0}
    assert rated.left_out == ("why", "order")
    assert lines[-1] == "Not asked, because a model's answers to them are not compared with human answers: why, order."


@pytest.mark.parametrize(
    ("limits", "values"),
    [
        ({"low": 1, "high": 5}, [1, 2, 3, 4, 5]),
        ({"low": -1, "high": 1, "step": 0.5}, [-1, -0.5, 0, 0.5, 1]),
        ({"low": 0, "high": 12}, [0, 1, 2, 4, 5, 6, 7, 8, 10, 11, 12]),  # round(12 n / 10), on its steps
    ],
)
def test_places_of_a_slider_lie_on_its_steps_from_end_to_end(limits: dict[str, float], values: list[float]) -> None:
    question = Question.model_validate({"name": "q", "question": "?", "slider": {**limits, "ends": ["a", "b"]}})
    points = points_of(question, "en")
    assert [value for _, value in points] == pytest.approx(values)
    assert (points[0][0].endswith(" (a)"), points[-1][0].endswith(" (b)")) == (True, True)


def test_a_study_of_which_a_model_can_answer_nothing_is_refused(tmp_path: Path) -> None:
    study, export = a_study(tmp_path)
    only_text = [{"name": "why", "question": "Why?", "text": {"lines": 2}}]
    (study / "study.yaml").write_text(json.dumps({**STUDY, "criteria": only_text}), "utf-8")
    with pytest.raises(UsageError, match=r"criteria with a scale or slider; found only why"):
        rate_by_model(study, export, options("http://127.0.0.1:9/v1"))

"""Rankings, best-worst choices, sliders, boxes and conditions: asked, stored, exported and described."""

import csv
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from tests.study.pages.studies import ASKED, Form, entered, running, sent, source, walked
from trialogue.errors import DataError
from trialogue.inputs.study_data import OptionValue
from trialogue.records import Score, read_records
from trialogue.study.design.file import preset, preset_names
from trialogue.study.design.reading import study_of
from trialogue.study.export import export_study
from trialogue.study.models import Study, Submission
from trialogue.subjects.people.commands.report import study_findings
from trialogue.subjects.people.options import describe_options
from trialogue.subjects.people.pages.document import write_study_report

pytestmark = pytest.mark.usefixtures("database")


def study(**more: Any) -> Study:
    """A study that asks everything once with each item."""
    return running("rating", questions=ASKED, phases=["consent", "tasks", "exit"], items=2, **more)


def posted(page: Any, **answers: Any) -> dict[str, Any]:
    """The form of a page, filled in: replies in the order shown, the first one best."""
    return {**Form(source(page)).filled(), **answers}


def test_an_order_of_replies_is_stored_by_place_and_exported_by_system(tmp_path: Path) -> None:
    found, client = study(), Client()
    page = sent(client, entered(client, found))
    form = Form(source(page))
    assert form.lists["order"] == [[f"{rank}={place}" for rank in (1, 2, 3)] for place in (1, 2, 3)]
    given = {
        "order": ["3=1", "1=2", "2=3"],
        "extremes": ["best=2", "worst=1"],
        "mood": "7",
        "more": "no",
        "what": "ignored",
    }
    page = client.post(form.action, posted(page, **given), follow=True)  # type: ignore[assignment]
    task = Submission.objects.get(step="task:1")
    assert task.answers["order"] == ["2", "3", "1"]
    assert task.answers["extremes"] == ["2", "1"]
    assert task.answers["what"] is None  # not asked: the answer above was no
    assert task.assignment is not None
    shown = task.assignment.slot.order
    export_study(found, tmp_path, who="test")
    rows = list(csv.DictReader((tmp_path / "options.csv").read_text().splitlines()))
    ranks = {row["option"]: row["value"] for row in rows if row["question"] == "order"}
    assert ranks == {shown[1]: "1", shown[2]: "2", shown[0]: "3"}
    extremes = {row["option"]: row["value"] for row in rows if row["question"] == "extremes"}
    assert extremes == {shown[1]: "1", shown[0]: "-1", shown[2]: "0"}
    (fun,) = [each.value for each in read_records(tmp_path / "scores.jsonl", Score) if each.measure == "human:mood"]
    assert fun == 7


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"order": ["1=1", "1=2", "2=3"]}, "use each rank once"),
        ({"order": ["1=1", "2=2", ""]}, "answer this question"),
        ({"extremes": ["best=1", "worst=1"]}, "two different answers"),
        ({"mood": ""}, "answer this question"),
        ({"more": "yes", "what": ""}, "answer this question"),
    ],
)
def test_what_cannot_be_taken_is_shown_again_with_what_was_chosen(given: dict[str, Any], said: str) -> None:
    found, client = study(), Client()
    page = sent(client, entered(client, found))
    form = Form(source(page))
    again = client.post(form.action, posted(page, **{"more": "no", **given}))
    assert again.status_code == 422
    assert said in source(again)  # type: ignore[arg-type]
    if "order" in given:
        assert 'value="1=1" selected' in source(again)  # type: ignore[arg-type]


def test_the_report_describes_orders_extremes_and_boxes_with_intervals(tmp_path: Path) -> None:
    found = study(raters_per_item=4)
    for _ in range(4):
        walked(Client(), found, mood="5", more="no", seen="thriller")
    export_study(found, tmp_path / "export", who="test")
    findings = study_findings(tmp_path / "export")
    options = {each.question: each for each in findings.options}
    assert set(options) == {"order", "extremes", "seen"}
    assert {row.option for row in options["order"].options} == {"secret-one", "secret-two", "secret-three"}
    assert all(row.estimate.interval is not None for row in options["order"].options)
    page = write_study_report(findings, tmp_path / "report").read_text()
    for words in ("Order the replies.", "Mean rank", "Best–worst score", "Which genres?"):
        assert words in page


def test_ranks_are_means_with_raters_as_clusters() -> None:
    given = {"p1": (1, 2), "p2": (1, 2), "p3": (2, 1)}
    offered = [
        OptionValue(rater, "task:1", "order", "ranking", option, rank)
        for rater, ranks in given.items()
        for option, rank in zip("ab", ranks, strict=True)
    ]
    (found,) = describe_options(offered, None)
    first, second = found.options
    assert (first.option, first.best, first.worst) == ("a", 2, 1)
    assert first.estimate.value == pytest.approx(4 / 3)
    assert second.estimate.value == pytest.approx(5 / 3)
    assert (first.estimate.clusters, found.answers, found.raters) == (3, 3, 3)
    (left,) = describe_options(offered, frozenset({"p1", "p2"}))
    assert left.options[0].estimate.value == 1


def test_choices_of_a_questionnaire_are_counted_in_their_order_with_those_who_did_not_answer() -> None:
    given = {"p1": "b", "p2": "a", "p3": "b"}
    offered = [
        OptionValue(rater, "after:1", "age", "choice", option, float(option == chosen))
        for rater, chosen in given.items()
        for option in "cba"
    ]
    (found,) = describe_options(offered, frozenset({*given, "p4"}), {"age": "How old?"}, {"age": {"c": "Old"}})
    assert [(row.option, row.count) for row in found.options] == [("Old", 0), ("b", 2), ("a", 1)]
    assert (found.title, found.raters, found.missing) == ("How old?", 3, 1)
    assert found.options[1].estimate.value == pytest.approx(2 / 3)
    (unknown,) = describe_options(offered, None)
    assert unknown.missing is None


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"questions": [{**ASKED[5]}]}, "which is not asked before it"),
        ({"questions": [ASKED[4], {**ASKED[5], "only_if": {"more": ["perhaps"]}}]}, "is not an answer to 'more'"),
        ({"type": "realism", "criteria": [], "questions": [ASKED[0]]}, "ranks replies"),
        ({"criteria": [ASKED[1]]}, "ranks replies"),
        (
            {"questions": [{**ASKED[2], "slider": {"low": 5, "high": 5, "ends": ["a", "b"]}}]},
            "by a whole number of steps, from 1 to 10,000",
        ),
    ],
)
def test_what_cannot_be_asked_is_reported_before_launch(fields: dict[str, Any], complaint: str) -> None:
    file: dict[str, Any] = {"study": "s", "type": "rating", "title": "T", "phases": ["tasks", "exit"]}
    file["criteria"] = [{"name": "sense", "question": "Sense?", "scale": ["no", "yes"]}]
    with pytest.raises(DataError, match=complaint):
        study_of({**file, **fields})


def test_the_questionnaires_have_an_item_for_each_construct_in_both_languages() -> None:
    assert {"crs-que", "resque", "llm-traps"} <= set(preset_names())
    assert len(preset("crs-que")) == 18
    assert len(preset("resque")) == 15
    for name in ("crs-que", "resque"):
        for question in preset(name):
            assert isinstance(question.question, dict)
            assert set(question.question) == {"en", "de"}
            assert question.scale is not None

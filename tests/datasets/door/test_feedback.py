"""What people said: feedback in its usual forms, what is not understood, and one answer by every route."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from trialogue.datasets.door.feedback import feedback_in, feedback_under
from trialogue.errors import DataError
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.records import Raters
from trialogue.subjects.evaluation.commands.evaluate import evaluate


@pytest.mark.parametrize(
    ("written", "value", "high"),
    [
        ("up", 1, 1), ("👎", 0, 1), (True, 1, 1), ("False", 0, 1), ("thumbs_down", 0, 1), ("Like", 1, 1),
        ("4/5", 4, 5), ("8 out of 10", 8, 10), ("★★★★", 4, None), ("★★★☆☆", 3, 5), ("⭐⭐", 2, None), ("4 stars", 4, None),
        ("80%", 80, 100), ("4,5", 4.5, None), (3, 3, None), ("+1", 1, 1), ("-1", -1, None),
    ],
)  # fmt: skip
def test_forms_have_declared_meanings(written: object, value: float, high: float | None) -> None:
    found = feedback_in(written)
    assert found is not None
    assert (found.value, found.high) == (value, high)


@pytest.mark.parametrize("written", ["great film", "6/5", "120%", "", None, [], "neutral"])
def test_other_texts_are_not_understood(written: object) -> None:
    assert feedback_in(written) is None


def test_nested_objects_say_their_name_rater_and_origin() -> None:
    [said] = feedback_under("feedback", {"name": "csat", "value": "4/5", "rater": "w1", "comment": "nice"})
    assert (said.name, said.rater, said.raters) == ("csat", "w1", Raters.PEOPLE)
    [judged] = feedback_under("feedback", [{"key": "quality", "score": 4, "source_type": "LLM_JUDGE"}])
    assert (judged.name, judged.raters) == ("quality", Raters.MODEL)
    assert [(each.name, each.raters) for each in feedback_under("gpt4_judge_score", 4)] == [
        ("gpt4_judge_score", Raters.MODEL)
    ]


def chats(values: list[object], field: str = "feedback") -> str:
    return "".join(
        json.dumps(
            {
                "id": place,
                "model": "AB"[place % 2],
                field: value,
                "messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": f"Try film {place}"}],
            }
        )
        + "\n"
        for place, value in enumerate(values)
    )


def read(folder: Path, text: str, name: str = "chats.jsonl") -> InputRecords:
    (folder / name).write_text(text, encoding="utf-8")
    return gather([str(folder / name)])


def test_numbers_in_strings_are_numbers(tmp_path: Path) -> None:
    material = read(tmp_path, chats([5, "1", "3", 4], "satisfaction"))
    assert [each.ratings[0].value for each in material.dialogues] == [5, 1, 3, 4]


def test_what_cannot_be_read_is_counted_by_system_and_named(tmp_path: Path) -> None:
    material = read(tmp_path, chats([5, {"value": "so-so"}, "4", ["meh"], 2, "N/A"], "satisfaction"))
    (warning,) = [each for each in material.warnings if "feedback in an unknown form" in each]
    assert "2 of 5 values" in warning
    assert "B 2" in warning
    assert [len(each.ratings) for each in material.dialogues] == [1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ([5, 4, -1, 3, -1, 2], r"2 of 6 ratings are -1.*a rating or a missing value"),
        ([5, 4, 99, 3], "1 of 4 ratings are 99"),
        (["up", 4, "down", 5], "forms that share no scale"),
        (["4/5", "8/10"], "forms that share no scale"),
    ],
)
def test_what_cannot_be_averaged_is_asked_about(tmp_path: Path, values: list[object], what: str) -> None:
    with pytest.raises(DataError, match=what):
        read(tmp_path, chats(values))


def test_minus_one_is_a_rating_where_thumbs_have_three_states(tmp_path: Path) -> None:
    assert len(read(tmp_path, chats([1, -1, 0, 1])).dialogues) == 4


THUMBS = ["up" if (place * 7) % 10 < (7 if place % 2 else 4) else "down" for place in range(60)]


def as_chats(folder: Path) -> str:
    (folder / "c.jsonl").write_text(chats(list(THUMBS), "thumbs"))
    return str(folder / "c.jsonl")


def as_message_feedback(folder: Path) -> str:
    entries = [json.loads(line) for line in chats(list(THUMBS), "thumbs").splitlines()]
    for entry in entries:
        entry["messages"][1]["thumbs"] = entry.pop("thumbs")
    (folder / "m.jsonl").write_text("\n".join(map(json.dumps, entries)))
    return str(folder / "m.jsonl")


def as_table(folder: Path) -> str:
    rows = ["conversation_id,model,role,text,thumbs"]
    for place, value in enumerate(THUMBS):
        rows += [
            f"{place},{'AB'[place % 2]},user,hi,{value}",
            f"{place},{'AB'[place % 2]},bot,Try film {place},{value}",
        ]
    (folder / "t.csv").write_text("\n".join(rows))
    return str(folder / "t.csv")


def as_booleans(folder: Path) -> str:
    (folder / "b.jsonl").write_text(chats([value == "up" for value in THUMBS], "thumbs"))
    return str(folder / "b.jsonl")


ROUTES: list[Callable[[Path], str]] = [as_chats, as_message_feedback, as_table, as_booleans]


def test_one_set_of_thumbs_has_one_answer_by_every_route(tmp_path: Path) -> None:
    found = set()
    for route in ROUTES:
        run = evaluate(route(tmp_path), resamples=500, metrics=["length"])
        league = run.league("human:thumbs")
        (contrast,) = league.contrasts
        values = tuple((each.system, each.estimate.value, each.estimate.n) for each in league.standings)
        found.add((values, contrast.difference.value, contrast.p_adjusted, contrast.validity, run.answer))
    mapped = evaluate(
        str(tmp_path / "t.csv"),
        mapping={
            "dialogue": "conversation_id",
            "speaker": "role",
            "text": "text",
            "system": "model",
            "ratings": ["thumbs"],
        },
        resamples=500,
        metrics=["length"],
    )
    assert len(found) == 1
    assert mapped.answer in {answer for *_, answer in found}


def test_a_report_does_not_deny_what_an_unread_column_may_hold(tmp_path: Path) -> None:
    rows = ["conversation_id,model,role,text,verdict_1to5"]
    for place in range(20):
        rows += [
            f"{place},{'AB'[place % 2]},user,hi,",
            f"{place},{'AB'[place % 2]},bot,Try film {place},{1 + place % 5}",
        ]
    (tmp_path / "t.csv").write_text("\n".join(rows))
    run = evaluate(str(tmp_path / "t.csv"), resamples=200)
    assert "verdict_1to5 may hold some" in run.answer
    assert "contain no human judgement" not in run.answer
    assert run.findings.reading.may_be_feedback == ("verdict_1to5",)


def test_fields_that_may_name_the_system_are_listed(tmp_path: Path) -> None:
    entries = [json.loads(line) for line in chats(list(THUMBS)).splitlines()]
    for place, entry in enumerate(entries):
        entry["prompt_version"] = f"v{place // 2 % 2}"
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, entries)))
    (warning,) = [each for each in gather([str(tmp_path / "c.jsonl")]).warnings if "prompt_version" in each]
    assert "may name the system; the field 'model' was taken" in warning


def test_systems_that_may_be_rated_on_two_scales_are_named(tmp_path: Path) -> None:
    values: list[object] = [1 + place % 5 if place % 2 else 1 + place % 10 for place in range(40)]
    warnings = read(tmp_path, chats(values, "stars")).warnings
    assert any("the highest ratings differ between systems: A 9, B 5" in warning for warning in warnings)

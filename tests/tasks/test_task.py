"""Tasks: predicates over items, and files that are right or wrong."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from trialogue.errors import DataError, UsageError
from trialogue.tasks import Wish, read_task_set
from trialogue.tasks.task import Op

ITEM: dict[str, Any] = {
    "id": "a",
    "year": 1990,
    "genres": ["Horror", "Comedy"],
    "title": "Night Bus",
    "sponsored": False,
    "rating": None,
}


@pytest.mark.parametrize(
    ("field", "op", "value", "holds"),
    [
        ("year", "<=", 1990, True),
        ("year", "<=", 1989.5, False),
        ("year", ">=", 1990, True),
        ("year", "==", 1990, True),
        ("year", "!=", 1990, False),
        ("year", "in", [1980, 1990], True),
        ("genres", "contains", "Horror", True),
        ("genres", "contains", "horror", False),  # exact case
        ("genres", "not_contains", "Drama", True),
        ("genres", "contains_any", ["Drama", "Comedy"], True),
        ("genres", "contains_any", ["Drama"], False),
        ("title", "contains", "Bus", True),
        ("sponsored", "==", False, True),
        ("rating", "!=", 5, False),  # nothing is known of what an item lacks
        ("rating", "not_contains", "x", False),
        ("runtime", "<=", 120, False),
        ("title", ">=", 3, False),
    ],
)
def test_a_wish_holds_as_its_operator_says(field: str, op: str, value: Any, holds: bool) -> None:
    assert Wish(field=field, op=Op(op), value=value).holds(ITEM) is holds


@given(st.lists(st.sampled_from("abcd"), max_size=4), st.sampled_from("abcd"), st.integers(-3, 3), st.integers(-3, 3))
def test_opposite_operators_never_agree(values: list[str], value: str, number: int, other: int) -> None:
    item: dict[str, Any] = {"id": "x", "list": values, "number": number}
    assert Wish(field="list", op=Op.CONTAINS, value=value).holds(item) is not Wish(
        field="list", op=Op.NOT_CONTAINS, value=value
    ).holds(item)
    ops = (Op.AT_MOST, Op.AT_LEAST, Op.EQUAL)
    below, above, equal = (Wish(field="number", op=op, value=other).holds(item) for op in ops)
    assert (below and above) is equal
    assert Wish(field="number", op=Op.IN, value=[other]).holds(item) is equal


@pytest.mark.parametrize(
    ("op", "value"), [("<=", "120"), (">=", True), ("in", 3), ("contains_any", []), ("contains", ["a"]), ("==", None)]
)
def test_a_value_that_does_not_fit_its_operator_is_refused(op: str, value: Any) -> None:
    with pytest.raises(ValidationError, match="needs a"):
        Wish(field="year", op=Op(op), value=value)


def written(folder: Path, tasks: list[Any], items: list[Any] | None = None) -> Path:
    folder.mkdir(exist_ok=True)
    rows = [ITEM, {"id": "b", "year": 2001, "genres": ["Drama"]}] if items is None else items
    (folder / "catalogue.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    (folder / "tasks.jsonl").write_text("".join(json.dumps(each) + "\n" for each in tasks), encoding="utf-8")
    return folder


def wish(field: str = "year", op: str = ">=", value: Any = 1980) -> dict[str, Any]:
    return {"field": field, "op": op, "value": value}


def test_a_folder_and_a_file_are_read_alike(tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", [{"kind": "task", "id": "t", "wishes": [wish()]}])
    found = read_task_set(folder)
    assert found.tasks == read_task_set(folder / "tasks.jsonl").tasks
    assert [task.id for task in found.tasks] == ["t"]
    assert found.catalogue.fitting(found.tasks[0]) == ["a", "b"]


def test_all_mistakes_of_all_files_come_at_once_with_line_and_field(tmp_path: Path) -> None:
    tasks = [
        {"id": "t", "wishes": [wish("yaer")]},
        {"id": "t", "wishes": [wish("genres", "<=", 3), wish(op="~")]},
        {"id": "t", "wishes": [wish(value=2050)]},
        {"id": "u", "wishes": [wish()], "solvable": False, "watched": ["ghost"]},
        {"id": "v", "wishes": [wish("genres", ">=", 3)], "policies": ["availability", "politeness"]},
        {"id": "w", "wishes": [wish()], "policies": ["age_restricted"]},
        {"id": "x", "wishes": [wish("genres", ">=", 3)]},
        {"id": "y", "wishes": [], "colour": "red"},
    ]
    folder = written(tmp_path / "mine", tasks, [ITEM, {"id": "a"}, {"title": "no id"}, {"id": "b", "year": 2001}])
    with pytest.raises(DataError) as caught:
        read_task_set(folder)
    said = {(Path(each.file).name, each.line, each.field): each.what for each in caught.value.problems}
    assert "duplicate id" in said["catalogue.jsonl", 2, "id"]
    assert "got null" in said["catalogue.jsonl", 3, "id"]
    assert "no item has the field 'yaer'" in said["tasks.jsonl", 1, "wishes[0].field"]
    assert ("tasks.jsonl", 2, "wishes[1].op") in said
    assert "duplicate id" in said["tasks.jsonl", 3, "id"]
    assert "declared solvable, but 0 items" in said["tasks.jsonl", 3, "solvable"]
    assert "declared not solvable, but 2 items" in said["tasks.jsonl", 4, "solvable"]
    assert "ghost" in said["tasks.jsonl", 4, "watched"]
    assert ("tasks.jsonl", 5, "policies[1]") in said
    assert "'content_rating'" in said["tasks.jsonl", 6, "policies"]
    assert "compares numbers" in said["tasks.jsonl", 7, "wishes[0].op"]
    assert {("tasks.jsonl", 8, "wishes"), ("tasks.jsonl", 8, "colour")} <= said.keys()


def test_a_mistake_in_a_task_of_tau_rec_is_named_in_its_own_words(tmp_path: Path) -> None:
    task = {"id": "t", "constraints": [{"constraint": wish("yaer"), "reveal": "hidden"}]}
    folder = written(tmp_path / "mine", [task])
    with pytest.raises(DataError, match=r"field constraints\[0\]\.constraint\.field: no item has the field 'yaer'"):
        read_task_set(folder)
    folder = written(tmp_path / "mine", [{"id": "t", "constraints": [{"constraint": wish(op="~"), "reveal": "never"}]}])
    with pytest.raises(DataError) as caught:
        read_task_set(folder)
    assert {each.field for each in caught.value.problems} == {"constraints[0].constraint.op", "constraints[0].reveal"}


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no tasks here"):
        read_task_set(tmp_path / "nowhere")
    (tmp_path / "tasks.jsonl").write_text('{"id": "t", "wishes": []}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="--catalogue"):
        read_task_set(tmp_path)
    with pytest.raises(DataError, match="no such file"):
        read_task_set(tmp_path, catalogue=tmp_path / "none.json")


def test_a_file_that_would_have_to_be_repaired_is_refused(tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", [{"id": "t", "wishes": [wish()]}])
    with (folder / "tasks.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"id": "u", "wish')
    with pytest.raises(DataError, match="the last line is cut off"):
        read_task_set(folder)


def test_the_bundled_tasks_are_in_order() -> None:
    found = read_task_set("demo")
    assert len(found.tasks) == 12
    assert sum(not task.solvable for task in found.tasks) == 2
    assert {wish.reveal.value for task in found.tasks for wish in task.wishes} == {"volunteer", "on_ask", "hidden"}

"""YAML files that describe something."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from trialogue.errors import DataError
from trialogue.records import Record
from trialogue.records.files.yaml_file import Lines, lines_of, problems_of_fields, read_fields


class Inner(Record):
    """A record in a record."""

    depth: int = 0


class Outer(Record):
    """A record to be read."""

    name: str
    count: int = 1
    inner: Inner | None = None


def test_fields_are_read_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("# a comment\nname: Käse\n\ncount: 3\n", encoding="utf-8")
    assert read_fields(path) == {"name": "Käse", "count": 3}
    lines = lines_of(path)
    assert (lines(("name",)), lines(("count",)), lines(("nowhere",)), lines(())) == (2, 4, None, None)


def test_the_line_of_a_nested_value_is_its_own_and_of_what_is_not_there_that_of_what_is_around_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        "agents:\n  mine:\n    url: x\n    protocol: y\n  bot: &b {agent: echo}\n  twin: *b\n"
        "list:\n- one\n- {a: 1,\n   b: 2}\n",
        encoding="utf-8",
    )
    lines = lines_of(path)
    assert lines(("agents", "mine", "protocol")) == 4
    assert lines(("agents", "mine", "model")) == 2
    assert lines(("agents", "twin", "agent")) == 6  # an alias: the line of what it is an alias for would mislead
    assert (lines(("list", 0)), lines(("list", 1, "b")), lines(("list", 7))) == (8, 10, 7)
    assert lines.nested("agents", "mine")(("url",)) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1, 2", "this is not valid YAML"),
        ("- 1\n- 2\n", "this file has no fields"),
        ("", "this file has no fields"),
        ("a: &x [1]\n" + "".join(f"b{n}: *x\n" for n in range(200)), "too large"),
        ("a: 2026-13-45\n", "this is not valid YAML"),
    ],
)
def test_what_is_no_description_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_fields(path)


def test_nothing_in_a_file_is_executed(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: !!python/object/apply:os.getcwd []\n", encoding="utf-8")
    with pytest.raises(DataError, match="not valid YAML"):
        read_fields(path)


def test_every_mistake_names_its_line_and_field(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("cuont: 2\ncount: many\ninner:\n  dept: 1\n", encoding="utf-8")
    fields = read_fields(path)
    with pytest.raises(ValidationError) as error:
        Outer.model_validate(fields)
    found = problems_of_fields(error.value, fields, Outer, file="a.yaml", lines=lines_of(path))
    assert sorted(map(str, found)) == [
        "a.yaml, field name: this field is required.",
        "a.yaml, line 1, field cuont: There is no field 'cuont'. Did you mean 'count'? Known: count, inner, name.",
        "a.yaml, line 2, field count: expected a whole number, got 'many'.",
        "a.yaml, line 4, field inner.dept: There is no field 'dept'. Did you mean 'depth'? Known: depth.",
    ]
    assert Lines()(("name",)) is None


def test_fields_that_stand_twice_are_reported_all_at_once_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("n: 1\nagents:\n  b: &spec {agent: echo, agent: fixed}\n  c: *spec\nn: 2\nlist: [{x: 1, x: 2}]\n")
    with pytest.raises(DataError) as raised:
        read_fields(path)
    messages = [(problem.line, problem.field, problem.what) for problem in raised.value.problems]
    assert messages == [
        (3, "agent", "this field is already set on line 3. Set it only once."),
        (5, "n", "this field is already set on line 1. Set it only once."),
        (6, "x", "this field is already set on line 6. Set it only once."),
    ]


def test_what_is_no_yaml_is_shown_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(
        "name: demo\nusers: 3\nagents: [a, b\nmore: {\n"
    )  # the list of line 3 is not closed when line 4 begins
    with pytest.raises(DataError) as caught:
        read_fields(path)
    assert [problem.line for problem in caught.value.problems] == [4]


def test_a_field_whose_name_yaml_takes_for_a_truth_value_keeps_its_name(tmp_path: Path) -> None:
    file = tmp_path / "ci.yaml"
    file.write_text("on: [lift]\nno: 1\nYes: {off: yes, true: 2}\n")
    assert read_fields(file) == {"on": ["lift"], "no": 1, "Yes": {"off": True, True: 2}}

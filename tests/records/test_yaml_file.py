"""YAML files that describe something."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from trialogue.errors import DataError
from trialogue.records import Record
from trialogue.records.yaml_file import lines_of, problem_of, read_fields


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
    assert lines_of(path) == {"name": 2, "count": 4}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1, 2", "this is no YAML"),
        ("- 1\n- 2\n", "this holds no fields"),
        ("", "this holds no fields"),
        ("a: &x [1]\n" + "".join(f"b{n}: *x\n" for n in range(200)), "too large"),
        ("a: 2026-13-45\n", "this is no YAML"),
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
    with pytest.raises(DataError, match="no YAML"):
        read_fields(path)


def test_every_mistake_names_its_line_and_field() -> None:
    with pytest.raises(ValidationError) as error:
        Outer.model_validate({"cuont": 2, "count": "many", "inner": {"dept": 1}})
    problems = [
        str(problem_of(detail, Outer, "a.yaml", {"cuont": 1, "count": 2, "inner": 3}))
        for detail in error.value.errors(include_url=False)
    ]
    assert len(problems) == 4
    text = "\n".join(problems)
    assert "a.yaml, field name: this is needed." in text
    assert "a.yaml, line 1, field cuont: There is no field 'cuont'. Did you mean 'count'?" in text
    assert "a.yaml, line 2, field count: Input should be a valid integer" in text
    assert "a.yaml, line 3, field inner.dept: There is no field 'dept'. Did you mean 'depth'? Known: depth." in text


def test_fields_that_stand_twice_are_told_all_at_once_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("n: 1\nagents:\n  b: &spec {agent: echo, agent: fixed}\n  c: *spec\nn: 2\nlist: [{x: 1, x: 2}]\n")
    with pytest.raises(DataError) as raised:
        read_fields(path)
    told = [(problem.line, problem.field, problem.what) for problem in raised.value.problems]
    assert told == [
        (3, "agent", "this field stands in line 3 already."),
        (5, "n", "this field stands in line 1 already."),
        (6, "x", "this field stands in line 6 already."),
    ]

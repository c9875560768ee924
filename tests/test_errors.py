"""Messages say what is wrong, what was given, and what would do."""

import pytest

from trialogue.errors import DataError, MissingExtraError, Problem, UnknownNameError, UsageError
from trialogue.extras import need
from trialogue.plugins import load


def test_an_unknown_name_is_answered_with_the_nearest_ones() -> None:
    message = str(UnknownNameError("metric", "distnct", ["bleu", "distinct"]))
    assert "There is no metric 'distnct'. Did you mean 'distinct'?" in message
    assert "Known: bleu, distinct." in message


def test_an_unknown_name_in_an_empty_registry() -> None:
    assert "None are known." in str(UnknownNameError("metric", "x", []))


def test_a_problem_names_file_line_and_field() -> None:
    problem = Problem("is not a number, got 'x'.", file="a.csv", line=3, field="rating", hint="Use 1 to 5.")
    assert str(problem) == "a.csv, line 3, field rating: is not a number, got 'x'. Use 1 to 5."


def test_of_many_problems_a_screenful_is_shown_and_all_are_counted() -> None:
    error = DataError([Problem(f"bad {i}", line=i) for i in range(50)], hint="Fix them.")
    assert "... and 30 more kinds of problems (50 problems in total)." in str(error)
    assert str(error).endswith("Fix them.")
    assert len(error.problems) == 50


def test_a_missing_extra_is_answered_with_its_command() -> None:
    with pytest.raises(MissingExtraError, match=r"pip install 'trialogue\[neural\]'"):
        need("no_such_module_anywhere", extra="neural", purpose="run a model")


def test_an_installed_extra_is_returned() -> None:
    assert need("json", extra="none", purpose="test").__name__ == "json"


def test_a_plug_in_that_cannot_be_imported_is_explained() -> None:
    with pytest.raises(UsageError, match="cannot be imported"):
        load("trialogue.metrics", "no_such_module:Thing", kind="metric")
    with pytest.raises(UsageError, match="has no 'Nothing'"):
        load("trialogue.metrics", "json:Nothing", kind="metric")


def test_an_object_can_be_named_by_module_and_name() -> None:
    import json

    assert load("trialogue.metrics", "json:dumps", kind="metric") is json.dumps


def test_problems_of_one_kind_are_one_line_with_their_count() -> None:
    problems = [Problem(f"expected a number, got {i}", "a.csv", i, "stars", kind="number") for i in range(2, 196)]
    other = Problem("no id", "a.csv", 9)
    assert str(DataError([*problems, other])).splitlines() == [
        "a.csv, line 2, field stars: expected a number, got 2 (194 times; also in lines 3, 4, 5, 6, 7, and 188 more)",
        "a.csv, line 9: no id",
    ]


def test_one_mistake_of_many_entries_is_one_line_that_names_them() -> None:
    problems = [
        Problem(f"'m:A{number}' cannot be imported.", "s.yaml", number, f"agents.v{number}", kind="no module m")
        for number in range(3)
    ]
    others = [Problem("must be at least 1, got 0.", "s.yaml", 9, name) for name in ("n", "jobs")]
    inside = [Problem("this field is required.", "s.yaml", 1, f"agents.a.{name}") for name in ("url", "model")]
    assert len(str(DataError(inside)).splitlines()) == 2
    inside = [Problem("this field is required.", "s.yaml", 1, f"agents.{name}.url") for name in "ab"]
    assert str(DataError(inside)).endswith("required. (2 times; also in field agents.b.url)")
    assert str(DataError([*problems, *others])).splitlines() == [
        "s.yaml, line 0, field agents.v0: 'm:A0' cannot be imported. (3 times; also in fields agents.v1, agents.v2)",
        "s.yaml, line 9, field n: must be at least 1, got 0.",
        "s.yaml, line 9, field jobs: must be at least 1, got 0.",
    ]

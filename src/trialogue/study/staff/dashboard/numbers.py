"""Numbers that people gave about items, while a study runs: a glance for the dashboard. The analysis reads the export."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from trialogue.study.design.questions import Question
from trialogue.study.staff.dashboard.agreement import Given


def numbers_so_far(questions: Iterable[Question], given: Mapping[str, Sequence[Given]]) -> list[dict[str, Any]]:
    """A row for each question that is answered with a number: how many answers, the middle one, the ends.

    Args:
        questions: what is asked about items.
        given: answers by name of the question; one that was left out is not among them.
    """
    asked = [question for question in questions if question.number is not None or question.slider is not None]
    return [_row(question, [value for _, _, value in given.get(question.name, ())]) for question in asked]


def _row(question: Question, values: Sequence[float | str]) -> dict[str, Any]:
    numbers = [value for value in values if isinstance(value, int | float)]
    row = {"name": question.name.replace("_", " "), "count": len(numbers)}
    if not numbers:
        return row
    return {**row, "median": _written(median(numbers)), "range": f"{_written(min(numbers))} – {_written(max(numbers))}"}


def _written(number: float) -> str:
    return f"{number:,.10g}"

"""The note on the first of several rows, which was chosen by the values that it is shown with."""

from itertools import combinations

import pytest

from trialogue.findings.league import leagues
from trialogue.findings.standings import Measure
from trialogue.records import Estimate, Interval, Score
from trialogue.subjects.board.conclude import board_answer
from trialogue.subjects.board.records import BoardCell, BoardColumn


def column(rows: int, better: str = "higher") -> BoardColumn:
    """Rows a, b, c, ... with values .1, .2, ..., none of which differ significantly."""
    measure = Measure.model_validate(
        {"name": "m", "title": "Merit", "by": "metric", "better": better, "unit": "points"}
    )
    names = "abcdefghij"[:rows]
    common = {"measure": "m", "interval": Interval(low=0.0, high=1.0, method="t"), "n": 20, "clusters": 20}
    scores = [Score(level="system", system=name, value=(at + 1) / 10, **common) for at, name in enumerate(names)]
    pairs = combinations(names, 2)
    scores += [Score(level="difference", system=a, versus=b, value=0.5, p=0.9, **common) for a, b in pairs]
    cells = tuple(BoardCell(row=name, estimate=Estimate(value=0.5)) for name in names)
    return BoardColumn(measure=measure, cells=cells, leagues=leagues(scores, [measure]))


@pytest.mark.parametrize(("rows", "said"), [(3, "0.8"), (5, "1.2"), (10, "1.5")])  # expected largest of normal errors
def test_the_best_of_several_rows_is_shown_with_its_selection(rows: int, said: str) -> None:
    texts = [statement.text for statement in board_answer((), (column(rows),), (), ())]
    first = "abcdefghij"[rows - 1]
    note = (
        f"{first} is the first of {rows} rows by the values shown: the best of {rows} equal ones looks {said} standard"
    )
    assert any(text.startswith(note) and "fresh needs" in text for text in texts)


@pytest.mark.parametrize("found", [column(2), column(5, "neither")])
def test_of_two_rows_and_of_measures_without_direction_nothing_is_chosen(found: BoardColumn) -> None:
    assert not any("first of" in statement.text for statement in board_answer((), (found,), (), ()))

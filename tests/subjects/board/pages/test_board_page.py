"""Page, figure and exports of a board."""

import csv
import io
from pathlib import Path

import pytest

from tests.records.runs.made import reseal
from tests.subjects.board.commands.made import folder, share, simulated
from trialogue.findings import Statement, StatementKind
from trialogue.findings.threats import Severity, Threat, ThreatCode, Validity
from trialogue.findings.threats.gate import threats_to
from trialogue.render.document import Medium
from trialogue.render.drawing.marks import Dot, Line
from trialogue.render.drawing.marks import Path as Course
from trialogue.render.media.files import csv_files
from trialogue.render.media.page import document_page
from trialogue.render.media.papers import document_latex, document_markdown
from trialogue.render.media.terminal import document_text
from trialogue.subjects.board.columns import validity_in_column
from trialogue.subjects.board.commands.board import Board, board
from trialogue.subjects.board.pages.document import board_document, verdict_text
from trialogue.subjects.board.pages.figure import history_figure


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Board:
    """Three comparable versions, and one of other users."""
    root = tmp_path_factory.mktemp("runs")
    parts = (("v1", 0.5, 0), ("v2", 0.55, 0), ("v3", 0.9, 0), ("other", 1.0, 1))
    runs = [folder(root / name, simulated("mine", share(part), seed=seed)) for name, part, seed in parts]
    return board(*runs, runs[0], baseline="v1")


def test_the_marks_of_a_history_differ_by_shape_and_filling(made: Board) -> None:
    figure = history_figure(made.findings.histories[0], verdict_text)
    assert figure is not None
    dots = [mark for mark in figure.drawing.marks if isinstance(mark, Dot)]
    assert [(dot.shape, dot.hollow) for dot in dots] == [
        ("diamond", False),  # the baseline
        ("circle", False),
        ("circle", False),
        ("circle", True),  # not comparable
    ]
    assert len({dot.color for dot in dots}) == 1  # color says nothing
    courses = [mark for mark in figure.drawing.marks if isinstance(mark, Course)]
    assert [len(course.points) for course in courses] == [
        2,
        2,
    ]  # v1 to v2 to v3: the line ends before what is not comparable
    assert [mark.dashed for mark in figure.drawing.marks if isinstance(mark, Line) and mark.dashed] == [True]
    assert "Diamond and dashed line: the baseline v1." in figure.caption
    assert "Hollow: not comparable" in figure.caption


def rows_of(made: Board, label: str) -> list[tuple[str, ...]]:
    """The rows of a table as the page shows it."""
    (table,) = [each for each in board_document(made.findings).tables if each.label.startswith(label)]
    return table.cells(Medium.PAGE).texts


def test_the_leaderboard_holds_comparable_rows_alone(made: Board) -> None:
    rows = rows_of(made, "Ranked together")
    assert [row[0] for row in rows] == ["v3", "v2", "v1"]
    assert rows[0][1] == "1"
    left = rows_of(made, "Rows that are not ranked")
    assert [(row[0], row[1][:4]) for row in left] == [("other", "1.00")]
    assert left[0][2].startswith("It did not meet the same needs or situations")


def test_every_medium_says_what_the_gate_left_of_a_row(made: Board) -> None:
    """The CSV called rows firm that the terminal calls conditional, where the threats are to pairs alone."""
    pair = Threat(code=ThreatCode.USERS_DIFFER, severity=Severity.DEMOTES, systems=("v2", "v1"), is_of_pair=True)
    assert list(threats_to([pair], "v2")) == [pair]
    assert list(threats_to([pair], "v3")) == []
    assert [validity_in_column([pair], name) for name in ("v2", "v3")] == [Validity.CONDITIONAL, Validity.FIRM]
    files = csv_files(board_document(made.findings))
    found = {row["row"]: row["validity"] for row in csv.DictReader(io.StringIO(files["leaderboard.csv"]))}
    for row in rows_of(made, "Ranked together"):
        assert row[-1].partition(":")[0] == {"firm": "none", "blocked": "no verdict"}.get(found[row[0]], found[row[0]])


def test_further_verdicts_are_folded_and_histories_follow_the_answer(made: Board) -> None:
    """On a phone, verdicts on every measure would push the leaderboard off the first screen."""
    first, *others = made.findings.answer
    further = Statement(kind_of=StatementKind.VERDICT, text="On Turns, v1 is significantly better than v2.")
    page = document_page(board_document(made.findings.model_copy(update={"answer": (first, further, *others)})))
    opened, _, folded = page.partition('<div class="folds">')
    assert further.text not in opened
    assert further.text in folded
    assert "better than the baseline v1" in opened
    assert "Further findings" not in document_page(board_document(made.findings))


def test_the_history_says_why_a_version_is_not_compared(made: Board) -> None:
    rows = rows_of(made, "History")
    assert [row[5] for row in rows[:3]] == ["baseline", "not significantly different", "better, conditional"]
    assert rows[3][3:5] == ("—", "—")
    assert rows[3][5].startswith("It did not meet the same needs")


def test_a_run_given_twice_is_named_among_those_that_do_not_count(made: Board) -> None:
    assert rows_of(made, "Runs that do not count") == [
        ("v1 #2", "mine", "v1", "It is the same run as v1, which counts once.")
    ]


def test_the_page_runs_no_script_and_loads_nothing(made: Board) -> None:
    page = document_page(board_document(made.findings))
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_markdown_and_latex_hold_leaderboard_reasons_and_history(made: Board) -> None:
    shown = board_document(made.findings)
    for text in (document_markdown(shown), document_latex(shown), document_text(shown, width=120)):
        plain = " ".join(text.split())
        assert "v3" in plain
        assert "0.90" in plain
        assert "did not meet the same needs" in plain
    assert document_latex(shown).count(r"\toprule") == 3  # one group, what is not ranked, one history
    assert csv_files(shown)["history.csv"].count("\n") == 5


def test_an_earlier_figure_is_removed_when_the_board_is_written_again(made: Board, tmp_path: Path) -> None:
    made.write(tmp_path)
    (tmp_path / "figures" / "history-old.svg").write_text("old")
    reseal(tmp_path)
    (tmp_path / "figures" / "mine.svg").write_text("not ours")
    made.write(tmp_path)
    assert not (tmp_path / "figures" / "history-old.svg").exists()
    assert (tmp_path / "figures" / "mine.svg").exists()


def test_a_board_shows_itself_in_a_notebook_and_in_a_line(made: Board) -> None:
    assert len(repr(made)) < 500
    assert "<table>" in made._repr_html_()
    assert made.to_latex() == document_latex(board_document(made.findings))
    assert made.to_markdown() == document_markdown(board_document(made.findings))

"""One table for each table of the paper; what repeats is said once."""

from trialogue.records import Estimate, Interval
from trialogue.reproduce.behavior_alignment.paper_tables import as_markdown, as_text, paper_tables
from trialogue.reproduce.behavior_alignment.rows import Row

KEPT_BACK = "The pairs were never released."
ROWS = [
    Row(part="Table 1", what="turns", on="ReDial", paper=2.5, ours=Estimate(value=2.5, n=9), status="same"),
    Row(part="Table 5", what="accuracy", on="pairs", paper=0.9, status="impossible", why=KEPT_BACK),
    Row(part="Table 5", what="F1", on="pairs", paper=0.85, status="impossible", why=KEPT_BACK),
    Row(
        part="Table 5",
        what="AUC",
        on="sample",
        ours=Estimate(value=0.5, n=4, interval=Interval(low=0.25, high=0.75, method="x")),
        status="ours",
    ),
]


def test_each_part_of_the_paper_is_one_table_and_says_shared_data_and_reasons_once() -> None:
    first, second = paper_tables(ROWS)
    assert (first.title, first.data, first.heads) == ("Table 1", "ReDial", ("", "paper", "ours", "verdict"))
    assert first.cells == (("turns", "2.500", "2.500", "reproduced"),)
    assert (second.data, second.notes) == (None, (KEPT_BACK,))
    assert [row[-1] for row in second.cells] == ["cannot be reproduced (1)", "cannot be reproduced (1)", "ours alone"]


def test_text_and_markdown_hold_every_number_and_each_reason_once() -> None:
    table = paper_tables(ROWS)[1]
    for text in (as_text(table, width=80), as_markdown(table)):
        assert text.count(KEPT_BACK) == 1
        assert all(number in text for number in ("0.900", "0.850", "0.500 [0.250, 0.750]"))
    assert max(map(len, as_text(table, width=60).splitlines())) <= 60

"""The answer and the league table in a terminal."""

import pytest

from tests.render.made import ALL, hostile, nine, two, undefined
from trialogue.render.document import Medium
from trialogue.render.text import columns
from trialogue.subjects.evaluation.pages.document import evaluation_document
from trialogue.subjects.evaluation.pages.write import render_html, text_table


def test_the_answer_comes_first_and_letters_are_explained() -> None:
    text = text_table(nine(), width=100)
    assert text.startswith("On Satisfaction, chatgpt_opendialkg")
    assert "0.52 a" in text
    assert "share a letter do not differ significantly (Bonferroni-corrected, α = .05)" in text


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    lines = text_table(ALL[name](), width=width).splitlines()
    assert max(map(columns, lines)) <= width


def test_variants_are_named_in_the_headings() -> None:
    page = render_html(two())
    assert "Distinct-n (ratio)" in page
    assert "Distinct-n (per response)" in page


def test_at_most_three_measures_and_one_paragraph_for_a_severity() -> None:
    (table,) = evaluation_document(nine()).tables_of(Medium.TERMINAL)
    assert len(table.cells(Medium.TERMINAL).heads) <= 1 + 3
    text = text_table(nine(), width=100)
    assert "more measures in the report." in " ".join(text.split())
    assert all(text.count(f"\n{heading}: ") <= 1 for heading in ("Blocked verdicts", "Conditional verdicts", "To note"))


def test_undefined_is_a_dash_and_a_missing_interval_is_said() -> None:
    text = text_table(undefined(), width=100)
    assert "—" in text
    assert "(no interval)" in text


def test_names_cannot_steer_the_terminal() -> None:
    text = text_table(hostile(), width=100)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[31m" in text  # shown, not obeyed
    text.encode()

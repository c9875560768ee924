"""Tables and captions for a paper: whole environments, balanced, and captions that can be read alone."""

import re

import pytest

from tests.report.made import ALL, hostile, nine, undefined
from tests.report.test_tables import simulated
from trialogue.findings.family import ACROSS_MEASURES
from trialogue.findings.systems.answer import first_to_show
from trialogue.findings.threats import Validity
from trialogue.report.evaluation.paper_tables import captions_markdown, paper_table_latex, paper_table_markdown
from trialogue.report.league_table import league_table
from trialogue.report.measures import all_leagues, systems_in_order
from trialogue.report.plots import figures


@pytest.mark.parametrize("name", ALL)
def test_every_environment_is_closed_and_every_row_has_as_many_cells_as_its_table(name: str) -> None:
    text = paper_table_latex(ALL[name]())
    begun = re.findall(r"\\begin\{(\w+\*?)\}", text)
    assert sorted(begun) == sorted(re.findall(r"\\end\{(\w+\*?)\}", text))
    for columns, body in re.findall(r"\\begin\{tabular\}\{(l?[lr]*)\}(.*?)\\end\{tabular\}", text, re.DOTALL):
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert rows
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == len(columns) - 1


def test_the_caption_says_of_which_data_it_is_and_how_it_is_read() -> None:
    caption = re.search(r"\\caption\{(.*)\}\n", paper_table_latex(nine()))
    assert caption is not None
    for part in ("crsarena-dial: 9 systems in 474 dialogues", r"95\% intervals", "share a letter", r"$\alpha$ = .05"):
        assert part in caption[1]
    assert "9 systems in 474 dialogues" in paper_table_markdown(nine())


def test_the_caption_names_the_scope_of_the_correction() -> None:
    across = nine().model_copy(update={"correction": ACROSS_MEASURES})
    assert "(Holm-corrected across all measures together, α = .05)" in paper_table_markdown(across)
    assert "-corrected across the pairs of the measure, α = .05)" in paper_table_markdown(nine())


def test_what_the_caption_calls_bold_is_bold_in_both_forms() -> None:
    latex, markdown = paper_table_latex(nine()), paper_table_markdown(nine())
    for text in (latex, markdown):
        assert "Bold: systems that may be the best" in text
    in_latex = re.findall(r"\\textbf\{([^}]*)\}", latex)
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    assert re.findall(r"\*\*([^*]*)\*\*", "\n".join(rows)) == in_latex != []


def test_the_table_shows_the_simulated_measure_that_an_answer_rests_on_and_names_the_users() -> None:
    """Not simply the first one: the page's first screen and the paper's table would differ."""
    findings = nine()
    first, *others = [each for each in findings.leagues if each.measure.by == "metric"]
    blocked = simulated(first, "kind").model_copy(update={"validity": Validity.BLOCKED})
    more = [simulated(each, "kind") for each in others]
    both = findings.model_copy(update={"leagues": (*findings.leagues, blocked, *more)})
    leading = first_to_show([blocked, *more])
    assert leading is not blocked
    shown = league_table(all_leagues(both), systems_in_order(both)).blocks[0].columns
    assert [each.name for each in shown if each.judge == "Simulated users"] == [leading.measure.name]
    assert "the simulated users of these dialogues (kind)" in paper_table_markdown(both)


def test_undefined_values_are_dashes_whose_notes_stand_below() -> None:
    text = paper_table_markdown(undefined())
    assert "—" in text
    assert re.search(r"^\(1\) .*\.", text, re.MULTILINE)


def test_no_name_breaks_a_table() -> None:
    for line in paper_table_latex(hostile()).splitlines():
        assert line.isprintable()
    lines = [line for line in paper_table_markdown(hostile()).splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


def test_every_figure_has_a_caption_with_its_data() -> None:
    drawn = figures(nine())
    text = captions_markdown(nine(), drawn)
    assert [line.split("**")[1] for line in text.splitlines() if line] == [figure.name for figure in drawn]
    assert text.count("9 systems in 474 dialogues") == len(drawn)

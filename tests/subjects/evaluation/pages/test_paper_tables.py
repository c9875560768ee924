"""Tables and captions for a paper: whole environments, balanced, and captions that can be read alone."""

import json
import re

import pytest
from matplotlib.font_manager import FontProperties, findfont, get_font

from tests.render.made import ALL, hostile, nine, undefined
from tests.render.test_tables import simulated
from trialogue.findings import Findings
from trialogue.findings.family import ACROSS_MEASURES
from trialogue.findings.systems.answer import first_to_show
from trialogue.findings.threats import Validity
from trialogue.render.measures import FEW, few_leagues
from trialogue.render.media.papers import COLUMN, document_latex, document_markdown
from trialogue.render.plots import figures
from trialogue.subjects.evaluation.pages.document import evaluation_document
from trialogue.subjects.evaluation.pages.write import captions_markdown


def paper_table_latex(findings: Findings) -> str:
    return document_latex(evaluation_document(findings))


def paper_table_markdown(findings: Findings) -> str:
    return document_markdown(evaluation_document(findings))


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
    assert "crsarena-dial" not in caption[1]  # a heading of the report, often a list of files
    for part in ("9 systems in 474 dialogues", r"95\% intervals", "share a letter", r"$\alpha$ = .05"):
        assert part in caption[1]
    assert "9 systems in 474 dialogues" in paper_table_markdown(nine())


def test_the_caption_names_the_scope_of_the_correction() -> None:
    across = nine().model_copy(update={"correction": ACROSS_MEASURES})
    assert "(Bonferroni-corrected across all measures together, α = .05)" in paper_table_markdown(across)
    assert "-corrected across the pairs of a measure, α = .05)" in paper_table_markdown(nine())


def test_what_the_caption_calls_bold_is_bold_in_both_forms() -> None:
    latex, markdown = paper_table_latex(nine()), paper_table_markdown(nine())
    for text in (latex, markdown):
        assert "Bold: may be the best" in text
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
    assert [each.measure.name for each in few_leagues(both) if each.measure.by == "simulation"] == [
        leading.measure.name
    ]
    assert "The simulated users of these dialogues: kind." in paper_table_markdown(both)


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


SIZES = {"footnotesize": 8.0, "scriptsize": 7.0}


def long_names(findings: Findings, length: int) -> Findings:
    """The same findings with names of wide letters that differ in the middle."""
    text = findings.model_dump_json()
    for place, facts in enumerate(findings.systems):
        half = "m" * (length // 2)
        text = text.replace(json.dumps(facts.system), json.dumps(f"{half}{place}{half}"))
    return Findings.model_validate_json(text)


@pytest.mark.parametrize("length", [0, 12, 40, 200])
@pytest.mark.parametrize("name", ["two", "nine"])
def test_a_table_of_at_most_four_measures_fits_a_column_without_being_shrunk(name: str, length: int) -> None:
    """Widths in Computer Modern, from its metrics; two points of each side of a column are between columns."""
    findings = long_names(ALL[name](), length) if length else ALL[name]()
    text = paper_table_latex(findings)
    assert "adjustbox" not in text
    (columns, body) = re.findall(r"\\begin\{tabular\}\{([lr]*)\}(.*?)\\end\{tabular\}", text, re.DOTALL)[0]
    assert 2 <= len(columns) <= FEW + 1
    rows = [line.removesuffix(r" \\").split(" & ") for line in body.splitlines() if line.endswith(r"\\")]
    widths = [max(_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    assert sum(widths) + 6 * len(columns) <= COLUMN
    if length == 40:
        for facts in findings.systems:
            assert f": {facts.system}." in text  # the key of what the table cuts


def _width(cell: str) -> float:
    """Points that a cell needs: of stacked lines the widest."""
    cell = re.sub(r"\\shortstack\[r\]|\\addlinespace\[2pt\]|\\textbf|\$\\(up|down)arrow\$", "", cell)
    lines = re.sub(r"[{}]|\\textsuperscript", "", cell).replace(r"\_", "_").split(r"\\")
    font = get_font(findfont(FontProperties(family="cmr10")))
    found = []
    for line in lines:
        font.set_size(SIZES["scriptsize" if "scriptsize" in line else "footnotesize"], 72)
        font.set_text(line.replace(r"\scriptsize", "").replace("…", "...").strip())
        found.append(font.get_width_height()[0] / 64)
    return max(found)

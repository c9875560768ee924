"""Tables and captions for a paper: whole environments, balanced, and captions that can be read alone."""

import re

import pytest

from tests.report.made import ALL, hostile, nine, undefined
from trialogue.report.evaluation.paper_tables import captions_markdown, paper_table_latex, paper_table_markdown
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
    for part in ("crsarena-dial: 9 systems in 474 dialogues", r"95 \% intervals", "share a letter", r"$\alpha$ = .05"):
        assert part in caption[1]
    assert "9 systems in 474 dialogues" in paper_table_markdown(nine())


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

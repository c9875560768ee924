"""The page of a study and its figures."""

import csv
import re
from collections.abc import Sequence
from itertools import combinations
from xml.etree import ElementTree

import pytest

from tests.render.made_study import everything
from trialogue.inputs.study_data import Participant, StudyData
from trialogue.records import Estimate, Interval, Manifest, Preference, Score
from trialogue.render.document import Medium
from trialogue.render.media.files import csv_files
from trialogue.render.media.page import document_page
from trialogue.render.numbers import MISSING
from trialogue.render.plots.estimates import Axis, Row, estimates_figure
from trialogue.subjects.people import StudyFindings, analyse_preferences
from trialogue.subjects.people.commands.report import analyse
from trialogue.subjects.people.pages.document import study_document
from trialogue.subjects.people.pages.figures import study_figures
from trialogue.subjects.people.pages.sensitivity import (
    choice_sensitivity_tables,
    rating_sensitivity_figure,
    rating_sensitivity_table,
)
from trialogue.subjects.people.records import ChoiceFindings


@pytest.fixture(scope="module")
def found() -> StudyFindings:
    """A small study of everything."""
    return everything()


def test_every_figure_is_xml_with_a_name_of_its_own(found: StudyFindings) -> None:
    drawn = study_figures(found)
    assert len({figure.name for figure in drawn}) == len(drawn)
    for figure in drawn:
        ElementTree.fromstring(figure.svg)
        assert figure.alt.strip(".")
        assert figure.caption


def test_the_page_shows_every_part_and_escapes_names(found: StudyFindings) -> None:
    page = document_page(study_document(found))
    for words in (
        "Which systems differ?",
        "Do raters agree?",
        "Which dialogue was a person",
        "Labels",
        "Methods",
    ):
        assert words in page
    assert "&lt;A&gt; study" in page
    assert "None" not in page.replace("None of", "")


def test_tables_hold_numbers_in_full(found: StudyFindings) -> None:
    files = csv_files(study_document(found))
    head, first, *_ = csv.reader(files["pairs.csv"].splitlines())
    assert head[:7] == ["measure", "a", "b", "difference", "low", "high", "p"]
    assert len(first) == len(head)
    assert "sensitivity.csv" in files


def test_choices_under_other_exclusions_are_shown_and_written_in_full(found: StudyFindings) -> None:
    page = document_page(study_document(found))
    section = page[page.index('id="choices"') : page.index('id="labels"')]
    assert "Would other exclusions change it?" in section
    assert "sensitivity-choices" in {figure.name for figure in study_figures(found)}
    rows = [
        row
        for row in csv.DictReader(csv_files(study_document(found))["sensitivity.csv"].splitlines())
        if row["measure"] == "realism"
    ]
    assert found.choices is not None
    assert [row["left_out"] for row in rows] == [row.name for row in found.choices.sensitivity]
    grid = choice_sensitivity_tables(found.choices)[0].cells(Medium.PAGE)
    assert grid.heads[3:7] == ("Win, %", "Lose, %", "Tie, %", "Win share")
    assert grid.texts[0][3].startswith(f"{100 * float(rows[0]['win']):.0f} [")
    for row in rows:
        assert sum(float(row[share]) for share in ("win", "lose", "tie")) == pytest.approx(1)
        assert float(row["lose_low"]) <= float(row["lose"]) <= float(row["lose_high"])


def preferred(systems: Sequence[str]) -> ChoiceFindings:
    """Everybody who passed prefers the system that comes first, everybody who failed the other one."""
    people = [Participant(participant=f"P{n}", state="completed", flags=("failed",) * (n > 7)) for n in range(24)]
    given = [
        Preference(id=f"{a}{b}{n}", a=a, b=b, choice="a" if n < 8 else "b", rater=f"P{n}", situation_id=f"s{n}")
        for a, b in combinations(systems, 2)
        for n in range(24)
    ]
    return analyse_preferences(given, people=people)


def test_verdicts_that_change_are_marked() -> None:
    (table,) = choice_sensitivity_tables(preferred("xy"))
    grid = table.cells(Medium.PAGE)
    assert grid.heads[:3] == ("Exclusions", "People", "Judgements")
    assert [(row[1], row[-1]) for row in grid.rows] == [
        ("8", "x wins"),
        ("24", "inconclusive (changed)"),  # 8 of 24
        ("24", "inconclusive (changed)"),
    ]
    assert grid.strong == {0}


def test_each_pair_has_a_table_and_one_without_judgements_has_dashes() -> None:
    found = preferred("xyz")
    only = found.sensitivity[-1].model_copy(update={"name": "Only: y", "pairs": found.sensitivity[0].pairs[:1]})
    tables = choice_sensitivity_tables(found.model_copy(update={"sensitivity": (*found.sensitivity, only)}))
    assert [table.label for table in tables] == ["x – y", "x – z", "y – z"]
    assert tables[1].cells(Medium.PAGE).rows[-1] == ("Only: y", "0", "0", MISSING, MISSING, "no judgements left")


def test_the_main_analysis_is_known_by_its_mark_wherever_it_stands(found: StudyFindings) -> None:
    ratings = found.ratings[0]
    assert ratings.league is not None
    main, *others = ratings.sensitivity
    wide = tuple(
        each.model_copy(update={"difference": each.difference.model_copy(update={"value": 9.0})})
        for each in main.contrasts
    )
    rows = (*(row.model_copy(update={"contrasts": wide}) for row in others), main)  # the main one comes last
    held = tuple(pair.model_copy(update={"verdict": "a"}) for pair in ratings.league.contrasts)
    league = ratings.league.model_copy(update={"contrasts": held})
    turned = ratings.model_copy(update={"sensitivity": rows, "league": league})
    narrow = min(held, key=lambda pair: abs(pair.difference.value or 0.0))
    figure = rating_sensitivity_figure(turned, league)
    assert figure is not None
    assert f"{narrow.a} – {narrow.b}" in figure.title
    assert rating_sensitivity_table(turned).cells(Medium.PAGE).strong == {len(rows) - 1}


def test_a_win_share_that_is_not_defined_has_its_reason_beneath() -> None:
    tied = [Preference(id=str(n), a="x", b="y", choice="tie", rater="P1", situation_id=f"s{n}") for n in range(3)]
    (table,) = choice_sensitivity_tables(
        analyse_preferences(tied, people=[Participant(participant="P1", state="completed")])
    )
    assert "Win share" not in table.cells(Medium.PAGE).heads  # it is undefined in every row
    assert table.note.startswith("Planned exclusions (main analysis): every judgement is a tie.")


def asked_of_everybody(values: Sequence[float]) -> StudyFindings:
    scores = [
        Score(measure="human:films", level="dialogue", value=value, rater=f"P{place}")
        for place, value in enumerate(values)
    ]
    return analyse(StudyData(scores=scores), manifest=Manifest(command="study report"))


def test_a_few_numbers_are_counted_and_of_many_it_is_shown_where_they_lie() -> None:
    few = asked_of_everybody([3, 3, 12.5, 1_234_567, 1_234_568])
    assert few.answers[0].counts == {"3": 2, "12.5": 1, "1234567": 1, "1234568": 1}
    assert "<td>40%" in re.sub(r"<td[^>]*>", "<td>", document_page(study_document(few)))
    many = asked_of_everybody(range(0, 4_004, 4))
    assert list(many.answers[0].spread) == [0, 1_000, 2_000, 3_000, 4_000]  # 1,001 numbers, evenly spaced
    page = document_page(study_document(many))
    for words in ("Lower quartile", "1,001", "3,000"):
        assert words in page
    assert not re.search(r"3,?996", page)


def test_an_empty_study_has_a_page() -> None:
    findings = StudyFindings(title="Nothing", answer=("Nothing.",), manifest=Manifest(command="study report"))
    assert "Nothing." in document_page(study_document(findings))
    assert study_figures(findings) == []


def odds(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, interval=Interval(low=low, high=high, method="x"))


@pytest.mark.parametrize("ends", [(1.0, 0.99, 1.01), (1e6, 1e-9, 1e12), (2.0, 0.5, 8.0), (0.0, 0.0, 0.0)])
def test_an_axis_of_odds_has_places_that_do_not_touch(ends: tuple[float, float, float]) -> None:
    rows = [Row("a – b", odds(*ends)), Row("c – d", Estimate(value=None, why="x"))]
    figure = estimates_figure(rows, Axis("odds", 1.0, odds=True), name="x", title="x", caption="x")
    assert figure is not None
    root = ElementTree.fromstring(figure.svg)
    places = [
        float(one.attrib["x"]) for one in root.iter() if one.tag.endswith("text") and one.text in ("0.5", "1", "2")
    ]
    assert places
    assert all(b - a > 20 for a, b in zip(sorted(places), sorted(places)[1:], strict=False))


def test_figures_of_many_systems_grow() -> None:
    rows = [Row(f"a very long name of a system number {i} – another", odds(1 + i / 10, 0.5, 3)) for i in range(30)]
    figure = estimates_figure(rows, Axis("odds", 1.0, odds=True), name="x", title="x", caption="x", note_heads=["p"])
    assert figure is not None
    assert figure.drawing.height > 30 * 20


def test_a_figure_of_nothing_is_none() -> None:
    assert estimates_figure([], Axis("x"), name="x", title="x", caption="x") is None

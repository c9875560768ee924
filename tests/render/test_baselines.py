"""Baselines in reports: below a rule, without rank or letters, drawn as reference marks."""

import csv
import io
from typing import Any

from tests.render.made import nine, two
from trialogue.findings import Findings, Standing
from trialogue.records import Estimate, Interval
from trialogue.render.document import Medium, Table
from trialogue.render.drawing.marks import Line
from trialogue.render.measures import systems_in_order
from trialogue.render.media.files import csv_files
from trialogue.render.plots import figures
from trialogue.subjects.evaluation.pages.document import evaluation_document
from trialogue.subjects.evaluation.pages.write import render_html, text_table


def baseline(name: str, value: float) -> Standing:
    interval = Interval(low=value - 0.02, high=value + 0.02, method="made")
    return Standing(system=name, estimate=Estimate(value=value, interval=interval, n=40, clusters=12))


def with_baselines(findings: Findings, place: int = -1) -> Findings:
    """Two baselines on one measure, and what the first system has above the better one."""
    found = list(findings.leagues)
    league = found[place]
    contrast = league.contrasts[0].model_copy(update={"b": "floor:best"})
    found[place] = league.model_copy(
        update={
            "baselines": (baseline("floor:best", 0.44), baseline("floor:other", 0.31)),
            "above_baseline": (contrast,),
        }
    )
    return findings.model_copy(update={"leagues": tuple(found)})


def page_tables(findings: Findings) -> list[Table[Any]]:
    return evaluation_document(findings).tables_of(Medium.PAGE)


def on_the_primary() -> Findings:
    findings = nine()
    (place,) = [place for place, league in enumerate(findings.leagues) if league.measure.name == findings.primary]
    return with_baselines(findings, place)


def test_the_table_has_them_below_all_systems_and_counts_them_among_none() -> None:
    findings = on_the_primary()
    systems = systems_in_order(findings)
    assert not any(system.startswith("floor:") for system in systems)
    first, second = (each for each in page_tables(findings) if each.label.startswith("Systems by measures"))
    assert (first.rows[-2:], first.below_rule) == (["floor:best", "floor:other"], 2)
    assert second.below_rule == 0  # none of its measures has any
    cell = first.columns[1].raw("floor:best")
    assert (cell.text, cell.interval, cell.letters, cell.ranks, cell.leads) == ("0.44", "[0.42, 0.46]", "", "", False)
    assert first.columns[2].raw("floor:best") == ""


def test_the_page_and_the_terminal_say_what_they_are() -> None:
    page = render_html(on_the_primary())
    assert '<tbody class="baselines">' in page
    assert "baselines that ignore the user, unranked" in page
    assert "<b>9</b> systems" in page
    text = text_table(on_the_primary(), width=100)
    assert text.index("floor:best") > max(text.index(name[:12]) for name in systems_in_order(nine()))
    assert "baselines that ignore the user, unranked" in " ".join(text.split())
    assert "baseline" not in text_table(nine(), width=100)
    assert '<tbody class="baselines">' not in render_html(nine())


def test_the_forest_draws_them_below_a_rule_and_the_best_across() -> None:
    (before,) = [each for each in figures(nine()) if each.name == "forest-human-satisfaction"]
    (after,) = [each for each in figures(on_the_primary()) if each.name == "forest-human-satisfaction"]
    assert after.drawing.height == before.drawing.height + 50  # two more rows
    assert "Below the line: baselines that ignore the user" in after.caption
    assert "Baselines: floor:best 0.44 [0.42, 0.46]; floor:other" in after.alt
    assert "Below the line" not in before.caption


def test_small_panels_mark_the_best_one() -> None:
    (marked,) = [each for each in figures(with_baselines(nine())) if each.name == "forest-metrics"]
    (plain,) = [each for each in figures(nine()) if each.name == "forest-metrics"]
    assert "Dashed: the best baseline." in marked.caption
    assert "Dashed" not in plain.caption
    dashed = [
        [mark for mark in each.drawing.marks if isinstance(mark, Line) and mark.dashed] for each in (marked, plain)
    ]
    assert list(map(len, dashed)) == [1, 0]


def test_two_systems_stay_head_to_head() -> None:
    page = render_html(with_baselines(two(), 0))
    assert "Head to head" in page


def test_files_hold_them_too() -> None:
    files = csv_files(evaluation_document(on_the_primary()))
    rows = list(csv.DictReader(io.StringIO(files["summary.csv"])))
    (best,) = [row for row in rows if row["system"] == "floor:best"]
    assert (best["value"], best["rank_low"], best["letters"]) == ("0.44", "", "")
    against = [row for row in csv.DictReader(io.StringIO(files["pairs.csv"])) if row["b"] == "floor:best"]
    assert len(against) == 1

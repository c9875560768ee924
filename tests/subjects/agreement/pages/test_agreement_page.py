"""The page about agreement: nothing made up, nothing executable, whatever the names hold."""

import csv
import io
from pathlib import Path

import pytest

from tests.findings.raters import MANIFEST, rated, truth, votes
from tests.records.runs.made import reseal
from trialogue.errors import DataError
from trialogue.findings.resampling import Resampling
from trialogue.render.document import Medium
from trialogue.render.media.files import csv_files
from trialogue.render.media.page import document_page
from trialogue.render.media.terminal import document_text
from trialogue.subjects.agreement.agreement import Plan, agreement
from trialogue.subjects.agreement.pages.document import agreement_document, read_agreement, write_agreement
from trialogue.subjects.agreement.pages.figure import agreement_figures
from trialogue.subjects.agreement.records import AgreementFindings

HOSTILE = "<script>alert(1)</script> 満足 [bold]"


@pytest.fixture(scope="module")
def findings() -> AgreementFindings:
    good, systems = truth(90)
    scores = rated(good, (good > 2.5).astype(float), systems, measure=HOSTILE)
    scores += rated(good[::-1], [None] * 90, systems, measure="length@words|v1")
    plan = Plan(
        baselines=("length@words|v1",),
        group_of=lambda system: "one" if system < "d" else "two",
        resampling=Resampling(0, 50),
    )
    return agreement(scores, votes(good, systems, tie=0.5), title=HOSTILE, data="d", manifest=MANIFEST, plan=plan)


def test_the_page_holds_every_number_and_nothing_that_runs(findings: AgreementFindings) -> None:
    page = document_page(agreement_document(findings))
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "http://www.w3.org" not in page.replace("http://www.w3.org/2000/svg", "")
    for part in (
        "Ratings",
        "Pairwise choices",
        "System rankings",
        "What no measure can exceed",
        "By dataset",
    ):
        assert part in page
    assert document_page(agreement_document(findings)) == page


def test_findings_are_written_with_table_cards_and_figures_and_read_again(
    findings: AgreementFindings, tmp_path: Path
) -> None:
    page = write_agreement(findings, tmp_path)
    assert page.read_text("utf-8") == document_page(agreement_document(findings))
    assert read_agreement(tmp_path) == findings
    assert {path.name for path in tmp_path.iterdir()} == {
        "agreement.html",
        "agreement.json",
        "agreement.csv",
        "validity.json",
        "manifest.json",
        "figures",
    }
    assert (tmp_path / "figures" / "agreement-votes.svg").is_file()
    rows = list(csv.DictReader(io.StringIO((tmp_path / "agreement.csv").read_text("utf-8"))))
    assert {row["kind"] for row in rows} == {"rating", "preference", "ranking", "difference"}
    first = findings.ratings[0].agreed[0].estimate
    assert float(rows[0]["value"]) == first.value


def test_what_counts_as_guesses_and_what_users_say_stands_in_page_table_and_terminal() -> None:
    good, systems = truth(90)
    values = [value if place % 3 else float("nan") for place, value in enumerate(good)]
    raters = [f"p{place // 3}" for place in range(90)]
    result = agreement(
        rated(values, good, systems, raters=raters),
        title="t",
        data="d",
        manifest=MANIFEST,
        plan=Plan(resampling=Resampling(0, 50)),
    )
    pooled = result.ratings[0].get("spearman")
    assert pooled is not None
    headline = f"{pooled.headline.value or 0:.2f}"
    text = document_text(agreement_document(result), width=130)
    assert headline.replace("-", "−") in text
    assert "On these alone" in " ".join(text.split())
    assert "Within users" in " ".join(text.split())
    assert "(reference): not a measure" in text
    page = document_page(agreement_document(result))
    assert "Within users" in page
    assert "On these alone" in page
    assert "(reference)" in page.replace("<wbr>", "")
    rows = list(csv.DictReader(io.StringIO(csv_files(agreement_document(result))["agreement.csv"])))
    [row] = [row for row in rows if (row["kind"], row["statistic"], row["scope"]) == ("rating", "spearman", "pooled")]
    assert (float(row["value"]), float(row["unpenalised"])) == (pooled.headline.value, pooled.estimate.value)
    assert {row["scope"] for row in rows if row["kind"] == "rating"} == {"pooled", "within", "within_users", "between"}
    assert any(row["kind"] == "reference" for row in rows)


def test_measures_without_agreement_come_last_and_not_as_if_it_were_zero() -> None:
    good, systems = truth(90)
    scores = rated(good[::-1], good, systems, measure="backwards@probe|v1")
    scores += rated([1.0] * 90, [None] * 90, systems, measure="constant@probe|v1")
    plan = Plan(resampling=Resampling(0, 50))
    document = agreement_document(agreement(scores, title="t", data="d", manifest=MANIFEST, plan=plan))
    (table,) = [each for each in document.tables if each.label.startswith("Agreement, ")]
    rows = table.cells(Medium.PAGE).texts
    assert rows[0][1].startswith("−")
    assert [row[0] for row in rows] == ["backwards@probe|v1", "constant@probe|v1"]
    assert rows[1][1].startswith("— (")


def test_an_empty_file_of_findings_is_refused(tmp_path: Path) -> None:
    (tmp_path / "agreement.json").write_text("")
    reseal(tmp_path)
    with pytest.raises(DataError, match=r"agreement.json: .*Run trialogue agree again"):
        read_agreement(tmp_path)


def test_figures_mark_baselines_and_chance(findings: AgreementFindings) -> None:
    ratings, chosen = agreement_figures(findings)
    assert "chance (0.5)" in ratings.caption
    assert "Hollow: trivial baselines" in ratings.caption
    assert "kappa" in chosen.caption
    assert ratings.alt.startswith("Agreement with people's satisfaction, dialogues: ")


@pytest.mark.parametrize("width", [20, 80, 200])
def test_the_terminal_gets_a_table_of_any_width(findings: AgreementFindings, width: int) -> None:
    text = document_text(agreement_document(findings), width=width)
    assert "a trivial baseline that any useful measure must beat" in " ".join(text.split())
    assert "[bold]" in text.replace("\n", "") or "bold" in text


def test_findings_of_nothing_make_a_page_too() -> None:
    nothing = agreement([], title="t", data="d", manifest=MANIFEST)
    assert "Agreement between measures and people cannot be computed" in document_page(agreement_document(nothing))
    assert "Agreement between measures and people cannot be computed" in document_text(agreement_document(nothing))

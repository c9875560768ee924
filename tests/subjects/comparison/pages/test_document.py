"""Comparisons as annotations, XML and Markdown: nothing breaks out, only what decides fails."""

import re
import xml.etree.ElementTree as ET

import pytest

from trialogue.findings.threat import Severity, Threat, ThreatCode, Validity
from trialogue.records import Estimate, Interval
from trialogue.render.media.papers import document_markdown
from trialogue.subjects.comparison.pages.ci import github_annotations, junit_xml
from trialogue.subjects.comparison.pages.document import level_of, pull_request_document
from trialogue.subjects.comparison.records import ChangedUnit, Comparison, Light, MeasureComparison

NASTY = 'a|b <script>%\n::error::x "q" \x00&'


def judgement(light: Light, *, decides: bool, name: str = "turns") -> MeasureComparison:
    interval = Interval(low=-0.3, high=-0.1, method="normal")
    difference = Estimate(value=-0.2, interval=interval, p=0.01)
    return MeasureComparison(
        measure=name, title=name.title(), light=light, difference=difference, p_adjusted=0.02, decides=decides
    )


def comparison_markdown(found: Comparison) -> str:
    return document_markdown(pull_request_document(found))


def compared(light: Light = "worse", *judgements: MeasureComparison, name: str = "v2", **more: object) -> Comparison:
    made = Comparison(before="v1", after=name, light=light, answer=(f"{name} is {light}.",), judgements=judgements)
    return made.model_copy(update=more)


@pytest.mark.parametrize(
    ("light", "level"),
    [("worse", "error"), ("no verdict", "error"), ("inconclusive", "warning"), ("not worse", "notice")],
)
def test_the_verdict_is_an_annotation_as_serious_as_it_is(light: Light, level: str) -> None:
    assert github_annotations(compared(light)).startswith(f"::{level} title=v2%2C compared with v1%3A {light}::v2 is ")


def test_a_conditional_verdict_is_never_green() -> None:
    assert level_of("better", Validity.CONDITIONAL) == "warning"
    assert "🟡" in comparison_markdown(compared("better", validity=Validity.CONDITIONAL))


def test_an_annotation_is_one_line_whatever_the_names_hold() -> None:
    lines = github_annotations(compared("worse", name=NASTY)).split("\n")
    assert len(lines) == 1
    title = lines[0].removeprefix("::error title=").partition("::")[0]
    assert title.endswith("compared with v1%3A worse")  # what stands in a name does not end the title
    assert "%0A" in title


def test_only_what_decides_can_fail() -> None:
    root = ET.fromstring(
        junit_xml(compared("worse", judgement("worse", decides=True), judgement("worse", decides=False, name="length")))
    )
    (suite,) = root
    assert suite.attrib["tests"] == "3"
    failed = [case.attrib["name"] for case in suite if case.find("failure") is not None]
    assert failed == ["v2, compared with v1: worse", "Turns"]
    assert suite.attrib["failures"] == "2"
    failure = suite.find("testcase/failure[@type='worse']")
    assert failure is not None
    assert failure.attrib["message"].startswith("worse: ")


def test_a_measure_beside_the_verdict_that_cannot_be_judged_is_skipped() -> None:
    (suite,) = ET.fromstring(junit_xml(compared("better", judgement("no verdict", decides=False))))
    assert (suite.attrib["failures"], suite.attrib["skipped"]) == ("0", "1")


def test_xml_holds_names_that_xml_cannot() -> None:
    assert ET.fromstring(junit_xml(compared("worse", judgement("worse", decides=True, name=NASTY)))) is not None


def test_a_table_in_markdown_keeps_its_columns_and_makes_no_html() -> None:
    text = comparison_markdown(compared("worse", judgement("worse", decides=True, name=NASTY), name=NASTY))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}
    assert "<script" not in text.lower()


def test_what_lost_most_and_what_speaks_against_it_are_in_the_comment() -> None:
    moved = (ChangedUnit(measure="turns", unit="talk-7", before=1, after=0),)
    threat = Threat(code=ThreatCode.INVENTED_RATERS, severity=Severity.DEMOTES, measure="human:satisfaction")
    text = comparison_markdown(compared("worse", judgement("worse", decides=True), moved=moved, threats=(threat,)))
    assert "| talk-7 | Turns | 1 | 0 |" in text
    assert "invented" in text

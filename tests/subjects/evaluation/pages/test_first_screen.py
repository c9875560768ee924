"""The first screen: the answer with its size, what speaks against it, a small table, one picture; all else is folded."""

import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser

import pytest

from tests.render.made import ALL, many, nine
from trialogue.findings import Findings, Statement, StatementKind
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.gate import gate_leagues
from trialogue.render.document import Table
from trialogue.render.measures import FEW
from trialogue.render.plots.base import Figure
from trialogue.subjects.evaluation.pages.document import MAX_THREATS, evaluation_document
from trialogue.subjects.evaluation.pages.first_screen import BEST, GAP
from trialogue.subjects.evaluation.pages.write import render_html

MAX_WORDS = 900
ANY: dict[str, Callable[[], Findings]] = {
    **ALL,
    "many": lambda: many(11, metrics=8),
    "sixty": lambda: many(60, metrics=4),
}


@cache
def made(name: str) -> Findings:
    return ANY[name]()


@cache
def page_of(name: str) -> str:
    return render_html(made(name))


def first_table(findings: Findings) -> Table[str]:
    (table,) = (part for part in evaluation_document(findings).first if isinstance(part, Table))
    return table


class Visible(HTMLParser):
    """The text that a page shows before anything is opened: without the inside of ``details``, styles and hidden texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self._open: list[tuple[str, bool]] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        hidden = tag in ("style", "head", "title", "desc") or ("class", "unseen") in attrs
        shut = tag != "summary" and bool(self._open) and self._open[-1][0] == "details"
        if tag not in ("meta", "link", "wbr", "br", "img"):
            self._open.append((tag, hidden or shut))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not any(hidden for _, hidden in self._open):
            self.text.append(data)

    @property
    def words(self) -> list[str]:
        return " ".join(self.text).split()


@pytest.mark.parametrize("name", ANY)
def test_at_most_900_words_are_seen_before_anything_is_opened(name: str) -> None:
    assert 20 < len(Visible(page_of(name)).words) <= MAX_WORDS


def test_what_is_folded_is_not_counted_as_seen() -> None:
    page = "<p>one two</p><details><summary>three</summary><p>four <b>five</b></p></details><style>six</style> seven"
    assert Visible(page).words == ["one", "two", "three", "seven"]


@pytest.mark.parametrize("name", ANY)
def test_the_table_has_at_most_five_columns_and_the_measure_that_decides_among_them(name: str) -> None:
    findings = made(name)
    columns = first_table(findings).columns[1:]
    assert len(columns) <= FEW == 4
    if findings.primary is not None:
        title = evaluation_document(findings).titles[findings.primary]
        assert title in [column.head.rstrip("↑↓ ") for column in columns]


def test_of_sixty_systems_the_best_and_the_worst_are_shown_and_the_gap_is_counted() -> None:
    findings = made("sixty")
    rows = [row for row in first_table(findings).rows if row != BEST]
    (decisive,) = [league for league in findings.leagues if league.measure.name == findings.primary]
    order = [standing.system for standing in decisive.standings]
    assert rows == [*order[:7], GAP, *order[-3:]]
    assert "50 more systems" in " ".join(Visible(page_of("sixty")).words)


def test_the_first_verdict_stands_with_what_limits_it_and_the_next_verdict_is_folded() -> None:
    kinds = (StatementKind.VERDICT, StatementKind.BASELINE, StatementKind.VERDICT, StatementKind.SCOPE)
    said = tuple(Statement(kind_of=kind, text=f"Sentence {number}.") for number, kind in enumerate(kinds))
    document = evaluation_document(nine().model_copy(update={"answer": said}))
    assert document.answer == ["Sentence 0.", "Sentence 1."]
    assert document.further == ["Sentence 2.", "Sentence 3."]


def test_nothing_of_the_answer_is_lost() -> None:
    findings = nine()
    document = evaluation_document(findings)
    assert [*document.answer, *document.further] == [each.text for each in findings.answer]


def test_the_threats_to_the_answer_are_few_and_the_others_are_counted() -> None:
    for name in ANY:
        assert len(evaluation_document(made(name)).against) <= MAX_THREATS + 1


def test_a_firm_verdict_says_that_no_threat_concerns_it_and_any_other_does_not() -> None:
    """Else "what speaks against it?" is left open on the first screen."""
    cleared = "None of the threats to validity that were checked"
    findings = nine()
    assert cleared in render_html(findings)
    threats = [
        Threat(code=code, severity=severity, measure=measure, facts={"clusters": 4})
        for code, severity in ((ThreatCode.FEW_CLUSTERS, Severity.DEMOTES), (ThreatCode.FEW_CLUSTERS, Severity.BLOCKS))
        for measure in (None, findings.primary)
    ]
    for each in threats:
        leagues = gate_leagues(findings.leagues, [each])
        threatened = findings.model_copy(update={"leagues": leagues, "threats": (each,)})
        assert cleared not in render_html(threatened)
    noted = Threat(code=ThreatCode.NO_PROTOCOL, severity=Severity.NOTES)
    assert cleared in render_html(findings.model_copy(update={"threats": (noted,)}))


def test_without_any_value_there_is_no_picture_but_a_page() -> None:
    findings = nine().model_copy(update={"leagues": (), "votes": None, "primary": None})
    assert not [part for part in evaluation_document(findings).first if isinstance(part, Figure)]
    assert re.search(r"<h1>", render_html(findings))


def test_several_sides_have_one_column_each_people_all_and_one_side_alone_fills_the_table() -> None:
    judged = nine()
    metrics = [league for league in judged.leagues if league.measure.by == "metric"]
    alone = judged.model_copy(update={"leagues": tuple(metrics), "votes": None, "primary": metrics[0].measure.name})
    assert [column.unit for column in first_table(alone).columns[1:]] == ["Metrics"] * 4
    sides = [column.unit for column in first_table(judged).columns[1:]]
    assert sides == ["People", "People", "Metrics"]  # ratings and votes

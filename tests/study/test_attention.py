"""What is recorded of somebody's work becomes rules that exclude from the analysis, and never a reason to refuse payment."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.study.walking import answers, entered, now_at, running, walk
from trialogue.errors import DataError
from trialogue.study.design.checks import Evidence, flags_of, most_alike, time_away
from trialogue.study.design.reading import study_of
from trialogue.study.design.validity import Attention
from trialogue.study.export import export_study
from trialogue.study.models import Participant, Study
from trialogue.study.pages.steps import KINDS, parse_events
from trialogue.study.services import leaving, steps
from trialogue.subjects.people.commands.report import study_findings

FILE: dict[str, Any] = {
    "study": "s",
    "title": "T",
    "type": "preference",
    "phases": ["tasks", "exit"],
    "attention": {"checks": 0, "min_minutes": 2, "same_text_at_most": 2, "allowed_pastes": 1, "away_at_most": 0.25},
}
CALM = Evidence(0, (60.0, 61.0), (1, 2, 3), ("It fits.", "Better grammar."), 1, 0.25)
EVENTS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 10**6)), max_size=30)


@pytest.mark.parametrize(("changes", "rules"), [
    ({}, []),
    ({"seconds": (59.0, 60.0)}, ["too_short"]),  # 119 s of 120
    ({"seconds": ()}, []),  # nothing is known
    ({"texts": ("It fits.", "it  fits", "IT FITS!")}, ["same_text"]),
    ({"texts": ("", "", "", " ")}, []),  # no words are no text
    ({"pastes": 2}, ["pasted"]),
    ({"away": 0.26}, ["away"]),
    ({"away": None}, []),  # a browser without JavaScript tells nothing
])  # fmt: skip
def test_a_rule_holds_beyond_the_limit_that_the_study_file_gives(changes: dict[str, Any], rules: list[str]) -> None:
    evidence = Evidence(**{**CALM.__dict__, **changes})
    assert flags_of(evidence, study_of(FILE)) == rules


def test_a_rule_that_could_never_hold_is_refused() -> None:
    with pytest.raises(DataError, match="too_short never applies: set min_minutes in attention"):
        study_of({**FILE, "exclusion": ["too_short"], "attention": {"checks": 0}})
    assert Attention().min_minutes == 0


@given(EVENTS)
def test_nobody_is_elsewhere_for_longer_than_a_page_is_open(events: list[tuple[str, int]]) -> None:
    away, whole = time_away(events)
    assert 0 <= away <= whole == max((at for _, at in events), default=0)


@pytest.mark.parametrize(("events", "away"), [
    ([("blur", 100), ("focus", 400), ("blur", 500), ("focus", 600), ("submit", 1000)], 400),  # 300 + 100
    ([("hidden", 200), ("submit", 1000)], 800),  # never seen to come back
    ([("focus", 0), ("visible", 10), ("submit", 1000)], 0),  # came without having left
    ([("blur", 100), ("blur", 200), ("focus", 300), ("submit", 1000)], 200),  # left once, told twice
])  # fmt: skip
def test_time_elsewhere_is_from_leaving_to_coming_back(events: list[tuple[str, int]], away: int) -> None:
    assert time_away(events) == (away, 1000)


def test_most_alike_counts_the_commonest() -> None:
    assert most_alike(["a", "A.", "b", "b!", "b"]) == 3
    assert most_alike([]) == 0


def careless(study: Study) -> Participant:
    """Somebody who pastes the same sentence into every task, from another window."""
    person = entered(study)
    walk(person, until="task")
    while (step := now_at(person)).key != "exit":
        events = parse_events('[["blur", 500], ["focus", 9000], ["paste", 9100], ["submit", 10000]]')
        posted = answers(step, {"why": "The first is best."})
        assert steps.submit(person, step.token, posted, events=events).kind == "stored"
        person.refresh_from_db()
    person.refresh_from_db()
    return person


def careful(study: Study) -> None:
    """Somebody who has something to say of each task."""
    person = entered(study)
    walk(person, until="task")
    while (step := now_at(person)).key != "exit":
        posted = answers(step, {"why": f"Of {step.key} I think this."})
        assert steps.submit(person, step.token, posted).kind == "stored"


@pytest.mark.usefixtures("store")
def test_evidence_excludes_where_the_file_said_so_before_and_payment_is_due_all_the_same(tmp_path: Path) -> None:
    rules = ["same_text", "pasted", "away"]
    study = running(
        items=4,
        raters_per_item=3,
        items_per_participant=4,
        exclusion=rules,
        replace_excluded=True,
        questions=[{"name": "why", "question": "Why?", "text": {"lines": 3}}],
    )
    person = careless(study)
    assert set(rules) <= set(person.flags)
    assert leaving.outcome_of(person) == "completed"  # and not failed_check
    assert set(person.assignments.values_list("state", flat=True)) == {"replaced"}
    for _ in range(3):
        careful(study)
    export_study(study, tmp_path / "export", who="test")
    findings = study_findings(tmp_path / "export")
    assert findings.flow is not None
    assert {rule.rule: (rule.planned, rule.participants) for rule in findings.flow.rules} == dict.fromkeys(
        rules, (True, 1)
    )
    assert (findings.flow.excluded, findings.flow.analysed) == (1, 3)
    meanings = {rule.rule: rule.meaning for rule in findings.flow.rules}
    assert meanings["away"] == "was in another tab or window for more than 50% of the time spent on items"
    messages = " ".join(row.model_dump_json() for row in findings.ratings[0].sensitivity)
    assert all(rule in messages for rule in rules)

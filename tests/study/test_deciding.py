"""Staff decide about pay and about the analysis apart; the report names what was done by hand, and why."""

import csv
from decimal import Decimal
from pathlib import Path

import pytest

from tests.study.walking import entered, running, walk
from trialogue.inputs.study_data import countable_participants
from trialogue.inputs.study_files import read_export
from trialogue.study.export import export_study
from trialogue.study.models import Audit, Decision, Participant
from trialogue.study.services import leaving
from trialogue.study.services.deciding import Standing, decide, standing_of, standings
from trialogue.subjects.people.commands.report import study_findings

pytestmark = pytest.mark.usefixtures("store")
KINDS = Decision.Kind
WHY = "Told us by mail that a script had answered"


def done() -> Participant:
    """Somebody who completed a study."""
    person = entered(running())
    walk(person)
    return Participant.objects.get(pk=person.pk)


def test_the_last_word_about_pay_counts_and_bonuses_add_up() -> None:
    person = done()
    assert decide(person, KINDS.REFUSE, who="ann", reason="Failed both checks") == ""
    assert decide(person, KINDS.ACCEPT, who="zoe") == ""
    for amount in ("1.50", "0.25"):
        assert decide(person, KINDS.BONUS, who="zoe", amount=Decimal(amount)) == ""
    assert standings([person])[person.pk] == Standing("accept", "", Decimal("1.75"), "")
    assert Audit.objects.filter(what__startswith="decided").count() == Decision.objects.count() == 4


@pytest.mark.parametrize(
    ("kind", "reason", "amount", "wrong"),
    [
        (KINDS.REFUSE, " ", None, "reason"),
        (KINDS.EXCLUDE, "no", None, "reason"),
        (KINDS.READMIT, "", None, "not_excluded"),
        (KINDS.BONUS, "", None, "amount"),
        (KINDS.BONUS, "", Decimal(0), "amount"),
        (KINDS.BONUS, "", Decimal("NaN"), "amount"),
        (KINDS.BONUS, "", Decimal(100_000), "amount"),
    ],
)
def test_what_cannot_be_decided_changes_nothing(
    kind: Decision.Kind, reason: str, amount: Decimal | None, wrong: str
) -> None:
    assert decide(done(), kind, who="ann", reason=reason, amount=amount) == wrong
    assert not Decision.objects.exists()
    assert not Audit.objects.filter(what__startswith="decided").exists()


def test_nothing_is_decided_about_pay_of_who_is_at_work_or_about_who_left() -> None:
    person = entered(running())
    assert decide(person, KINDS.ACCEPT, who="ann") == "at_work"
    assert decide(person, KINDS.EXCLUDE, who="ann", reason=WHY) == ""
    assert decide(person, KINDS.EXCLUDE, who="ann", reason=WHY) == "excluded"
    leaving.withdraw(person)
    assert not Decision.objects.exists()  # a reason may say something about them
    assert decide(person, KINDS.EXCLUDE, who="ann", reason=WHY) == "withdrew"


def test_who_is_excluded_by_hand_is_left_out_and_the_report_names_the_reason(tmp_path: Path) -> None:
    study = running(items=4, raters_per_item=4, items_per_participant=4)
    people = [entered(study) for _ in range(4)]
    for person in people:
        walk(person)
    export_study(study, tmp_path / "before", who="test")
    assert "by_hand" not in (tmp_path / "before" / "participants.csv").read_text()
    assert decide(people[0], KINDS.EXCLUDE, who="ann", reason=f"  {WHY}\n") == ""
    export_study(study, tmp_path / "after", who="test")
    rows = list(csv.DictReader((tmp_path / "after" / "participants.csv").read_text().splitlines()))
    assert [row["by_hand"] for row in rows] == [WHY, "", "", ""]
    data, _ = read_export(tmp_path / "after")
    assert countable_participants(data.people, data.rules) == frozenset(person.code for person in people[1:])
    findings = study_findings(tmp_path / "after")
    assert findings.flow is not None
    assert (findings.flow.excluded, findings.flow.analysed) == (1, 3)
    assert any("were excluded by rules fixed before launch or by hand (1 by hand)" in each for each in findings.methods)
    assert any(f"no rule had named before launch: {WHY} (1)" in each for each in findings.methods)
    names = [row.name for row in findings.ratings[0].sensitivity]
    assert "Planned without: excluded by hand" in names
    assert decide(people[0], KINDS.READMIT, who="ann") == ""
    assert standing_of(people[0].decisions.all()).by_hand == ""
    export_study(study, tmp_path / "after", who="test")
    assert (tmp_path / "after" / "participants.csv").read_bytes() == (
        tmp_path / "before" / "participants.csv"
    ).read_bytes()

"""What the dashboard counts, and what the lists hold."""

from collections import Counter

import pytest
from django.utils import translation

from trialogue.records import Reason, ReasonCode
from trialogue.study.staff.dashboard import alpha_so_far, kappa_of_two
from trialogue.study.staff.evidence import Session, findings


def test_agreement_is_undefined_until_something_was_judged_twice() -> None:
    assert alpha_so_far([("i1", "p1", 3), ("i2", "p2", 4)], level="ordinal").why == Reason.of(
        ReasonCode.NOTHING_JUDGED_TWICE_YET
    )


def test_agreement_counts_what_was_judged_twice() -> None:
    given = [("i1", "p1", 1), ("i1", "p2", 1), ("i2", "p1", 5), ("i2", "p3", 5), ("i3", "p3", 2)]
    estimate = alpha_so_far(given, level="ordinal")
    assert (estimate.value, estimate.n) == (1.0, 2)


def test_two_coders_agree_beyond_chance_on_what_both_coded() -> None:
    first = {"a": "y", "b": "y", "c": "n", "d": "n", "e": "y"}
    second = {"a": "y", "b": "n", "c": "n", "d": "n"}
    assert kappa_of_two(first, second).value == 0.5  # p_o = 3/4, p_e = (2*1 + 2*3)/16 = 1/2
    assert kappa_of_two(first, {}).value is None


@pytest.mark.parametrize(
    ("language", "times", "lines"),
    [
        ("en", 1, ["failed the attention check", "left the page once"]),
        ("en", 2, ["failed 2 of 2 attention checks", "left the page 2 times"]),
        ("de", 1, ["die Aufmerksamkeitsprüfung nicht bestanden", "einmal die Seite verlassen"]),
        ("de", 2, ["2 von 2 Aufmerksamkeitsprüfungen nicht bestanden", "2-mal die Seite verlassen"]),
    ],
)
def test_evidence_counts_in_the_singular_and_the_plural(language: str, times: int, lines: list[str]) -> None:
    failed = Counter(attention=times)
    session = Session(failed=failed, checked=failed.copy(), events=Counter(hidden=times))
    with translation.override(language):
        assert [each.text for each in findings(session)] == lines

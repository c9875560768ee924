"""Labels of utterances, and who took part."""

import numpy as np
import pytest

from tests.subjects.people.made import participants
from trialogue.errors import DataError
from trialogue.inputs.study_data import Label, Participant, countable_participants
from trialogue.stats import krippendorff_alpha
from trialogue.subjects.people import analyse_labels
from trialogue.subjects.people.participants import flow


def labels(rows: list[tuple[str, ...]]) -> list[Label]:
    """Labels of utterances of one dialogue, one column an annotator."""
    return [
        Label(f"d{place // 3}", place, f"r{rater}", label)
        for place, row in enumerate(rows)
        for rater, label in enumerate(row)
    ]


ROWS: list[tuple[str, ...]] = [("a", "a"), ("a", "b"), ("b", "b"), ("c", "c"), ("a", "a"), ("b", "c"), ("c", "c")]


def test_agreement_is_that_of_the_table() -> None:
    found = analyse_labels(labels(ROWS))
    assert found.agreement[0].estimate.value == pytest.approx(krippendorff_alpha(ROWS, level="nominal").value)
    assert (found.utterances, found.annotators, found.disputed, found.undecided) == (7, 2, 2, 2)
    assert found.confusions == (("a", "b", 1), ("b", "c", 1))


def test_an_adjudicator_has_the_final_say() -> None:
    found = analyse_labels([*labels(ROWS), Label("d0", 1, "chief", "b", "adjudicator")])
    assert (found.adjudicated, found.undecided) == (1, 1)
    assert {one.label: one.count for one in found.classes} == {"a": 2, "b": 2, "c": 2}


def test_a_majority_decides() -> None:
    found = analyse_labels(labels([("a", "a", "b"), ("b", "c", "a")]))
    assert found.undecided == 1
    assert {one.label: one.count for one in found.classes if one.count} == {"a": 1}


def test_a_label_given_twice_is_refused() -> None:
    with pytest.raises(DataError, match="labelled utterance 0"):
        analyse_labels([Label("d", 0, "r", "a"), Label("d", 0, "r", "b")])


def test_one_annotator_agrees_with_nobody() -> None:
    found = analyse_labels(labels([("a",), ("b",)]))
    assert found.agreement[0].estimate.value is None
    assert found.warnings


def test_no_labels_are_no_findings() -> None:
    assert analyse_labels([]).utterances == 0


def test_the_flow_counts_everybody_once() -> None:
    people = participants(10, flagged=(1, 2))
    answered = {person.participant for person in people[:10]} | {"Q4"}
    found = flow(people, {"failed_attention": "x"}, answered, rng=np.random.default_rng(0))
    assert found is not None
    assert found.reached == {"arrived": 14, "consented": 13, "screened": 12, "active": 12, "completed": 10}
    assert sum(loss.count for loss in found.losses) == 4
    assert (found.excluded, found.analysed) == (2, 8)
    assert found.minutes is not None
    assert found.minutes.value == pytest.approx(12)  # 10 + the median of 0 to 6 and 0 to 2


def test_those_with_answers_were_active() -> None:
    person = Participant(participant="P1", state="returned")
    assert person.furthest({"P1"}) == "active"
    assert person.furthest(set()) == "arrived"


def test_only_planned_rules_exclude_and_withdrawn_people_never_count() -> None:
    people = [
        Participant(participant="P1", state="completed", flags=("fast",)),
        Participant(participant="P2", state="completed", flags=("failed",)),
        Participant(participant="P3", state="withdrew"),
        Participant(participant="P4", state="active"),
    ]
    assert countable_participants(people, {"failed": ""}) == frozenset({"P1"})
    assert countable_participants(people, None) == frozenset()
    assert countable_participants(people, {"failed": ""}, only=("fast",)) == frozenset({"P2"})
    assert countable_participants(people, {}, only=(), unfinished=True) == frozenset({"P1", "P2", "P4"})
    assert countable_participants([], {}) is None

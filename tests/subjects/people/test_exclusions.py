"""The same analysis under other exclusions."""

import numpy as np
import pytest

from tests.subjects.people.made import judged
from trialogue.inputs.study_data import Participant
from trialogue.records import Preference
from trialogue.subjects.people import analyse_preferences, analyse_realism
from trialogue.subjects.people.exclusions import EVERY, PLANNED, scenarios
from trialogue.subjects.people.records import ChoiceFindings, ChoiceSensitivity

RULES = {"failed": "failed a check", "fast": "too fast", "never": "hit by nobody"}
MAIN_ROWS = 3  # planned, none, none with unfinished people


def person(number: int, *flags: str, state: str = "completed") -> Participant:
    """One participant."""
    return Participant.model_validate({"participant": f"P{number}", "state": state, "flags": flags})


def chosen(number: int, side: str, *, a: str = "x", b: str = "y", rater: int | None = None) -> Preference:
    """A choice by a person of its own, in a situation of its own."""
    who = number if rater is None else rater
    return Preference.model_validate(
        {"id": str(number), "a": a, "b": b, "choice": side, "rater": f"P{who}", "situation_id": f"s{number}"}
    )


@pytest.fixture(scope="module")
def study() -> ChoiceFindings:
    """Eight people for x; six who failed, and six who were fast, for y; four flagged `odd`; one unfinished, one withdrew."""
    people = [person(n, *(["odd"] if n < 4 else [])) for n in range(8)]
    people += [person(n, "failed") for n in range(8, 14)] + [person(n, "fast") for n in range(14, 20)]
    people += [person(20, state="timed_out"), person(21, state="withdrew")]
    given = [chosen(n, "a" if n < 8 else "b") for n in range(22)]
    return analyse_preferences(given, people=people, rules=RULES)


def rows(found: ChoiceFindings) -> dict[str, ChoiceSensitivity]:
    """By name."""
    return {row.name: row for row in found.sensitivity}


def test_wins_are_counted_anew_for_those_who_are_left(study: ChoiceFindings) -> None:
    """8 for x; 6 for y failed, 6 were fast, 1 did not finish; 4 of those for x are odd."""
    counts = {name: (row.pairs[0].wins, row.pairs[0].losses) for name, row in rows(study).items()}
    assert counts == {
        PLANNED: (8, 0),
        "No exclusions, unfinished participants included": (8, 13),
        "No exclusions": (8, 12),
        "Planned without: failed": (8, 6),
        "Planned without: fast": (8, 6),
        "Planned without: never": (8, 0),
        "Only: failed": (8, 6),
        "Only: fast": (8, 6),
        "Only: never": (8, 12),
        "Only: odd": (4, 12),
        EVERY: (4, 0),
    }
    assert all(row.participants == row.judgements for row in study.sensitivity)


def test_the_side_named_first_stays_first_even_where_it_loses(study: ChoiceFindings) -> None:
    assert {(row.pairs[0].a, row.pairs[0].b) for row in study.sensitivity} == {("x", "y")}
    loses = rows(study)["No exclusions"].pairs[0]
    assert loses.decisive.value == 8 / 20
    assert (loses.p_by_rater or 0) == pytest.approx(0.503, abs=0.02)  # 2 * P(X <= 8), X ~ binomial(20, 1/2)


def test_verdicts_follow_the_people_who_are_left(study: ChoiceFindings) -> None:
    assert rows(study)[PLANNED].pairs[0].verdict == "a"  # 2 / 2^8 = .008
    assert rows(study)[EVERY].pairs[0].p == 2 / 2**4
    assert rows(study)[EVERY].pairs[0].verdict == "inconclusive"


def test_the_main_row_is_the_main_analysis(study: ChoiceFindings) -> None:
    main = study.sensitivity[0]
    assert (main.main, main.name, main.pairs) == (True, PLANNED, study.pairs)
    assert not any(row.main for row in study.sensitivity[1:])
    assert rows(study)["Planned without: never"].pairs == main.pairs


def test_realism_repeats_the_shares_of_every_simulator() -> None:
    rng = np.random.default_rng(0)
    given = [
        one.model_copy(update={"rater": f"P{place % 9}"})
        for place, one in enumerate([*judged(rng, pairs=9), *judged(rng, pairs=9, simulator="b")])
    ]
    given += judged(rng, pairs=9, simulator="mute", explained=False)
    found = analyse_realism(given, people=[person(n, *(["failed"] if n < 3 else [])) for n in range(9)], rules=RULES)
    main, _, everybody, *_ = found.sensitivity
    assert [(pair.a, pair.b, pair.group) for pair in main.pairs] == [("b", "human", ""), ("sim", "human", "")]
    assert (main.judgements, everybody.judgements) == (36, 54)
    for pair in everybody.pairs:
        assert (pair.wins + pair.losses + pair.ties, pair.items) == (27, 9)
        assert sum(share.value or 0 for share in pair.shares.values()) == pytest.approx(1)
        assert all(share.interval for share in pair.shares.values())
    alone = analyse_realism([one for one in given if one.reason])
    assert everybody.pairs == tuple(pair for pair in alone.pairs if not pair.group)


def test_a_pair_that_loses_its_judgements_is_missing_and_nobody_left_is_said() -> None:
    given = [chosen(n, "a") for n in range(6)] + [chosen(n, "a", b="z") for n in range(6, 9)]
    people = [person(n, "odd") for n in range(6, 9)] + [person(n, "fishy") for n in range(6)]
    found = rows(analyse_preferences(given, people=people, rules={}))
    assert [(pair.a, pair.b) for pair in found["Only: odd"].pairs] == [("x", "y")]
    assert (found[EVERY].judgements, found[EVERY].pairs) == (0, ())
    assert "no judgements are left" in str(found[EVERY].why)


def test_without_participants_or_pairs_nothing_is_repeated() -> None:
    assert analyse_preferences([chosen(1, "a")]).sensitivity == ()
    assert analyse_preferences([chosen(1, "a")], people=[person(1, "failed")]).sensitivity == ()


def test_what_comes_to_the_same_rules_is_listed_once() -> None:
    people = [person(1, "failed"), person(2, "fast")]
    assert scenarios([], RULES) == ()
    assert len(scenarios(people, {})) == MAIN_ROWS + 3  # each flag, and both
    assert len(scenarios(people, {"failed": ""})) == MAIN_ROWS + 2  # the exploratory flag, and both
    assert len(scenarios(people, None)) == MAIN_ROWS + 2  # all planned: without either is the other one alone
    assert [one.name for one in scenarios(people, None)][3:] == ["Planned without: failed", "Planned without: fast"]

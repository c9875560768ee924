"""Baselines are yardsticks: never ranked, never tested against each other, distinguished from systems in every sentence."""

from collections.abc import Mapping
from itertools import combinations

import pytest

from trialogue.findings import League, Measure, StatementKind
from trialogue.findings.league import leagues
from trialogue.findings.records import Noted
from trialogue.findings.systems.answer import answer, texts_of
from trialogue.findings.systems.beside import baseline_methods, baseline_sections
from trialogue.metrics import get_card
from trialogue.records import Estimate, Interval, Level, Role, Score

SURE, OPEN = 0.0001, 0.4
BASELINES = ("one", "two")


def score(level: Level, system: str, value: float, versus: str | None = None, p: float | None = None) -> Score:
    interval = Interval(low=value - 0.05, high=value + 0.05, method="made")
    role, versus_role = (Role.BASELINE if name in BASELINES else Role.SYSTEM for name in (system, versus))
    return Score(
        role=role,
        versus_role=versus_role,
        measure="m@x|v1",
        level=level,
        system=system,
        versus=versus,
        value=value,
        interval=interval,
        n=9,
        clusters=9,
        p=p,
    )


def league(values: Mapping[str, float], sure: set[frozenset[str]], *, better: str = "higher") -> League:
    scores = [score("system", system, value) for system, value in values.items()]
    for a, b in combinations(values, 2):
        scores.append(score("difference", a, values[a] - values[b], b, SURE if frozenset((a, b)) in sure else OPEN))
    measure = {"name": "m@x|v1", "title": "Merit", "by": "metric", "better": better, "unit": "share"}
    (found,) = leagues(scores, [Measure.model_validate(measure)])
    return found


def pairs(*given: str) -> set[frozenset[str]]:
    return {frozenset(each.split("/")) for each in given}


VALUES = {"a": 0.5, "b": 0.3, "one": 0.2, "two": 0.35}


def test_baselines_stand_apart_from_standings_ranks_and_pairs() -> None:
    found = league(VALUES, pairs("a/b", "a/two", "one/two"))
    assert [each.system for each in found.standings] == ["a", "b"]
    assert [(each.rank_low, each.rank_high) for each in found.standings] == [(1, 1), (2, 2)]
    assert [each.system for each in found.baselines] == ["two", "one"]
    assert {each.rank_low for each in found.baselines} == {None}
    assert [(each.a, each.b) for each in found.contrasts] == [("a", "b")]
    assert found.contrasts[0].p_adjusted == SURE  # one pair of systems: there is nothing to correct for


def test_each_system_is_distinguished_from_the_best_baseline_corrected_over_systems() -> None:
    found = league(VALUES, pairs("a/two", "b/two"))
    assert [(each.a, each.b, each.verdict) for each in found.above_baseline] == [
        ("a", "two", "a"),
        ("b", "two", "b"),
    ]
    assert {each.p_adjusted for each in found.above_baseline} == {2 * SURE}


def test_a_difference_that_was_measured_the_other_way_round_is_turned() -> None:
    found = league({"one": 0.2, "z": 0.6}, pairs("one/z"))
    (only,) = found.above_baseline
    assert (only.a, only.b, only.verdict) == ("z", "one", "a")
    assert only.difference.value == pytest.approx(0.4)
    assert only.difference.interval is not None
    assert only.difference.interval.low == pytest.approx(0.35)


def test_where_lower_is_better_the_lowest_baseline_is_the_best() -> None:
    found = league(VALUES, pairs("a/one"), better="lower")
    assert found.baselines[0].system == "one"
    assert found.above_baseline[0].verdict == "b"


def test_what_ranks_nothing_has_baselines_and_no_verdicts() -> None:
    found = league(VALUES, set(), better="neither")
    assert len(found.baselines) == 2
    assert found.above_baseline == ()


def test_baselines_alone_are_what_is_compared() -> None:
    found = league({"one": 0.2, "two": 0.3}, set())
    assert [each.system for each in found.standings] == ["two", "one"]
    assert found.baselines == ()


ALL = pairs("a/two", "b/two")


@pytest.mark.parametrize(
    ("values", "sure", "said"),
    [
        (VALUES, pairs(), "no system is significantly better."),
        (VALUES, pairs("a/two"), "only a is significantly better."),
        (VALUES, ALL, "only a is significantly better, and b is significantly worse."),
        (VALUES | {"b": 0.45}, ALL, "a and b are significantly better."),
        ({"a": 0.5, "two": 0.35}, pairs(), "no system is significantly better."),
        ({"a": 0.2, "two": 0.35}, pairs("a/two"), "no system is significantly better, and a is significantly worse."),
        (
            {"a": 0.2, "b": 0.1, "two": 0.35},
            ALL,
            "no system is significantly better, and a and b are significantly worse.",
        ),
        ({"a": 0.5, "two": 0.35}, pairs("a/two"), "a is significantly better, by 0.15 [0.10, 0.20]."),
    ],
)
def test_the_answer_says_who_is_above_what_not_listening_gets(
    values: dict[str, float], sure: set[frozenset[str]], said: str
) -> None:
    first, second, *_ = texts_of(answer([league(values, sure)], None))
    assert "baseline" not in first
    assert second == f"The best baseline that ignores the user, two, scores 0.35 [0.30, 0.40]; {said}"


def test_without_baselines_nothing_is_said_of_them() -> None:
    found = league({"a": 0.5, "b": 0.3}, set())
    assert not any(one.kind_of is StatementKind.BASELINE for one in answer([found], None))
    assert baseline_sections([found]) == ()
    assert baseline_methods([found]) == ()


@pytest.mark.parametrize(
    ("metric", "said"), [("behavior_alignment", "human recommenders said"), ("lift", "simulated users")]
)
def test_what_baselines_do_is_said_as_it_is_for_the_measure(metric: str, said: str) -> None:
    found = league(VALUES, pairs("a/two"))
    found = found.model_copy(update={"measure": found.measure.model_copy(update={"card": get_card(metric)})})
    (section,) = baseline_sections([found])
    assert [said in text for text in (section.sentences[1], baseline_methods([found])[0])] == [True, True]


def test_a_section_holds_the_baselines_and_what_systems_have_above_the_best() -> None:
    found = league(VALUES, pairs("a/two"))
    assert "best baseline" in baseline_methods([found])[0]
    (section,) = baseline_sections([found])
    assert section.heads == ["", "Merit"]
    assert (
        section.sentences[-1]
        == "The last rows: each system minus the best baseline, with p-values corrected across systems."
    )
    (two, one, above, below) = section.rows
    assert [two[0], one[0], above[0], below[0]] == [
        "two",
        "one",
        "a, minus the best baseline",
        "b, minus the best baseline",
    ]
    assert [each[1].value for each in (two, one) if isinstance(each[1], Estimate)] == [0.35, 0.2]
    noted = [each[1] for each in (above, below) if isinstance(each[1], Noted)]
    assert [each.note for each in noted] == ["p < .001, above", "p = .800, inconclusive"]
    assert [each.value and each.value.value for each in noted] == [pytest.approx(0.15), pytest.approx(-0.05)]


def test_an_estimate_of_alignment_without_baselines_is_read_beside_those_of_another() -> None:
    beside = league(VALUES, pairs("a/two"))
    measure = beside.measure.model_copy(
        update={"name": "implicit_alignment@ppi|v1", "card": get_card("implicit_alignment")}
    )
    powered = beside.model_copy(update={"measure": measure, "baselines": (), "above_baseline": ()})
    said = [one.text for one in answer([powered, beside], None) if one.kind_of is StatementKind.BASELINE]
    assert said == [
        "The best baseline that ignores the user, two, scores 0.35 [0.30, 0.40] on Merit; only a is "
        "significantly better."
    ]
    assert not any(one.kind_of is StatementKind.BASELINE for one in answer([powered], None))


def test_a_system_is_a_system_whatever_it_is_called() -> None:
    values = {"floor:mine": 0.7, "floor:majority": 0.5, "human:votes": 0.3}
    found = league(values, pairs("floor:mine/floor:majority"))
    assert [each.system for each in found.standings] == list(values)
    assert found.baselines == ()
    assert len(found.contrasts) == 3

"""Lift of dialogues: needs by what satisfies them, failures, and unit values."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import trialogue
from trialogue.metrics import conversations_of, get_metric
from trialogue.metrics.base import NeedCourse, Undefined
from trialogue.metrics.engine.accumulate import LiftTotals, Settings, accumulator_for
from trialogue.metrics.engine.lift_totals import _Courses
from trialogue.metrics.needs.need_met import Lift
from trialogue.records import Dialogue, Ending, Mention, Need, Utterance

NEEDS = 30


def need(number: int) -> Need:
    return Need(id=f"n{number}", acceptable=(f"item{number}",), catalogue_size=100)


def dialogue(
    number: int, *named: int, system: str = "s", of: int | None = None, ended_by: Ending | None = None
) -> Dialogue:
    """A dialogue in which the system names one item a turn."""
    said: list[Utterance] = []
    for item in named:
        title = f"item{item}"
        mention = Mention(title=title, item_id=title, start=4, end=4 + len(title))
        said += [
            Utterance(speaker="user", text="And?", mentions=()),
            Utterance(speaker="system", text=f"Try {title}.", mentions=(mention,)),
        ]
    wanted = need(number if of is None else of)
    return Dialogue(id=f"{system}{number}", system=system, utterances=tuple(said), need=wanted, ended_by=ended_by)


def totals(dialogues: Sequence[Dialogue]) -> LiftTotals:
    found = accumulator_for(get_metric("lift"))
    found.add(list(conversations_of(dialogues)))
    assert isinstance(found, LiftTotals)
    return found


def test_the_right_item_has_all_the_lift_and_a_list_for_all_has_none() -> None:
    right = totals([dialogue(number, number) for number in range(NEEDS)]).estimate("s", Settings())
    assert right.value == 1.0
    fixed = totals([dialogue(number, 3, 4, 5) for number in range(NEEDS)]).estimate("s", Settings())
    assert (fixed.value, fixed.interval) == (0.0, None)
    assert (fixed.n, fixed.clusters) == (NEEDS, NEEDS)


def test_what_rounding_leaves_of_a_list_for_all_is_no_difference() -> None:
    lists = ((3, 4, 5), (7, 1, 2, 9, 11, 12, 13), ())
    found = [totals([dialogue(number, *named, of=number % 31) for number in range(97)]) for named in lists]
    for one in found:
        assert (one.estimate("s", Settings()).value, one.estimate("s", Settings()).interval) == (0.0, None)
        assert {one.minus(other, Settings()).value for other in found} == {0.0}


def test_a_need_counts_once_however_many_users_have_it() -> None:
    """A list for the need that ten users share would have a lift of .24, if dialogues counted."""
    repeated = [dialogue(number, 0, of=0 if number >= NEEDS else number) for number in range(NEEDS + 10)]
    assert totals(repeated).estimate("s", Settings()).value == pytest.approx(0.0, abs=1e-12)


def test_fewer_than_thirty_needs_have_no_lift() -> None:
    found = totals([dialogue(number % 29, number % 29) for number in range(60)]).estimate("s", Settings())
    assert found.value is None
    assert str(found.why) == "it requires at least 30 different needs; given: 29"


def test_a_failure_counts_as_unmet_and_one_of_others_is_missing() -> None:
    whole = [dialogue(number, number) for number in range(NEEDS)]
    failed = [dialogue(0, 0, ended_by=Ending.AGENT_ERROR), *whole[1:]]
    assert totals(failed).estimate("s", Settings()).value == pytest.approx(1 - 1 / NEEDS)
    course = get_metric("lift").course(dialogue(0, 0, ended_by=Ending.USER_ERROR))  # type: ignore[union-attr]
    assert isinstance(course, Undefined)


def test_parts_merge_to_the_whole_in_any_order() -> None:
    made = [dialogue(number, number, 7) for number in range(NEEDS)] + [dialogue(99, 5, of=4)]
    whole = totals(made).estimate("s", Settings())
    for cut in (1, 17):
        one, other = totals(made[cut:]), totals(made[:cut])
        one.merge(other)
        assert one.estimate("s", Settings()) == whole


def test_differences_are_paired_by_need() -> None:
    one = totals([dialogue(number, number if number % 2 else 99) for number in range(NEEDS)])
    other = totals([dialogue(number, number if number % 3 == 0 else 99) for number in range(NEEDS)])
    found = one.minus(other, Settings())
    assert found.value == pytest.approx(15 / 30 - 10 / 30)
    assert found.clusters == NEEDS
    assert found.p is not None
    assert one.minus(one, Settings()).p == 1.0


def test_dialogues_have_values_of_their_own_in_a_run() -> None:
    dialogues = [dialogue(number, number if number else 1) for number in range(NEEDS)]
    run = trialogue.evaluate(dialogues, metrics=["lift"], resamples=100)
    own = {score.dialogue_id: score.value for score in run.scores if score.level == "dialogue"}
    assert len(own) == NEEDS
    assert own["s1"] == pytest.approx(1.0)
    assert own["s0"] == pytest.approx(-1 / 29)
    (value,) = [score.value for score in run.scores if score.level == "system"]
    assert value == pytest.approx(sum(each or 0.0 for each in own.values()) / NEEDS)


def test_need_met_is_never_measured_without_lift() -> None:
    dialogues = [dialogue(number, number) for number in range(NEEDS)]
    run = trialogue.evaluate(dialogues, metrics=["need_met"], resamples=100)
    assert [league.measure.measured.metric for league in run.findings.leagues] == ["lift", "need_met"]


def test_the_course_holds_what_counts() -> None:
    course = get_metric("lift").course(dialogue(1, 1, 1, 2))  # type: ignore[union-attr]
    assert course == NeedCourse(frozenset({"item1"}), (("item1", 1), ("item2", 3)))


def listing(number: int, wanted: frozenset[int], lists: Sequence[Sequence[int]]) -> Dialogue:
    """A dialogue with a system that lists items; its user leaves when one of them meets the need, wherever it stands."""
    said: list[Utterance] = []
    for items in lists:
        titles = [f"item{item}" for item in items]
        mentions = tuple(Mention(title=title, item_id=title) for title in titles)
        said.append(Utterance(speaker="user", text="And?", mentions=()))
        said.append(Utterance(speaker="system", text=", ".join(titles), mentions=mentions))
        if not wanted.isdisjoint(items):
            break
    of = Need(id=f"n{number}", acceptable=tuple(f"item{item}" for item in sorted(wanted)), catalogue_size=100)
    return Dialogue(id=f"l{number}", system="l", utterances=tuple(said), need=of)


def test_a_long_list_has_exactly_no_lift_though_users_take_what_does_not_count() -> None:
    """Version 1 left their needs open: those whose users stay are harder to meet."""
    rng = np.random.default_rng(4)
    lists = rng.permutation(100)[:70].reshape(7, 10).tolist()
    needs = [frozenset(rng.choice(100, size=rng.integers(1, 6), replace=False).tolist()) for _ in range(60)]
    found = totals([listing(number, wanted, lists) for number, wanted in enumerate(needs)])
    estimate = found.estimate("l", Settings())
    assert (estimate.value, estimate.interval) == (0.0, None)


def test_an_item_beyond_the_third_closes_a_need_unmet() -> None:
    course = get_metric("lift").course(listing(1, frozenset({4}), [[1, 2, 3, 4, 5]]))  # type: ignore[union-attr]
    assert isinstance(course, NeedCourse)
    assert [item for item, _ in course.items] == ["item1", "item2", "item3"]
    assert [item for item, _ in course.beyond] == ["item4", "item5"]


class VersionOne(Lift):
    """As it was: items that do not count close no need."""

    def course(self, unit: Dialogue) -> NeedCourse | Undefined:
        found = super().course(unit)
        return found if isinstance(found, Undefined) else replace(found, beyond=())


@pytest.mark.parametrize(
    ("metric", "value"),
    [(VersionOne(), 0.044015376984), (Lift(), 0.034672619048)],  # v1 by the code of commit bcfd7b48, before version 2
    ids=["v1", "v2"],
)
def test_golden_values_of_both_versions(metric: Lift, value: float) -> None:
    made = []
    for number in range(40):
        wanted = frozenset({number * 7 % 60, (number * 11 + 3) % 60, (number * number + 1) % 60})
        lists = [[(5 * place + 17 * turn + 3 + number % 4 * turn) % 60 for place in range(5)] for turn in range(3)]
        made.append(listing(number, wanted, lists))
    found = LiftTotals(metric)
    found.add(list(conversations_of(made)))
    assert found.estimate("l", Settings()).value == pytest.approx(value, abs=1e-12)


def _first_turns(items: Sequence[tuple[str, int]], needs: Sequence[frozenset[str]]) -> dict[int, int]:
    """The first turn of some items that meets each need: the plain definition."""
    return {
        place: min(turn for item, turn in items if item in need)
        for place, need in enumerate(needs)
        if any(item in need for item, _ in items)
    }


@pytest.mark.parametrize("seed", range(20))
def test_hits_of_columns_are_those_of_courses_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"i{number}" for number in range(12)]

    def items() -> tuple[tuple[str, int], ...]:
        turns = sorted(rng.integers(0, 5, rng.integers(0, 6)).tolist())
        return tuple((str(rng.choice(names)), turn) for turn in turns)

    needs = [frozenset(rng.choice(names, 3, replace=False).tolist()) for _ in range(6)]
    courses = [NeedCourse(needs[rng.integers(0, 6)], items(), items()) for _ in range(rng.integers(0, 30))]
    columns, others = _Courses(), _Courses()
    for place, course in enumerate(courses):
        (columns if 2 * place < len(courses) else others).append(course)
    columns.extend(others)
    distinct = list(columns.needs)
    expected = []
    for number, course in enumerate(courses):
        counted, beyond = _first_turns(course.items, distinct), _first_turns(course.beyond, distinct)
        for place in sorted({*counted, *beyond}):
            turns = counted.get(place, 99), beyond.get(place, 99)
            expected.append((number, place, min(turns), turns[0] <= turns[1]))
    hits = columns.hits(np.arange(len(distinct)), 5)
    assert hits.counts is not None
    found = zip(hits.dialogue.tolist(), hits.need.tolist(), hits.turn.tolist(), hits.counts.tolist(), strict=True)
    assert list(found) == expected
    assert [distinct[own] for own in columns.own] == [course.acceptable for course in courses]

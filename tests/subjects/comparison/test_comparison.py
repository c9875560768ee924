"""Two versions of one system, from their scores."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from trialogue.findings import Findings, League, Measure, Standing, SystemFacts
from trialogue.findings.differences.system_sample import SystemSample, collect_system
from trialogue.metrics import get_card
from trialogue.records import (
    ClusterKind,
    Estimate,
    Interval,
    Manifest,
    MeasuredUnits,
    MeasureName,
    MeasureSums,
    PopulationKind,
    Score,
    StoredParts,
)
from trialogue.subjects.comparison.comparison import compare_systems, light_of
from trialogue.subjects.comparison.gate import conclude_comparison
from trialogue.subjects.comparison.records import Light, MeasureComparison


def run(
    values: Sequence[float], *, measure: str = "success", better: str = "higher", by: str = "metric"
) -> SystemSample:
    """A run of one system with one value a dialogue."""
    shown = Measure.model_validate(
        {"name": measure, "title": measure.title(), "by": by, "better": better, "unit": "share"}
    )
    mean = sum(values) / len(values)
    interval = Interval(low=mean - 0.2, high=mean + 0.2, method="made up")
    standing = Standing(system="crs", estimate=Estimate(value=mean, interval=interval, n=len(values)))
    findings = Findings(
        title="a run",
        answer=(),
        systems=(SystemFacts(system="crs", dialogues=len(values), replies=len(values)),),
        leagues=(League(measure=shown, standings=(standing,)),),
        primary=None,
        manifest=Manifest(command="evaluate"),
    )
    scores = [
        Score(measure=measure, level="dialogue", value=value, system="crs", dialogue_id=f"talk {place}")
        for place, value in enumerate(values)
    ]
    ids = tuple(f"talk {place}" for place in range(len(values)))
    parts: list[StoredParts] = [
        MeasuredUnits(
            system="crs",
            kind_of=PopulationKind.SIMULATED,
            users="made up",
            ids=ids,
            clustered_by=ClusterKind.NEED,
            clusters=tuple(f"need:{one}" for one in ids),
        ),
        MeasureSums(measure=MeasureName(measure), system="crs", rows_of="dialogues", n=len(values)),
    ]
    if by == "people":  # everybody rates their own dialogue: one rater of everything would be refused
        scores = [score.model_copy(update={"rater": score.dialogue_id}) for score in scores]
    return collect_system("a run", "crs", findings.leagues, scores, parts)


OLD = [0.0, 1.0] * 20
NEW = [1.0, 1.0] * 20


def light(before: SystemSample, after: SystemSample, **options: object) -> str:
    options.setdefault("on", [name for name, measure in before.measures.items() if measure.better != "neither"])
    return compare_systems(before, after, resamples=500, **options)[0].light  # type: ignore[arg-type]


def test_a_version_that_gains_in_every_second_dialogue_is_better_and_the_reverse_is_worse() -> None:
    assert light(run(OLD), run(NEW)) == "better"
    assert light(run(NEW), run(OLD)) == "worse"


def test_the_direction_of_the_measure_decides_which_is_which() -> None:
    assert light(run(OLD, better="lower"), run(NEW, better="lower")) == "worse"


def test_equal_versions_cannot_be_distinguished() -> None:
    assert light(run(OLD), run(OLD)) == "inconclusive"


def test_a_measure_without_direction_changes_and_decides_nothing() -> None:
    comparison, _ = compare_systems(run(OLD, better="neither"), run(NEW, better="neither"), resamples=500)
    assert comparison.light == "no verdict"
    assert [each.light for each in comparison.judgements] == ["changed"]


def test_without_people_and_task_outcome_no_measure_decides() -> None:
    comparison, _ = compare_systems(run(OLD), run(NEW), resamples=500)
    assert comparison.light == "no verdict"
    assert not any(each.decides for each in comparison.judgements)
    concluding = conclude_comparison(comparison, (), None, margin=None, alpha=0.05)
    assert concluding.answer[0].startswith("No measure decides between a run and a run")


def test_the_task_outcome_of_simulated_users_decides_where_nobody_judged() -> None:
    success = get_card("task_success")
    sides = [run(values) for values in (OLD, NEW)]
    for one in sides:
        one.measures["success"] = one.measures["success"].model_copy(update={"card": success})  # type: ignore[index]
    comparison, _ = compare_systems(*sides, resamples=500)
    assert comparison.light == "better"


def test_the_difference_is_that_of_paired_dialogues() -> None:
    comparison, _ = compare_systems(run(OLD), run(NEW), resamples=500)
    (judged,) = comparison.judgements
    assert judged.paired == 40
    assert judged.difference.value == 0.5  # every second of 40 dialogues gains 1
    assert judged.difference.n == 80
    assert judged.difference.clusters == 40


def test_a_loss_within_the_margin_is_not_worse() -> None:
    slight = [0.0, 1.0] * 19 + [0.0, 0.0]  # one of 40 lost: 0.025
    assert light(run(OLD), run(slight), on=["success"], margin=0.2) == "equivalent"
    assert light(run(OLD), run(slight), on=["success"], margin=0.001) == "inconclusive"


def test_a_sure_loss_within_the_margin_is_not_worse_either() -> None:
    slightly = [0.9 - 0.001 * place for place in range(40)]
    assert light(run(NEW), run(slightly)) == "worse"
    assert light(run(NEW), run(slightly), on=["success"], margin=0.2) == "equivalent"


def test_a_gain_beyond_the_margin_is_not_equivalent() -> None:
    gained = [0.0, 1.0] * 18 + [1.0, 1.0] * 2  # two of 40 gained: 0.05, with an interval beyond 0.06
    assert light(run(OLD), run(gained), on=["success"], margin=0.06) == "not worse"


def test_what_lost_most_stands_first() -> None:
    comparison, _ = compare_systems(run([1.0, 1.0, 0.5, 0.0]), run([0.0, 0.5, 0.5, 1.0]), on=["success"], resamples=500)
    assert [(each.unit, each.before, each.after) for each in comparison.moved] == [
        ("talk 0", 1.0, 0.0),
        ("talk 1", 1.0, 0.5),
    ]


def together(a: SystemSample, b: SystemSample) -> SystemSample:
    """A run that holds the measures of two."""
    return replace(a, measures={**a.measures, **b.measures}, values={**a.values, **b.values}, rows={**a.rows, **b.rows})


def test_what_people_said_decides_where_they_said_something() -> None:
    before = together(run(OLD, measure="liked", by="people"), run(NEW))
    after = together(run(NEW, measure="liked", by="people"), run(OLD))
    comparison, _ = compare_systems(before, after, resamples=500)
    assert {each.measure: each.decides for each in comparison.judgements} == {"liked": True, "success": False}
    assert comparison.light == "better"


def test_gains_on_one_and_losses_on_another_deciding_measure_are_mixed() -> None:
    before = together(run(OLD, measure="first"), run(NEW, measure="second"))
    after = together(run(NEW, measure="first"), run(OLD, measure="second"))
    assert light(before, after) == "mixed"


def test_a_measure_without_direction_hides_no_loss_on_the_next() -> None:
    before = together(run(NEW, measure="length", better="neither"), run(NEW))
    after = together(run(OLD, measure="length", better="neither"), run(OLD))
    comparison, _ = compare_systems(before, after, on=["length", "success"], resamples=500)
    assert {each.measure for each in comparison.moved} == {"success"}


def test_people_who_had_several_dialogues_are_one_cluster() -> None:
    shown = Measure(name="human:liked", title="Liked", by="people", better="higher", unit="share")
    standing = Standing(system="crs", estimate=Estimate(value=0.5, n=4))
    findings = Findings(
        title="", answer=(), systems=(), leagues=(League(measure=shown, standings=(standing,)),), primary=None,
        manifest=Manifest(command="evaluate"),
    )  # fmt: skip
    scores = [
        Score(
            measure="human:liked",
            level="dialogue",
            value=float(n % 2),
            system="crs",
            dialogue_id=str(n),
            rater=f"p{n // 2}",
        )
        for n in range(4)
    ]
    ids, people = ("0", "1", "2", "3"), ("user:p0", "user:p0", "user:p1", "user:p1")
    units = MeasuredUnits(
        system="crs", kind_of=PopulationKind.PEOPLE, ids=ids, clustered_by=ClusterKind.PERSON, clusters=people
    )
    found = collect_system("x", "crs", findings.leagues, scores, [units])
    assert tuple(cluster for _, cluster, _ in found.units("human:liked")) == people


@pytest.mark.parametrize(
    ("lights", "expected"),
    [
        (["better", "worse"], "mixed"),
        (["no verdict", "worse"], "worse"),
        (["better", "no verdict"], "no verdict"),
        (["no verdict"], "no verdict"),
        (["better", "equivalent"], "better"),
    ],
)
def test_what_measures_say_together(lights: list[Light], expected: Light) -> None:
    none = Estimate(value=None, why="made up")
    said = [
        MeasureComparison(measure="m", title="M", light=each, difference=none, p_adjusted=None, decides=True)
        for each in lights
    ]
    beside = MeasureComparison(measure="n", title="N", light="worse", difference=none, p_adjusted=None, decides=False)
    assert light_of([*said, beside]) == expected

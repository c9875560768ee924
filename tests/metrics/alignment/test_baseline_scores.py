"""What baselines get is the mean over all replies that they may take, and its error knows that dialogues lend, too."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.metrics import Conversation, SumMetric, Undefined, get_metric, offline_conversations
from trialogue.metrics.alignment.baseline_scores import alignment_baseline_scores
from trialogue.metrics.alignment.reply_baselines import (
    CONTEXT,
    MAJORITY,
    RANDOM,
    SAME_TURN,
    Baselines,
    alignment_baselines,
)
from trialogue.records import (
    Labeller,
    Reason,
    ReasonCode,
    Response,
    Score,
    Situation,
    StrategyDistribution,
    StrategyLabel,
    Utterance,
)
from trialogue.stats import jackknife

NAMES = ("credibility", "similarity", "no_strategy")
MEASURES = (
    "behavior_alignment",
    "behavior_alignment@kappa",
    "behavior_alignment@printed_per_dialogue",
    "behavior_alignment(none=exclude,several=any)",
    "implicit_alignment",
)


def belief(shares: Sequence[float]) -> StrategyDistribution:
    rest = 1 - sum(shares)
    return StrategyDistribution(
        origin="m|first",
        probabilities=dict(zip(NAMES, (*shares, rest), strict=True)),
        matching=(1.2, 0.3),
        matching_error=(0.01, 0.0, 0.02),
    )


def utterance(rng: np.random.Generator) -> Utterance:
    labels = rng.choice(NAMES, size=rng.integers(1, 3), replace=False)
    shares = rng.dirichlet((0.2, 0.2, 0.2))[:2].tolist()
    return Utterance(
        speaker="system",
        text="x",
        strategies=tuple(StrategyLabel(strategy=str(name), origin="expert", by=Labeller.PERSON) for name in labels),
        strategy_distribution=belief(shares),
    )


def situations(seed: int, dialogues: int = 5) -> list[Situation]:
    """Dialogues of one to five turns."""
    rng = np.random.default_rng(seed)
    user = Utterance(speaker="user", text="?")
    return [
        Situation(id=f"{d}#{t}", context=(user,), reference=utterance(rng), dialogue_id=str(d), turn=t)
        for d in range(dialogues)
        for t in range(int(rng.integers(2, 6)))
    ]


def baselines_of(some: Sequence[Situation]) -> Baselines:
    predicted = {one.id: (NAMES[place % 3], *NAMES) for place, one in enumerate(some)}
    found = alignment_baselines(some, predicted=predicted)
    assert found is not None
    return found


def metric_of(measure: str) -> SumMetric:  # type: ignore[type-arg]
    found = get_metric(measure)
    assert isinstance(found, SumMetric)
    return found


def by_hand(baselines: Baselines, name: str, measure: str) -> float:
    """Every situation with every reply that it may take, one by one."""
    metric = metric_of(measure)
    rule = next(each for each in baselines.rules(counts_none="none=exclude" not in measure) if each.name == name)
    sums: dict[int, list[np.ndarray]] = {}
    for place, unit in enumerate(baselines.units):
        drawn = [
            metric.statistics(replace(unit, utterance=other.utterance))
            for lender, other in enumerate(baselines.units)
            if baselines.owners[lender] != baselines.owners[place]
            and rule.wanted[place] is not None
            and rule.held[lender] == rule.wanted[place]
        ]
        kept = [np.asarray(each) for each in drawn if not isinstance(each, Undefined)]
        if kept:
            sums.setdefault(int(baselines.owners[place]), []).append(np.mean(kept, axis=0))
    with np.errstate(invalid="ignore"):
        if metric.per_dialogue:
            return float(np.nanmean([metric.combine(np.sum(own, axis=0)) for own in sums.values()]))
        return float(metric.combine(np.sum([each for own in sums.values() for each in own], axis=0)))


def value(scores: Sequence[Score], name: str) -> float | None:
    return next(each.value for each in scores if each.system == name and each.level == "system")


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", [RANDOM, SAME_TURN, MAJORITY, CONTEXT])
def test_a_baseline_gets_the_mean_over_all_replies_that_it_may_take(measure: str, name: str) -> None:
    baselines = baselines_of(situations(3))
    assert value(alignment_baseline_scores(baselines, [], [metric_of(measure)]), name) == pytest.approx(
        by_hand(baselines, name, measure), abs=1e-9
    )


def test_counted_by_hand_on_three_situations() -> None:
    """a: credibility; b: credibility, then similarity. a meets its strategy in 1 of 2 replies, b's in 1 of 1 and 0 of 1."""
    user = Utterance(speaker="user", text="?")
    made = [
        Situation(id=f"{d}{t}", context=(user,), reference=said, dialogue_id=d, turn=t)
        for d, t, name in (("a", 0, "credibility"), ("b", 0, "credibility"), ("b", 1, "similarity"))
        for said in [
            Utterance(
                speaker="system",
                text="",
                strategies=(StrategyLabel(strategy=name, origin="expert", by=Labeller.PERSON),),
            )
        ]
    ]
    found = alignment_baselines(made)
    assert found is not None
    scores = alignment_baseline_scores(found, [], [metric_of("behavior_alignment(first=include)")])
    assert value(scores, RANDOM) == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert value(scores, SAME_TURN) == 1  # nobody else has a second turn
    assert next(each.n for each in scores if each.system == SAME_TURN) == 2


@pytest.mark.parametrize("measure", MEASURES[:2] + MEASURES[-1:])
@pytest.mark.parametrize("name", [RANDOM, SAME_TURN])
def test_its_interval_takes_a_dialogue_away_from_both_sides(measure: str, name: str) -> None:
    some = situations(8, dialogues=6)
    metric = metric_of(measure)
    score = next(each for each in alignment_baseline_scores(baselines_of(some), [], [metric]) if each.system == name)
    without = [
        value(
            alignment_baseline_scores(baselines_of([one for one in some if one.dialogue_id != str(d)]), [], [metric]),
            name,
        )
        for d in range(6)
    ]
    assert score.value is not None
    assert score.interval is not None
    plain = jackknife([each for each in without if each is not None], score.value, 1)
    assert plain.interval is not None
    if "implicit" in measure:  # and it holds the error of the calibration
        assert score.interval.high > plain.interval.high
        assert score.interval.method.endswith("including the error of the calibration")
    else:
        assert (score.interval.low, score.interval.high) == pytest.approx(
            (max(plain.interval.low, metric.card.low or 0), min(plain.interval.high, 1))
        )


def replies(some: Sequence[Situation], system: str, seed: int) -> list[Conversation]:
    rng = np.random.default_rng(seed)
    return offline_conversations(
        some, [Response(situation_id=one.id, system=system, utterance=utterance(rng)) for one in some]
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_each_system_is_distinguished_from_each_baseline(measure: str) -> None:
    some = situations(5)
    talks = [*replies(some, "good", 1), *replies(some, "bad", 2)]
    metric = metric_of(measure)
    from trialogue.metrics import measure as measured

    systems = {each.system: each.value for each in measured(talks, [metric]) if each.level == "system"}
    scores = alignment_baseline_scores(baselines_of(some), talks, [metric], signatures={metric.measure: "signed"})
    gaps = [each for each in scores if each.level == "difference"]
    assert len(gaps) == 8  # two systems, four baselines
    for gap in gaps:
        own, baseline = systems[gap.system], value(scores, gap.versus or "")
        assert own is not None
        assert baseline is not None
        assert gap.value == pytest.approx(own - baseline)
        assert gap.p is not None
        assert gap.signature == "signed"


def test_intervals_of_differences_hold_the_difference() -> None:
    """Every interval of a difference holds the difference."""
    some = situations(5)
    scores = alignment_baseline_scores(baselines_of(some), replies(some, "s", 1), [metric_of("behavior_alignment")])
    for each in scores:
        if each.level == "difference" and each.interval is not None and each.value is not None:
            assert each.interval.contains(each.value)


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ("implicit_alignment@ppi", "labelled on both sides"),
        ("implicit_alignment(by=pair)@emq", "with every other one"),
    ],
)
def test_what_has_no_baselines_says_why(measure: str, why: str) -> None:
    scores = alignment_baseline_scores(baselines_of(situations(1)), [], [metric_of(measure)])
    assert {each.value for each in scores} == {None}
    assert all(why in str(each.why) for each in scores)
    assert alignment_baseline_scores(baselines_of(situations(1)), [], [metric_of("length")]) == []


def test_a_measure_of_alignment_that_is_not_ours_has_no_baselines() -> None:
    class Theirs:
        measure, per_dialogue, card = "theirs@x|v1", False, metric_of("behavior_alignment").card

        def statistics(self, unit: object) -> Sequence[float]:
            return (1.0, 1.0)

        def combine(self, sums: np.ndarray) -> np.ndarray:
            return np.asarray(sums[..., 0] / sums[..., 1])

    some = situations(1)
    scores = alignment_baseline_scores(baselines_of(some), replies(some, "s", 1), [Theirs()])
    assert {(each.value, each.why) for each in scores} == {(None, Reason.of(ReasonCode.BASELINE_UNKNOWN_FOR_METRIC))}


def test_where_nothing_is_labelled_there_are_none() -> None:
    bare = [
        one.model_copy(update={"reference": one.reference and one.reference.model_copy(update={"strategies": None})})
        for one in situations(1)
    ]
    assert alignment_baseline_scores(baselines_of(bare), [], [metric_of("behavior_alignment")]) == []


def test_references_that_no_model_has_judged_have_no_implicit_baselines() -> None:
    bare = [
        one.model_copy(
            update={"reference": one.reference and one.reference.model_copy(update={"strategy_distribution": None})}
        )
        for one in situations(1)
    ]
    scores = alignment_baseline_scores(baselines_of(bare), [], [metric_of("implicit_alignment")])
    assert {each.value for each in scores} == {None}
    assert scores[0].why == Reason.of(ReasonCode.BASELINE_HAS_NO_BELIEFS)


@given(seed=st.integers(0, 50))
def test_two_dialogues_have_baselines_without_an_interval(seed: int) -> None:
    scores = alignment_baseline_scores(
        baselines_of(situations(seed, dialogues=2)), [], [metric_of("behavior_alignment@summed_per_dialogue")]
    )
    for each in scores:
        assert each.interval is None or each.value in (0.0, 1.0)
        assert each.why or each.value in (0.0, 1.0)


def test_an_estimate_at_the_end_of_its_scale_has_no_interval() -> None:
    """Beliefs that never agree: nothing was seen, so that Wilson's interval of a share would say too much."""
    never = [
        one.model_copy(
            update={
                "reference": one.reference
                and one.reference.model_copy(
                    update={
                        "strategy_distribution": belief((1.0, 0.0) if (one.dialogue_id or "") in "012" else (0.0, 1.0))
                    }
                )
            }
        )
        for one in situations(1, dialogues=6)
    ]
    mixed = [one.model_copy(update={"turn": int(one.dialogue_id or 0) % 3 + 2}) for one in never]
    scores = alignment_baseline_scores(baselines_of(mixed), [], [metric_of("implicit_alignment")])
    (same,) = [each for each in scores if each.system == SAME_TURN]
    assert same.value == 0  # 0 is with 3, 1 with 4, 2 with 5
    assert same.interval is None
    assert same.why


def test_one_model_judges_where_several_have() -> None:
    some = situations(3)
    other = some[0].reference
    assert other is not None
    assert other.strategy_distribution is not None
    strange = other.model_copy(
        update={"strategy_distribution": other.strategy_distribution.model_copy(update={"origin": "other|first"})}
    )
    mixed = [some[0].model_copy(update={"reference": strange}), *some[1:]]
    (found, *_) = alignment_baseline_scores(baselines_of(mixed), [], [metric_of("implicit_alignment(first=include)")])
    assert found.n == len(some) - 1


@pytest.mark.parametrize("seed", range(6))
def test_no_difference_to_a_baseline_reaches_further_than_two_shares_can_differ(seed: int) -> None:
    some = situations(seed, dialogues=3)
    rng = np.random.default_rng(seed)
    said = [Response(situation_id=one.id, system="crs", utterance=utterance(rng)) for one in some]
    metrics = [get_metric(name) for name in MEASURES if "kappa" not in name]
    found = alignment_baseline_scores(baselines_of(some), offline_conversations(some, said), metrics)
    ends = [one.interval for one in found if one.level == "difference" and one.interval is not None]
    assert ends
    assert all(-1 <= each.low <= each.high <= 1 for each in ends)

"""Where alignment is lost, whether to believe the estimate, and what labels of people would do."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.demo_records import demo_responses, demo_situations
from trialogue.errors import DataError, UsageError
from trialogue.findings.alignment_profile import Array, alignment_profiles, corrected_distance, jensen_shannon
from trialogue.findings.alignment_records import alignment_sections
from trialogue.findings.records import Noted, Values
from trialogue.metrics import Conversation, Reply, Undefined, offline_conversations
from trialogue.records import (
    Estimate,
    Interval,
    Labeller,
    Reason,
    ReasonCode,
    Response,
    Role,
    Situation,
    StrategyDistribution,
    StrategyLabel,
    Utterance,
    write_records,
)
from trialogue.subjects.alignment.commands.align import align
from trialogue.subjects.alignment.commands.result import is_labelled
from trialogue.subjects.alignment.commands.trust import doubts
from trialogue.subjects.alignment.labelling.plan import (
    LabelPlan,
    _dialogues_with_label,
    _Held,
    _wider,
    label_plan,
    labelling_items,
    read_answers,
    with_answers,
    write_items,
)
from trialogue.subjects.alignment.pages.figures import alignment_figures


def said(
    strategy: str | None,
    *,
    belief: float | None = None,
    probability: float | None = None,
    by: Labeller | None = None,
) -> Utterance:
    """Something labelled (by a person, or with a probability by a model), with a belief in ``opinion_inquiry`` (else
    ``credibility``)."""
    by = by or (Labeller.PERSON if probability is None else Labeller.MODEL)
    labels = (
        None if strategy is None else (StrategyLabel(strategy=strategy, origin="x", by=by, probability=probability),)
    )
    distribution = None
    if belief is not None:
        shares = {"opinion_inquiry": belief, "credibility": 1 - belief}
        distribution = StrategyDistribution(origin="m", probabilities=shares, matching=(1.0, 0.0))
    return Utterance(speaker="system", text="...", strategies=labels, strategy_distribution=distribution)


def conversation(pairs: Sequence[tuple[Utterance, Utterance]], name: str, *, system: str = "A") -> Conversation:
    replies = tuple(
        Reply(system, reply, reference=reference, turn=turn, situation_id=f"{name}{turn}")
        for turn, (reference, reply) in enumerate(pairs, start=2)
    )
    return Conversation(system, f"dialogue:{name}", replies, dialogue_id=name)


def test_recall_says_what_the_system_did_where_people_asked() -> None:
    asked, messages = said("opinion_inquiry"), said("credibility")
    talks = [conversation([(asked, messages), (asked, asked), (messages, messages)], f"d{n}") for n in range(4)]
    (profile,) = alignment_profiles(talks, resamples=100)
    assert profile.n == 12
    asking, telling = profile.recalls
    assert (asking.strategy, asking.recall.value, asking.recall.n) == ("opinion_inquiry", 0.5, 8)
    assert [(one.strategy, one.n) for one in asking.instead] == [("credibility", 4)]
    assert telling.recall.value == 1
    assert profile.human_mix == pytest.approx({"credibility": 1 / 3, "opinion_inquiry": 2 / 3})
    assert [(stage.turns, stage.match.value) for stage in profile.stages] == [("3-4", 0.5), ("5-7", 1.0)]
    sections = alignment_sections([profile])
    assert sections[0].sentences[0] == (  # 4 of 8 asked, 4 of 4 told
        "A used the human's strategy in 8 of 12 replies. Its most common deviation: credibility where the human used "
        "opinion inquiry, 4 of 8 times."
    )
    name, cell = sections[0].rows[1]
    assert isinstance(cell, Noted)
    assert cell.value is not None
    assert cell.value.interval is not None
    assert (name, cell.value.value, cell.note) == ("credibility", 1.0, "4 of 4")
    assert cell.value.interval.low == pytest.approx(4 / (4 + 1.96**2), abs=1e-3)  # Wilson
    assert (
        sections[1]
        .sentences[0]
        .endswith(  # 8 of 12 and 4 of 12 asked: 33 points less
            "Most overused: credibility, by 33 percentage points; most underused: opinion inquiry, by 33 percentage points."
        )
    )
    assert sections[2].rows[0][0] == "3–4"


def test_a_system_that_does_what_people_do_is_not_reported_of_departures() -> None:
    asked, messages = said("opinion_inquiry"), said("credibility")
    talks = [conversation([(asked, asked), (messages, messages)], f"d{n}") for n in range(4)]
    where, mix, _turns = alignment_sections(alignment_profiles(talks, resamples=100))
    assert where.sentences[0] == "A used the human's strategy in 8 of 8 replies."
    assert mix.sentences[0].endswith("it uses every strategy equally often.")


def test_one_reply_is_reported_as_a_count_and_a_rare_strategy_is_not_none() -> None:
    asked, messages = said("opinion_inquiry"), said("credibility")
    talks = [conversation([(messages, messages)] * 299 + [(asked, messages)], "d")]
    where, mix, _turns = alignment_sections(alignment_profiles(talks, resamples=100))
    assert where.rows[1] == ("opinion inquiry", Noted(value=None, note="0 of 1\ncredibility 1"))
    assert mix.rows[1][1:] == (1 / 300, 0.0)
    assert {each.values for each in mix.columns} == {Values.SHARES}


def test_the_distance_of_mixes_is_0_for_equal_1_for_disjoint_and_symmetric() -> None:
    assert float(jensen_shannon(np.array([1.0, 3.0, 2.0, 6.0]))) == pytest.approx(0, abs=1e-6)
    assert float(jensen_shannon(np.array([1.0, 0.0, 0.0, 9.0]))) == pytest.approx(1)
    # p = (1, 0), q = (.5, .5), m = (.75, .25): (log2(4/3) + .5 log2(2/3) + .5 log2(2)) / 2 = .3113; root .5579
    assert float(jensen_shannon(np.array([1.0, 0.0, 1.0, 1.0]))) == pytest.approx(0.5579, abs=1e-4)
    assert float(jensen_shannon(np.array([1.0, 1.0, 1.0, 0.0]))) == pytest.approx(0.5579, abs=1e-4)


def test_a_distance_is_shown_beside_what_chance_alone_gives() -> None:
    rng = np.random.default_rng(0)
    names = ["opinion_inquiry", "credibility"]
    talks = [
        conversation([(said(names[rng.integers(2)]), said(names[rng.integers(2)])) for _ in range(3)], f"d{n}")
        for n in range(12)
    ]
    (profile,) = alignment_profiles(talks, resamples=100)
    assert 0 < profile.distance_by_chance < 0.2
    assert profile.distance.value is not None


def mixed(rng: np.random.Generator, human: Sequence[float], system: Sequence[float], pairs: int) -> Array:
    """Counts of both sides in 20 clusters."""
    eye = np.eye(len(human))
    rows = np.concatenate([eye[rng.choice(len(human), pairs, p=side)] for side in (human, system)], axis=1)
    return np.asarray(rows.reshape(20, pairs // 20, -1).sum(axis=1))


def test_a_distance_of_few_replies_is_not_taken_for_a_real_one() -> None:
    rng, mix = np.random.default_rng(0), [0.4, 0.3, 0.2, 0.1]
    plain, corrected = [], []
    for _ in range(40):
        counts = mixed(rng, mix, mix, 80)
        found = corrected_distance(counts, 80)
        plain.append(float(jensen_shannon(counts.sum(axis=0))))
        corrected.append(found)
    assert np.mean(plain) > 0.08
    assert np.mean([each.value for each in corrected if each.value is not None]) < 0.06
    assert sum(each.interval is not None and each.interval.contains(0.0) for each in corrected) >= 37


def test_a_real_distance_is_in_its_interval_as_often_as_promised() -> None:
    # p = (1/2, 1/2), q = (1/4, 3/4), m = (3/8, 5/8): (.5 log2(4/3) + .5 log2(4/5) + .25 log2(2/3) + .75 log2(6/5)) / 2
    # = (.20752 - .16096 - .14624 + .19728) / 2 = .04880; root .2209
    rng = np.random.default_rng(1)
    held = [corrected_distance(mixed(rng, [0.5, 0.5], [0.25, 0.75], 200), 200).interval for _ in range(100)]
    assert sum(each is not None and each.contains(0.2209) for each in held) >= 89  # binomial(100, .95): less in 1%


def test_a_distance_without_variation_or_of_one_cluster_has_no_interval() -> None:
    disjoint = corrected_distance(np.array([[2.0, 0.0, 0.0, 2.0], [1.0, 0.0, 0.0, 1.0]]), 3)
    assert disjoint.value == 1
    assert disjoint.interval is None
    assert disjoint.why
    single = corrected_distance(np.array([[1.0, 1.0, 2.0, 0.0]]), 2)
    assert single.value == pytest.approx(0.5579, abs=1e-4)
    assert single.interval is None


def test_figures_name_systems_strategies_and_turns() -> None:
    talks = offline_conversations(demo_situations(), demo_responses())
    mix, turns = alignment_figures(alignment_profiles(talks, resamples=50))
    assert "experience inquiry" in mix.svg
    assert "turn 2" in turns.svg
    assert "aria" in turns.alt
    assert alignment_figures([]) == []
    assert alignment_sections([]) == ()


def test_a_report_on_alignment_says_where_it_is_lost_and_what_labels_would_do(tmp_path: Path) -> None:
    run = align(["demo"], [], resamples=100, baselines=False)
    assert [profile.system for profile in run.profiles] == ["aria", "bolt", "chip"]
    page = run.write(tmp_path / "out").read_text("utf-8")
    assert "Which strategies systems use where people used a different one" in page
    assert "figures/alignment-mix.svg" in page
    assert (tmp_path / "out" / "figures" / "alignment-turns.svg").exists()
    assert len((tmp_path / "out" / "alignment.jsonl").read_text("utf-8").splitlines()) == 3
    assert any("labelled pairs" in warning or "would halve it" in warning for warning in run.findings.warnings)


def test_an_evaluation_that_measures_alignment_says_where_it_is_lost() -> None:
    from trialogue.subjects.evaluation.commands.evaluate import evaluate

    run = evaluate("demo", metrics=["behavior_alignment"], resamples=100)
    titles = [section.title for section in run.findings.sections]
    assert titles[:2] == [
        "Better than baselines that ignore the user?",
        "Which strategies systems use where people used a different one",
    ]
    assert evaluate("demo", metrics=["length@words"], resamples=100).findings.sections == ()
    titles = [section.title for section in align(["demo"], [], resamples=100).findings.sections]
    assert len(titles) == len(set(titles)) == 5  # each once; rates only where a model gave probabilities


# --- whether to believe it ------------------------------------------------------------------------------------------


def renamed(talks: Sequence[Conversation], system: str) -> list[Conversation]:
    return [replace(each, system=system) for each in talks]


def believed(share: float, truth: float, count: int = 60) -> list[Conversation]:
    """Pairs whose beliefs match in a share of cases, and whose labels do in another."""
    found = []
    for n in range(count):
        reply_belief = 0.98 if n < share * count else 0.02
        reply_label = "opinion_inquiry" if n < truth * count else "credibility"
        pair = said("opinion_inquiry", belief=0.98), said(reply_label, belief=reply_belief)
        found.append(conversation([pair], f"d{n}"))
    return found


def test_an_estimate_that_people_contradict_is_doubted() -> None:
    ((_, doubt),) = doubts(believed(0.8, 0.2))
    assert doubt.code is ReasonCode.ESTIMATE_CONTRADICTED
    assert doubt.facts["labellers"] == "people"
    assert "that of people 0.20" in str(doubt)
    assert list(doubts(believed(0.5, 0.5))) == []


def test_an_estimate_that_is_right_is_seldom_doubted_on_few_labels() -> None:
    """Twenty labelled pairs, calibrated beliefs, a true share of .05: a bootstrap of the gap doubted nearly half of such."""
    rng = np.random.default_rng(3)
    doubted = 0
    for _ in range(60):
        matches = rng.random(20) < 0.05
        r = np.sqrt(rng.random(20))  # density 2r where they match, else 2 (1 - r)
        chances = np.where(matches, r, 1 - r).tolist()
        talks = [
            conversation(
                [
                    (
                        said("opinion_inquiry", belief=1.0),
                        said("opinion_inquiry" if match else "credibility", belief=chance),
                    )
                ],
                f"d{n}",
            )
            for n, (match, chance) in enumerate(zip(matches.tolist(), chances, strict=True))
        ]
        doubted += sum(doubt.code is ReasonCode.ESTIMATE_CONTRADICTED for _, doubt in doubts(talks))
    assert doubted <= 7  # binomial(60, .05): more than 7 in 2% of runs


def test_many_systems_are_tested_at_one_level_together() -> None:
    few = [each for n in range(9) for each in renamed(believed(0.6, 0.45, count=40), f"S{n}")]
    one = renamed(believed(0.6, 0.45, count=40), "S0")
    # a gap of .15, in 6 of 40 dialogues: t about .15 / (sqrt(.15 .85) / sqrt(39)) = 2.62, p = .012: not below .05 / 9
    assert len(list(doubts(one))) == 1
    assert list(doubts(few)) == []


def test_an_estimate_at_the_end_of_the_scale_is_doubted() -> None:
    bare = [
        conversation(
            [(said("credibility", belief=0.9, probability=0.9), said("credibility", belief=0.9, probability=0.9))],
            f"d{n}",
        )
        for n in range(30)
    ]
    ((_, doubt),) = doubts(bare)
    assert doubt == Reason.of(ReasonCode.ESTIMATE_AT_END_OF_SCALE, value=doubt.facts["value"])
    assert "is 1, the end of the scale" in str(doubt)


def test_labels_of_a_model_are_not_taken_for_those_of_people_by_ppi() -> None:
    from trialogue.metrics import get_metric

    metric = get_metric("implicit_alignment@ppi")
    own = said("credibility", belief=0.4, probability=0.6)
    llm = said("credibility", belief=0.4, by=Labeller.LLM)
    people = said("credibility", belief=0.4)

    def labelled(reference: Utterance, reply: Utterance) -> float:
        (unit,) = conversation([(reference, reply)], "d").replies
        return float(metric.statistics(unit)[3])  # type: ignore[union-attr, index]

    assert labelled(people, people) == 1
    assert labelled(people, own) == 0
    assert labelled(own, people) == 0
    assert labelled(people, llm) == 0


def test_baselines_that_a_few_labels_hit_by_chance_lead_nothing_by_ppi() -> None:
    from trialogue.metrics import get_metric

    pair = said("credibility", belief=0.4), said("credibility", belief=0.4)
    (unit,) = conversation([pair], "d", system="random-human").replies
    unit = replace(unit, role=Role.BASELINE)
    found = get_metric("implicit_alignment@ppi").statistics(unit)  # type: ignore[union-attr]
    assert isinstance(found, Undefined)
    assert "labelled on both sides" in str(found.why)
    assert not isinstance(get_metric("implicit_alignment@emq").statistics(unit), Undefined)  # type: ignore[union-attr]


# --- what labels would do -------------------------------------------------------------------------------------------


def estimate(value: float, reach: float, n: int) -> Estimate:
    interval = Interval(low=value - reach, high=value + reach, method="made")
    return Estimate(value=value, interval=interval, n=n)


def test_explicit_intervals_are_halved_by_four_times_the_replies() -> None:
    # .3 (1 - .3) / 100 gives a reach of 1.96 * .0458 = .0898: as if independent
    plan = label_plan("A", estimate(0.3, 0.0898, 100), [])
    assert plan is not None
    assert plan.half_width is None
    assert plan.replies_for_half == pytest.approx(400, abs=2)
    assert "about" in plan.sentence


def test_better_beliefs_need_fewer_labels() -> None:
    def needed(sure: float) -> int:
        rng = np.random.default_rng(0)
        talks = []
        for n in range(400):
            seems = rng.random() < (sure if rng.random() < 0.3 else 1 - sure)  # the belief is right as often as it says
            reply = said("credibility", belief=sure if seems else 1 - sure)
            talks.append(conversation([(said("credibility", belief=1.0), reply)], f"d{n}"))
        plan = label_plan("A", estimate(0.3, 0.13, 400), talks)
        assert plan is not None
        assert plan.half_width is not None
        return plan.half_width

    assert needed(0.95) < needed(0.7)


def test_pairs_of_one_dialogue_that_go_together_are_worth_fewer_labels() -> None:
    def planned(dialogues: int) -> LabelPlan:
        """400 pairs, half of them believed to match, each dialogue all of one kind."""
        talks = []
        for n in range(dialogues):
            belief = 0.9 if n % 2 else 0.1
            pairs = [(said("credibility", belief=1.0), said("credibility", belief=belief))] * (400 // dialogues)
            talks.append(conversation(pairs, f"d{n}"))
        plan = label_plan("A", estimate(0.5, 0.2, 400), talks)
        assert plan is not None
        return plan

    # r is .9 or .1: the share is .5, posteriors differ from it by .4. Ten pairs a dialogue: each goes together with nine,
    # d = 1 + 9 (.16) / .25 = 6.76; halving needs .25 d / ((.1 / 1.96)^2) pairs: 96.04 d = 649 of them, more than there are
    assert planned(400).replies_for_half == pytest.approx(97, abs=1)
    together = planned(40)
    assert together.replies_for_half == pytest.approx(650, abs=2)
    assert together.half_width is None
    assert planned(400).half_width is not None


def test_a_plan_for_few_dialogues_counts_that_their_interval_stays_wider_than_by_z() -> None:
    chances = [0.1, 0.9] * 20
    talks = [
        conversation([(said("credibility", belief=1.0), said("credibility", belief=one)) for one in chances], f"d{n}")
        for n in range(10)
    ]

    def planned(dialogues: int | None) -> int | None:
        plan = label_plan("A", estimate(0.5, 0.2, 400).model_copy(update={"clusters": dialogues}), talks)
        return None if plan is None else plan.half_width

    # Half of it is a reach of .1: (.1 / 1.96)^2 = .0026031. Beliefs of .9 and .1 know r^2 = .16 / .25 = .64 of the variance
    # .25 of a pair: n labels leave .25 (1 / 400 + .36 (1 / n - 1 / 400)) = .0004 + .09 / n. By z n = .09 / .0022031 = 40.9
    assert planned(None) == 41
    # of ten dialogues t(.975, 9) / 1.96 sqrt(10 / 9) = 2.26216 / 1.96 1.05409 = 1.2166 times as wide:
    # .0004 + .09 / n = .0026031 / 1.2166^2 = .0017587, n = .09 / .0013587 = 66.2
    assert planned(10) == 67


def test_labels_in_few_of_many_dialogues_are_as_little_as_few_dialogues() -> None:
    # k (1 - (1 - labels / pairs)^(pairs / k)): 20 of 400 pairs hit 10 (1 - .95^40) = 8.7 of 10 dialogues, 20 of 400
    assert _dialogues_with_label(20, 400, 10) == pytest.approx(8.715, abs=0.001)
    assert _dialogues_with_label(20, 400, 400) == pytest.approx(20)
    assert _dialogues_with_label(400, 400, 10) == 10
    assert _wider(10) == pytest.approx(2.26216 / 1.95996 * (10 / 9) ** 0.5, abs=1e-4)
    assert _wider(1.0) == float("inf")
    assert _wider(None) == 1


def test_dialogues_that_hold_labels_are_counted_and_those_that_further_labels_reach_are_expected() -> None:
    """400 pairs in 40 dialogues; people labelled 50 pairs: all of five dialogues, or at random."""
    people, model = said("credibility", belief=0.8), said("credibility", belief=0.8, probability=0.9)

    def planned(labelled: int) -> LabelPlan:
        talks = [conversation([(people if n < labelled else model, people)] * 10, f"d{n}") for n in range(40)]
        given = estimate(0.5, 0.2, 400).model_copy(update={"clusters": 40})
        plan = label_plan("A", given, talks, labelled=50)
        assert plan is not None
        return plan

    held = _Held(40, 400, 50, 5)
    assert held.expected_dialogues(50) == 5
    # 200 labels: 150 more among 350 pairs reach 35 (1 - (1 - 150 / 350)^10) = 34.87 of the 35 other dialogues
    assert held.expected_dialogues(200) == pytest.approx(39.87, abs=0.01)
    assert _Held(40, 400).expected_dialogues(50) == _dialogues_with_label(50, 400, 40)
    # five dialogues: t(.975, 4) / 1.96 sqrt(5 / 4) = 1.584 times as wide as by z; 29.5, a random draw's: 1.062 times. The
    # more of the width is owed to few dialogues, the less to few labels, the fewer more of them do
    few, random = planned(5).half_width, planned(0).half_width
    assert few is not None
    assert random is not None
    assert few < random


def test_an_interval_of_next_to_no_width_is_halved_by_more_replies_than_anyone_has() -> None:
    plan = label_plan("A", estimate(0.5, 1e-15, 400), [])
    assert plan is not None
    assert (plan.half_width, plan.replies_for_half) == (None, 10**15)


def test_without_an_interval_or_at_the_end_of_the_scale_there_is_no_plan() -> None:
    assert label_plan("A", Estimate(value=0.3, n=10), []) is None
    assert label_plan("A", estimate(0.001, 0.001, 100), []) is None


def unlabelled() -> tuple[list[Situation], list[Response]]:
    situations = [
        one.model_copy(update={"reference": one.reference.model_copy(update={"strategies": None})})
        for one in demo_situations()
        if one.reference is not None
    ]
    responses = [
        one.model_copy(update={"utterance": one.utterance.model_copy(update={"strategies": None})})
        for one in demo_responses()
    ]
    return situations, responses


def test_items_are_the_same_situations_for_all_systems_in_random_order(tmp_path: Path) -> None:
    situations, responses = unlabelled()
    items = labelling_items(situations, responses, 10, seed=1)
    assert len(items) == 10 * (1 + 3)
    assert {item["system"] for item in items} == {None, "aria", "bolt", "chip"}
    assert {item["side"] for item in items} == {"reference", "reply"}
    assert items == labelling_items(situations, responses, 10, seed=1)
    assert [item["system"] for item in items] != sorted(str(item["system"]) for item in items)
    write_items(tmp_path / "items.jsonl", items)
    first = json.loads((tmp_path / "items.jsonl").read_text("utf-8").splitlines()[0])
    assert set(first) == {"id", "situation_id", "side", "system", "stratum", "context", "text"}
    assert set(first["context"][0]) == {"speaker", "text"}


def test_what_people_have_labelled_is_not_asked_again() -> None:
    assert labelling_items(demo_situations(), demo_responses(), 10) == []
    with pytest.raises(UsageError, match="at least one"):
        labelling_items(demo_situations(), demo_responses(), 0)


def test_answers_come_back_onto_the_records_and_sharpen_the_estimate(tmp_path: Path) -> None:
    situations, responses = unlabelled()
    truth = {
        **{f"{one.id}|reference": one.reference for one in demo_situations()},
        **{f"{one.situation_id}|reply|{one.system}": one.utterance for one in demo_responses()},
    }
    rows = []
    for item in labelling_items(situations, responses, 50):
        utterance = truth[str(item["id"])]
        assert utterance is not None
        assert utterance.strategies
        rows.append({"id": item["id"], "strategy": utterance.strategies[0].strategy, "labeller": "ann", "by": "person"})
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    write_records(tmp_path / "data.jsonl", [*situations, *responses])
    run = align([tmp_path / "data.jsonl"], [], answers=tmp_path / "answers.jsonl", resamples=100)
    league = run.league("implicit_alignment@ppi|v1")
    values = {standing.system: standing.estimate.value for standing in league.standings}
    assert {baseline.estimate.value for baseline in league.baselines} == {None}
    assert values["aria"] == pytest.approx(0.53, abs=0.15)  # what all labels say; the model alone says 1.0
    assert any("and that of people" in warning for warning in run.findings.warnings)


def test_labels_take_part_where_every_system_has_enough_of_them() -> None:
    situations, responses = demo_situations(), demo_responses()
    all_labelled = offline_conversations(situations, [one for one in responses if one.system == "aria"])
    assert is_labelled(all_labelled)  # 45 of 45 that count
    bare = [
        one.model_copy(update={"utterance": one.utterance.model_copy(update={"strategies": None})})
        for one in responses
        if one.system == "aria"
    ]
    assert not is_labelled(offline_conversations(situations, bare))
    assert not is_labelled([])


def test_answers_that_are_none_are_refused_all_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "1", "strategy": "credibilty"}\n[]\n{"id": "2"}\n', "utf-8")
    with pytest.raises(DataError) as refused:
        read_answers(path)
    assert len(refused.value.problems) == 3
    assert "Did you mean 'credibility'" in str(refused.value)
    path.write_text("", "utf-8")
    with pytest.raises(DataError, match="no answers"):
        read_answers(path)


def test_names_of_another_set_are_mapped(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "s|reference", "strategy": "asks", "by": "person"}\n', "utf-8")
    found = read_answers(path, mapping={"asks": "opinion_inquiry"})
    assert found["s|reference"][0].strategy == "opinion_inquiry"
    assert found["s|reference"][0].is_by_a_person
    with pytest.raises(DataError, match="none of the 1 answers"):
        with_answers(demo_situations(), demo_responses(), found)

"""A failed dialogue counts by the card's policy: as the worst outcome only where the system itself failed."""

import numpy as np
import pytest

from tests.metrics.acts import acted
from trialogue.metrics import Settings, conversations_of, get_metrics, measure
from trialogue.metrics.base import SumMetric, Undefined
from trialogue.metrics.engine.conversations import offline_conversations
from trialogue.metrics.failure_policy import with_failure_policy
from trialogue.metrics.failure_sensitivity import failure_sensitivity
from trialogue.metrics.registry import all_variants, get_card, get_metric, metric_names
from trialogue.records import (
    Card,
    Dialogue,
    Ending,
    FailurePolicy,
    Fault,
    Reason,
    ReasonCode,
    Response,
    Score,
    Situation,
    Utterance,
    Variant,
    completion_counts,
)
from trialogue.records.card import FAILED_TEXTS
from trialogue.records.kinds.endings import FAILURES

FEW = Settings(resamples=50, permutations=50)
GOOD = ("u:Disclose", "a:List", "u:Note-end", "a:Record")
OUTCOMES = ("turn_success", "turn_success@pooled", "reward", "task_success", "accepted_recommendations")
OTHERS = sorted(ending for ending in FAILURES if ending.fault is not Fault.AGENT)


def held(name: str, ending: Ending, *words: str, system: str = "A") -> Dialogue:
    return acted(*(words or GOOD), name=name, system=system).model_copy(update={"ended_by": ending})


def scores(name: str, *dialogues: Dialogue, settings: Settings = FEW) -> dict[str, Score]:
    found = measure(conversations_of(dialogues), get_metrics([name]), settings=settings)
    return {each.system or "": each for each in found if each.level == "system"}


def test_every_card_of_ours_declares_how_failures_count() -> None:
    assert [name for name in metric_names() if get_card(name).failed is None] == []


def test_a_card_of_a_plug_in_that_declares_nothing_never_rewards_failures() -> None:
    fields = {
        "name": "x", "title": "X", "summary": "x", "unit": "x", "level": "dialogue", "default": "a",
        "variants": {"a": Variant(summary="a", source="a")},
    }  # fmt: skip
    assert Card(**fields, better="higher", low=1, high=5).failure_policy is FailurePolicy.WORST
    assert Card(**fields, better="lower", low=1).failure_policy is FailurePolicy.UNDEFINED
    assert Card(**fields, better="neither", low=1, high=5).failure_policy is FailurePolicy.UNDEFINED


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_dialogue_that_the_system_failed_in_is_the_worst_outcome_whatever_was_done_before(name: str) -> None:
    fine = held("fine", Ending.AGENDA_EMPTY)
    failed = held("failed", Ending.AGENT_ERROR)  # the same words, so that only the ending can make a difference
    whole = scores(name, fine)["A"].value
    assert whole is not None
    assert whole > 0
    assert scores(name, failed)["A"].value == 0
    assert scores(name, fine, failed)["A"].value == pytest.approx(whole / 2)  # both have as many turns


def test_reward_is_no_prize_for_failing_at_the_first_call() -> None:
    """Version 1 said 11.0 for a server that always fails, against 6.6 for one that works."""
    broken = held("b", Ending.AGENT_ERROR, "u:Disclose")
    without = broken.model_copy(update={"ended_by": None})
    assert scores("reward", without)["A"].value == 11.0  # 20 - 1 turn - 4 for each of refinement and navigation
    assert scores("reward", broken)["A"].value == 0.0


@pytest.mark.parametrize("name", OUTCOMES)
def test_an_agent_that_cannot_be_opened_is_the_worst_outcome_too(name: str) -> None:
    assert scores(name, Dialogue(id="d", system="A", utterances=(), ended_by=Ending.AGENT_UNREACHABLE))["A"].value == 0


@pytest.mark.parametrize("ending", OTHERS)
@pytest.mark.parametrize("name", [*OUTCOMES, "turns", "satisfaction"])
def test_a_failure_of_others_is_missing_with_its_reason(name: str, ending: Ending) -> None:
    score = scores(name, held("d", ending))["A"]
    assert score.value is None
    assert score.why is not None
    assert (score.why.code, score.why.facts) == (ReasonCode.OTHERS_FAILED, {"ending": ending, "fault": ending.fault})
    both = scores(name, held("d", ending), held("e", Ending.AGENDA_EMPTY))["A"]
    assert (both.value, both.n) == (scores(name, held("e", Ending.AGENDA_EMPTY))["A"].value, 1)


@pytest.mark.parametrize("name", ["turns", "words_per_turn", "rounds_until_acceptance", "user_act_ratio", "latency"])
def test_a_measure_without_a_worst_value_is_undefined_where_the_system_failed(name: str) -> None:
    score = scores(name, held("d", Ending.AGENT_TIMEOUT))["A"]
    assert score.value is None
    assert score.why is not None
    assert score.why.code is ReasonCode.SYSTEM_FAILED


def test_the_share_of_failures_is_what_it_is() -> None:
    dialogues = (held("a", Ending.AGENT_ERROR), held("b", Ending.LOST), held("c", Ending.AGENDA_EMPTY))
    assert scores("failures", *dialogues)["A"].value == pytest.approx(2 / 3)


def test_failures_are_a_share_of_all_dialogues_as_the_threats_count_them() -> None:
    """DialogueKit's files record an ending only where something failed: 1 of 4 dialogues is not a share of 1."""
    plain = [acted(*GOOD, name=name, system="A") for name in "abc"]
    dialogues = [*plain, held("d", Ending.USER_ERROR)]
    done = completion_counts(dialogues)["A"]
    found = scores("failures", *dialogues)["A"]
    assert (found.value, found.n, found.skipped) == (1 / 4, 4, 0)
    assert found.value == done.failure_rate
    assert scores("failures@user", *dialogues)["A"].value == 1 / 4
    assert scores("failures@agent", *dialogues)["A"].value == 0.0
    assert scores("ending@user_error", *dialogues)["A"].value == 1 / 4


def test_where_no_ending_is_recorded_there_is_no_share_of_failures() -> None:
    silent = [acted(*GOOD, name=f"b{name}", system="B") for name in "abc"]
    found = scores("failures", held("d", Ending.USER_ERROR), *silent)
    assert (found["A"].value, found["B"].value) == (1.0, None)
    assert found["B"].why == Reason.of(ReasonCode.ENDING_NOT_RECORDED)
    assert found["B"].skipped == 3


def test_a_dialogue_without_annotation_is_not_measured_because_it_failed() -> None:
    """Else a corpus without acts would have a turn success of 0, resting on its failed dialogues alone."""
    plain = Dialogue(
        id="d",
        system="A",
        utterances=(Utterance(speaker="user", text="hi"), Utterance(speaker="system", text="ho")),
        ended_by=Ending.AGENT_ERROR,
    )
    score = scores("turn_success", plain)["A"]
    assert score.value is None
    assert score.why is not None
    assert score.why.code is ReasonCode.ACTS_MISSING
    assert scores("success_rate", plain)["A"].value is None  # nobody was asked


@pytest.mark.parametrize(
    "name", sorted(set(metric_names()) - {"bertscore", "perplexity", "impression", "reply_impression"})
)
def test_the_worst_value_is_the_end_of_the_scale_for_every_metric_that_has_one(name: str) -> None:
    """By the formula itself, for dialogues and for replies to situations; a metric may say that it does not apply."""
    said = Utterance(speaker="user", text="hi")
    reply = Response(
        situation_id="s",
        system="A",
        utterance=Utterance(speaker="system", text=""),
        failure=Ending.AGENT_ERROR,
    )
    situation = Situation(
        id="s", context=(said,), reference=Utterance(speaker="system", text="See Heat."), targets=("heat",)
    )
    (conversation,) = offline_conversations([situation], [reply])
    dialogue = held("d", Ending.AGENT_ERROR, "u:Disclose", "a:List=Heat", "u:Note-end", "a:Record=")
    for metric in all_variants(name):
        if not isinstance(metric, SumMetric) or metric.card.failure_policy is not FailurePolicy.WORST:
            continue
        unit = dialogue if metric.card.level == "dialogue" else conversation.replies[0]
        row = with_failure_policy(metric, unit)
        if isinstance(row, Undefined):
            assert metric.card.name == "success_rate" or row.why.code is ReasonCode.NEED_UNKNOWN, row.why
            continue
        value = metric.combine(np.array([row]))[0]
        assert value == metric.card.worst or np.isnan(value), metric.measure  # NaN: a formula of sums without a word


def test_replies_of_a_failed_dialogue_are_measured_as_they_are() -> None:
    fine, failed = held("a", Ending.AGENDA_EMPTY), held("a", Ending.AGENT_ERROR)
    assert scores("length", failed)["A"].value == scores("length", fine)["A"].value


def test_signatures_say_how_failures_count_where_there_are_any() -> None:
    assert "failed:" not in (scores("reward", held("a", Ending.AGENDA_EMPTY))["A"].signature or "")
    assert "failed:worst" in (scores("reward", held("a", Ending.AGENT_ERROR))["A"].signature or "")
    assert "failed:undefined" in (scores("turns", held("a", Ending.AGENT_ERROR))["A"].signature or "")


def test_sensitivity_shows_a_verdict_that_rests_on_counting_failures() -> None:
    """A works in every dialogue and is answered half of the time; B is answered always, and fails in half of them."""
    half, whole = ("u:Disclose", "a:List", "u:Disclose", "a:Fail"), ("u:Disclose", "a:List")
    dialogues = [held(f"a{number}", Ending.AGENDA_EMPTY, *half) for number in range(20)]
    for number in range(20):
        ending = Ending.AGENT_ERROR if number % 2 else Ending.AGENDA_EMPTY
        dialogues.append(held(f"b{number}", ending, *whole, system="B"))
    found = failure_sensitivity(conversations_of(dialogues), get_metrics(["turn_success", "turns"]), settings=FEW)
    by_system = {(each.worst.system, each.worst.versus): each for each in found}
    assert {each.measure for each in found} == {"turn_success@kdd2020|v1"}  # turns cannot be the worst
    assert (by_system["B", None].worst.value, by_system["B", None].left_out.value) == (0.5, 1.0)
    assert by_system["B", None].shift == 0.5
    assert by_system["A", None].shift == 0.0
    assert by_system["A", "B"].conclusion_differs  # equal at .5, or B better by .5


def test_there_is_nothing_to_be_sensitive_to_where_no_system_failed() -> None:
    dialogues = [held("a", Ending.LOST), held("b", Ending.AGENDA_EMPTY)]
    assert failure_sensitivity(conversations_of(dialogues), [get_metric("turn_success")], settings=FEW) == []


@pytest.mark.parametrize("policy", FailurePolicy)
def test_every_policy_is_explained_on_the_card(policy: FailurePolicy) -> None:
    assert FAILED_TEXTS[policy]

import numpy as np
import pytest

from tests.strategies.next_strategy.test_sequence import TALK, asks, says
from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import NO_STRATEGY, STRATEGIES, situations_of
from trialogue.strategies.next_strategy.ngram import NGramFit
from trialogue.strategies.next_strategy.planner import INSTRUCTIONS, instruction_for, plan_next
from trialogue.strategies.next_strategy.sequence import START, tokens_of

MODEL = NGramFit(order=2)([tokens_of(TALK.utterances)] * 4)


def test_the_plan_is_what_people_did_after_the_same() -> None:
    plan = plan_next(MODEL, TALK.utterances[:4])
    assert plan.best == "encouragement"
    assert list(plan.probabilities.values()) == sorted(plan.probabilities.values(), reverse=True)
    assert sum(plan.probabilities.values()) == pytest.approx(1)
    assert plan.history[-1] == "user:question"
    assert plan.origin == MODEL.origin


def test_a_dialogue_its_utterances_and_its_situation_give_the_same_plan() -> None:
    (situation,) = situations_of(TALK)
    assert plan_next(MODEL, situation) == plan_next(MODEL, TALK.utterances[:4])
    assert plan_next(MODEL, TALK) == plan_next(MODEL, TALK.utterances)


def test_a_dialogue_that_has_not_begun_has_a_plan() -> None:
    plan = plan_next(MODEL, [])
    assert plan.history == (START,)
    assert plan.best == NO_STRATEGY


def test_a_plan_says_how_much_of_the_history_has_no_labels() -> None:
    assert plan_next(MODEL, [says("Hello"), asks("Hi"), says("Coco.", "encouragement")]).unlabelled_count == 1


def test_draws_follow_the_distribution() -> None:
    plan, rng = plan_next(MODEL, TALK.utterances[:4]), np.random.default_rng(0)
    share = np.mean([plan.draw(rng) == plan.best for _ in range(2000)])
    assert share == pytest.approx(plan.probabilities[plan.best], abs=0.04)  # four standard errors of a half


def test_every_strategy_has_an_instruction_of_its_own() -> None:
    assert set(INSTRUCTIONS) == {*STRATEGIES, NO_STRATEGY}
    assert len(set(INSTRUCTIONS.values())) == 14


def test_the_instruction_says_what_to_do_and_what_people_do_besides() -> None:
    plan = plan_next(MODEL, TALK.utterances[:4])
    said = plan.instruction()
    assert said.startswith(f"In your next sentence: {INSTRUCTIONS['encouragement']}")
    assert f"(encouragement: {plan.probabilities['encouragement']:.0%} of" in said
    assert f"Also usual: {list(plan.probabilities)[1].replace('_', ' ')} " in said
    assert plan.instruction(others=0).endswith("would do this here.)")


def test_a_drawn_strategy_may_be_asked_for_instead() -> None:
    plan = plan_next(MODEL, TALK)
    assert INSTRUCTIONS["similarity"] in plan.instruction("similarity")


def test_unknown_strategies_are_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'similarity'"):
        plan_next(MODEL, TALK).instruction("similarty")
    with pytest.raises(UnknownNameError, match="instruction for the strategy"):
        instruction_for("recommend-show")


def test_other_strategies_need_and_may_have_their_own_texts() -> None:
    model = NGramFit(order=1, classes=("ask", "tell"))([(START, "ask", "ask", "tell")])
    plan = plan_next(model, [])
    assert plan.instruction(texts={"ask": "Ask."}).startswith("In your next sentence: Ask. (ask: ")
    with pytest.raises(UnknownNameError, match="'ask'"):
        plan.instruction()


def test_a_negative_number_of_others_is_refused() -> None:
    with pytest.raises(UsageError, match="others must be 0 or more"):
        plan_next(MODEL, TALK).instruction(others=-1)

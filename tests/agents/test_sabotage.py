"""Sabotage: a share of the replies is off-topic, drawn by the seed; the rest is the agent's own."""

import pytest

from trialogue.agents import make_agent
from trialogue.agents.baselines import OFF_TOPIC
from trialogue.agents.registry import spec_of
from trialogue.errors import UsageError
from trialogue.records import Utterance


def replies(share: float, *, seed: int = 1, turns: int = 400) -> list[str]:
    agent = make_agent("sabotage:echo", share=share)
    with agent.open("d", seed=seed) as session:
        return [session.reply([Utterance(speaker="user", text="hello")]).utterances[0].text for _ in range(turns)]


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_share_of_replies_that_are_off_topic_is_the_one_asked_for(share: float) -> None:
    texts = replies(share)
    off = sum(text in OFF_TOPIC for text in texts)
    assert abs(off / 400 - share) <= 4 * (share * (1 - share) / 400) ** 0.5  # four standard errors of a share
    assert {text for text in texts if text not in OFF_TOPIC} <= {"hello"}


def test_which_replies_are_replaced_depends_on_the_seed_alone() -> None:
    assert replies(0.5) == replies(0.5)
    assert replies(0.5) != replies(0.5, seed=2)


def test_the_agent_inside_recommends_items_of_the_catalogue_that_is_given() -> None:
    with pytest.raises(UsageError, match=r"nowhere\.jsonl"):
        make_agent("sabotage:reference:guided", catalogue="nowhere.jsonl")
    assert make_agent("sabotage:reference:popular").name == "popular, sabotaged"
    assert make_agent("sabotage:reference:popular", name="worse").name == "worse"


def test_a_mistake_in_the_agent_inside_is_found_before_it_is_made() -> None:
    (mistake,) = spec_of("sabotage:nosuch").mistakes()
    assert mistake.place == ("agent",)
    assert "nosuch" in mistake.what


def test_a_share_outside_0_and_1_is_refused() -> None:
    with pytest.raises(UsageError, match="share"):
        make_agent("sabotage:echo", share=1.5)

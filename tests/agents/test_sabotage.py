"""Sabotage: a share of the replies is off-topic, drawn by the seed; the rest is the agent's own."""

from itertools import pairwise

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


def test_replies_can_be_repeated_or_those_of_another_agent() -> None:
    always = {"agent": "sabotage:echo", "share": 1.0}
    said = [Utterance(speaker="user", text=text) for text in ("first", "second")]
    with_other = make_agent({**always, "by": "fixed:Have you seen Heat?"}).open("d", seed=1)
    assert [with_other.reply(said[: place + 1]).utterances[0].text for place in range(2)] == ["Have you seen Heat?"] * 2
    repeated = make_agent({**always, "by": "repeated"}).open("d", seed=1)
    assert [repeated.reply(said[: place + 1]).utterances[0].text for place in range(2)] == ["first", "first"]
    half = make_agent({"agent": "sabotage:echo", "share": 0.5, "by": "repeated"}).open("d", seed=1)
    many = [Utterance(speaker="user", text=f"t{place}") for place in range(40)]
    texts = [half.reply(many[: place + 1]).utterances[0].text for place in range(40)]
    again = sum(one == other for one, other in pairwise(texts))
    assert 10 <= again <= 30  # half of 39, within three standard errors


def test_what_replies_are_replaced_by_is_checked_with_the_agent() -> None:
    spec = spec_of({"agent": "sabotage:echo", "by": "reference:popular", "catalogue": "no-such-catalogue"})
    assert {mistake.place[0] for mistake in spec.mistakes()} == {"by"}


def test_lower_ranked_replies_name_other_and_worse_items_than_the_agent_s_own() -> None:
    said = [Utterance(speaker="user", text="Do you have any science fiction?")]
    own = make_agent("reference:genre-led").open("d", seed=1).reply(said)
    worse = make_agent({"agent": "sabotage:reference:genre-led", "share": 1.0, "by": "lower-ranked"})
    lower = worse.open("d", seed=1).reply(said)
    best = next(each.ranking for each in own.utterances if each.ranking)
    left = next(each.ranking for each in lower.utterances if each.ranking)
    assert len(best) == 20
    assert left
    assert not set(best) & set(left)


def test_an_agent_without_a_ranking_cannot_offer_lower_ranked_items() -> None:
    for agent, why in (("echo", "no option 'skip'"), ("reference:popular", "ranks nothing")):
        spec = spec_of({"agent": f"sabotage:{agent}", "by": "lower-ranked"})
        (mistake,) = spec.mistakes()
        assert mistake.place == ("by",)
        assert why in mistake.what
        with pytest.raises(UsageError, match=why):
            make_agent({"agent": f"sabotage:{agent}", "by": "lower-ranked"})

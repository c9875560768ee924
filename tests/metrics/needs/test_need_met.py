"""Outcomes by needs: counted are items that the system names first, at most three new ones a turn, within ten turns."""

from collections.abc import Sequence
from itertools import chain

import pytest

from trialogue.metrics import AnyMetric, Undefined, get_metric
from trialogue.metrics.needs.need_met import NeedMet, probability_by_chance, recommended_in
from trialogue.records import Constraint, Dialogue, Ending, Mention, Need, ReasonCode, Utterance

NEED = Need(
    id="n",
    constraints=(Constraint(attribute="genre", values=("Crime",)), Constraint(attribute="decade", values=("1990s",))),
    acceptable=("heat", "fargo"),
    targets=("heat",),
    fits={"heat": 1.0, "fargo": 1.0, "big": 0.0, "ronin": 0.5, "ran": 0.0, "jaws": 0.0},
    is_resolved=True,
    catalogue_size=10,
)


def says(speaker: str, text: str, *titles: str, ranking: Sequence[str] | None = None) -> Utterance:
    named = tuple(
        Mention(title=title, item_id=title.lower(), start=text.index(title), end=text.index(title) + len(title))
        for title in titles
    )
    return Utterance.model_validate({"speaker": speaker, "text": text, "mentions": named, "ranking": ranking})


def ask(text: str = "Something good?", *titles: str) -> Utterance:
    return says("user", text, *titles)


def reply(text: str, *titles: str, ranking: Sequence[str] | None = None) -> Utterance:
    return says("system", text, *titles, ranking=ranking)


def dialogue(*said: Utterance, need: Need | None = NEED, ended_by: Ending | None = None) -> Dialogue:
    return Dialogue(id="d", utterances=said, need=need, ended_by=ended_by)


def value(name: str, of: Dialogue) -> float | ReasonCode:
    metric: AnyMetric = get_metric(name)
    found = metric.statistics(of)  # type: ignore[union-attr]
    return found.why.code if isinstance(found, Undefined) else found[0] / found[1]


def test_a_need_is_met_by_an_item_that_the_system_names_first() -> None:
    assert value("need_met", dialogue(ask(), reply("Try Heat.", "Heat"))) == 1
    assert value("need_met", dialogue(ask(), reply("Try Big.", "Big"))) == 0
    assert value("need_met", dialogue(ask(), reply("Bread rises slowly."))) == 0
    assert value("need_met", dialogue(ask("I like Heat", "Heat"), reply("Try Heat.", "Heat"))) == 0  # an echo


@pytest.mark.parametrize(
    "text", ["Have you seen Heat?", "I cannot recommend Heat.", "Films like Heat are rare.", "Not Heat."]
)
def test_titles_that_are_asked_about_spoken_against_or_compared_do_not_count(text: str) -> None:
    assert value("need_met", dialogue(ask(), reply(text, "Heat"))) == 0
    assert value("need_met", dialogue(ask(), reply(text, "Heat"), ask(), reply("So try Heat!", "Heat"))) == 1


def test_a_list_is_three_recommendations_a_turn_and_what_it_holds_beyond_is_used_up() -> None:
    long = reply("Big, Ran, Jaws, Heat", "Big", "Ran", "Jaws", "Heat")
    assert value("need_met", dialogue(ask(), long)) == 0
    assert value("need_met@listed", dialogue(ask(), long)) == 1
    assert value("need_met", dialogue(ask(), long, ask(), reply("Heat", "Heat"))) == 0  # repeated
    assert value("need_met", dialogue(ask(), reply("Big, Ran, Heat", "Big", "Ran", "Heat"))) == 1
    assert value("need_met@first", dialogue(ask(), reply("Big, Ran, Heat", "Big", "Ran", "Heat"))) == 0
    burst = (reply("Big, Ran", "Big", "Ran"), reply("Jaws, Heat", "Jaws", "Heat"))  # one turn
    assert value("need_met", dialogue(ask(), *burst)) == 0


def test_ten_turns_are_the_users() -> None:
    idle = list(chain.from_iterable((ask(), reply("Hm.")) for _ in range(9)))
    tenth = dialogue(*idle, ask(), reply("Heat", "Heat"))
    eleventh = dialogue(*idle, ask(), reply("Hm."), ask(), reply("Heat", "Heat"))
    assert (value("need_met", tenth), value("turns_until_need_met", tenth)) == (1, 10)
    assert (value("need_met", eleventh), value("need_met(turns=11)", eleventh)) == (0, 1)
    assert value("turns_until_need_met", eleventh) is ReasonCode.NEED_NOT_MET
    assert value("turns_until_need_met@capped", eleventh) == 11
    assert value("turns_until_need_met", dialogue(reply("Heat?", "Heat"))) == 0  # a greeting


def test_chance_counts_the_different_items_that_were_recommended() -> None:
    two = dialogue(ask(), reply("Big and Ran", "Big", "Ran"), ask(), reply("Big again", "Big"))
    assert value("need_met_by_chance", two) == pytest.approx(1 - (8 / 10) * (7 / 9))  # 2 of 10 are acceptable
    assert probability_by_chance(10, 10, 1) == 1
    unknown = NEED.model_copy(update={"catalogue_size": None})
    assert value("need_met_by_chance", dialogue(ask(), need=unknown)) is ReasonCode.CATALOGUE_UNKNOWN


def test_constraints_are_satisfied_by_the_best_recommendation_or_by_all_on_average() -> None:
    talk = dialogue(ask(), reply("Big or Ronin", "Big", "Ronin"))
    assert value("constraints_satisfied", talk) == 0.5
    assert value("constraints_satisfied@mean", talk) == 0.25
    assert value("constraints_satisfied", dialogue(ask(), reply("Hm."))) == 0
    unresolved = dialogue(ask(), need=NEED.model_copy(update={"is_resolved": False}))
    assert value("constraints_satisfied", unresolved) is ReasonCode.NEED_NOT_RESOLVED


def test_recall_looks_at_the_last_list_up_to_a_turn_and_a_dialogue_that_ended_keeps_it() -> None:
    talk = dialogue(
        ask(), reply("Hm.", ranking=["big", "ran"]), ask(), reply("Hm.", ranking=["big", "heat"]), ask(), reply("Hm.")
    )
    assert [value(f"need_recall(k=2,turn={turn})", talk) for turn in (1, 2, 10)] == [0, 1, 1]
    assert value("need_recall(k=1,turn=2)", talk) == 0
    last = dialogue(ask(), reply("Hm.", ranking=["heat"]), ask(), reply("Hm.", ranking=["big"]))
    assert (value("need_recall@last", last), value("need_recall@any", last)) == (0, 1)
    doubled = dialogue(ask(), reply("Hm.", ranking=["big", "big", "heat"]))
    assert value("need_recall(k=2)", doubled) == 1  # the first position of an item counts
    silent = dialogue(ask(), reply("Hm."))
    assert value("need_recall", silent) is ReasonCode.NO_RANKING
    assert value("need_recall@all-cases", silent) == 0  # recommending seldom does not pay
    assert value("need_recall(k=1,turn=2)@all-cases", talk) == 0
    assert value("need_recall(k=2,turn=2)@all-cases", talk) == 1


def test_repetitions_and_strangers_are_shares_of_what_is_recommended() -> None:
    talk = dialogue(ask(), reply("Heat", "Heat"), ask(), reply("Heat or Xyz", "Heat", "Xyz"))
    assert value("repeated_recommendations", talk) == pytest.approx(1 / 3)
    assert value("out_of_catalogue", talk) == pytest.approx(1 / 3)
    assert value("repeated_recommendations", dialogue(ask(), reply("Hm."))) is ReasonCode.NO_ITEM_NAMED


def test_a_dialogue_without_a_need_or_whose_items_nobody_looked_for_has_no_value() -> None:
    assert value("need_met", dialogue(ask(), need=None)) is ReasonCode.NEED_UNKNOWN
    unlinked = Utterance(speaker="system", text="Heat")
    assert value("need_met", dialogue(ask(), unlinked)) is ReasonCode.ITEMS_NOT_LINKED_BY_SYSTEM


def test_what_the_agent_failed_is_not_met_and_what_others_failed_is_missing() -> None:
    from trialogue.metrics.failure_policy import with_failure_policy

    met = (ask(), reply("Try Heat.", "Heat"))
    assert with_failure_policy(NeedMet(), dialogue(*met, ended_by=Ending.AGENT_ERROR)) == (0.0, 1.0)
    assert isinstance(with_failure_policy(NeedMet(), dialogue(*met, ended_by=Ending.RATE_LIMITED)), Undefined)


def test_a_declared_item_without_a_place_counts_after_those_in_the_text() -> None:
    hidden = Utterance(
        speaker="system",
        text="Big, Ran and Jaws",
        mentions=(
            Mention(title="Zed", item_id="heat"),
            *(Mention(title=title, item_id=title.lower()) for title in ("Jaws", "Ran", "Big")),
        ),
    )
    found = recommended_in(dialogue(ask(), hidden))
    assert not isinstance(found, Undefined)
    assert [each.key for each in found] == ["big", "ran", "jaws", "heat"]
    assert value("need_met", dialogue(ask(), hidden)) == 0


@pytest.mark.parametrize("name", ["need_met", "need_met_by_chance", "constraints_satisfied"])
def test_chances_and_shares_lie_between_0_and_1(name: str) -> None:
    card = get_metric(name).card
    assert (card.low, card.high) == (0, 1)

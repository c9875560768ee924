"""What scripted participants learn of systems."""

import pytest

from trialogue.errors import UsageError
from trialogue.study.bots.simulation import effects_of
from trialogue.study.design.items import ChatItem, Message, RatingItem

CHATS = [ChatItem(key=name, agents=(name,)) for name in ("a", "b")]
RATED = [RatingItem(key="1", context=(Message(speaker="user", text="?"),), responses={"a": "Yes.", "b": "No."})]


def test_effects_are_evenly_spaced_around_nought_by_default() -> None:
    assert sorted(effects_of(RATED, None, seed=0).values()) == [-0.35, 0.35]  # 0.7 logits apart


def test_systems_that_are_talked_to_have_no_effect_because_no_page_says_which_they_are() -> None:
    assert effects_of(CHATS, None, seed=0) == {}
    with pytest.raises(UsageError, match="Omit --effect; the simulation then only checks"):
        effects_of(CHATS, {"a": 1.0}, seed=0)


def test_an_effect_of_an_unknown_system_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"the items have no system 'c'. Systems: a, b"):
        effects_of(RATED, {"c": 1.0}, seed=0)

"""What cards say of the values that a metric can have."""

import pytest

from trialogue.metrics import get_card, metric_names

OTHER_VARIANTS = {"behavior_alignment", "coverage", "distinct", "item_ratio", "user_act_ratio"}
"""Metrics with a variant that is no share: kappa, counts and ratios."""
SHARES = [
    name
    for name in metric_names()
    if get_card(name).unit.partition(" ")[0] in ("share", "probability") and name not in OTHER_VARIANTS
]


def test_there_are_shares() -> None:
    assert len(SHARES) >= 13


@pytest.mark.parametrize("name", SHARES)
def test_a_share_or_probability_lies_between_0_and_1(name: str) -> None:
    card = get_card(name)
    assert (card.low, card.high) == (0, 1)


def test_kappa_reaches_minus_one() -> None:
    card = get_card("behavior_alignment")
    assert (card.low, card.high) == (-1, 1)

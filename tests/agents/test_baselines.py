"""Agents that need nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.agents.talk import said_to, texts, turn_of
from trialogue.agents.baselines import Echo, Fixed, FixedSpec


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])).filter(lambda text: bool(text.strip())))
def test_an_echo_says_what_the_user_said(text: str) -> None:
    assert texts(turn_of(Echo(), text)) == [text]


def test_a_fixed_agent_never_changes_its_mind() -> None:
    assert said_to(Fixed("Hello!", "Heat?"), "a", "b") == [[], ["Hello!", "Heat?"], ["Hello!", "Heat?"]]


def test_a_fixed_agent_has_something_to_say() -> None:
    with pytest.raises(ValidationError):
        FixedSpec(text="  ")
    assert texts(turn_of(FixedSpec().make())) == ["Could you tell me more about what you like?"]

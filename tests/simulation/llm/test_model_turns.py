"""What a model's answer does."""

import pytest

from trialogue.simulation.llm.user import StopReason, UserMove, choice_in, move_in
from trialogue.simulation.users.user import Stop


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("A thriller, please.", UserMove("A thriller, please.")),
        ("Thanks! [DONE]", UserMove("Thanks!", StopReason.DONE)),
        ("[done]\nRecommender: You are welcome!", UserMove("", StopReason.DONE)),
        ("This leads nowhere. [GIVE_UP]", UserMove("This leads nowhere.", StopReason.GIVE_UP)),
        ("[ give-up ]", UserMove("", StopReason.GIVE_UP)),
        ("User: hello", UserMove("hello")),
        ("You: hello\nUser: again", UserMove("hello\nUser: again")),
        ("Your Name: is it good?", UserMove("Your Name: is it good?")),
        ("[giveup] [DONE]", UserMove("", StopReason.GIVE_UP)),
        ("I am DONE with horror.", UserMove("I am DONE with horror.")),
    ],
)
def test_what_is_said_stands_before_the_first_marker(text: str, move: UserMove) -> None:
    assert move_in(text) == move


def test_leaving_is_a_regular_ending_and_no_success() -> None:
    assert [each.stop for each in StopReason] == [Stop("user_ended"), Stop("user_gave_up")]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("CONTINUE", "CONTINUE"),
        ("**Give up.**", "GIVE_UP"),
        ("give-up", "GIVE_UP"),
        ("I would answer DONE, since Heat suits.", "DONE"),
        ("DONE or CONTINUE", None),
        ("undone", None),
        ("", None),
    ],
)
def test_a_choice_is_the_one_word_that_is_named(text: str, word: str | None) -> None:
    assert choice_in(text, ("CONTINUE", "DONE", "GIVE_UP")) == word

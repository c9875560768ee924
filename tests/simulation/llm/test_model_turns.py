"""What a model's answer does."""

import pytest

from trialogue.simulation.llm.model_turns import Leaving, Move, choice_in, move_in
from trialogue.simulation.users.user import Stop


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("A thriller, please.", Move("A thriller, please.")),
        ("Thanks! [DONE]", Move("Thanks!", Leaving.DONE)),
        ("[done]\nRecommender: You are welcome!", Move("", Leaving.DONE)),
        ("This leads nowhere. [GIVE_UP]", Move("This leads nowhere.", Leaving.GIVE_UP)),
        ("[ give-up ]", Move("", Leaving.GIVE_UP)),
        ("User: hello", Move("hello")),
        ("You: hello\nUser: again", Move("hello\nUser: again")),
        ("Your Name: is it good?", Move("Your Name: is it good?")),
        ("[giveup] [DONE]", Move("", Leaving.GIVE_UP)),
        ("I am DONE with horror.", Move("I am DONE with horror.")),
    ],
)
def test_what_is_said_stands_before_the_first_marker(text: str, move: Move) -> None:
    assert move_in(text) == move


def test_leaving_is_a_regular_ending_and_no_success() -> None:
    assert [each.stop for each in Leaving] == [Stop("user_ended"), Stop("user_gave_up")]


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

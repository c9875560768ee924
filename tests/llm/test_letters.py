"""Letters in answers, and the probabilities that they stand for."""

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.llm.chat import Completion
from trialogue.llm.choosing import MIN_PROBABILITY, option_probabilities
from trialogue.llm.tokens import Token

PLACE = "http://localhost/v1"


def probabilities_of(text: str, *tokens: Token, log_probabilities: bool = False) -> list[float] | None:
    answer = Completion(text=text, tokens=tokens)
    found = option_probabilities(answer, 3, log_probabilities=log_probabilities, place=PLACE)
    return None if found is None else found.tolist()


def test_without_log_probabilities_the_letter_has_probability_one() -> None:
    assert probabilities_of("(B)") == [0, 1, 0]
    assert probabilities_of("D") is None
    assert probabilities_of("B or C") is None


def test_log_probabilities_of_the_answers_token_are_shared_out_among_the_options() -> None:
    token = Token(
        text="B", log_probability=np.log(0.6), others=(("A", float(np.log(0.2))), ("the", float(np.log(0.2))))
    )
    found = probabilities_of("B", token, log_probabilities=True)
    whole = 0.8 + 3 * MIN_PROBABILITY
    assert found == pytest.approx(
        [(0.2 + MIN_PROBABILITY) / whole, (0.6 + MIN_PROBABILITY) / whole, MIN_PROBABILITY / whole]
    )


def test_a_letter_without_alternatives_has_no_probabilities() -> None:
    assert probabilities_of("B", Token(text="B", log_probability=0.0), log_probabilities=True) is None


def test_a_server_without_log_probabilities_is_named_with_what_would_do() -> None:
    with pytest.raises(
        UsageError, match=r"http://localhost/v1 does not return log-probabilities\. Set log_probabilities"
    ):
        probabilities_of("B", log_probabilities=True)

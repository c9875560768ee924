import math

import pytest

from tests.strategies.next_strategy.test_sequence import TALK, asks, says
from trialogue.errors import UsageError
from trialogue.records import Response, Situation, situations_of
from trialogue.strategies.next_strategy.ngram import NGram, NGramFit
from trialogue.strategies.next_strategy.sequence import (
    MIN_ENTROPY_SHARE,
    START,
    Tokens,
    entropy_shares,
    inverse_entropy_weights,
    write_weights,
)

AB = ("a", "b")


def made(data: list[Tokens], *, order: int = 2, classes: tuple[str, ...] = AB) -> NGram:
    return NGramFit(order=order, classes=classes)(data)


def test_the_weight_is_the_inverse_of_the_share_of_entropy() -> None:
    model = made([(START, "a", "a", "b")])
    # Witten-Bell after a: .55, .45; after the start: .8, .2 (see the test of n-grams)
    shares = [-(p * math.log2(p) + (1 - p) * math.log2(1 - p)) for p in (0.55, 0.8)]
    assert entropy_shares(model, [("a",), (START,)]).tolist() == pytest.approx(shares)
    assert inverse_entropy_weights(model, [("a",), (START,)]).tolist() == pytest.approx([1 / one for one in shares])


def test_nothing_known_weighs_one() -> None:
    assert inverse_entropy_weights(made([(START, "a", "b")]), [()], 0).tolist() == pytest.approx([1])


def test_a_foregone_conclusion_weighs_no_more_than_the_bound() -> None:
    model = made([(START, *["a"] * 5000)])
    assert inverse_entropy_weights(model, [(START, "a")], 1).tolist() == [1 / MIN_ENTROPY_SHARE]


def test_only_the_last_t_tokens_count() -> None:
    model = made([(START, "a", "b", "a", "a", "b", "b", "b", "b")], order=3)
    long, short = (START, "a", "b"), ("b", "b")
    assert inverse_entropy_weights(model, [long], 1).tolist() == inverse_entropy_weights(model, [short], 1).tolist()
    assert inverse_entropy_weights(model, [long]).tolist() != inverse_entropy_weights(model, [short]).tolist()
    assert inverse_entropy_weights(model, [long]).tolist() == inverse_entropy_weights(model, [long], 2).tolist()


def test_weights_of_no_histories_are_none() -> None:
    assert inverse_entropy_weights(made([(START, "a")]), []).shape == (0,)


@pytest.mark.parametrize(("t", "message"), [(2, "For a longer one, use order=3"), (-1, "0 \\(no history\\) or more")])
def test_a_t_that_the_model_cannot_look_back_is_refused(t: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        inverse_entropy_weights(made([(START, "a")]), [(START,)], t)


MODEL = made(
    [(START, "no_strategy", "opinion_inquiry", "user:question", "encouragement", "user:thanks", "no_strategy")] * 3,
    classes=("no_strategy", "opinion_inquiry", "encouragement"),
)


def test_every_system_utterance_of_a_dialogue_gets_its_weight() -> None:
    (written,) = write_weights([TALK], MODEL, t=1)
    weights = [utterance.meta.get("strategy_weight") for utterance in written.utterances]
    expected = inverse_entropy_weights(MODEL, [(START,), ("no_strategy",), ("user:question",)], 1)
    assert [weights[0], weights[1], weights[4]] == expected.tolist()
    assert [weights[2], weights[3], weights[5]] == [None] * 3
    assert written.utterances[0].meta["strategy_weight_by"] == f"{MODEL.origin}|t=1"
    assert TALK.utterances[0].meta == {}


def test_a_situation_carries_the_weight_on_its_reference() -> None:
    situations = list(situations_of(TALK))
    (whole,), cut = list(write_weights([TALK], MODEL)), list(write_weights(situations, MODEL))
    assert [situation.reference for situation in cut] == [whole.utterances[4]]
    assert cut[0].context == situations[0].context


def test_responses_and_situations_without_a_reference_come_back_as_they_are() -> None:
    response = Response(situation_id="s", system="x", utterance=says("Hi"))
    situation = Situation(id="s", context=(asks("Hi"),))
    assert list(write_weights([response], MODEL)) == [response]
    assert list(write_weights([situation], MODEL)) == [situation]


def test_weights_are_replaced_not_piled_up() -> None:
    (once,) = write_weights([TALK], MODEL, t=0)
    (twice,) = write_weights([once], MODEL, t=1)
    assert [twice] == list(write_weights([TALK], MODEL, t=1))

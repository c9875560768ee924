import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.strategies.next_strategy.ngram import NGramFit, Smoothing
from trialogue.strategies.next_strategy.sequence import START, Tokens, next_distribution

AB = ("a", "b")
SMOOTHINGS: tuple[Smoothing, ...] = ("witten_bell", "kneser_ney")
tokens = st.lists(st.sampled_from(["a", "b", "u", "v"]), max_size=8).map(lambda found: (START, *found))
trained = st.lists(tokens, min_size=1, max_size=6).filter(lambda all_: any(t in AB for one in all_ for t in one))


def test_witten_bell_is_as_counted_by_hand() -> None:
    model = NGramFit(order=2, classes=AB)([(START, "a", "a", "b")])
    # unigrams: a 2, b 1, two different: (2 + 2/2) / 5 = .6, (1 + 2/2) / 5 = .4
    assert model.prefix_distributions(()).tolist() == [pytest.approx([0.6, 0.4])]
    # after a: a 1, b 1, two different: (1 + 2 * .6) / 4 = .55
    assert next_distribution(model, ("a",)) == pytest.approx([0.55, 0.45])
    # after the start: a 1, one different: (1 + .6) / 2 = .8
    assert next_distribution(model, (START,)) == pytest.approx([0.8, 0.2])
    # b was never followed by anything: the unigram
    assert next_distribution(model, ("b",)) == pytest.approx([0.6, 0.4])


def test_kneser_ney_is_as_counted_by_hand() -> None:
    model = NGramFit(order=2, smoothing="kneser_ney", classes=AB)([(START, "a", "a", "b")])
    # a is seen after <start> and a, b after a: continuation counts 2 and 1. One count is 1, one is 2: D = 1 / (1 + 2) = 1/3
    # a: (2 - 1/3 + 1/3 * 2 * 1/2) / 3 = 2/3, b: 1/3
    assert next_distribution(model, ()) == pytest.approx([2 / 3, 1 / 3])
    # bigrams are all seen once, none twice: D = .5; after a: a (1 - .5 + .5 * 2 * 2/3) / 2 = 7/12
    assert next_distribution(model, ("a",)) == pytest.approx([7 / 12, 5 / 12])


def test_kneser_ney_keeps_real_counts_for_contexts_that_begin_a_dialogue() -> None:
    model = NGramFit(order=3, smoothing="kneser_ney", classes=AB)(
        [(START, "a", "b"), (START, "a", "u", "b"), (START, "b")]
    )
    after_start, unknown = next_distribution(model, (START,)), next_distribution(model, ())
    assert after_start[0] > unknown[0]  # a begins two of three


def test_order_one_looks_at_no_history() -> None:
    model = NGramFit(order=1, classes=AB)([(START, "a", "a", "b")])
    assert model.memory == 0
    assert np.ptp(model.prefix_distributions((START, "a", "b")), axis=0) == pytest.approx([0, 0])


@given(trained, tokens, st.integers(1, 4), st.sampled_from(SMOOTHINGS))
def test_every_distribution_sums_to_one_and_excludes_nothing(
    data: list[Tokens], history: Tokens, order: int, smoothing: Smoothing
) -> None:
    rows = NGramFit(order=order, smoothing=smoothing, classes=(*AB, "never"))(data).prefix_distributions(history)
    assert rows.shape == (len(history) + 1, 3)
    assert rows.sum(axis=1) == pytest.approx(np.ones(len(rows)))
    assert (rows > 0).all()


@given(trained, tokens, st.integers(1, 4), st.sampled_from(SMOOTHINGS))
def test_the_next_distribution_is_the_last_one_along_the_whole_history(
    data: list[Tokens], history: Tokens, order: int, smoothing: Smoothing
) -> None:
    model = NGramFit(order=order, smoothing=smoothing, classes=AB)(data)
    assert next_distribution(model, history).tolist() == model.prefix_distributions(history)[-1].tolist()


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_tokens_never_seen_hide_what_is_before_them(smoothing: Smoothing) -> None:
    model = NGramFit(order=3, smoothing=smoothing, classes=AB)([(START, "a", "b", "a", "b", "a")])
    assert next_distribution(model, (START, "a", "martian")) == pytest.approx(next_distribution(model, ()))


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_much_data_outweigh_the_smoothing(smoothing: Smoothing) -> None:
    data = [(START, *itertools.islice(itertools.cycle("ab"), 200))] * 5
    assert next_distribution(NGramFit(order=2, smoothing=smoothing, classes=AB)(data), ("a",))[1] > 0.98


def test_the_order_of_the_dialogues_does_not_change_what_is_predicted() -> None:
    data: list[Tokens] = [(START, "a", "u", "b"), (START, "b", "b", "a"), (START, "u", "a")]
    forth, back = NGramFit(order=3, classes=AB)(data), NGramFit(order=3, classes=AB)(data[::-1])
    assert forth.prefix_distributions(data[0]).tolist() == back.prefix_distributions(data[0]).tolist()
    assert forth.data != back.data


def test_the_origin_says_what_it_is_made_of() -> None:
    model = NGramFit(order=2, smoothing="kneser_ney", classes=AB, user="turn")([(START, "a", "b")])
    assert model.origin.startswith("ngram(order=2,smoothing=kneser_ney,user=turn)|v1|data:")


@pytest.mark.parametrize("order", [0, 10])
def test_impossible_orders_are_refused(order: int) -> None:
    with pytest.raises(UsageError, match="order must be 1"):
        NGramFit(order=order)


def test_an_unknown_smoothing_is_refused() -> None:
    with pytest.raises(UsageError, match="smoothing must be witten_bell or kneser_ney"):
        NGramFit(smoothing="laplace")  # type: ignore[arg-type]


@pytest.mark.parametrize("data", [[], [(START,)], [(START, "user:turn")], [("a",)]])
def test_sequences_with_nothing_to_predict_are_refused(data: list[Tokens]) -> None:
    with pytest.raises(UsageError, match="nothing to predict"):
        NGramFit(classes=AB)(data)


@pytest.mark.parametrize("classes", [(), ("a",), ("a", "a")])
def test_fewer_than_two_classes_are_refused(classes: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="at least two classes"):
        NGramFit(classes=classes)([(START, "a")])

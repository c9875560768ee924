import math
from collections.abc import Sequence

import numpy as np
import pytest
from benchmarks.sequence_orders import choose_order, perplexity_ratio

from trialogue.errors import UsageError
from trialogue.strategies.next_strategy.evaluation import (
    Predictions,
    cross_validate,
    folds_of,
    next_strategy_accuracy,
    predict,
)
from trialogue.strategies.next_strategy.ngram import NGram, NGramFit
from trialogue.strategies.next_strategy.sequence import START, Tokens

ABC = ("a", "b", "c")
TURNS: dict[str, Tokens] = {str(number): (START, "a", "b", "c", "a", "b", "c") for number in range(10)}


def predictions(rows: list[list[float]], targets: list[int], dialogues: str) -> Predictions:
    places = np.arange(1, len(targets) + 1)
    return Predictions(ABC, tuple(dialogues), places, np.array(targets), np.array(rows))


def test_perplexity_and_shares_are_as_counted_by_hand() -> None:
    made = predictions([[0.5, 0.25, 0.25], [0.5, 0.125, 0.375]], [0, 1], "xy")
    found = next_strategy_accuracy(made, rng=None)
    assert found.perplexity.value == pytest.approx(4)  # exp((ln 2 + ln 8) / 2)
    assert found.top1.value == 0.5
    assert found.top3.value == 1


def test_among_equals_the_expected_share_of_draws_counts() -> None:
    made = predictions([[0.25, 0.25, 0.5], [1 / 3, 1 / 3, 1 / 3]], [0, 2], "xx")
    assert made.hits(1).tolist() == pytest.approx([0, 1 / 3])
    assert made.hits(2).tolist() == pytest.approx([1 / 2, 2 / 3])


def test_intervals_draw_dialogues_and_come_again_with_the_same_seed() -> None:
    made = predictions([[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]], [0, 0, 2], "xyz")
    first, again = (next_strategy_accuracy(made, rng=np.random.default_rng(0), resamples=200) for _ in range(2))
    assert first == again
    assert first.top1.clusters == 3
    assert first.top1.interval is not None


def test_nothing_to_predict_is_undefined_with_a_reason() -> None:
    empty = predict(NGramFit(order=1, classes=ABC)(list(TURNS.values())), {"x": (START, "user:turn")})
    found = next_strategy_accuracy(empty, rng=np.random.default_rng(0))
    assert found.perplexity.value is None
    assert found.perplexity.why


def test_knowing_that_one_of_some_strategies_comes_makes_their_probabilities_sum_to_one() -> None:
    made = predictions([[0.5, 0.25, 0.25], [0.2, 0.3, 0.5]], [0, 2], "xy").restrict(("c", "b"))
    assert made.targets.tolist() == [0]
    assert made.dialogues == ("y",)
    assert made.probabilities.tolist() == [pytest.approx([0.625, 0.375])]


def test_strategies_that_never_come_are_refused() -> None:
    with pytest.raises(UsageError, match="no label is one of these strategies: z"):
        predictions([[0.5, 0.25, 0.25]], [0], "x").restrict(("z",))


def test_stages_are_picked_by_place() -> None:
    made = predictions([[0.5, 0.25, 0.25]] * 3, [0, 1, 2], "xyz").where(lambda place: place >= 2)
    assert made.places.tolist() == [2, 3]
    assert made.targets.tolist() == [1, 2]
    assert made.dialogues == ("y", "z")


def test_predictions_are_about_labelled_places_only() -> None:
    model = NGramFit(order=2, classes=ABC)(list(TURNS.values()))
    made = predict(model, {"x": (START, "user:turn", "a", "other", "c")})
    assert made.places.tolist() == [2, 4]
    assert made.targets.tolist() == [0, 2]
    assert made.probabilities[0].tolist() == model.prefix_distributions((START, "user:turn", "a"))[2].tolist()


def test_no_model_sees_the_dialogue_it_is_asked_about() -> None:
    data = TURNS | {"odd": (START, "c", "c", "c", "c")}
    seen: list[list[Tokens]] = []

    def watched(rows: Sequence[Tokens]) -> NGram:
        seen.append(list(rows))
        return NGramFit(order=2, classes=ABC)(rows)

    cross_validate(watched, data, rng=np.random.default_rng(0))
    assert sorted(data["odd"] in rows for rows in seen) == [False, True, True, True, True]
    assert all(len(rows) in (8, 9) for rows in seen)


def test_folds_are_the_same_whatever_the_model() -> None:
    one, other = (cross_validate(NGramFit(order, classes=ABC), TURNS, rng=np.random.default_rng(3)) for order in (1, 2))
    assert one.dialogues == other.dialogues
    assert folds_of(TURNS, folds=5, rng=np.random.default_rng(3)) == folds_of(
        TURNS, folds=5, rng=np.random.default_rng(3)
    )


def test_history_helps_where_strategies_follow_each_other() -> None:
    made = {
        order: cross_validate(NGramFit(order, classes=ABC), TURNS, rng=np.random.default_rng(0)) for order in (1, 2)
    }
    ratio = perplexity_ratio(made[2], made[1], rng=None).value
    assert ratio is not None
    assert ratio < 0.5
    assert next_strategy_accuracy(made[2], rng=None).top1.value == 1
    assert next_strategy_accuracy(made[1], rng=None).top1.value == pytest.approx(1 / 3)


def test_models_asked_about_different_places_are_not_compared() -> None:
    one = predictions([[0.5, 0.25, 0.25]], [0], "x")
    other = predictions([[0.5, 0.25, 0.25]], [0], "y")
    with pytest.raises(UsageError, match="different turns"):
        perplexity_ratio(one, other, rng=None)


def test_the_order_is_chosen_by_cross_validation() -> None:
    choice = choose_order(TURNS, orders=(1, 2), classes=ABC, user="turn", rng=np.random.default_rng(0))
    assert choice.best.order == 2
    assert choice.best.user == "turn"
    assert set(choice.perplexities) == {(o, s) for o in (1, 2) for s in ("witten_bell", "kneser_ney")}
    # all three as frequent in every fold, so the unigram is uniform
    assert choice.perplexities[1, "witten_bell"] == pytest.approx(3)


def test_no_candidates_are_refused() -> None:
    with pytest.raises(UsageError, match="no orders"):
        choose_order(TURNS, orders=(), rng=np.random.default_rng(0))


def test_the_loss_is_in_nats() -> None:
    assert predictions([[0.5, 0.25, 0.25]], [1], "x").losses.tolist() == [pytest.approx(math.log(4))]

"""Precision at k: by hand, and as ir_measures has it."""

import warnings
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.recommendation.test_ranking import FIXTURE, reply, value, why
from trialogue.errors import UsageError
from trialogue.metrics import get_metric


def test_by_hand() -> None:
    # 5 3 9 for targets 3, 7: 1 of the first 2; 2 for 2: 1 of 2, though the ranking has one item
    assert value("precision(k=2)", FIXTURE) == pytest.approx((1 / 2 + 1 / 2) / 2)
    assert value("precision(k=2)@shown", FIXTURE) == pytest.approx((1 / 2 + 1 / 1) / 2)
    assert value("precision(k=1)", FIXTURE) == pytest.approx((0 + 1) / 2)
    assert value("precision", [reply("", "7")]) == 0.0


def test_a_reply_without_a_ranking_is_left_out() -> None:
    assert value("precision", [reply(None, "3"), reply("3", "3")]) == pytest.approx(0.1)
    assert why("precision@shown", reply("", "7")) == why("precision", reply(None, "7"))
    with pytest.raises(UsageError, match="k"):
        get_metric("precision(k=0)")


@given(
    rankings=st.lists(
        st.tuples(st.permutations(list("abcdefgh")), st.integers(0, 8), st.sets(st.sampled_from("abcxyz"), min_size=1)),
        min_size=1,
        max_size=5,
    ),
    k=st.integers(1, 10),
)
@settings(max_examples=40, deadline=None)
def test_it_is_that_of_ir_measures(rankings: list[tuple[Sequence[str], int, set[str]]], k: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its optional providers
        ir_measures = pytest.importorskip("ir_measures")
    cut = [(list(ranking)[:length], targets) for ranking, length, targets in rankings]
    qrels = {str(number): dict.fromkeys(targets, 1) for number, (_, targets) in enumerate(cut)}
    run = {
        str(number): {item: float(-place) for place, item in enumerate(shown)} for number, (shown, _) in enumerate(cut)
    }
    expected = ir_measures.calc_aggregate([ir_measures.P @ k], qrels, run)[ir_measures.P @ k]
    assert value(f"precision(k={k})", [reply(shown, list(targets)) for shown, targets in cut]) == pytest.approx(
        expected
    )

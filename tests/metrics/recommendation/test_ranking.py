"""Ranking metrics at k, and precision."""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.metrics import Conversation, Reply, Settings, Undefined, all_variants, get_metric, measure
from trialogue.records import Mention, Utterance


def reply(ranking: Sequence[str] | None, targets: Sequence[str] | None, *, context: Sequence[Utterance] = ()) -> Reply:
    utterance = Utterance(speaker="system", text="", ranking=None if ranking is None else tuple(ranking))
    return Reply("A", utterance, context=context, targets=None if targets is None else tuple(targets))


def said(*mentions: Mention) -> Utterance:
    return Utterance(speaker="user", text="", mentions=mentions)


def film(item_id: str) -> Mention:
    return Mention(title=f"film {item_id}", item_id=item_id)


def value(name: str, replies: Sequence[Reply]) -> float | None:
    conversations = [Conversation("A", f"dialogue:{number}", (one,)) for number, one in enumerate(replies)]
    return measure(conversations, [get_metric(name)], settings=Settings(resamples=10))[0].value


def why(name: str, one: Reply) -> str:
    found: Any = get_metric(name)
    statistics = found.statistics(one)
    assert isinstance(statistics, Undefined)
    return str(statistics.why)


# iEvaLM RecMetric: predictions [5, 3, 9], labels [3, 7], then [2] for [2]; golden/recommendation.md
FIXTURE = [reply("539", "37"), reply("2", "2")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("recall(k=1)@per_label", 0.333333),  # 2 of 3 labels missed at 1
        ("recall(k=10)@per_label", 0.666667),  # 3 at rank 2, 7 nowhere, 2 at rank 1
        ("ndcg(k=10)@per_label", 0.543643),  # (1/log2(3) + 0 + 1) / 3
        ("mrr(k=10)@per_label", 0.5),  # (1/2 + 0 + 1) / 3
    ],
)
def test_ievalm_recmetric_is_met(name: str, expected: float) -> None:
    assert value(name, FIXTURE) == pytest.approx(expected, abs=1e-6)


def test_ievalm_counts_three_labels() -> None:
    metric: Any = get_metric("recall(k=10)@per_label")
    assert sum(metric.statistics(one)[1] for one in FIXTURE) == 3


@pytest.mark.parametrize(("name", "expected"), [("ndcg", 0.63093), ("mrr", 0.5)])
def test_crslab_hit_at_rank_two_is_met(name: str, expected: float) -> None:
    assert value(f"{name}(k=10)@per_label", [reply("ab", "b")]) == pytest.approx(expected, abs=1e-6)


def test_variants_of_one_example_with_two_targets_differ() -> None:
    # targets at ranks 2 and 4 of "abcd", k = 3: one of two is found
    one = [reply("abcd", "bd")]
    gain = 1 / math.log2(3)
    assert value("recall(k=3)@per_label", one) == 0.5
    assert value("recall(k=3)@per_example", one) == 1.0
    assert value("recall(k=3)@per_example_fraction", one) == 0.5
    assert value("ndcg(k=3)@per_label", one) == pytest.approx(gain / 2)
    assert value("ndcg(k=3)@per_example", one) == pytest.approx(gain / (1 + gain))  # the best has ranks 1 and 2
    assert value("mrr(k=3)@per_label", one) == 0.25  # (1/2 + 0) / 2
    assert value("mrr(k=3)@per_example", one) == 0.5


def loop_of_crslab_and_ievalm(gain: Callable[[int], float], ranking: str, targets: str, k: int) -> float:
    """Their loops: every label of the list in turn, also one that was there before."""
    found = [gain(ranking[:k].index(label) + 1) if label in ranking[:k] else 0.0 for label in targets]
    return sum(found) / len(found)


GAINS: dict[str, Callable[[int], float]] = {
    "recall": lambda rank: 1.0,
    "ndcg": lambda rank: 1 / math.log2(rank + 1),
    "mrr": lambda rank: 1 / rank,
}


@pytest.mark.parametrize("name", GAINS)
@given(
    ranking=st.lists(st.sampled_from("abcdef"), max_size=5),
    targets=st.lists(st.sampled_from("abcxyz"), min_size=1, max_size=5),
    k=st.integers(1, 4),
)
@example(ranking=["x", "z"], targets=["x", "x", "y"], k=1)  # 2/3 by mention, 1/2 by label
def test_a_repeated_target_counts_twice_by_mention_and_once_by_label(
    name: str, ranking: list[str], targets: list[str], k: int
) -> None:
    one, order, given_twice = [reply(ranking, targets)], "".join(ranking), "".join(targets)
    once = "".join(dict.fromkeys(targets))
    for variant, labels in (("per_mention", given_twice), ("per_label", once)):
        expected = loop_of_crslab_and_ievalm(GAINS[name], order, labels, k)
        assert value(f"{name}(k={k})@{variant}", one) == pytest.approx(expected)


def test_labels_weigh_more_where_an_example_has_many() -> None:
    # three labels missed, then one found: 1/4 of labels, 1/2 of examples
    replies = [reply("a", "xyz"), reply("a", "a")]
    assert value("recall(k=1)@per_label", replies) == 0.25
    assert value("recall(k=1)@per_example_fraction", replies) == 0.5


def test_novel_variants_leave_out_targets_that_the_context_mentions() -> None:
    one = [reply("ab", "ac", context=[said(film("a")), said()])]  # of a and c only c is new, and it is not found
    assert value("recall(k=2)@per_label", one) == 0.5
    assert value("recall(k=2)@per_label_novel", one) == 0.0
    assert value("recall(k=2)@per_example_novel", one) == 0.0
    assert value("mrr(k=2)@per_example_novel", one) == 0.0


def test_a_mention_without_id_counts_by_its_title() -> None:
    context = [said(Mention(title="The Matrix (1999)"))]
    one = reply(["the matrix (1999)"], ["the matrix (1999)"], context=context)
    assert why("recall@per_label_novel", one) == "every target was mentioned before"


def test_a_title_does_not_count_where_the_mention_has_another_id() -> None:
    context = [said(Mention(title="a", item_id="other"))]
    assert value("recall@per_label_novel", [reply("a", "a", context=context)]) == 1.0


@pytest.mark.parametrize(
    ("name", "one", "reason"),
    [
        ("recall", reply(None, "a"), "no ranking"),
        ("ndcg", reply("a", None), "no targets"),
        ("mrr", reply("a", ""), "targets are empty"),
        ("recall@per_example_novel", reply("a", "a", context=[said(film("a"))]), "every target was mentioned before"),
        (
            "recall@per_label_novel",
            reply("a", "a", context=[Utterance(speaker="user", text="Hi")]),
            "items were not linked in its context",
        ),
    ],
)
def test_what_is_missing_is_named(name: str, one: Reply, reason: str) -> None:
    assert reason in why(name, one)


def test_an_empty_ranking_finds_nothing_and_is_not_undefined() -> None:
    assert value("recall", [reply("", "a")]) == 0.0


def test_a_ranking_shorter_than_k_is_a_miss_not_a_hole() -> None:
    assert value("recall(k=50)", [reply("ab", "a"), reply("ab", "z")]) == 0.5


def test_a_target_given_twice_counts_once_and_an_item_listed_twice_keeps_its_places() -> None:
    assert value("recall(k=1)", [reply("ab", "aab")]) == 0.5  # targets a and b, a found
    assert value("mrr", [reply("aab", "b")]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", ["recall(k=0)", "ndcg(k=-1)", "mrr(k=1.5)", "recall(k=true)", "recall(k=ten)"])
def test_an_impossible_k_is_refused_with_what_would_do(name: str) -> None:
    with pytest.raises(UsageError, match="k must be a whole number of at least 1"):
        get_metric(name)


def test_k_is_in_the_name_also_where_it_is_the_default() -> None:
    assert get_metric("recall").measure == "recall(k=10)@per_label|v1"


def test_novel_variants_say_that_they_read_mentions_of_the_context() -> None:
    assert {"context", "mentions"} <= set(get_metric("recall@per_label_novel").card.needs)
    assert "mentions" not in get_metric("recall").card.needs


EVERY = [metric for name in ("recall(k=3)", "ndcg(k=3)", "mrr(k=3)") for metric in all_variants(name)]
LETTERS = st.text("abcdefgh", max_size=8)


@settings(deadline=None)
@given(LETTERS, st.text("abcdefgh", min_size=1, max_size=4), st.text("abcdefgh", max_size=3))
def test_values_stay_in_their_bounds_and_do_not_depend_on_the_order_of_targets(
    ranking: str, targets: str, seen: str
) -> None:
    context = [said(*map(film, seen))]
    for metric in EVERY:
        here: Any = metric
        one = here.statistics(reply(ranking, targets, context=context))
        other = here.statistics(reply(ranking, targets[::-1], context=context))
        if isinstance(one, Undefined):
            assert one == other
            continue
        assert one == pytest.approx(other)
        assert 0 <= float(here.combine(np.array(one))) <= 1


@settings(deadline=None)
@given(LETTERS, st.text("abcdefgh", min_size=1, max_size=4), st.integers(1, 7))
def test_recall_grows_with_k(ranking: str, targets: str, k: int) -> None:
    small: Any = get_metric(f"recall(k={k})")
    large: Any = get_metric(f"recall(k={k + 1})")
    assert small.statistics(reply(ranking, targets))[0] <= large.statistics(reply(ranking, targets))[0]


def random_run(rng: np.random.Generator) -> Iterator[tuple[list[str], list[str]]]:
    items = [f"i{number:02d}" for number in range(30)]
    for _ in range(200):
        ranking = list(rng.permutation(items)[: rng.integers(1, 25)])
        yield [str(item) for item in ranking], [str(item) for item in rng.permutation(items)[: rng.integers(1, 5)]]


@pytest.mark.parametrize("k", [1, 5, 10])
def test_ir_measures_agrees_on_random_rankings(k: int) -> None:
    """Where definitions coincide: per example = one query, per label = one query for each target."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ir_measures
        from ir_measures import RR, R, Success, nDCG

    def peer(oracle: Any, queries: Sequence[tuple[list[str], list[str]]]) -> float:
        judged = [
            ir_measures.Qrel(str(number), target, 1)
            for number, (_, targets) in enumerate(queries)
            for target in targets
        ]
        run = [
            ir_measures.ScoredDoc(str(number), item, -float(place))
            for number, (ranking, _) in enumerate(queries)
            for place, item in enumerate(ranking)
        ]
        return float(ir_measures.calc_aggregate([oracle], judged, run)[oracle])

    queries = list(random_run(np.random.default_rng(k)))
    by_label = [(ranking, [target]) for ranking, targets in queries for target in targets]
    replies = [reply(ranking, targets) for ranking, targets in queries]
    for name, oracle, asked in (
        ("recall@per_label", Success, by_label),
        ("recall@per_example", Success, queries),
        ("recall@per_example_fraction", R, queries),
        ("ndcg@per_label", nDCG, by_label),
        ("ndcg@per_example", nDCG, queries),
        ("mrr@per_label", RR, by_label),
        ("mrr@per_example", RR, queries),
    ):
        metric, variant = name.split("@")
        ours = value(f"{metric}(k={k})@{variant}", replies)
        assert ours == pytest.approx(peer(oracle @ k, asked), abs=1e-9), name


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

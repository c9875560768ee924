"""Item ratio and catalogue coverage."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.metrics import Conversation, DistinctTypes, Reply, Settings, Undefined, get_metric, measure
from trialogue.metrics.recommendation.items import Coverage
from trialogue.records import Mention, Reason, ReasonCode, Score, Utterance


def reply(text: str, found: Sequence[str] | None = None, *, ranking: str | None = None) -> Reply:
    mentions = None if found is None else tuple(Mention(title=title) for title in found)
    ranked = None if ranking is None else tuple(ranking)
    return Reply("A", Utterance(speaker="system", text=text, mentions=mentions, ranking=ranked))


def score(name: str, *replies: Reply) -> Score:
    conversations = [Conversation("A", f"dialogue:{number}", (one,)) for number, one in enumerate(replies)]
    metric = Coverage(size=10) if name == "coverage(size=10)" else get_metric(name)
    return measure(conversations, [metric], settings=Settings(resamples=10))[0]


REPLIES = (reply("See Up or Heat", ["Up", "Heat"]), reply("Hello", []), reply("", []), reply("Try Up", ["Up"]))


def test_any_is_the_share_of_replies_that_name_an_item() -> None:
    assert score("item_ratio@any", *REPLIES).value == 0.5  # 2 of 4, the empty one among the 4


def test_count_is_items_per_reply_that_is_not_empty() -> None:
    found = score("item_ratio@count", *REPLIES)
    assert found.value == 1.0  # (2 + 0 + 1) / 3
    assert found.skipped == 1
    assert "the reply is empty" in str(found.left_out)


@pytest.mark.parametrize("variant", ["any", "count"])
def test_unsearched_text_is_undefined_and_says_what_to_run(variant: str) -> None:
    found = score(f"item_ratio@{variant}", reply("See Up"))
    assert found.value is None
    assert found.why == Reason.of(ReasonCode.ITEMS_NOT_LINKED)


@pytest.mark.parametrize("metric", ["item_ratio@any", "item_ratio@count", "coverage(size=9)@mentions"])
def test_a_blank_reply_does_not_hide_that_nobody_looked_for_items(metric: str) -> None:
    for replies in ([reply("See Up"), reply(" ")], [reply(" ")]):
        found = score(metric, *replies)
        assert found.value is None
        assert found.why is not None
    assert score("item_ratio@any", reply("", ())).value == 0.0  # items were looked for in it


def test_slots_are_counted_where_titles_are_not_filled_in_and_the_linker_is_not_advised() -> None:
    texts = [reply("You like <movie>? See <movie> too"), reply("Hi"), reply("  ")]
    found = score("item_ratio@slots", *texts)
    assert found.value == 1.0  # UniCRS, evaluate_conv.py: 2 slots over 2 replies that are not blank
    for metric in ("item_ratio@count", "item_ratio@any"):
        assert "it has the placeholder <movie> instead of titles" in str(score(metric, texts[0]).why)


def test_each_variant_says_its_unit_and_bounds() -> None:
    assert get_metric("item_ratio@any").card.high == 1
    assert get_metric("item_ratio@count").card.high is None
    assert get_metric("item_ratio@any").card.unit != get_metric("item_ratio@count").card.unit


def test_coverage_of_music_crs_is_met() -> None:
    # Music-CRS: catalogue(['a', 'b', 'a'], 10) = .2; golden/recommendation.md
    found = score("coverage(size=10)", reply("", ranking="a"), reply("", ranking="b"), reply("", ranking="a"))
    assert found.value == pytest.approx(0.2)


def coverage(variant: str, **parameters: Any) -> Coverage:
    return Coverage(variant=variant, **parameters)


def test_only_the_first_k_of_a_ranking_count() -> None:
    types = coverage("ranking", size=10, k=2).types(reply("", ranking="abc"))
    assert isinstance(types, DistinctTypes)
    assert list(types.seen) == ["a", "b"]


def test_mentions_count_by_id_or_else_by_title_without_case() -> None:
    utterance = Utterance(
        speaker="system", text="x", mentions=(Mention(title="Up", item_id="7"), Mention(title="HEAT"))
    )
    types = coverage("mentions", size=10).types(Reply("A", utterance))
    assert isinstance(types, DistinctTypes)
    assert list(types.seen) == ["7", "heat"]


@pytest.mark.parametrize(
    ("metric", "one", "reason"),
    [
        (coverage("ranking"), reply("", ranking="a"), "coverage(size=...)"),
        (coverage("ranking", size=3), reply("x"), "no ranking"),
        (coverage("mentions", size=3), reply("x"), "run the title linker"),
    ],
)
def test_coverage_says_what_is_missing(metric: Coverage, one: Reply, reason: str) -> None:
    types = metric.types(one)
    assert isinstance(types, Undefined)
    assert reason in str(types.why)


def test_coverage_names_only_what_matters() -> None:
    assert coverage("mentions", size=5, k=3).measure == "coverage(size=5)@mentions|v1"
    assert coverage("ranking", size=5, k=3).measure == "coverage(k=3,size=5)@ranking|v1"


@pytest.mark.parametrize("parameters", [{"size": 0}, {"size": 2.5}, {"size": 5, "k": 0}])
def test_coverage_refuses_impossible_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="whole number of at least 1"):
        coverage("ranking", **parameters)


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["Up", "Heat", "Ran"]), max_size=3), min_size=1, max_size=6))
def test_the_ratio_is_a_share_whatever_is_named(found: list[list[str]]) -> None:
    value = score("item_ratio@any", *(reply("text", titles) for titles in found)).value
    assert value == pytest.approx(sum(bool(titles) for titles in found) / len(found))

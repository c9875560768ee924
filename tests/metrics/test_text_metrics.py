"""What holds for every metric of text: a second implementation agrees, order does not matter, no bound is left."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.oracles import Pairs, oracles
from tests.metrics.replies import PAIRS, PLAIN, TEXT, replies, reply, scores, value
from trialogue.metrics import CountMetric, SumMetric, get_card, get_metric
from trialogue.records import Reason, ReasonCode

ORACLES = oracles()
GOLDEN: dict[str, float] = json.loads((Path(__file__).parents[1] / "golden" / "text_metrics.json").read_text())
TEXT_METRICS = (
    "length",
    "distinct",
    "bleu",
    "rouge_l",
    "chrf",
    "meteor",
    "token_f1",
    "nist",
    "repetition",
    "bertscore",
    "perplexity",
)


@pytest.mark.parametrize("measure", GOLDEN)
def test_the_golden_values_of_the_peers_come_out(measure: str) -> None:
    assert value(measure, replies()) == pytest.approx(GOLDEN[measure], abs=1e-10)


@pytest.mark.parametrize(("measure", "oracle"), ORACLES.items(), ids=ORACLES)
def test_the_installed_peers_agree_with_the_golden_values(measure: str, oracle: Callable[[Pairs], float]) -> None:
    assert oracle(PAIRS) == pytest.approx(GOLDEN[measure], abs=1e-10)


@pytest.mark.parametrize(("measure", "oracle"), ORACLES.items(), ids=ORACLES)
@given(pairs=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
@settings(max_examples=12, deadline=None)
def test_a_second_implementation_agrees_on_any_text(
    measure: str, oracle: Callable[[Pairs], float], pairs: list[tuple[str, str]]
) -> None:
    found = scores(measure, replies(pairs))[0]
    if found.value is None:  # nothing to divide by
        with pytest.raises(ZeroDivisionError):
            oracle(pairs)
    else:
        assert found.value == pytest.approx(oracle(pairs), abs=1e-9)


@pytest.mark.parametrize("name", PLAIN)
def test_the_order_of_replies_does_not_matter(name: str) -> None:
    assert value(name, replies(PAIRS[::-1])) == pytest.approx(value(name, replies()), abs=1e-12)


@pytest.mark.parametrize("name", PLAIN)
@given(pairs=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=3))
@settings(max_examples=12, deadline=None)
def test_no_value_leaves_the_range_on_the_card(name: str, pairs: list[tuple[str, str]]) -> None:
    card = get_metric(name).card
    system, single = scores(name, replies(pairs))
    for score in (system, *single):
        if score.value is not None:
            assert card.low is None or score.value >= card.low - 1e-12
            assert card.high is None or score.value <= card.high + 1e-12


@pytest.mark.parametrize("name", PLAIN)
def test_a_value_is_missing_only_with_a_reason_and_never_nan(name: str) -> None:
    for pair in PAIRS:
        for score in (scores(name, replies([pair]))[0], scores(name, replies([pair]))[1][0]):
            assert score.value == score.value
            assert (score.value is None) <= bool(score.why)


@pytest.mark.parametrize("name", PLAIN)
def test_no_replies_at_all_have_no_value(name: str) -> None:
    metric = get_metric(name)
    needs_reference = "reference" in metric.card.needs
    found = scores(metric, [reply("What do you like?")] if needs_reference else [reply("")])[0]
    if name.startswith(("length", "distinct")) and found.value is not None:
        assert found.value == 0  # an empty reply has a length, and @mese counts it as a reply
    else:
        assert found.value is None
        assert not needs_reference or found.why == Reason.of(ReasonCode.NO_REFERENCE)


@pytest.mark.parametrize("name", [name for name in PLAIN if get_metric(name).card.needs == ("reference",)])
def test_a_reply_without_reference_is_left_out(name: str) -> None:
    with_one, without = replies(), reply("Do you like thrillers?")
    found, single = scores(name, [*with_one, without])
    assert found.value == pytest.approx(value(name, with_one), abs=1e-12)
    assert single[-1].why == Reason.of(ReasonCode.NO_REFERENCE)
    assert found.skipped == (2 if "crs" in name else 1)  # @crslab and @unicrs leave out the empty reply, too


@pytest.mark.parametrize("name", TEXT_METRICS)
def test_the_card_says_whose_formula_each_variant_is(name: str) -> None:
    card = get_card(name)
    assert card.name == name
    assert card.default in card.variants
    assert all(variant.source and variant.summary.endswith((".", "it.")) for variant in card.variants.values())
    assert all(caveat.endswith(".") for caveat in card.caveats)


@pytest.mark.parametrize("name", PLAIN)
def test_every_metric_is_of_one_kind(name: str) -> None:
    metric = get_metric(name)
    assert isinstance(metric, CountMetric) != isinstance(metric, SumMetric)


def test_no_two_variants_have_the_same_full_name() -> None:
    names = [get_metric(name).measure for name in PLAIN]
    assert len(set(names)) == len(names)


def test_variants_of_one_name_differ_on_the_same_replies() -> None:
    for family in ("distinct(n=2)@", "bleu(k=4)@", "rouge_l@", "chrf@", "token_f1@", "length@"):
        found = [value(name, replies()) for name in PLAIN if name.startswith(family) and "@laps_all" not in name]
        assert len({round(one, 6) for one in found}) >= len(found) - 1, family  # @laps and @music_crs agree here

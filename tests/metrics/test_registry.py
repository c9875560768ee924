"""Names to metrics, ours and other people's, and what every card must hold."""

import inspect
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from trialogue import plugins
from trialogue.errors import MissingExtraError, UnknownNameError, UsageError
from trialogue.metrics import all_variants, get_card, get_metric, get_metrics, metric_names
from trialogue.metrics.base import CountMetric, NeedMetric, SumMetric
from trialogue.metrics.names import parse
from trialogue.metrics.text.length import Length

OWN_METRIC = '''
from trialogue.metrics.text.length import CARD, Length as Base


class Shout(Base):
    """A metric of somebody's own."""

    card = CARD.model_copy(update={"name": "shout"})

    def __init__(self, *, variant="words"):
        super().__init__(variant=variant)
        self.measure = f"shout@{variant}|v1"
'''


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A metric in a module of its own, by its path."""
    (tmp_path / "their_metrics.py").write_text(OWN_METRIC, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield "their_metrics:Shout"
    sys.modules.pop("their_metrics", None)


def test_the_default_variant_is_taken_where_none_is_named() -> None:
    assert get_metric("length").measure == "length@words|v1"
    assert get_metric("length@characters").measure == "length@characters|v1"


def test_a_full_name_gives_the_metric_again() -> None:
    for name in ("length", "recall(k=5)@per_example_novel", "behavior_alignment@kappa", "turns@dialoguekit"):
        measure = get_metric(name).measure
        assert get_metric(measure).measure == measure


def test_an_unknown_metric_gets_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match=r"There is no metric 'recal'\. Did you mean 'recall'") as caught:
        get_metric("recal(k=1)")
    assert "trialogue list metrics" in str(caught.value)


def test_an_unknown_variant_gets_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no variant 'word' of length\. Did you mean 'words'"):
        get_metric("length@word")


def test_an_unknown_parameter_gets_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no parameter 'n' of recall.* Known: k\."):
        get_metric("recall(n=3)")


def test_a_metric_without_parameters_says_so() -> None:
    with pytest.raises(UnknownNameError, match=r"no parameter 'n' of length\. None are known"):
        get_metric("length(n=3)")


def test_a_metric_of_somebody_s_own_is_taken_by_module_and_name(own: str) -> None:
    assert get_metric(own).measure == "shout@words|v1"
    assert get_metric(f"{own}@characters").measure == "shout@characters|v1"
    assert [metric.measure for metric in all_variants(own)] == [
        "shout@words|v1",
        "shout@words_and_marks|v1",
        "shout@characters|v1",
    ]


def test_a_value_that_a_metric_cannot_take_is_a_mistake_not_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Length, *, variant: str) -> None:
        raise ValueError("words must be counted")

    monkeypatch.setattr(Length, "__init__", refuse)
    with pytest.raises(
        UsageError, match=r"'length' cannot be created: words must be counted\. See: trialogue list metrics length"
    ):
        get_metric("length")


def test_a_module_that_is_not_there_is_a_mistake_not_a_crash() -> None:
    with pytest.raises(UsageError, match="cannot be imported"):
        get_metric("no_such_module:Metric")


def test_ours_win_where_a_plug_in_takes_the_same_name(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = EntryPoint("length", "trialogue.metrics.text.length:Length", "trialogue.metrics")
    theirs = EntryPoint("length", "another_package:Length", "trialogue.metrics")
    plugins.plugins_of.cache_clear()
    monkeypatch.setattr(plugins, "entry_points", lambda group: [theirs, ours])
    try:
        assert metric_names() == ["length"]
        assert isinstance(get_metric("length"), Length)
    finally:
        plugins.plugins_of.cache_clear()


def test_several_metrics_come_once_each_in_the_order_given() -> None:
    metrics = get_metrics(["turns", "length@words", "length", "turns@utterances"])
    assert [metric.measure for metric in metrics] == [
        "turns@user_utterances|v1",
        "length@words|v1",
        "turns@utterances|v1",
    ]


def test_every_mistake_of_a_list_is_in_one_error() -> None:
    with pytest.raises(UsageError) as caught:
        get_metrics(["length", "lenght", "recall(k=0)", "turns@x"])
    text = str(caught.value)
    assert "'lenght'" in text
    assert "k must be a whole number" in text
    assert "no variant 'x' of turns" in text


def test_no_metrics_are_none() -> None:
    assert get_metrics([]) == []


def test_all_variants_keep_the_parameters() -> None:
    assert [metric.measure for metric in all_variants("mrr(k=3)")] == [
        "mrr(k=3)@per_label|v1",
        "mrr(k=3)@per_mention|v1",
        "mrr(k=3)@per_example|v1",
        "mrr(k=3)@per_label_novel|v1",
        "mrr(k=3)@per_mention_novel|v1",
        "mrr(k=3)@per_example_novel|v1",
    ]


@pytest.mark.parametrize("name", metric_names())
def test_every_card_is_whole(name: str) -> None:
    card = get_card(name)
    assert card.name == name
    assert card.default in card.variants
    assert card.title
    assert card.summary.endswith(".")
    assert card.unit
    assert all(variant.summary and variant.source for variant in card.variants.values())
    assert card.low is None or card.high is None or card.low < card.high
    assert card.version >= 1


@pytest.mark.parametrize("name", metric_names())
def test_every_variant_can_be_made_and_says_its_name(name: str) -> None:
    card = get_card(name)
    if card.extra is not None:
        pytest.skip(f"{name} needs the extra {card.extra}")
    if name in ("impression", "reply_impression"):
        with pytest.raises(UsageError, match="trialogue judge train"):
            get_metric(name)
        return  # made with a model in tests/metrics/impressions
    needed = {"implicit_alignment@adjusted_count": "(tpr=0.85,fpr=0.17)"}  # no default would be anybody's model
    for variant in card.variants:
        try:
            metric: Any = get_metric(f"{name}{needed.get(f'{name}@{variant}', '')}@{variant}")
        except (
            MissingExtraError
        ):  # a tokeniser of a language; tests/metrics/text/test_east_asian.py tries it where it is
            continue
        messages = parse(metric.measure)
        assert (messages.metric, messages.variant) == (name, variant)
        assert set(messages.parameters) <= set(card.parameters)
        assert [isinstance(metric, kind) for kind in (CountMetric, NeedMetric, SumMetric)].count(True) == 1
        assert metric.card.name == name


@pytest.mark.parametrize("name", metric_names())
def test_every_parameter_of_a_factory_is_on_its_card(name: str) -> None:
    factory = plugins.load("trialogue.metrics", name, kind="metric")
    taken = set(inspect.signature(factory).parameters) - {"variant"}
    assert taken == set(get_card(name).parameters)


@pytest.mark.parametrize("name", [name for name in metric_names() if "reference" in get_card(name).needs])
def test_a_card_that_needs_a_reference_says_what_becomes_of_several(name: str) -> None:
    assert any("several references" in caveat for caveat in get_card(name).caveats)


def test_a_variant_may_have_a_version_of_its_own() -> None:
    assert get_metric("distinct@laps").measure == "distinct(n=2)@laps|v2"
    assert get_metric("distinct@ratio").measure == "distinct(n=2)@ratio|v1"

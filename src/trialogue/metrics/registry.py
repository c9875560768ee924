"""Registry of metrics, built-in and third-party, through the entry points ``trialogue.metrics``.

An entry point is a factory: a callable with keyword arguments ``variant`` and the card's parameters, and an attribute
``card``.
"""

from collections.abc import Callable, Sequence
from typing import cast

from trialogue.errors import MissingExtraError, UnknownNameError, UsageError
from trialogue.metrics.base import AnyMetric
from trialogue.metrics.names import parse
from trialogue.plugins import load, plugins_of
from trialogue.records import Card

GROUP = "trialogue.metrics"
HINT = "See: trialogue list metrics"


def metric_names() -> list[str]:
    """Names of all metrics."""
    return sorted(plugins_of(GROUP))


def get_card(name: str) -> Card:
    """Get the card of a metric."""
    card = getattr(load(GROUP, name, kind="metric", hint=HINT), "card", None)
    if not isinstance(card, Card):
        raise UsageError(f"{name!r} is not a metric: it has no card. See 'Add a metric' in the docs.")
    return card


def get_metric(text: str) -> AnyMetric:
    """Get a metric by a name such as ``"distinct(n=2)@ratio"``; the variant defaults to the card's.

    Raises:
        UsageError: no such metric, variant or parameter, or an impossible parameter value.
    """
    name = parse(text)
    card = get_card(name.metric)
    factory = cast("Callable[..., AnyMetric]", load(GROUP, name.metric, kind="metric", hint=HINT))
    for key in name.parameters:
        if key not in card.parameters:
            raise UnknownNameError("parameter", key, card.parameters, where=f"of {card.name}")
    variant = name.variant or card.default
    if variant not in card.variants:
        raise UnknownNameError("variant", variant, card.variants, where=f"of {card.name}")
    try:
        return factory(variant=variant, **name.parameters)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{text!r} cannot be created: {error}. See: trialogue list metrics {card.name}") from error


def get_metrics(texts: Sequence[str]) -> list[AnyMetric]:
    """Get several metrics without duplicates, in the given order; every mistake in the list is in one error."""
    metrics: dict[str, AnyMetric] = {}
    mistakes = []
    for text in texts:
        try:
            metric = get_metric(text)
        except UsageError as error:
            mistakes.append(str(error))
        else:
            held = metrics.setdefault(metric.measure, metric)
            if type(held) is not type(metric):
                mistakes.append(f"{text!r} and another metric both have the name {metric.measure!r}; rename one.")
    if mistakes:
        raise UsageError("\n".join(mistakes))
    return list(metrics.values())


def all_variants(name: str) -> list[AnyMetric]:
    """A metric in every variant that accepts the given parameters and whose extra is installed.

    Raises:
        UsageError: no variant is left.
    """
    given = parse(name)
    inside = ",".join(f"{key}={value}" for key, value in given.parameters.items())
    call = f"{given.metric}({inside})" if inside else given.metric
    metrics, refusals = [], []
    for variant in get_card(given.metric).variants:
        try:
            metrics.append(get_metric(f"{call}@{variant}"))
        except (UsageError, MissingExtraError) as refusal:
            refusals.append(str(refusal))
    if not metrics:
        raise UsageError("\n".join(refusals))
    return metrics

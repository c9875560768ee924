"""A metric's use of reply texts, from its card and the requested variant."""

from trialogue.metrics.base import AnyMetric
from trialogue.records import MeasureName, TextUse


def text_use(metric: AnyMetric) -> TextUse | None:
    """Dependence of a metric on the text of replies; None: none, or not on its card.

    A metric of somebody else's whose name holds no variant of its card is taken to be of the card's default variant.
    """
    variant = MeasureName(metric.measure).variant
    return metric.card.text_use(variant if variant in metric.card.variants else metric.card.default)

"""Scoring of failed dialogues and replies, as declared on the metric's card.

A dialogue that failed through the system's own fault is an outcome, the worst one; leaving it out would let a system gain
by failing on hard cases. One that failed through the fault of others says nothing about the system and is missing. A measure
without a worst value, such as a length, is undefined for both, and must be read beside the failure rate.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from trialogue.metrics.base import Array, Reply, SumMetric, Undefined
from trialogue.records import Dialogue, Ending, FailurePolicy, Fault, Reason, ReasonCode

NO_WORST_VALUE = Undefined(Reason.of(ReasonCode.SYSTEM_FAILED))
AFTERMATH = frozenset({ReasonCode.SPEAKER_SILENT, ReasonCode.DIALOGUE_EMPTY, ReasonCode.ONE_SPEAKER_ONLY})
"""Why a metric may have no value because of the failure itself. Any other reason, such as missing acts, means that it does
not apply to the dialogue, and would not if it had been finished."""


def failure_of(unit: Reply | Dialogue) -> Ending | None:
    """The failure of a unit; None if it did not fail, or nothing was recorded."""
    ending = unit.ended_by if isinstance(unit, Dialogue) else unit.failure
    return ending if ending is not None and ending.is_failure else None


def with_failure_policy(
    metric: SumMetric[Any], unit: Reply | Dialogue, policy: FailurePolicy | None = None
) -> Sequence[float] | Undefined:
    """Statistics of a unit: the metric's own, or those prescribed for a failed unit.

    Args:
        metric: the metric.
        unit: a dialogue or a reply.
        policy: policy used in place of the card's.
    """
    ending = failure_of(unit)
    if ending is None:
        return metric.statistics(unit)
    policy = policy or metric.card.failure_policy
    if policy is FailurePolicy.AS_IS:
        return metric.statistics(unit)
    if ending.fault is not Fault.AGENT:
        return Undefined(Reason.of(ReasonCode.OTHERS_FAILED, ending=ending, fault=ending.fault))
    return NO_WORST_VALUE if policy is FailurePolicy.UNDEFINED else _worst(metric, unit)


def _worst(metric: SumMetric[Any], unit: Reply | Dialogue) -> Sequence[float] | Undefined:
    """Statistics of the worst value, with the weight that the unit has among others."""
    worst, own = metric.card.worst, metric.statistics(unit)
    if worst is None:
        return NO_WORST_VALUE
    if isinstance(own, Undefined):
        silenced = isinstance(unit, Reply) or own.why.code in AFTERMATH
        return _check_worst(metric, (worst, 1.0), worst) if silenced else own
    if len(own) == 2:  # a sum and what it is divided by
        weight = own[1] if own[1] > 0 else 1.0
        return _check_worst(metric, (worst * weight, weight), worst)
    return _check_worst(metric, own, worst)  # a formula of more sums: the one of no words, if that is the worst


def _check_worst(metric: SumMetric[Any], row: Sequence[float], worst: float) -> Sequence[float] | Undefined:
    with np.errstate(divide="ignore", invalid="ignore"):
        value: Array = metric.combine(np.array([row], dtype=float))
    return row if np.isclose(value[0], worst) or np.isnan(value[0]) else NO_WORST_VALUE

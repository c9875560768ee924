"""Metrics of conversations, by name, each in every variant used in the field."""

from trialogue.metrics.base import (
    AnyMetric,
    Conversation,
    CountMetric,
    DistinctTypes,
    NeedCourse,
    NeedMetric,
    Reply,
    SumMetric,
    Undefined,
    group_by_system,
)
from trialogue.metrics.batch import Batch, Rows
from trialogue.metrics.engine.accumulate import Settings
from trialogue.metrics.engine.conversations import conversations_of, offline_conversations
from trialogue.metrics.engine.engine import measure
from trialogue.metrics.names import full_name
from trialogue.metrics.registry import all_variants, get_card, get_metric, get_metrics, metric_names

__all__ = [
    "AnyMetric",
    "Batch",
    "Conversation",
    "CountMetric",
    "DistinctTypes",
    "NeedCourse",
    "NeedMetric",
    "Reply",
    "Rows",
    "Settings",
    "SumMetric",
    "Undefined",
    "all_variants",
    "conversations_of",
    "full_name",
    "get_card",
    "get_metric",
    "get_metrics",
    "group_by_system",
    "measure",
    "metric_names",
    "offline_conversations",
]

"""Rate of each strategy in a system's replies and in the references, corrected with people's labels.

A model's shares of strategies are biased by its confusions, and its calibration is of pairs, not of strategies. So each
rate is estimated as any mean is that a judge helps with (``stats/correction``): the judge's score of an utterance is the
model's probability of the strategy, its label whether people gave it that strategy first. Labels of 50 to 100 situations,
drawn at random, are enough for the frequent strategies; rare ones get an interval as wide as they deserve. Dialogues are
clusters, and the estimand is the population that they were drawn from, as for alignment itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.findings.alignment.records import StrategyRate
from trialogue.metrics import Conversation, Undefined
from trialogue.metrics.alignment.behavior_alignment import BehaviorAlignment
from trialogue.metrics.strategy_sets import CLASSES, Reading, Side
from trialogue.records import Utterance, has_ground_truth
from trialogue.stats.correction.means import MIN_LABELS, corrected_means
from trialogue.stats.correction.table import Estimand, judged_table

HUMAN, SYSTEM = "human", "system"  # the two sides of one system's table
MIN_SHARE = 0.01
"""Mean probability from which a strategy that people's labels lack is shown."""


@dataclass(frozen=True, slots=True)
class _Row:
    side: str
    cluster: str
    probabilities: dict[str, float]
    label: str | None


def strategy_rates(conversations: Sequence[Conversation]) -> tuple[StrategyRate, ...]:
    """Corrected rates of one system and its references, the human's most frequent strategy first.

    Args:
        conversations: conversations of one system; pairs count as for explicit alignment. Replies and references without
            a model's probabilities have none, and count by their labels alone.

    Returns:
        Strategies that somebody used or the model sees in at least one of a hundred utterances. Empty if fewer than ten
        replies or references have labels of people, or if a model gave no probabilities.
    """
    rows = list(_rows(conversations))
    if not any(row.probabilities for row in rows):
        return ()
    if any(sum(row.label is not None for row in rows if row.side == side) < MIN_LABELS for side in (HUMAN, SYSTEM)):
        return ()
    found = [rate for name in CLASSES if (rate := _rate(rows, name)) is not None]
    return tuple(sorted(found, key=lambda each: (-(each.human.value or 0.0), each.strategy)))


def _rows(conversations: Sequence[Conversation]) -> list[_Row]:
    metric, reading = BehaviorAlignment(), Reading()
    rows: list[_Row] = []
    for conversation in conversations:
        for reply in conversation.replies:
            if reply.reference is None or isinstance(metric.statistics(reply), Undefined):
                continue
            pair: tuple[tuple[str, Side, Utterance], ...] = (
                (HUMAN, "reference", reply.reference),
                (SYSTEM, "reply", reply.utterance),
            )
            for name, side, said in pair:
                belief = said.strategy_distribution
                label = None
                if has_ground_truth(said):
                    given = reading.strategies_of(said, side=side)
                    label = None if isinstance(given, Undefined) or not given else given[0]
                rows.append(_Row(name, conversation.cluster, {} if belief is None else belief.probabilities, label))
    return rows


def _rate(rows: Sequence[_Row], strategy: str) -> StrategyRate | None:
    """Rate of one strategy on both sides; None where nobody used it and the model hardly sees it."""
    chances = np.array([row.probabilities.get(strategy, 0.0) if row.probabilities else np.nan for row in rows])
    labels = np.array([np.nan if row.label is None else float(row.label == strategy) for row in rows])
    if not (labels == 1).any() and not np.nanmean(chances) >= MIN_SHARE:
        return None
    table = judged_table([row.side for row in rows], chances, labels, clusters=[row.cluster for row in rows])
    found = corrected_means(table, estimand=Estimand.POPULATION)
    human, system = found.systems[HUMAN], found.systems[SYSTEM]
    between = found.differences.get((HUMAN, SYSTEM))
    return StrategyRate(
        strategy=strategy,
        human=human.corrected,
        system=system.corrected,
        difference=None if between is None else between.corrected.negate(),
        modelled_human=human.judge,
        modelled_system=system.judge,
        labels=found.labels[SYSTEM],
    )

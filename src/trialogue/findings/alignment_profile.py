"""Alignment profiles: losses by strategy, in the strategy distribution, and by turn.

Uses the same replies as ``behavior_alignment`` by default: the first strategies of both sides, without first turns.
Many strategies are rare and occur in a handful of dialogues, where a bootstrap of dialogues gives intervals that are far too
narrow; so shares have Wilson's interval by dialogues (``clustered_share``).

Rate of each strategy in a system's replies and in the references, corrected with people's labels.

A model's shares of strategies are biased by its confusions, and its calibration is of pairs, not of strategies. So each
rate is estimated as any mean is that a judge helps with (``stats/correction``): the judge's score of an utterance is the
model's probability of the strategy, its label whether people gave it that strategy first. Labels of 50 to 100 situations,
drawn at random, are enough for the frequent strategies; rare ones get an interval as wide as they deserve. Dialogues are
clusters, and the estimand is the population that they were drawn from, as for alignment itself.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trialogue.findings.alignment_records import (
    STAGES,
    AlignmentProfile,
    StrategyRate,
    StrategyRecall,
    Substitution,
    TurnRange,
    turn_range,
)
from trialogue.metrics import Conversation, Undefined, get_metric, group_by_system
from trialogue.metrics.alignment.behavior_alignment import BehaviorAlignment
from trialogue.metrics.base import SumMetric
from trialogue.metrics.strategy_sets import CLASSES, Reading, Side
from trialogue.records import Estimate, Reason, ReasonCode, Utterance, has_ground_truth
from trialogue.seeds import rng_for
from trialogue.stats import cluster_sums, clustered_share, jackknife
from trialogue.stats.correction.means import MIN_LABELS, corrected_means
from trialogue.stats.correction.table import Estimand, judged_table
from trialogue.stats.resampling.replicates import ONE_CLUSTER

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


Array = NDArray[np.float64]
SWAPS = 200
MAX_CONFUSED = 3


@dataclass(frozen=True, eq=False)
class _Pairs:
    human: NDArray[np.int64]
    system: NDArray[np.int64]
    turn: NDArray[np.int64]
    cluster: list[str]


def alignment_profiles(
    conversations: Iterable[Conversation], *, seed: int = 0, resamples: int = SWAPS
) -> tuple[AlignmentProfile, ...]:
    """Alignment profiles by system, in alphabetical order; systems without labelled pairs are omitted.

    Args:
        conversations: replies to situations with references.
        seed: random seed for the swaps that give the distance by chance; intervals draw nothing at random.
        resamples: how many of these, of which no more than 200 are made.
    """
    made = []
    for system, own in sorted(group_by_system(conversations).items()):
        pairs = _pairs(own)
        if len(pairs.human):
            profile = _profile(system, pairs, seed, min(resamples, SWAPS))
            made.append(profile.model_copy(update={"rates": strategy_rates(own)}))
    return tuple(made)


def _pairs(conversations: Sequence[Conversation]) -> _Pairs:
    metric, reading = get_metric("behavior_alignment"), Reading()
    assert isinstance(metric, SumMetric)
    columns = {name: place for place, name in enumerate(CLASSES)}
    rows = []
    for conversation in conversations:
        for reply in conversation.replies:
            if isinstance(metric.statistics(reply), Undefined) or reply.reference is None:
                continue
            sides = [
                reading.strategies_of(reply.reference, side="reference"),
                reading.strategies_of(reply.utterance, side="reply"),
            ]
            human, system = (columns[side[0]] for side in sides if not isinstance(side, Undefined))
            rows.append((human, system, reply.turn + 1, conversation.cluster))
    table = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
    return _Pairs(table[:, 0], table[:, 1], table[:, 2], [row[3] for row in rows])


def _profile(system: str, pairs: _Pairs, seed: int, swaps: int) -> AlignmentProfile:
    frequent = Counter(pairs.human.tolist())
    order = sorted(frequent, key=lambda column: (-frequent[column], column))

    def share(mask: NDArray[np.bool_]) -> Estimate:
        hits = pairs.human == pairs.system
        rows = np.column_stack([hits & mask, mask])[mask]
        clusters = [cluster for cluster, kept in zip(pairs.cluster, mask.tolist(), strict=True) if kept]
        return clustered_share(cluster_sums(rows, clusters))

    recalls = tuple(
        StrategyRecall(
            strategy=CLASSES[column],
            recall=share(pairs.human == column),
            instead=_replacements(pairs, column),
        )
        for column in order
    )
    stages = tuple(
        TurnRange(turns=turn_range(low, high), match=share(mask))
        for low, high in STAGES
        if (mask := (pairs.turn >= low) & (pairs.turn <= high)).any()
    )
    return AlignmentProfile(
        system=system,
        n=len(pairs.human),
        recalls=recalls,
        human_mix=_mix(pairs.human),
        system_mix=_mix(pairs.system),
        distance=corrected_distance(cluster_sums(_counts(pairs), pairs.cluster).sums, len(pairs.human)),
        distance_by_chance=_expected_distance(pairs, system, seed, swaps),
        stages=stages,
    )


def _replacements(pairs: _Pairs, column: int) -> tuple[Substitution, ...]:
    others = Counter(pairs.system[(pairs.human == column) & (pairs.system != column)].tolist())
    order = sorted(others, key=lambda other: (-others[other], other))[:MAX_CONFUSED]
    return tuple(Substitution(strategy=CLASSES[other], n=others[other]) for other in order)


def _mix(columns: NDArray[np.int64]) -> dict[str, float]:
    shares = np.bincount(columns, minlength=len(CLASSES)) / len(columns)
    return {name: float(share) for name, share in zip(CLASSES, shares, strict=True) if share > 0}


def _counts(pairs: _Pairs) -> Array:
    """Each side's strategy, one-hot, shape (n, 2 * 14)."""
    both = np.eye(len(CLASSES))
    return np.concatenate([both[pairs.human], both[pairs.system]], axis=1)


def jensen_shannon(sums: Array) -> Array:
    """Jensen-Shannon distance of two distributions from counts of shape (..., 2 k), first side first; shape (...), 0 to 1.

    The square root of the mean of both divergences from their mean, base 2. Lin (1991); Endres & Schindelin (2003).

    >>> float(jensen_shannon(np.array([1.0, 0.0, 0.0, 1.0]))), float(jensen_shannon(np.array([1.0, 1.0, 5.0, 5.0])))
    (1.0, 0.0)
    """
    half = sums.shape[-1] // 2
    p, q = sums[..., :half], sums[..., half:]
    p, q = p / p.sum(axis=-1, keepdims=True), q / q.sum(axis=-1, keepdims=True)
    middle = (p + q) / 2

    def divergence(one: Array) -> Array:
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(one > 0, one * np.log2(one / middle), 0.0)
        return np.asarray(terms.sum(axis=-1))

    return np.sqrt(np.clip((divergence(p) + divergence(q)) / 2, 0, 1))


def corrected_distance(sums: Array, n: int) -> Estimate:
    """Distance of two distributions, corrected for sampling bias, with its interval.

    Mixes of few replies differ even where nothing else does (of 80 replies of one mix by some .25, corrected .06, in a
    simulation made once), and a bootstrap takes that for real. So the square of the distance is corrected by the jackknife
    over clusters, k J - (k - 1) mean(J without one), and so is its interval, with Student's t; roots are taken last, of no
    less than 0 (Quenouille 1956; Efron 1982, ch. 2). Without an interval, and why, where there is one cluster, or all of a
    side is in one; without a value, and why, where a side is empty. In a profile neither side ever is, for each of its pairs
    has both.

    Args:
        sums: counts of each cluster, first side first, shape (k, 2 classes).
        n: pairs.
    """
    total, size = sums.sum(axis=0), len(sums)
    if not all(side.sum() > 0 for side in np.split(total, 2)):
        return Estimate(value=None, n=n, clusters=size, why=Reason.of(ReasonCode.MIX_EMPTY))
    square = float(jensen_shannon(total)) ** 2
    if size < 2:
        return Estimate(value=square**0.5, n=n, clusters=size, why=ONE_CLUSTER)
    with np.errstate(divide="ignore", invalid="ignore"):
        without = jensen_shannon(total - sums) ** 2
    corrected = size * square - (size - 1) * float(without.mean())
    if not np.isfinite(corrected):
        return Estimate(value=square**0.5, n=n, clusters=size, why=Reason.of(ReasonCode.MIX_EMPTY_WITHOUT_A_CLUSTER))
    found = jackknife(without, corrected, n)
    interval = found.interval and found.interval.model_copy(
        update={
            "low": _root(found.interval.low),
            "high": _root(found.interval.high),
            "method": f"{found.interval.method}, of the square, bias-corrected",
        }
    )
    return found.model_copy(update={"value": _root(corrected), "interval": interval})


def _root(square: float) -> float:
    return float(np.sqrt(min(1.0, max(0.0, square))))


def _expected_distance(pairs: _Pairs, system: str, seed: int, swaps: int) -> float:
    """The mean corrected distance where the two sides of each cluster are swapped at random."""
    sums = cluster_sums(_counts(pairs), pairs.cluster).sums
    half = sums.shape[1] // 2
    swapped = np.concatenate([sums[:, half:], sums[:, :half]], axis=1)
    coins = rng_for(seed, "swaps", system).random((swaps, len(sums))) < 0.5
    distances = (corrected_distance(np.where(each[:, None], swapped, sums), len(pairs.human)).value for each in coins)
    return float(np.mean([each for each in distances if each is not None]))

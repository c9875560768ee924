"""Ranking validity: agreement of simulated and real users on the order of systems.

The systems are these very ones; nothing is said of systems that are not among them. Below five systems nothing is concluded,
below eight the exact p-value stands alone, since intervals of a correlation of so few points are as wide as its range.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.findings.resampling import Resampling
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats import rank_intervals
from trialogue.subjects.agreement.score_pairs import Floats
from trialogue.subjects.agreement.system_orders import (
    MAX_PERMUTED,
    SystemMeans,
    mean_replicates,
    order_p,
    refusal,
)
from trialogue.subjects.simulated_users.records import RankingValidity, Sample, SystemOrder, SystemRank

MIN_FOR_INTERVAL = MAX_PERMUTED + 1


@dataclass(frozen=True)
class Outcomes:
    """One outcome of the dialogues of one side."""

    values: Floats
    """Value of each dialogue."""
    systems: tuple[str, ...]
    """System of each dialogue."""
    clusters: tuple[str, ...]
    """User of each dialogue."""
    is_lower_better: bool = False

    def of_systems(self, names: Sequence[str]) -> "Outcomes":
        """Outcomes of a subset of systems."""
        kept = [place for place, system in enumerate(self.systems) if system in names]
        return Outcomes(
            self.values[kept],
            tuple(self.systems[place] for place in kept),
            tuple(self.clusters[place] for place in kept),
            self.is_lower_better,
        )


def order_of(measure: str, given: Outcomes, resampling: Resampling, *, side: str) -> tuple[SystemOrder, SystemMeans]:
    """Systems by an outcome, best first, with rank intervals from resamples of users; and their means."""
    sign = -1.0 if given.is_lower_better else 1.0
    means = mean_replicates(
        sign * given.values,
        given.systems,
        clusters=given.clusters,
        resampling=resampling,
        names=("passport", "order", side),
    )
    ranks = rank_intervals(means.values, means.drawn, confidence=resampling.confidence)
    order = np.argsort(-means.values, kind="stable").tolist()
    dialogues, users = len(given.values), len(set(given.clusters))
    sample = Sample(real=dialogues, people=users) if side == "real" else Sample(simulated=dialogues, cases=users)
    return SystemOrder(
        measure=measure,
        ranks=tuple(
            SystemRank(
                system=means.systems[place],
                value=float(sign * means.values[place]),
                rank=ranks[place].rank,
                low=ranks[place].low,
                high=ranks[place].high,
            )
            for place in order
        ),
        sample=sample,
    ), means


def ranking_validity(
    measures: tuple[str, str], simulated: Outcomes, real: Outcomes, resampling: Resampling
) -> RankingValidity | None:
    """Both orders of the systems that both sides met; None with fewer than two.

    Args:
        measures: the outcome of simulated users, and that of real ones.
        simulated: outcome of the dialogues of simulated users.
        real: outcome of the dialogues of real users.
        resampling: seed, resamples, confidence.
    """
    shared = sorted(set(simulated.systems) & set(real.systems))
    if len(shared) < 2:
        return None
    (own, one), (order, other) = (
        order_of(measure, given.of_systems(shared), resampling, side=side)
        for measure, given, side in zip(measures, (simulated, real), ("simulated", "real"), strict=True)
    )
    pairs = len(shared) * (len(shared) - 1) // 2
    share = float(_concordance(one.values[None], other.values[None])[0])
    return RankingValidity(
        simulated=own,
        real=order,
        pairs=pairs,
        concordant=round(share * pairs, 1),
        concordance=_estimate(share, one, other, pairs, resampling),
        p=order_p(one.values, other.values, resampling.rng("passport", "orders")),
        is_exact=len(shared) <= MAX_PERMUTED,
        refusal=refusal(len(shared)),
    )


def _estimate(share: float, one: SystemMeans, other: SystemMeans, pairs: int, resampling: Resampling) -> Estimate:
    if len(one.systems) < MIN_FOR_INTERVAL:
        why = Reason.of(ReasonCode.FEW_SYSTEMS_NO_INTERVAL, least=MIN_FOR_INTERVAL)
        return Estimate(value=share, n=pairs, why=why)
    drawn = _concordance(one.drawn, other.drawn)
    defined = drawn[np.isfinite(drawn)]
    if len(defined) < 0.95 * len(drawn):
        return Estimate(value=share, n=pairs, why=Reason.of(ReasonCode.SYSTEM_MEANS_NOT_RESAMPLED))
    tail = (1 - resampling.confidence) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    method = f"cluster bootstrap of the systems' means, percentile, {len(drawn)} resamples, systems fixed"
    interval = Interval(low=float(low), high=float(high), confidence=resampling.confidence, method=method)
    return Estimate(value=share, interval=interval, n=pairs)


def _concordance(x: Floats, y: Floats) -> Floats:
    """Share of the pairs of columns that two tables put in the same order, row by row; ties on either side
    count half."""
    first, second = np.triu_indices(x.shape[1], 1)
    agreement = np.sign(x[:, first] - x[:, second]) * np.sign(y[:, first] - y[:, second])
    found: Floats = ((1 + agreement) / 2).mean(axis=1)
    return found


def rankings_of(
    simulated: Mapping[str, Outcomes], real: Mapping[str, Outcomes], against: Sequence[str], resampling: Resampling
) -> tuple[RankingValidity, ...]:
    """Every outcome of simulated users against every judgement of real ones, and against the same outcome of theirs.

    Args:
        simulated: outcomes by full name.
        real: the same for real users.
        against: which of these are people's own judgements.
        resampling: seed, resamples, confidence.
    """
    pairs = [(name, other) for name in simulated for other in dict.fromkeys([*against, name]) if other in real]
    found = (ranking_validity((name, other), simulated[name], real[other], resampling) for name, other in pairs)
    return tuple(each for each in found if each is not None)

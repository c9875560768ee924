"""Performance prediction: whether simulated users rank agents as real users do (KDD 2020, RQ3)."""

from collections.abc import Sequence

import numpy as np

from trialogue.findings.resampling import Resampling
from trialogue.stats import cluster_sums
from trialogue.stats.ranking.order import order_share
from trialogue.subjects.agreement.score_pairs import Floats
from trialogue.subjects.agreement.system_orders import SystemMeans, correlations_of, mean_replicates, order_p, refusal
from trialogue.subjects.simulated_users.realism.records import Order, Prediction


def prediction(
    measure: str,
    against: str,
    real: tuple[Floats, Sequence[str], Sequence[str]],
    simulated: tuple[Floats, Sequence[str], Sequence[str]],
    *,
    lower: bool,
    resampling: Resampling,
) -> Prediction | None:
    """Rankings of the agents by real and by simulated users; None with fewer than two.

    Args:
        measure: what simulated dialogues are measured by.
        against: what real dialogues are measured by.
        real: (value, agent, cluster) of each real dialogue.
        simulated: the same for each simulated one.
        lower: whether lower values are better.
        resampling: seed, resamples, confidence.
    """
    shared = sorted(set(real[1]) & set(simulated[1]))
    if len(shared) < 2:
        return None
    sides = [_side(side, shared, lower, resampling, name) for side, name in ((real, "real"), (simulated, "simulated"))]
    (one, order), (other, own) = sides
    found = correlations_of(one, other, confidence=resampling.confidence)
    return Prediction(
        measure=measure,
        against=against,
        real=order,
        simulated=own,
        spearman=found["spearman"],
        kendall=found["kendall"],
        p=order_p(one.values, other.values, resampling.rng("orders")),
        refusal=refusal(len(shared)),
    )


def _side(
    side: tuple[Floats, Sequence[str], Sequence[str]],
    shared: Sequence[str],
    lower: bool,
    resampling: Resampling,
    name: str,
) -> tuple[SystemMeans, Order]:
    values, systems, clusters = side
    kept = [place for place, system in enumerate(systems) if system in shared]
    sign = -1.0 if lower else 1.0
    means = mean_replicates(
        sign * values[kept],
        [systems[place] for place in kept],
        clusters=[clusters[place] for place in kept],
        resampling=resampling,
        names=("prediction", name),
    )
    sums = []
    for system in shared:
        own = [place for place in kept if systems[place] == system]
        rows = np.column_stack([sign * values[own], np.ones(len(own))])
        sums.append(cluster_sums(rows, [clusters[place] for place in own]))
    share = order_share(sums, rng=resampling.rng("order", name), resamples=resampling.resamples)
    return means, Order(
        systems=tuple(shared[place] for place in share.order),
        values=tuple(float(sign * means.values[place]) for place in share.order),
        share=share.share,
        why=share.why,
    )

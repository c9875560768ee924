"""Known-groups validity: effect of an agent degraded in doses on each outcome, and users needed to detect it.

Validity by known groups (Cronbach and Meehl 1955): who is known to be worse has to score lower. All doses meet the same
users, so changes are paired by user.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from trialogue.findings.resampling import Resampling
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats import cluster_sums, clusters_for_means, difference, estimate_of_sums
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.stats.resampling.clusters import ClusterSums
from trialogue.subjects.agreement.score_pairs import Floats
from trialogue.subjects.simulated_users.ranking import Outcomes
from trialogue.subjects.simulated_users.records import Dose, KnownGroup, Sample

SIZES = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000)
"""Numbers of users that are tried."""
ORDERED = 0.8  # share of resamples that has to be in order, as power usually is
MIN_USERS = 10


def known_group(
    agent: str,
    way: str,
    measure: str,
    doses: Mapping[str, float],
    given: Outcomes,
    resampling: Resampling,
    *,
    is_share: bool = False,
) -> KnownGroup | None:
    """An agent and what sabotage does to its outcome; None where a dose has no outcome.

    Args:
        agent: its name.
        way: what replies were replaced with.
        measure: full name of the outcome.
        doses: share of the replies that was replaced, by name of the system.
        given: the outcome of the dialogues with all of them.
        resampling: seed, resamples, confidence.
        is_share: whether the outcome is yes or no.
    """
    shares = {agent: 0.0, **dict(sorted(doses.items(), key=lambda item: item[1]))}
    sums = {name: _sums(given.of_systems([name])) for name in shares}
    if not all(each.keys for each in sums.values()):
        return None
    sign = -1.0 if given.is_lower_better else 1.0
    drawn, users = _resampled_order(list(sums.values()), sign, resampling)
    return KnownGroup(
        agent=agent,
        way=way,
        measure=measure,
        doses=tuple(_dose(name, share, sums, agent, resampling, is_share, sign) for name, share in shares.items()),
        order_share=_order_share(drawn, users),
        needed=_users_needed(list(sums.values()), sign, resampling) if users >= MIN_USERS else None,
        sample=Sample(simulated=sum(each.n for each in sums.values()), cases=users),
    )


def _sums(given: Outcomes) -> ClusterSums:
    return cluster_sums(np.column_stack([given.values, np.ones(len(given.values))]), given.clusters)


def _dose(
    name: str,
    share: float,
    sums: Mapping[str, ClusterSums],
    agent: str,
    resampling: Resampling,
    is_share: bool,
    sign: float,
) -> Dose:
    outcome = estimate_of_sums(sums[name], mean_of, is_share=is_share, confidence=resampling.confidence)
    if name == agent:
        return Dose(system=name, share=share, outcome=outcome)
    change = difference(
        sums[name],
        sums[agent],
        mean_of,
        is_share=is_share,
        seed=resampling.seed,
        permutations=resampling.resamples,
        confidence=resampling.confidence,
    )
    return Dose(
        system=name,
        share=share,
        outcome=outcome,
        change=change,
        needed=_users_to_find_change(sums[name], sums[agent], sign),
    )


def _users_to_find_change(worse: ClusterSums, agent: ClusterSums, sign: float) -> int | None:
    """Users that both must meet to find the fall, by the spread of the paired changes; None where nothing fell."""
    paired = _paired_means([worse, agent])
    changes = paired[:, 0] - paired[:, 1]
    if len(changes) < MIN_USERS or sign * changes.mean() > -1e-12 or changes.std(ddof=1) <= 0:
        return None
    return clusters_for_means(float(changes.mean()), float(changes.std(ddof=1)), paired=True)


def _paired_means(sums: Sequence[ClusterSums]) -> Floats:
    """Means of the users whom all met, shape (users, doses)."""
    shared = sorted(set.intersection(*(set(each.keys) for each in sums)), key=str)
    columns = []
    for each in sums:
        places = {key: place for place, key in enumerate(each.keys)}
        rows = each.sums[[places[key] for key in shared]]
        columns.append(rows[:, 0] / rows[:, 1])
    found: Floats = np.column_stack(columns) if shared else np.zeros((0, len(sums)))
    return found


def _is_decreasing(means: Floats, sign: float) -> Floats:
    """Whether each row falls from column to column."""
    fell = np.diff(sign * means, axis=1) < 0
    found: Floats = np.asarray(fell.all(axis=1), dtype=np.float64)
    return found


def _means_of_samples(paired: Floats, size: int, resamples: int, rng: np.random.Generator) -> Floats:
    weights = rng.multinomial(size, np.full(len(paired), 1 / len(paired)), size=resamples)
    found: Floats = np.asarray((weights @ paired) / size)
    return found


def _resampled_order(sums: Sequence[ClusterSums], sign: float, resampling: Resampling) -> tuple[Floats, int]:
    paired = _paired_means(sums)
    if len(paired) < 2:
        return np.zeros(0), len(paired)
    rng = resampling.rng("passport", "doses")
    return _is_decreasing(_means_of_samples(paired, len(paired), resampling.resamples, rng), sign), len(paired)


def _order_share(drawn: Floats, users: int) -> Estimate:
    if not len(drawn):
        return Estimate(value=None, why=Reason.of(ReasonCode.ONE_CLUSTER), clusters=users)
    return Estimate(
        value=float(drawn.mean()), n=len(drawn), clusters=users, why=Reason.of(ReasonCode.SHARE_OF_RESAMPLES)
    )


def _users_needed(sums: Sequence[ClusterSums], sign: float, resampling: Resampling) -> int | None:
    """The first size of ``SIZES`` from which on resamples of so many users are mostly in order."""
    paired = _paired_means(sums)
    found = None
    for size in reversed(SIZES):
        rng = resampling.rng("passport", "users needed", str(size))
        if float(_is_decreasing(_means_of_samples(paired, size, resampling.resamples, rng), sign).mean()) < ORDERED:
            break
        found = size
    return found

"""Statistics: resampling, agreement, correlation, paired comparisons, multiple comparisons and power.

Everything returns an ``Estimate`` (value, interval, counts, and ``why`` if something is missing) or a small frozen
record. Undefined is None, never 0 or NaN. Clusters (people, dialogues) are the independent units wherever rows are not.
Means, shares, ratios and differences of systems are computed by ``inference``; statistics without a better method are
bootstrapped with the ``rng`` that is passed in (without one there is no bootstrap interval).
"""

from trialogue.stats.association.correlation import association_difference, auc, kendall, pearson, spearman
from trialogue.stats.comparison.families import bonferroni
from trialogue.stats.comparison.inference import bounded_share, clustered_share, difference, estimate_of_sums, wilson
from trialogue.stats.mixed_models.clmm import Clmm, clmm, odds_ratio
from trialogue.stats.mixed_models.fixed_effects import Pairwise, Test
from trialogue.stats.mixed_models.lmm import Lmm, lmm
from trialogue.stats.power import (
    clusters_for_means,
    judgements_needed,
)
from trialogue.stats.ranking.battles import (
    Battle,
    EloRating,
    EloSpread,
    Vote,
    WinLoseTie,
    WinRate,
    binomial,
    elo,
    elo_order_dependence,
    win_lose_tie,
    win_rates,
)
from trialogue.stats.ranking.bradley_terry import BradleyTerry, Strength, bradley_terry
from trialogue.stats.ranking.order import OrderShare, RankInterval, order_share, rank_intervals
from trialogue.stats.raters.agreement import (
    cohen_kappa,
    fleiss_kappa,
    icc,
    krippendorff_alpha,
    percent_agreement,
    spearman_brown,
)
from trialogue.stats.raters.kappa import gwet_ac1
from trialogue.stats.raters.reliability import Reliability, reliability
from trialogue.stats.resampling.bootstrap import (
    ClusterSums,
    Combine,
    bootstrap,
    bootstrap_sums,
    cluster_sums,
)
from trialogue.stats.resampling.replicates import jackknife, jackknife_difference

__all__ = [
    "Battle",
    "BradleyTerry",
    "Clmm",
    "ClusterSums",
    "Combine",
    "EloRating",
    "EloSpread",
    "Lmm",
    "OrderShare",
    "Pairwise",
    "RankInterval",
    "Reliability",
    "Strength",
    "Test",
    "Vote",
    "WinLoseTie",
    "WinRate",
    "association_difference",
    "auc",
    "binomial",
    "bonferroni",
    "bootstrap",
    "bootstrap_sums",
    "bounded_share",
    "bradley_terry",
    "clmm",
    "cluster_sums",
    "clustered_share",
    "clusters_for_means",
    "cohen_kappa",
    "difference",
    "elo",
    "elo_order_dependence",
    "estimate_of_sums",
    "fleiss_kappa",
    "gwet_ac1",
    "icc",
    "jackknife",
    "jackknife_difference",
    "judgements_needed",
    "kendall",
    "krippendorff_alpha",
    "lmm",
    "odds_ratio",
    "order_share",
    "pearson",
    "percent_agreement",
    "rank_intervals",
    "reliability",
    "spearman",
    "spearman_brown",
    "wilson",
    "win_lose_tie",
    "win_rates",
]

"""Numbers in, results with intervals out: resampling, agreement, correlation, battles, multiplicity and power.

Everything returns an ``Estimate`` (value, interval, counts, and ``why`` where something is missing) or a small frozen
record. Undefined is None, never 0 or NaN. Clusters (people, dialogues) are the independent units wherever rows are not.
Randomness comes from the ``rng`` that is passed in; without one there is no bootstrap interval.
"""

from trialogue.stats.agreement import (
    cohen_kappa,
    fleiss_kappa,
    icc,
    krippendorff_alpha,
    percent_agreement,
    spearman_brown,
)
from trialogue.stats.battles import Battle, Vote, WinRate, win_rates
from trialogue.stats.bradley_terry import BradleyTerry, Strength, bradley_terry
from trialogue.stats.correlation import auc, kendall, pearson, spearman
from trialogue.stats.elo import EloRating, EloSpread, elo, elo_order_dependence
from trialogue.stats.multiplicity import benjamini_hochberg, holm
from trialogue.stats.paired import association_difference
from trialogue.stats.power import (
    clustered_sd,
    clusters_for_means,
    clusters_for_proportions,
    detectable_difference,
)
from trialogue.stats.proportions import wilson
from trialogue.stats.ranking import RankInterval, rank_intervals
from trialogue.stats.resample import (
    ClusterSums,
    Combine,
    bootstrap,
    bootstrap_sums,
    cluster_sums,
    difference,
    jackknife,
    jackknife_difference,
    paired_bootstrap,
    paired_permutation,
)

__all__ = [
    "Battle",
    "BradleyTerry",
    "ClusterSums",
    "Combine",
    "EloRating",
    "EloSpread",
    "RankInterval",
    "Strength",
    "Vote",
    "WinRate",
    "association_difference",
    "auc",
    "benjamini_hochberg",
    "bootstrap",
    "bootstrap_sums",
    "bradley_terry",
    "cluster_sums",
    "clustered_sd",
    "clusters_for_means",
    "clusters_for_proportions",
    "cohen_kappa",
    "detectable_difference",
    "difference",
    "elo",
    "elo_order_dependence",
    "fleiss_kappa",
    "holm",
    "icc",
    "jackknife",
    "jackknife_difference",
    "kendall",
    "krippendorff_alpha",
    "paired_bootstrap",
    "paired_permutation",
    "pearson",
    "percent_agreement",
    "rank_intervals",
    "spearman",
    "spearman_brown",
    "wilson",
    "win_rates",
]

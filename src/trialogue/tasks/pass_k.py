"""pass^k: how often k independent trials of a task all succeed, and other means over tasks with trials nested in them.

Tasks are the sample, whatever the number of trials: every task has one value, and intervals and tests are over tasks.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import comb

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats import ClusterSums, cluster_sums, difference, estimate_of_sums
from trialogue.stats.comparison.bounded_mean import bounded_mean_interval
from trialogue.stats.resampling.bootstrap import mean_of

FEWEST_TASKS = 2
METHOD = "score interval of values from 0 to 1"


def pass_of(successes: int, trials: int, k: int) -> Fraction:
    """Unbiased estimate for one task: the share of sets of k trials that all succeeded, C(successes, k) / C(trials, k).

    >>> pass_of(3, 4, 2)
    Fraction(1, 2)

    Yao et al. (2024), "tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains".
    """
    if not 1 <= k <= trials:
        raise UsageError(f"k must be between 1 and the number of trials, {trials}, got {k}.")
    return Fraction(comb(successes, k), comb(trials, k))


def pass_values(trials: Mapping[str, Sequence[bool]], k: int) -> dict[str, Fraction]:
    """pass^k of every task that has k trials."""
    return {task: pass_of(sum(each), len(each), k) for task, each in trials.items() if len(each) >= k}


def pass_k(trials: Mapping[str, Sequence[bool]], k: int, *, confidence: float = 0.95) -> Estimate:
    """pass^k over tasks, with an interval over tasks; undefined, never 0, where a task has fewer than k trials.

    With 4 trials of each of 20 or 50 tasks, whose probabilities of success are from three beta distributions, intervals of
    pass^1, ^2 and ^4 cover 93 to 99% (400 samples each); with 8 tasks 94 to 98%, and 86% where pass^4 is .02.

    Args:
        trials: whether each trial succeeded, by task.
        k: trials that all have to succeed.
        confidence: confidence level of the interval.
    """
    if short := sum(len(each) < k for each in trials.values()):
        return Estimate(value=None, why=Reason.of(ReasonCode.TOO_FEW_TRIALS, tasks=short, k=k), n=len(trials))
    return mean_over_tasks(pass_values(trials, k), is_share=True, confidence=confidence)


def mean_over_tasks(
    values: Mapping[str, Fraction | float], *, is_share: bool = False, confidence: float = 0.95
) -> Estimate:
    """Mean of one value per task, with its interval over tasks; none for a single task.

    Args:
        values: by task; at least 0.
        is_share: whether they lie between 0 and 1: a score interval (``bounded_mean_interval``), which few and very skewed
            values need, as those of pass^k are.
        confidence: confidence level of the interval.
    """
    found = estimate_of_sums(_sums(values), mean_of, scale=(0.0, 1.0 if is_share else None), confidence=confidence)
    if not is_share or found.value is None or len(values) < FEWEST_TASKS:
        return found
    low, high = bounded_mean_interval([float(each) for each in values.values()], low=0, high=1, confidence=confidence)
    interval = Interval(low=low, high=high, confidence=confidence, method=METHOD)
    return found.model_copy(update={"interval": interval, "why": None})


def difference_over_tasks(
    values: Mapping[str, Fraction | float], others: Mapping[str, Fraction | float], *, confidence: float = 0.95
) -> Estimate:
    """Mean difference of shares, task by task; only tasks with both values count."""
    shared = values.keys() & others.keys()
    both = ({task: side[task] for task in side if task in shared} for side in (values, others))
    first, second = map(_sums, both)
    return difference(first, second, mean_of, most=1.0, confidence=confidence)


def _sums(values: Mapping[str, Fraction | float]) -> ClusterSums:
    return cluster_sums([[float(value), 1.0] for value in values.values()], list(values))

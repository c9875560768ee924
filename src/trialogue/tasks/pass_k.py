"""pass^k: how often k independent trials of a task all succeed, and other means over tasks with trials nested in them.

Tasks are the sample, whatever the number of trials: every task has one value, and intervals and tests are over tasks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb

from trialogue.errors import UsageError
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats import cluster_sums, estimate_of_sums
from trialogue.stats.comparison.bounded_mean import bounded_mean_interval
from trialogue.stats.resampling.bootstrap import mean_of

METHOD = "score interval of bounded values"


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

    For k = 1 and equally many trials of each task it is the share of trials, clustered by task. Other values are few, skewed
    and between 0 and 1: theirs is a score interval (``bounded_mean_interval``). With 4 trials of each of 20 or 50
    tasks, whose probabilities of success are from three beta distributions, intervals of pass^2 and pass^4 cover 93 to 99%
    (400 samples each); with 8 tasks 94 to 98%, and 86% where pass^4 is .02.

    Args:
        trials: whether each trial succeeded, by task.
        k: trials that all have to succeed.
        confidence: confidence level of the interval.
    """
    if short := sum(len(each) < k for each in trials.values()):
        return Estimate(value=None, why=Reason.of(ReasonCode.TOO_FEW_TRIALS, tasks=short, k=k), n=len(trials))
    sizes = {len(each) for each in trials.values()}
    if k == 1 and len(sizes) == 1:  # a share of trials, clustered by task, as ``evaluate`` has it
        sums = cluster_sums([[sum(each), len(each)] for each in trials.values()], list(trials))
        counted = replace(sums, n=sum(map(len, trials.values())))
        return estimate_of_sums(counted, mean_of, is_share=True, confidence=confidence)
    return _mean_of_bounded(pass_values(trials, k), low=0, confidence=confidence)


def mean_over_tasks(values: Mapping[str, Fraction], *, confidence: float = 0.95) -> Estimate:
    """Mean of one value from 0 on per task, with its interval over tasks; none for a single task."""
    sums = cluster_sums([[float(value), 1.0] for value in values.values()], list(values))
    return estimate_of_sums(sums, mean_of, scale=(0.0, None), confidence=confidence)


def difference_over_tasks(
    values: Mapping[str, Fraction | float], others: Mapping[str, Fraction | float], *, confidence: float = 0.95
) -> Estimate:
    """Mean difference of shares from an expectation, task by task; only tasks with both values count.

    Its score interval allows for tasks unlike any that was tried. Of systems that were the expectation itself (agents that
    ask nothing, ask everything or offer anything on tau-Rec; 12 and 30 tasks, 1 and 4 trials, 300 samples each) it lies
    above 0 in 1% at most, and below 0 in 1%; sign flips in up to 6% and 63%, as small differences that hardly vary look
    certain to them.
    """
    found = {task: float(values[task] - others[task]) for task in values if task in others}
    return _mean_of_bounded(found, low=-1, confidence=confidence)


def _mean_of_bounded(values: Mapping[str, Fraction | float], *, low: float, confidence: float) -> Estimate:
    """Mean of values from ``low`` to 1, one per task, with a score interval; none for a single task."""
    given, counts = [float(each) for each in values.values()], {"n": len(values), "clusters": len(values)}
    if not given:
        return Estimate(value=None, why=Reason.of(ReasonCode.NO_DATA), **counts)
    mean = float(sum(values.values())) / len(given)
    if len(given) == 1:
        return Estimate(value=mean, why=Reason.of(ReasonCode.ONE_CLUSTER), **counts)
    ends = bounded_mean_interval(given, low=low, high=1, confidence=confidence)
    interval = Interval(low=min(ends[0], mean), high=max(ends[1], mean), confidence=confidence, method=METHOD)
    return Estimate(value=mean, interval=interval, **counts)

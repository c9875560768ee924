"""Agreement while a study runs: a glance for the dashboard. The analysis proper reads the export."""

from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.raters.alpha import Level, krippendorff_alpha
from trialogue.stats.raters.kappa import cohen_kappa

Given: TypeAlias = tuple[Hashable, Hashable, int | float | str]
"""What was judged, who judged it, and how."""
RESAMPLES = 1_000  # of a glance; the dashboard is loaded often


def alpha_so_far(given: Iterable[Given], *, level: Level) -> Estimate:
    """Krippendorff's alpha of everything given so far, with a bootstrap interval over what was judged.

    Undefined, with the reason, as long as nothing was judged twice. If somebody judged something twice, the last counts.
    """
    return _alpha(tuple(sorted(set(given), key=repr)), level)


@lru_cache(maxsize=32)
def _alpha(given: tuple[Given, ...], level: Level) -> Estimate:
    table: dict[Hashable, dict[Hashable, int | float | str]] = {}
    for judged, rater, value in given:
        table.setdefault(judged, {})[rater] = value
    twice = [row for row in table.values() if len(row) > 1]
    if not twice:
        return Estimate(value=None, n=0, why=Reason.of(ReasonCode.NOTHING_JUDGED_TWICE_YET))
    raters = sorted({rater for row in twice for rater in row}, key=repr)
    ratings = [[row.get(rater) for rater in raters] for row in twice]
    return krippendorff_alpha(ratings, level=level, rng=np.random.default_rng(0), resamples=RESAMPLES)


def kappa_of_two(first: dict[str, str], second: dict[str, str]) -> Estimate:
    """Cohen's kappa of two coders over what both have coded, with a bootstrap interval.

    Args:
        first: label by what was coded.
        second: the other coder's.
    """
    both = sorted(first.keys() & second.keys())
    if not both:
        return Estimate(value=None, n=0, why=Reason.of(ReasonCode.NOTHING_CODED_TWICE_YET))
    a, b = [first[key] for key in both], [second[key] for key in both]
    return cohen_kappa(a, b, rng=np.random.default_rng(0), resamples=RESAMPLES)

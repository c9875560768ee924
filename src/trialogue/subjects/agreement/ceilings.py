"""Noise ceilings: upper bounds on agreement with raters who disagree among themselves.

If the mean rating of k people has reliability r, a measure that knew the truth would correlate with it by the square root of
r (Spearman 1904, correction for attenuation). Undefined where only aggregated ratings were published.
"""

from itertools import combinations

import numpy as np
import numpy.typing as npt

from trialogue.findings.resampling import DEFAULT, Resampling
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.records.score import AGGREGATE
from trialogue.stats import icc, krippendorff_alpha, pearson, spearman_brown
from trialogue.subjects.agreement.records import Ceiling
from trialogue.subjects.agreement.score_pairs import Floats, JudgedUnits

ONE_RATING = Reason.of(ReasonCode.ONE_RATING_PER_UNIT)


def ceiling_of(table: JudgedUnits, *, resampling: Resampling = DEFAULT) -> Ceiling:
    """Noise ceiling of a table: the agreement of a perfect measure with its mean ratings."""
    ratings = _ratings(table)
    counts = (~np.isnan(ratings)).sum(axis=1)
    raters = float(counts.mean())
    several = int((counts >= 2).sum())
    unknown = Ceiling(
        question=table.question,
        level=table.level,
        raters=raters,
        alpha=Estimate(value=None, n=several, why=ONE_RATING),
        single=None,
        mean=None,
        ceiling=None,
        why=ONE_RATING,
    )
    if several < 2:
        return unknown
    alpha = krippendorff_alpha(
        ratings,
        level="ordinal",
        clusters=table.clusters,
        rng=resampling.rng("ceiling", table.question),
        resamples=resampling.resamples,
        confidence=resampling.confidence,
    )
    single = _single(table, ratings, counts, alpha)
    if single is None or single <= 0:
        why = alpha.why or Reason.of(ReasonCode.NO_AGREEMENT_ABOVE_CHANCE)
        return unknown.model_copy(update={"alpha": alpha, "single": single, "why": why})
    mean = float(spearman_brown(single, raters))
    known = {"alpha": alpha, "single": single, "mean": mean, "ceiling": mean**0.5, "why": None}
    return unknown.model_copy(update=known)


def _single(table: JudgedUnits, ratings: Floats, counts: npt.NDArray[np.intp], alpha: Estimate) -> float | None:
    """Reliability of one rating.

    Where the same people rated every unit, the mean correlation of two of them: what one of them always gives more does
    not count, since a correlation with a measure does not see it either. Else ICC(1,1), or alpha where numbers of ratings
    differ.
    """
    people = {frozenset(given) for given in table.raters}
    if len(people) == 1:
        found = [pearson(ratings[:, a], ratings[:, b]).value for a, b in combinations(range(ratings.shape[1]), 2)]
        known = [value for value in found if value is not None]
        return float(np.mean(known)) if known else None
    if counts.min() == counts.max():
        packed = np.array([row[~np.isnan(row)] for row in ratings])
        return icc(packed, form="1,1").value
    return alpha.value


def _ratings(table: JudgedUnits) -> Floats:
    """Shape (n_units, most ratings of a unit), raters by name; a column is one person where all rated everything."""
    rows = [[given[rater] for rater in sorted(given) if rater != AGGREGATE] for given in table.raters]
    width = max(map(len, rows), default=0)
    return np.array([row + [np.nan] * (width - len(row)) for row in rows], dtype=np.float64).reshape(len(rows), width)

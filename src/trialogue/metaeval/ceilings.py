"""Noise ceilings: how well anything can agree with people who do not agree with each other.

If the mean rating of k people has reliability r, a measure that knew the truth would correlate with it by the root of r
(Spearman 1904, correction for attenuation). Nothing is known where only aggregates were published.
"""

import numpy as np
import numpy.typing as npt

from trialogue.metaeval.agreed import Ceiling
from trialogue.metaeval.judged import Floats, Judged
from trialogue.metaeval.resampling import DEFAULT, Resampling
from trialogue.records import Estimate
from trialogue.stats import icc, krippendorff_alpha, spearman_brown

ONE_RATING = "every unit has one rating (or an aggregate), so people's agreement is unknown"


def ceiling_of(table: Judged, *, how: Resampling = DEFAULT) -> Ceiling:
    """What a perfect measure could reach against the mean ratings of a table."""
    ratings = _ratings(table)
    counts = (~np.isnan(ratings)).sum(axis=1)
    raters = float(counts.mean())
    several = int((counts >= 2).sum())
    if several < 2:
        missing = Estimate(value=None, n=several, why=ONE_RATING)
        return Ceiling(
            question=table.question,
            level=table.level,
            raters=raters,
            alpha=missing,
            single=None,
            mean=None,
            ceiling=None,
            why=ONE_RATING,
        )
    alpha = krippendorff_alpha(
        ratings,
        level="ordinal",
        clusters=table.clusters,
        rng=how.rng("ceiling", table.question),
        resamples=how.resamples,
        confidence=how.confidence,
    )
    single = _single(ratings, counts, alpha)
    if single is None or single <= 0:
        why = alpha.why or "people agree no better than chance, so there is nothing to agree with"
        return Ceiling(
            question=table.question,
            level=table.level,
            raters=raters,
            alpha=alpha,
            single=single,
            mean=None,
            ceiling=None,
            why=why,
        )
    mean = float(spearman_brown(single, raters))
    return Ceiling(
        question=table.question,
        level=table.level,
        raters=raters,
        alpha=alpha,
        single=single,
        mean=mean,
        ceiling=mean**0.5,
    )


def _single(ratings: Floats, counts: npt.NDArray[np.intp], alpha: Estimate) -> float | None:
    """Reliability of one rating: ICC(1,1) of a table without gaps, else alpha."""
    if counts.min() == counts.max():
        packed = np.array([row[~np.isnan(row)] for row in ratings])
        return icc(packed, form="1,1").value
    return alpha.value


def _ratings(table: Judged) -> Floats:
    """Shape (n_units, most ratings of a unit); which rater gave which does not matter to alpha and ICC(1,1)."""
    rows = [[given[rater] for rater in sorted(given) if rater != "aggregate"] for given in table.raters]
    width = max(map(len, rows), default=0)
    return np.array([row + [np.nan] * (width - len(row)) for row in rows], dtype=np.float64).reshape(len(rows), width)

"""Correct p-values across the pairs of systems of one measure."""

from collections.abc import Sequence

from trialogue.records import Score
from trialogue.stats.comparison.families import CorrectedFamily, PairTest, single_step
from trialogue.stats.comparison.two_sides import SMALLER_SIDE, STANDARD_ERROR


def correct_family(pairs: Sequence[Score]) -> CorrectedFamily:
    """Correct p-values across the differences of one measure: max-T if the data allow it, else Bonferroni."""
    return single_step([_test(score) for score in pairs])


def _test(score: Score) -> PairTest:
    facts = score.interval.facts if score.interval else {}
    return PairTest(score.system, score.versus, score.p, facts.get(STANDARD_ERROR), facts.get(SMALLER_SIDE))

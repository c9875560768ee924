"""Families of comparisons: the pairs of systems of one measure, of people's questions, or of all measures.

Where people were asked several questions and none was declared to decide, any of them could become the headline. The pairs
of a question are then corrected as always, and the result is multiplied by the number of questions (Bonferroni), so that a
headline on any of them keeps the level.

Corrected p-values and simultaneous intervals are single-step: all intervals of a family hold together with their confidence
level, and one leaves zero out exactly where the corrected p-value is below its level.
"""

from collections.abc import Sequence, Set
from enum import StrEnum
from typing import TYPE_CHECKING

from trialogue.findings.league_verdicts import verdict, with_ranks
from trialogue.records import Estimate, Interval, Score
from trialogue.stats import bonferroni
from trialogue.stats.comparison.families import CorrectedFamily, FamilyMethod, PairTest, single_step
from trialogue.stats.comparison.shares import move_past_zero
from trialogue.stats.comparison.two_sides import SMALLER_SIDE, STANDARD_ERROR

if TYPE_CHECKING:
    from trialogue.findings.records import Findings
    from trialogue.findings.standings import Contrast, League

ACROSS_MEASURES = "Bonferroni, over all measures together,"
"""The correction across the pairs of systems of all measures that have a direction."""
MIXED = "max-T or Bonferroni"
"""The correction where some measures have max-T and others Bonferroni's method."""


class FamilyScope(StrEnum):
    """Scope of the correction for multiple comparisons."""

    QUESTIONS = "questions"
    """The pairs of systems of each measure; for people's questions, of all questions."""
    MEASURE = "measure"
    """The pairs of systems of each measure."""
    MEASURES = "measures"
    """The pairs of systems of all measures that have a direction."""


def correct_family(pairs: Sequence[Score]) -> CorrectedFamily:
    """Correct p-values across the differences of one measure: max-T if the data allow it, else Bonferroni."""
    return single_step([_test(score) for score in pairs])


def _test(score: Score) -> PairTest:
    facts = score.interval.facts if score.interval else {}
    return PairTest(score.system, score.versus, score.p, facts.get(STANDARD_ERROR), facts.get(SMALLER_SIDE))


def simultaneous(difference: Estimate, family: CorrectedFamily) -> Interval | None:
    """Simultaneous interval of one difference within its family; None without a pairwise one.

    It leaves zero out exactly where the uncorrected p is below the level that each pair of the family has.
    """
    bounds, interval = bounds_at_level(difference, family.level), difference.interval
    if bounds is None or interval is None or difference.p is None:
        return None
    low, high = move_past_zero(*bounds, difference.value or 0.0, difference.p < family.level)
    return Interval(
        low=low,
        high=high,
        confidence=interval.confidence,
        method=f"single-step, {family.method}",
        facts={"level": family.level},
    )


def bounds_at_level(difference: Estimate, level: float) -> tuple[float, float] | None:
    """Bounds of a difference's interval at another level; None without an interval.

    The interval at hand is stretched from its own confidence to ``1 - level`` by the ratio of quantiles of Student's t. Its
    degrees of freedom are not recorded: half the clusters less one stands for them, which is the fewest that two systems of
    equal size have, and gives the larger ratio.
    """
    from scipy.special import stdtrit

    interval, value = difference.interval, difference.value
    if interval is None or value is None:
        return None
    freedom = max(1.0, (difference.clusters or 0) / 2 - 1)
    new, own = 1 - level / 2, (1 + interval.confidence) / 2  # the quantiles of both intervals
    ratio = 1.0 if new == own else float(stdtrit(freedom, new) / stdtrit(freedom, own))
    return value - ratio * (value - interval.low), value + ratio * (interval.high - value)


def corrected_together(leagues: "Sequence[League]", measures: Set[str], *, alpha: float) -> "tuple[League, ...]":
    """Leagues with Bonferroni-corrected p-values across the pairs of several measures.

    Args:
        leagues: leagues of any measures.
        measures: what is corrected together, as ``Measure.measured`` has it; other leagues stay as they are.
        alpha: significance level.
    """
    chosen = [league for league in leagues if league.measure.measured in measures]
    p = [contrast.difference.p for league in chosen for contrast in league.contrasts]
    tested = max(1, sum(one is not None for one in p))
    family = CorrectedFamily(tuple(bonferroni(p)), FamilyMethod.BONFERRONI, 0.05 / tested)
    adjusted = iter(family.adjusted)
    return tuple(
        rank_league(
            league, [_replace_p(each, next(adjusted), family, league, alpha) for each in league.contrasts]
        ).model_copy(update={"correction": FamilyMethod.BONFERRONI})
        if league.measure.measured in measures
        else league
        for league in leagues
    )


def corrected_over_questions(leagues: "Sequence[League]", *, alpha: float) -> "tuple[League, ...]":
    """Leagues in which the p-values of people's questions are corrected over the questions, too.

    Only questions that compare systems are counted; a single one stays as it is.

    Args:
        leagues: leagues of any measures, corrected within each.
        alpha: significance level.
    """
    asked = {league.measure.name for league in leagues if _is_question_compared(league)}
    if len(asked) < 2:
        return tuple(leagues)
    return tuple(
        _corrected_over(league, len(asked), alpha) if league.measure.name in asked else league for league in leagues
    )


def _is_question_compared(league: "League") -> bool:
    measure = league.measure
    compares = any(each.p_adjusted is not None for each in league.contrasts)
    return measure.by == "people" and measure.better != "neither" and compares


def _corrected_over(league: "League", questions: int, alpha: float) -> "League":
    levels = [each.simultaneous.facts["level"] for each in league.contrasts if each.simultaneous is not None]
    family = CorrectedFamily((), league.correction, min(levels, default=alpha) / questions)
    contrasts = [
        _replace_p(
            each, None if each.p_adjusted is None else min(1.0, questions * each.p_adjusted), family, league, alpha
        )
        for each in league.contrasts
    ]
    return rank_league(league, contrasts).model_copy(update={"questions": questions})


def _replace_p(
    contrast: "Contrast", p: float | None, family: CorrectedFamily, league: "League", alpha: float
) -> "Contrast":
    """A pair with another corrected p; a verdict that was taken back stays so."""
    decision = contrast.verdict
    if decision != "undefined":
        decision = verdict(contrast.difference.value, p, better=league.measure.better, alpha=alpha)
    interval = simultaneous(contrast.difference, family)
    return contrast.model_copy(update={"p_adjusted": p, "verdict": decision, "simultaneous": interval})


def rank_league(league: "League", contrasts: "Sequence[Contrast]") -> "League":
    """Replace a league's verdicts, and update its ranks."""
    standings = with_ranks(league.standings, tuple(contrasts), better=league.measure.better)
    return league.model_copy(update={"contrasts": tuple(contrasts), "standings": standings})


def correction_of(leagues: "Sequence[League]") -> str:
    """Name of the correction across several measures."""
    methods = {league.correction for league in leagues if len(league.contrasts) > 1}
    return MIXED if len(methods) > 1 else str(next(iter(methods), FamilyMethod.BONFERRONI))


def correction_within(findings: "Findings", league: "League") -> str:
    """Name of the correction across the pairs of one measure, and over people's questions."""
    if findings.correction == ACROSS_MEASURES:
        return findings.correction
    return correction_over(league.correction.value, league.questions)


def correction_over(method: str, questions: int) -> str:
    """Name of a correction within each question, and over several.

    >>> correction_over("max-T", 3), correction_over("Bonferroni", 1)
    ('max-T and Bonferroni over 3 questions', 'Bonferroni')
    """
    return method if questions < 2 else f"{method} and Bonferroni over {questions} questions"

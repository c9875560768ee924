"""Pipeline step ``infer``: turn scores into comparable estimates, before any conclusion."""

from collections.abc import Iterable
from dataclasses import dataclass

from trialogue.findings import League, Votes
from trialogue.findings.family import (
    ACROSS_MEASURES,
    FamilyScope,
    corrected_over_questions,
    corrected_together,
    correction_of,
)
from trialogue.findings.league import leagues
from trialogue.findings.votes import votes_of
from trialogue.records import Score
from trialogue.workflows.pipeline.measure import Measurements
from trialogue.workflows.pipeline.run_scores import RunScores

MAX_VOTE_RESAMPLES = 2_000  # each is a fit of the whole model


@dataclass(frozen=True)
class Estimates:
    """Estimates with their uncertainty, before any conclusion."""

    measured: Measurements
    """Measurements behind the estimates."""
    leagues: tuple[League, ...]
    """All systems on each measure, those that are not shown, too; p-values corrected within a measure, or over all that are
    shown and have a direction."""
    votes: Votes | None
    """Results of pairwise votes."""
    alpha: float
    """Significance level."""
    correction: str
    """Name of the correction of p-values."""

    @property
    def shown_leagues(self) -> tuple[League, ...]:
        """Leagues of human judgements and of the requested metrics."""
        return _select_shown(self.measured, self.leagues)

    def scores(self) -> RunScores:
        """The scores, differences with the corrected p-values."""
        return RunScores(tuple(_adjust_scores(self.measured.scores, self.leagues)), self.measured.units)


def infer(measured: Measurements, *, alpha: float = 0.05, family: FamilyScope = FamilyScope.QUESTIONS) -> Estimates:
    """Compute leagues and votes.

    Args:
        measured: scores and what they are of.
        alpha: significance level, after correction.
        family: whether p-values are corrected within each measure, also over people's questions, or over all measures that
            are shown and have a direction.
    """
    resamples = min(measured.settings.resamples, MAX_VOTE_RESAMPLES)
    found = leagues(measured.scores, measured.measures, units=measured.units, alpha=alpha)
    correction = correction_of(
        [league for league in _select_shown(measured, found) if league.measure.better != "neither"]
    )
    if family is FamilyScope.QUESTIONS:
        found = corrected_over_questions(found, alpha=alpha)
    if family is FamilyScope.MEASURES:
        together = {
            each.measure.measured for each in _select_shown(measured, found) if each.measure.better != "neither"
        }
        found, correction = corrected_together(found, together, alpha=alpha), ACROSS_MEASURES
    return Estimates(
        measured=measured,
        leagues=found,
        votes=votes_of(measured.material.preferences, seed=measured.settings.seed, resamples=resamples, alpha=alpha),
        alpha=alpha,
        correction=correction,
    )


def _select_shown(measured: Measurements, found: tuple[League, ...]) -> tuple[League, ...]:
    names = {metric.measure for metric in measured.choice.shown}
    return tuple(league for league in found if league.measure.by == "people" or league.measure.name in names)


def _adjust_scores(scores: Iterable[Score], all_leagues: Iterable[League]) -> Iterable[Score]:
    corrected = {
        (league.measure.name, contrast.a, contrast.b): contrast.p_adjusted
        for league in all_leagues
        for contrast in (*league.contrasts, *league.above_baseline)
    }
    for score in scores:
        if score.level == "difference":
            key = (score.measure, score.system or "", score.versus or "")
            yield score.model_copy(update={"p_adjusted": corrected.get(key)})
        else:
            yield score

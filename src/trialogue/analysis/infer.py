"""Pipeline step ``infer``: turn scores into comparable estimates, also under doubts about the sample; conclude nothing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

from trialogue.analysis.decision import declared_protocol
from trialogue.analysis.measure import Measurements
from trialogue.findings import League, Votes
from trialogue.findings.decision.verdict import leagues_under
from trialogue.findings.differences.missing import missing_values
from trialogue.findings.differences.re_estimates import re_estimates
from trialogue.findings.differences.system_sample import SystemSample, collect_system
from trialogue.findings.family import (
    ACROSS_MEASURES,
    FamilyScope,
    corrected_over_questions,
    corrected_together,
    correction_of,
)
from trialogue.findings.league import leagues
from trialogue.findings.protocol import DecisionProtocol
from trialogue.findings.sample.records import MissingValues, ReEstimate
from trialogue.findings.votes import votes_of
from trialogue.inputs.study_answers import DeclaredStudy
from trialogue.records import Basis, Score, ScoreBlock
from trialogue.records.scores.score_table import ScoreTable


class RunScores(Sequence[Score]):
    """Scores of a run: first those of people, systems and differences, then unit scores."""

    def __init__(self, others: Sequence[Score], units: ScoreTable) -> None:
        self.others, self.units = others, units

    def lines(self) -> Iterator[Score | ScoreBlock]:
        """Records of a file that holds them all."""
        yield from self.others
        yield from self.units.blocks()

    def __iter__(self) -> Iterator[Score]:
        yield from self.others
        yield from self.units

    def __len__(self) -> int:
        return len(self.others) + len(self.units)

    @overload
    def __getitem__(self, place: int) -> Score: ...

    @overload
    def __getitem__(self, place: slice) -> list[Score]: ...

    def __getitem__(self, place: int | slice) -> Score | list[Score]:
        """One score or a slice."""
        if isinstance(place, int) and 0 <= place < len(self.others):
            return self.others[place]
        return list(self)[place]


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
    correction: str
    """Name of the correction of p-values."""
    protocol: DecisionProtocol | None = None
    """Decides what the answer rests on; None: the kind of evidence does."""
    declared_by: DeclaredStudy | None = None
    """The study that declared it; None: it was given with the data, or there is none."""
    re_estimates: tuple[ReEstimate, ...] = ()
    """Verdicts of the shown leagues under doubts about the sample."""
    missing: tuple[MissingValues, ...] = ()
    """Their pairs of which one system lacks more values."""

    @property
    def shown_leagues(self) -> tuple[League, ...]:
        """Leagues of human judgements and of the requested metrics."""
        return _select_shown(self.measured, self.leagues)

    def scores(self) -> RunScores:
        """The scores, differences with the corrected p-values."""
        return RunScores(tuple(_adjust_scores(self.measured.scores, self.leagues)), self.measured.units)


def infer(
    measured: Measurements,
    *,
    alpha: float = 0.05,
    family: FamilyScope = FamilyScope.QUESTIONS,
    protocol: DecisionProtocol | None = None,
) -> Estimates:
    """Compute leagues and votes, and the shown leagues again under doubts about the sample.

    Args:
        measured: scores and what they are of.
        alpha: significance level, after correction.
        family: whether p-values are corrected within each measure, also over people's questions, or over all measures that
            are shown and have a direction.
        protocol: decides what the answer rests on; None: the one that a study declared, else the kind of evidence does.
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
    study = measured.material.study if protocol is None else None
    estimates = Estimates(
        measured=measured,
        leagues=found,
        votes=votes_of(measured.material.preferences, seed=measured.settings.seed, resamples=resamples, alpha=alpha),
        alpha=alpha,
        correction=correction,
        protocol=protocol if study is None else declared_protocol(study, found, alpha=alpha),
        declared_by=study,
    )
    return _with_doubts(estimates)


def _with_doubts(estimates: Estimates) -> Estimates:
    """Add what becomes of the verdicts under doubts about the sample."""
    settings, leagues = estimates.measured.settings, estimates.shown_leagues
    sides = _decided_sides(estimates)
    if estimates.protocol is not None:
        leagues = leagues_under(estimates.protocol, leagues)
    again = re_estimates(leagues, sides, alpha=estimates.alpha, seed=settings.seed, resamples=settings.permutations)
    return replace(estimates, re_estimates=again, missing=tuple(missing_values(leagues, sides)))


def _decided_sides(estimates: Estimates) -> dict[str, SystemSample]:
    """Systems with the units of the measures that decide a pair and do not only describe replies."""
    leagues, scores, counts = estimates.shown_leagues, estimates.scores(), estimates.measured.counts
    decided = {
        league.measure.name
        for league in leagues
        if league.measure.basis is not Basis.REPLIES and any(each.leader is not None for each in league.contrasts)
    }
    of_system: dict[str, list[Score]] = {}
    if decided:
        decided |= {each.measure.name for each in leagues if each.measure.by == "people"}
        if any(each.rated < each.units for each in estimates.measured.material.reading.rated.values()):
            decided |= {each.measure.name for each in leagues}  # any of them may show who is rated
        others = (each for each in scores.others if each.measure in decided)
        for score in (*others, *scores.units.of_measures(decided)):
            of_system.setdefault(score.system or "", []).append(score)
    return {
        each.system: collect_system(each.system, each.system, leagues, of_system[each.system], counts)
        for each in estimates.measured.systems
        if each.system in of_system
    }


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

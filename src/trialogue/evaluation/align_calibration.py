"""The error of the calibration in the intervals of implicit alignment.

A bootstrap of the dialogues that are aligned takes the model's calibration for true. But it was fitted on dialogues, too,
and others would have given another one. Its covariance stands on the model's card; how it moves an estimate follows by the
delta method. Both errors are independent: their squares add. The dialogues' own part is widened for their number by
Student's t and n / (n - 1), which percentile intervals leave out.

Two systems that are judged with one calibration err by it alike, mostly; their difference keeps its interval and its test.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from trialogue.evaluation.run import Run
from trialogue.metaeval import Findings, League, Standing
from trialogue.metaeval.answer import answer
from trialogue.metaeval.league import estimate_of
from trialogue.metrics import Conversation, Undefined
from trialogue.metrics.base import AnyMetric, Array
from trialogue.metrics.implicit_alignment import GRID, ImplicitAlignment, calibration_gradient
from trialogue.records import Estimate, Interval, Score
from trialogue.strategies.models import Model

METHOD = "Student's t, with the calibration's own error"
SIGNED = "interval:calibration"


def with_calibration_error(
    run: Run, conversations: Sequence[Conversation], metrics: Iterable[AnyMetric], model: Model
) -> Run:
    """The run with wider intervals of systems, where the implicit estimate rests on the model's calibration.

    Args:
        run: to be widened; what else it holds stays.
        conversations: all that it measured, floors included.
        metrics: what it measured.
        model: whose beliefs were measured; one that does not know its calibration's error changes nothing but a warning.
    """
    for metric in metrics:
        if isinstance(metric, ImplicitAlignment) and metric.rests_on_calibration:
            if model.matching_error is None:
                return _warned(run, model)
            run = _with_league(run, metric, conversations, model.matching, model.matching_error)
    return run


def calibration_variance(moved: Array, error: tuple[float, float, float]) -> float:
    """Variance that a calibration's error gives to an estimate which moves so with slope and intercept (delta method).

    >>> calibration_variance(np.array([1.0, 2.0]), (0.25, 0.5, 1.0))     # .25 + 2 (1) (2) .5 + 4 (1)
    6.25
    """
    slope, both, intercept = error
    return float(moved[0] ** 2 * slope + 2 * moved[0] * moved[1] * both + moved[1] ** 2 * intercept)


def widened(estimate: Estimate, variance: float) -> Estimate:
    """The estimate with the few dialogues and a variance from elsewhere in its interval, which stays within 0 and 1.

    Each side: the root of (t / z sqrt(k / (k - 1)) times its distance)^2 + z^2 variance, for k clusters.
    """
    from scipy.stats import norm, t

    interval, value, clusters = estimate.interval, estimate.value, estimate.clusters
    if interval is None or value is None or clusters is None or clusters < 2:
        return estimate
    tail = (1 + interval.confidence) / 2
    z = float(norm.ppf(tail))
    wider = float(t.ppf(tail, clusters - 1)) / z * (clusters / (clusters - 1)) ** 0.5
    below = float(np.hypot(wider * max(value - interval.low, 0.0), z * variance**0.5))
    above = float(np.hypot(wider * max(interval.high - value, 0.0), z * variance**0.5))
    wide = Interval(
        low=max(0.0, value - below),
        high=min(1.0, value + above),
        confidence=interval.confidence,
        method=f"{interval.method}, {METHOD}",
    )
    return estimate.model_copy(update={"interval": wide})


def _warned(run: Run, model: Model) -> Run:
    line = (
        f"{model.origin} does not know the error of its calibration: it was trained by an earlier version, or on fewer than "
        "ten dialogues. Intervals of implicit alignment leave that error out, and are too narrow. Train it anew."
    )
    findings = run.findings.model_copy(update={"warnings": (*run.findings.warnings, line)})
    return replace(run, findings=findings)


def _with_league(
    run: Run,
    metric: ImplicitAlignment,
    conversations: Sequence[Conversation],
    same: tuple[float, float],
    error: tuple[float, float, float],
) -> Run:
    found: dict[str, Estimate] = {}
    sums = _sums(metric, conversations)
    for score in run.scores:
        system = score.system or ""
        if score.measure == metric.measure and score.level == "system" and system in sums:
            moved = calibration_gradient(sums[system], same)
            found[system] = widened(estimate_of(score), calibration_variance(moved, error))
    leagues = tuple(
        _league(each, found) if each.measure.name == metric.measure else each for each in run.findings.leagues
    )
    return replace(
        run,
        findings=_concluded(run.findings, leagues),
        scores=tuple(_score(score, found) if score.measure == metric.measure else score for score in run.scores),
    )


def _sums(metric: ImplicitAlignment, conversations: Iterable[Conversation]) -> dict[str, Array]:
    """Of each system, the 65 sums that its estimate is made from."""
    found: dict[str, Array] = {}
    for conversation in conversations:
        total = found.setdefault(conversation.system, np.zeros(len(GRID)))
        for reply in conversation.replies:
            statistics = metric.statistics(reply)
            if not isinstance(statistics, Undefined):
                total += statistics
    return found


def _score(score: Score, found: dict[str, Estimate]) -> Score:
    if score.level != "system" or score.system not in found:
        return score
    signature = None if score.signature is None else f"{score.signature}|{SIGNED}"
    return score.model_copy(update={"interval": found[score.system].interval, "signature": signature})


def _league(league: League, found: dict[str, Estimate]) -> League:
    signature = league.measure.signature
    return league.model_copy(
        update={
            "measure": league.measure.model_copy(
                update={"signature": None if signature is None else f"{signature}|{SIGNED}"}
            ),
            "standings": tuple(_standing(each, found) for each in league.standings),
        }
    )


def _standing(standing: Standing, found: dict[str, Estimate]) -> Standing:
    return standing.model_copy(update={"estimate": found.get(standing.system, standing.estimate)})


def _concluded(findings: Findings, leagues: tuple[League, ...]) -> Findings:
    """The answer quotes intervals, so it is written anew."""
    return findings.model_copy(update={"leagues": leagues, "answer": answer(leagues, findings.votes)})

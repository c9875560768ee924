"""Estimate what bias probes show: mean change of a judge's score, and whether it could be chance."""

from collections.abc import Iterator, Sequence

from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.judges.probe_kinds import DEFECTS, FAVOURS, REWORDED, ProbeKind
from trialogue.judges.probes import ProbeCase, ProbeCases
from trialogue.metrics.base import ratio
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats.association.correlation import spearman
from trialogue.stats.comparison.families import bonferroni
from trialogue.stats.comparison.inference import difference, estimate_of_sums
from trialogue.stats.comparison.means import bounded_mean_interval
from trialogue.stats.comparison.shares import move_past_zero
from trialogue.stats.comparison.two_sides import FEWEST_PAIRS
from trialogue.stats.resampling.clusters import cluster_sums
from trialogue.subjects.judging.records import ProbeFinding, ProbeVerdict

SAME = 1e-9
FEWEST_PLACES = 5  # pairs; of three or four, the interval of a rare preference may hold it in .85 of samples only
THREATS = {
    ProbeVerdict.BIASED: ThreatCode.JUDGE_BIASED,
    ProbeVerdict.UNSTABLE: ThreatCode.JUDGE_UNSTABLE,
    ProbeVerdict.UNNOTICED: ThreatCode.JUDGE_UNNOTICED_DEFECT,
}
"""By verdict, the threat that it is."""


def probe_findings(
    judge: str,
    aspect: str,
    probed: Sequence[ProbeCases],
    *,
    points: tuple[float, float],
    confidence: float = 0.95,
    seed: int = 0,
) -> tuple[ProbeFinding, ...]:
    """Findings of all probes of one judge, in the order of ``ProbeKind``.

    Cases are independent if dialogues are; the test is by sign flips within cases, and needs six of them. With eight probes,
    nine equal changes are the fewest that can be significant after Bonferroni's correction: below, nothing is said. The
    interval of a preference for a place is the score interval of values from -1 to 1, from five pairs on; those of scores
    invert the test.
    Args:
        judge: its name.
        aspect: aspect of its rubric.
        probed: cases by kind.
        points: lowest and highest point of the scale.
        confidence: confidence level of intervals; 1 minus it is the level of the verdicts.
        seed: random seed for sign flips, where there are too many to enumerate.
    """
    order = list(ProbeKind)
    kinds = sorted(probed, key=lambda each: order.index(each.kind))
    effects = [_effect(each, points, confidence, seed) for each in kinds]
    adjusted = bonferroni([each.p for each in effects])
    least = _least_cases(sum(each.p is not None for each in effects), 1 - confidence)
    agreements = [_agreement(each, confidence) for each in kinds]
    return tuple(
        ProbeFinding(
            judge=judge,
            aspect=aspect,
            probe=each.kind,
            effect=effect,
            moved=_moved_share(each, confidence),
            p_adjusted=p,
            agreement=agreement,
            least=least,
            verdict=_verdict(each.kind, effect, p, 1 - confidence, agreement=agreement, least=least),
            unanswered=len(each.cases) - len(_answered_cases(each)),
            inapplicable=each.inapplicable,
        )
        for each, effect, p, agreement in zip(kinds, effects, adjusted, agreements, strict=True)
    )


def probe_threats(found: Sequence[ProbeFinding], *, is_corrected: bool) -> Iterator[Threat]:
    """Threats that probes found. Labels correct a bias on average; without labels it demotes.

    A preference for a place, and defects that are not noticed, are noted: scores of single dialogues have no place, and
    pairs are asked in both orders.

    Args:
        found: probe findings of all judges.
        is_corrected: whether labels correct the scores.
    """
    for each in found:
        if each.verdict not in THREATS or each.effect.value is None:
            continue
        is_note = each.verdict is ProbeVerdict.UNNOTICED or each.probe is ProbeKind.POSITION or is_corrected
        size = each.agreement if each.verdict is ProbeVerdict.UNSTABLE else each.effect
        yield Threat(
            code=THREATS[each.verdict],
            severity=Severity.NOTES if is_note else Severity.DEMOTES,
            facts={
                "judge": each.judge,
                "probe": each.probe.value,
                "effect": None if size is None or size.value is None else round(size.value, 4),
                "n": each.effect.n,
            },
        )


def _answered_cases(probed: ProbeCases) -> list[tuple[ProbeCase, float, float]]:
    return [
        (each, each.plain, each.changed) for each in probed.cases if each.plain is not None and each.changed is not None
    ]


def _effect(probed: ProbeCases, points: tuple[float, float], confidence: float, seed: int) -> Estimate:
    answered = _answered_cases(probed)
    is_of_places = probed.kind is ProbeKind.POSITION
    least = FEWEST_PLACES if is_of_places else FEWEST_PAIRS
    if len(answered) < least:
        why = Reason.of(ReasonCode.PROBE_TOO_FEW_CASES, cases=len(answered), least=least)
        return Estimate(value=None, n=len(answered), why=why)
    if not is_of_places:
        return _tested_change(answered, points, confidence, seed)
    p = _tested_change(answered, (0.0, 1.0), confidence, seed).p if len(answered) >= FEWEST_PAIRS else None
    return _preference(answered, p, confidence)


def _preference(answered: Sequence[tuple[ProbeCase, float, float]], p: float | None, confidence: float) -> Estimate:
    """Mean preference for the first place; where p says otherwise, the score interval's end is moved just past zero."""
    changes = [round(after - before, 9) for _, before, after in answered]
    value = sum(changes) / len(changes)
    low, high = bounded_mean_interval(changes, low=-1.0, high=1.0, confidence=confidence)
    low, high = move_past_zero(low, high, value, p is not None and p < 1 - confidence)
    interval = Interval(low=low, high=high, confidence=confidence, method="score of bounded values")
    return Estimate(value=value, interval=interval, n=len(changes), clusters=len(changes), p=p)


def _tested_change(
    answered: Sequence[tuple[ProbeCase, float, float]], points: tuple[float, float], confidence: float, seed: int
) -> Estimate:
    keys = [place for place, _ in enumerate(answered)]
    changed = cluster_sums([[value, 1.0] for _, _, value in answered], keys)
    plain = cluster_sums([[value, 1.0] for _, value, _ in answered], keys)
    found = difference(changed, plain, ratio, scale=points, confidence=confidence, seed=seed)
    changes = {round(after - before, 9) for _, before, after in answered}
    p = found.p
    if len(changes) == 1:  # sign flips of equal changes: only all plus and all minus are as extreme
        p = 1.0 if changes == {0.0} else 2.0 ** (1 - len(answered))
    return found.model_copy(update={"n": len(answered), "clusters": len(answered), "p": p})


def _moved_share(probed: ProbeCases, confidence: float) -> Estimate:
    answered = _answered_cases(probed)
    if not answered:
        return Estimate(value=None, why=Reason.of(ReasonCode.PROBE_TOO_FEW_CASES, cases=0, least=1))
    hits = [float(_has_moved(probed.kind, before, after)) for _, before, after in answered]
    data = cluster_sums([[hit, 1.0] for hit in hits], list(range(len(hits))))
    return estimate_of_sums(data, ratio, is_share=True, scale=(0, 1), confidence=confidence)


def _has_moved(kind: ProbeKind, before: float, after: float) -> bool:
    if kind in DEFECTS:
        return after < before - SAME
    return after > before + SAME if kind in FAVOURS else abs(after - before) > SAME


def _agreement(probed: ProbeCases, confidence: float) -> Estimate | None:
    answered = _answered_cases(probed)
    if not answered:
        return None
    if probed.kind is ProbeKind.POSITION:
        same = [[float(abs(after - before) <= SAME), 1.0] for _, before, after in answered]
        data = cluster_sums(same, list(range(len(same))))
        return estimate_of_sums(data, ratio, is_share=True, scale=(0, 1), confidence=confidence)
    if probed.kind in REWORDED:
        return spearman([each[1] for each in answered], [each[2] for each in answered], confidence=confidence)
    return None


def _least_cases(tests: int, alpha: float) -> int:
    """The fewest cases whose smallest p-value by sign flips, 2 / 2 ** cases, can be significant with so many tests."""
    cases = FEWEST_PAIRS
    while tests * 2.0 ** (1 - cases) > alpha:
        cases += 1
    return cases


def _verdict(
    kind: ProbeKind, effect: Estimate, p: float | None, alpha: float, *, agreement: Estimate | None, least: int
) -> ProbeVerdict:
    if effect.value is None or (p is None and effect.n >= least):
        return ProbeVerdict.UNDEFINED
    is_shown = p is not None and p <= alpha
    if not is_shown and effect.n < least:
        return ProbeVerdict.TOO_FEW
    if kind in DEFECTS:
        return ProbeVerdict.NOTICED if is_shown and effect.value < 0 else ProbeVerdict.UNNOTICED
    if is_shown and (effect.value > 0 or kind not in FAVOURS):
        return ProbeVerdict.BIASED
    interval = None if kind not in REWORDED or agreement is None else agreement.interval
    return ProbeVerdict.UNSTABLE if interval is not None and interval.low <= 0 else ProbeVerdict.NOT_SHOWN

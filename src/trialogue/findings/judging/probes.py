"""Estimate what bias probes show: mean change of a judge's score, and whether it could be chance."""

from collections.abc import Iterator, Sequence

from trialogue.findings.judging.probe_records import ProbeFinding, ProbeVerdict
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.judges.probes.asking import ProbeCase, ProbeCases
from trialogue.judges.probes.kinds import DEFECTS, FAVOURS, ProbeKind
from trialogue.metrics.base import ratio
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.comparison.inference import difference, estimate_of_sums
from trialogue.stats.comparison.multiplicity import holm
from trialogue.stats.comparison.two_sides import FEWEST_PAIRS
from trialogue.stats.resampling.clusters import cluster_sums

SAME = 1e-9
VERDICTS_ON = (ProbeVerdict.BIASED, ProbeVerdict.UNNOTICED)
"""What is a threat."""


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

    Cases are independent if dialogues are; the test is by sign flips within cases, and needs six of them.

    Args:
        judge: its name.
        aspect: of its rubric.
        probed: cases by kind.
        points: lowest and highest point of the scale.
        confidence: of intervals; 1 less it is the level of the verdicts.
        seed: of sign flips, where there are too many to enumerate.
    """
    order = list(ProbeKind)
    kinds = sorted(probed, key=lambda each: order.index(each.kind))
    effects = [_effect(each, points, confidence, seed) for each in kinds]
    adjusted = holm([each.p for each in effects])
    return tuple(
        ProbeFinding(
            judge=judge,
            aspect=aspect,
            probe=each.kind,
            effect=effect,
            moved=_moved_share(each, confidence),
            p_adjusted=p,
            verdict=_verdict(each.kind, effect, p, 1 - confidence),
            unanswered=len(each.cases) - len(_answered_cases(each)),
            inapplicable=each.inapplicable,
        )
        for each, effect, p in zip(kinds, effects, adjusted, strict=True)
    )


def probe_threats(found: Sequence[ProbeFinding], *, is_corrected: bool) -> Iterator[Threat]:
    """Threats that probes found. Labels correct a bias on average; without labels it demotes.

    A preference for a place, and defects that are not noticed, are noted: scores of single dialogues have no place, and
    pairs are asked in both orders.

    Args:
        found: of all judges.
        is_corrected: whether labels correct the scores.
    """
    for each in found:
        if each.verdict not in VERDICTS_ON or each.effect.value is None:
            continue
        demotes = each.verdict is ProbeVerdict.BIASED and each.probe is not ProbeKind.POSITION and not is_corrected
        yield Threat(
            code=ThreatCode.JUDGE_BIASED if each.verdict is ProbeVerdict.BIASED else ThreatCode.JUDGE_UNNOTICED_DEFECT,
            severity=Severity.DEMOTES if demotes else Severity.NOTES,
            facts={
                "judge": each.judge,
                "probe": each.probe.value,
                "effect": round(each.effect.value, 4),
                "n": each.effect.n,
            },
        )


def _answered_cases(probed: ProbeCases) -> list[tuple[ProbeCase, float, float]]:
    return [
        (each, each.plain, each.changed) for each in probed.cases if each.plain is not None and each.changed is not None
    ]


def _effect(probed: ProbeCases, points: tuple[float, float], confidence: float, seed: int) -> Estimate:
    answered = _answered_cases(probed)
    if len(answered) < FEWEST_PAIRS:
        why = Reason.of(ReasonCode.PROBE_TOO_FEW_CASES, cases=len(answered), least=FEWEST_PAIRS)
        return Estimate(value=None, n=len(answered), why=why)
    keys = [place for place, _ in enumerate(answered)]
    changed = cluster_sums([[value, 1.0] for _, _, value in answered], keys)
    plain = cluster_sums([[value, 1.0] for _, value, _ in answered], keys)
    most = 1.0 if probed.kind is ProbeKind.POSITION else points[1] - points[0]
    found = difference(changed, plain, ratio, most=most, confidence=confidence, seed=seed)
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


def _verdict(kind: ProbeKind, effect: Estimate, p: float | None, alpha: float) -> ProbeVerdict:
    if effect.value is None or p is None:
        return ProbeVerdict.UNDEFINED
    is_shown = p <= alpha
    if kind in DEFECTS:
        return ProbeVerdict.NOTICED if is_shown and effect.value < 0 else ProbeVerdict.UNNOTICED
    is_bias = is_shown and (effect.value > 0 or kind not in FAVOURS)
    return ProbeVerdict.BIASED if is_bias else ProbeVerdict.NOT_SHOWN

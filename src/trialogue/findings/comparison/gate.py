"""Verdict on a new version: measured differences after the validity gate, failures first.

A significant increase in failures is a verdict of its own, whatever the measures show. A verdict in favour of the new
version that a threat demotes is conditional, and never green; a blocked one is withheld.
"""

from collections.abc import Sequence

from trialogue.findings.comparison.answer import comparison_answer
from trialogue.findings.comparison.comparison import light_of
from trialogue.findings.comparison.records import FAVOURABLE, Comparison, FailureComparison, Light, MeasureComparison
from trialogue.findings.threat import VALIDITY_BY_SEVERITY, Threat, Validity, lowest_validity
from trialogue.findings.threats.failures import failures_differ
from trialogue.records import CompletionCounts

FAILURE_MARGIN = 0.01  # of dialogues: a new version may fail as much more often, if that is not significant


def conclude_comparison(
    comparison: Comparison,
    threats: Sequence[Threat],
    failures: FailureComparison | None,
    *,
    margin: float | None,
    equivalence: float | None = None,
    family: int = 0,
    alpha: float,
) -> Comparison:
    """Apply threats and failures to a comparison and set its verdict.

    Args:
        comparison: the two versions on every measure.
        threats: threats to the verdicts on the two, by the names that they have in the comparison.
        failures: how often the two fail; None where it is not known of both.
        margin: a loss up to which the new version is not worse.
        equivalence: a difference up to which the two are equivalent; None: ``margin``.
        family: further measures over which p-values are corrected, too.
        alpha: level at which differences were called.
    """
    judgements = tuple(_gate_judgement(judgement, comparison, threats) for judgement in comparison.judgements)
    light = light_of(judgements)
    if failures is not None and failures.is_worse:
        light = "worse"
    validity = lowest_validity([each.validity for each in judgements if each.decides and each.light == light])
    return comparison.model_copy(
        update={
            "judgements": judgements,
            "light": light,
            "validity": validity if light in FAVOURABLE else Validity.FIRM,
            "failures": failures,
            "threats": tuple(threats),
            "answer": comparison_answer(
                light,
                comparison.before,
                comparison.after,
                judgements,
                margin=margin,
                equivalence=equivalence,
                family=family,
                alpha=alpha,
                failures=failures,
                threats=threats,
            ),
        }
    )


def _gate_judgement(
    judgement: MeasureComparison, comparison: Comparison, threats: Sequence[Threat]
) -> MeasureComparison:
    """A judgement with what the threats leave of it; one that they block is none."""
    ahead = {"worse": comparison.before, "inconclusive": None, "changed": None}.get(judgement.light, comparison.after)
    validity = lowest_validity(
        [
            VALIDITY_BY_SEVERITY[threat.severity]
            for threat in threats
            if threat.concerns_measure(judgement.measure)
            and threat.concerns_pair(comparison.after, comparison.before, ahead=ahead)
        ]
    )
    light: Light = "no verdict" if validity is Validity.BLOCKED and judgement.light != "changed" else judgement.light
    return judgement.model_copy(update={"validity": validity, "light": light})


def compare_failures(
    before: CompletionCounts | None,
    after: CompletionCounts | None,
    *,
    margin: float = FAILURE_MARGIN,
    alpha: float = 0.05,
) -> FailureComparison | None:
    """Compare the agent-fault rates of two versions; None if one of them was asked for nothing, or for something else
    than the other.

    Args:
        before: what the old version finished.
        after: what the new one finished.
        margin: share of dialogues by which the new version may fail more often without being worse by that.
        alpha: level of the test.
    """
    if before is None or after is None or not before.tried or not after.tried:
        return None
    if bool(before.dialogues) != bool(after.dialogues):
        return None  # dialogues and single replies fail in different ways
    old, new = before.charged, after.charged
    more = new / after.tried - old / before.tried
    p = failures_differ(after, before)
    return FailureComparison(
        before=old,
        before_dialogues=before.tried,
        after=new,
        after_dialogues=after.tried,
        p=p,
        margin=margin,
        are_replies=not after.dialogues,
        is_worse=more > margin or (more > 0 and p <= alpha),
    )

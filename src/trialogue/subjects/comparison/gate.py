"""Verdict on a new version: measured differences after the validity gate, failures first.

A significant increase in failures is a verdict of its own, whatever the measures show. A verdict in favour of the new
version that a threat demotes is conditional, and never green; a blocked one is withheld.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialogue.findings.threat import VALIDITY_BY_SEVERITY, Severity, Threat, Validity, lowest_validity
from trialogue.findings.threats.failures import failures_differ
from trialogue.findings.threats.summary import MAX_REASONS, demoting_clauses, threat_lines
from trialogue.findings.wording import list_names, p_words
from trialogue.records import CompletionCounts
from trialogue.subjects.comparison.comparison import light_of
from trialogue.subjects.comparison.records import FAVOURABLE, Comparison, FailureComparison, Light, MeasureComparison

if TYPE_CHECKING:
    from trialogue.subjects.comparison.records import FailureComparison, Light, MeasureComparison


def comparison_answer(
    light: "Light",
    before: str,
    after: str,
    judgements: Sequence["MeasureComparison"],
    *,
    margin: float | None,
    equivalence: float | None = None,
    family: int = 0,
    alpha: float,
    failures: "FailureComparison | None" = None,
    threats: Sequence[Threat] = (),
) -> tuple[str, ...]:
    """The verdict, its basis and the detectable difference; most important sentence first.

    Args:
        light: the verdict.
        before: name of the old version.
        after: name of the new one.
        judgements: judgements of all measures; those that decide, but could not be tested, are named and not counted.
        margin: a loss up to which the new version is not worse.
        equivalence: a difference up to which the two are equivalent; None: ``margin``.
        family: further measures over which p-values are corrected, too.
        alpha: level at which differences were called.
        failures: how often the two fail.
        threats: threats to the verdict.
    """
    failing = () if failures is None or not failures.is_worse else (_describe_failures(failures, before, after),)
    return (
        *failing,
        *_on_measures(
            light,
            before,
            after,
            judgements,
            (margin, margin if equivalence is None else equivalence),
            family,
            alpha,
            threats,
            after_failures=bool(failing),
        ),
    )


def _on_measures(
    light: "Light",
    before: str,
    after: str,
    judgements: Sequence["MeasureComparison"],
    margins: tuple[float | None, float | None],
    family: int,
    alpha: float,
    threats: Sequence[Threat],
    *,
    after_failures: bool,
) -> tuple[str, ...]:
    deciding = [each for each in judgements if each.decides]
    tested = [each for each in deciding if each.is_tested]
    left = ", ".join(each.title for each in deciding if not each.is_tested)
    if not deciding and after_failures:
        return ()
    if not deciding:
        return (
            f"No measure decides between {after} and {before}: they share no question to people and no task outcome of "
            "simulated users. Choose a deciding measure with --on.",
        )
    if not tested:
        by_reason = {str(each.difference.why): each.title for each in reversed(deciding)}
        return tuple(
            f"On {title}, {after} and {before} cannot be compared: {why}." for why, title in reversed(by_reason.items())
        )
    corrected = ", corrected across these measures" if len(tested) > 1 else ""
    corrected = f", corrected across {len(tested) + family} measures" if family else corrected
    rested = f"The verdict is based on {_name_deciding_measures(tested)} at level {alpha:g}{corrected}."
    beside = f" {left} could not be tested." if left else ""
    first = _verdict(light, before, after, deciding, margins) if not after_failures else _describe_measures(deciding)
    # One threat to several deciding measures is stated once: without its measure, duplicates become equal.
    blocking = [
        threat.model_copy(update={"measure": None})
        for threat in threats
        if threat.severity is Severity.BLOCKS and any(threat.concerns_measure(each.measure) for each in deciding)
    ]
    blocked = [line.text for line in threat_lines(blocking, {})]
    reasons = _reasons(threats, deciding, before, after)
    verdict = f"Conditional: {first.rstrip('.')}, but {reasons}." if reasons and not after_failures else first
    unseen = _smallest_detectable(tested, alpha) if light == "inconclusive" else ()
    return (verdict, *blocked[:MAX_REASONS], rested + beside, *unseen)


def _describe_failures(failures: "FailureComparison", before: str, after: str) -> str:
    """More failures are worse by themselves."""
    what = "replies" if failures.are_replies else "dialogues"
    return (
        f"{after} is worse than {before}: {failures.after} of its {failures.after_dialogues} {what} "
        f"failed because of the agent, against {failures.before} of {failures.before_dialogues} for "
        f"{before} (p {p_words(failures.p)})."
    )


def _describe_measures(deciding: Sequence["MeasureComparison"]) -> str:
    """Results of the measures beside a failure verdict, which are no verdicts themselves."""
    return (
        "Apart from failures, " + list_names([f"{each.title} says {each.light}" for each in deciding], most=None) + "."
    )


def _reasons(threats: Sequence[Threat], deciding: Sequence["MeasureComparison"], before: str, after: str) -> str:
    """Conditions on a favourable verdict; empty if nothing demotes it."""
    conditional = [
        each for each in deciding if each.validity is Validity.CONDITIONAL and each.light in FAVOURABLE_LIGHTS
    ]
    return demoting_clauses(
        threat
        for threat in threats
        if threat.concerns_pair(after, before, ahead=after)
        and any(threat.concerns_measure(each.measure) for each in conditional)
    )


FAVOURABLE_LIGHTS = ("better", "not worse", "equivalent")


def _name_deciding_measures(tested: Sequence["MeasureComparison"]) -> str:
    titles = [each.title for each in tested]
    return titles[0] if len(titles) == 1 else f"{len(titles)} measures ({list_names(titles, most=None)})"


def _verdict(
    light: "Light",
    before: str,
    after: str,
    deciding: Sequence["MeasureComparison"],
    margins: tuple[float | None, float | None],
) -> str:
    loss, either = (margin or 0 for margin in margins)
    up, down = (
        list_names([each.title for each in deciding if each.light == one], most=None) for one in ("better", "worse")
    )
    return {
        "better": f"{after} is significantly better than {before} on {up}.",
        "worse": f"{after} is significantly worse than {before} on {down}.",
        "mixed": f"{after} is significantly better than {before} on {up}, and significantly worse on {down}.",
        "not worse": f"{after} is shown not to be worse than {before} by more than {loss:g}.",
        "equivalent": f"{after} and {before} are shown to differ by no more than {either:g}.",
        "no verdict": f"There is no verdict on {after} and {before}.",
        "inconclusive": f"{after} and {before} do not differ significantly.",
    }[light]


def _smallest_detectable(tested: Sequence["MeasureComparison"], alpha: float) -> tuple[str, ...]:
    """Difference from which the first inconclusive measure would be significant: half the width of its interval.

    A true difference of that size comes out below it, and so is missed, half the time.
    """
    for each in tested:
        interval = each.difference.interval
        is_significant = each.p_adjusted is not None and each.p_adjusted <= alpha  # but within a superiority margin
        if each.light == "inconclusive" and interval is not None and not is_significant:
            half = (interval.high - interval.low) / 2
            return (
                f"On {each.title}, only a measured difference of about {half:.2g} or more is significant with these data, "
                "and a true one of that size is missed half the time; half of that takes four times as much data.",
            )
    return ()


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

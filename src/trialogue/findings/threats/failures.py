"""Detectors of threats from failures: dialogues and replies that were not completed, by fault."""

from collections.abc import Iterator
from itertools import combinations

from trialogue.findings.records import Findings
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.records import CompletionCounts, Fault, JsonValue
from trialogue.stats.contingency import fisher_p

FAILING = 0.05  # of a system's dialogues: the share of failures from which a verdict in its favour is conditional
MISSING = 0.05  # of a system's dialogues: the share of missing ones above which there is no verdict
OF_FAILURES = frozenset({"failures", "ending"})  # metrics that count failed dialogues as what they are


def failures(findings: Findings) -> Iterator[Threat]:
    """Systems with failed dialogues, by their own or another party's fault."""
    for facts in findings.systems:
        done = facts.completion
        if done is None or not done.failed:
            continue
        failed = done.failures_by(Fault.AGENT)
        missing = sum(done.failed.values()) - failed
        counts: dict[str, JsonValue] = {"failed": failed, "missing": missing, "dialogues": done.dialogues}
        if not done.has_finished_any:
            yield Threat(
                code=ThreatCode.NEVER_FINISHED, severity=Severity.BLOCKS, systems=(facts.system,), facts=counts
            )
            continue
        if missing:
            severity = Severity.BLOCKS if missing > MISSING * done.dialogues else Severity.NOTES
            known: dict[str, JsonValue] = {**counts, "words": list(done.unexplained)} if done.unexplained else counts
            yield Threat(code=ThreatCode.MISSING_DIALOGUES, severity=severity, systems=(facts.system,), facts=known)
        if failed:
            yield from _detect_failing(findings, facts.system, counts, grave=failed >= FAILING * done.dialogues)


def failed_replies(findings: Findings) -> Iterator[Threat]:
    """Systems without a reply to any situation, or to many because of another party's failure.

    Situations where the system itself failed are among those that it did not answer, which ``unanswered`` weighs.
    """
    for facts in findings.systems:
        done = facts.completion
        if done is None or not done.situations or done.dialogues:
            continue
        failed = done.charged
        missing = sum(done.failed_replies.values()) - failed
        counts: dict[str, JsonValue] = {"failed": failed, "missing": missing, "situations": done.situations}
        if not done.has_finished_any:
            yield Threat(
                code=ThreatCode.NEVER_FINISHED, severity=Severity.BLOCKS, systems=(facts.system,), facts=counts
            )
        elif missing:
            severity = Severity.BLOCKS if missing > MISSING * done.situations else Severity.NOTES
            yield Threat(code=ThreatCode.MISSING_DIALOGUES, severity=severity, systems=(facts.system,), facts=counts)


def _detect_failing(findings: Findings, system: str, counts: dict[str, JsonValue], *, grave: bool) -> Iterator[Threat]:
    """A failing system's lead means little on measures that leave its failed dialogues out."""
    yield Threat(code=ThreatCode.FAILURES, severity=Severity.NOTES, systems=(system,), facts=counts)
    for league in findings.leagues if grave else ():
        if not league.measure.counts_failures and league.measure.measured.metric not in OF_FAILURES:
            yield Threat(
                code=ThreatCode.FAILURES,
                severity=Severity.DEMOTES,
                systems=(system,),
                measure=league.measure.name,
                only_if_ahead=True,
                facts=counts,
            )


def failure_differences(findings: Findings) -> Iterator[Threat]:
    """Pairs with significantly different failure rates; the lead is conditional."""
    known = {
        facts.system: facts.completion
        for facts in findings.systems
        if facts.completion is not None and facts.completion.dialogues
    }
    for one, other in combinations(known, 2):
        worse, better = sorted((one, other), key=lambda name: known[name].charged_rate or 0.0, reverse=True)
        rates = [known[name].charged_rate or 0.0 for name in (worse, better)]
        if rates[0] > rates[1] and failures_differ(known[worse], known[better]) <= findings.alpha:
            yield Threat(
                code=ThreatCode.FAILURE_DIFFERENCE,
                severity=Severity.DEMOTES,
                systems=(worse, better),
                is_of_pair=True,
                only_if_ahead=True,
                facts={"rate": round(rates[0], 4), "other_rate": round(rates[1], 4)},
            )


def failures_differ(one: CompletionCounts, other: CompletionCounts) -> float:
    """Fisher's exact p-value of two systems' failures by the agent's fault."""
    return fisher_p(one.charged, one.tried, other.charged, other.tried)

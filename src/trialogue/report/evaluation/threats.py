"""Group the threats to a report's verdicts by effect, for page, terminal and tables."""

from dataclasses import dataclass

from trialogue.findings import Findings
from trialogue.findings.systems.answer import primary_league
from trialogue.findings.threats import Severity
from trialogue.findings.threats.summary import threat_lines
from trialogue.findings.threats.texts import severity_heading
from trialogue.report.measures import all_leagues, labels

MAX_LINES = 5  # on a terminal; the page has all


@dataclass(frozen=True)
class ThreatHeading:
    """Heading of a list of threats."""

    severity: Severity
    """Effect of the threats."""
    text: str
    """The effect in words."""


def threat_lists(findings: Findings) -> list[tuple[ThreatHeading, list[str]]]:
    """(heading, lines) by severity, blocking first; within each, threats to the answer first."""
    primary = primary_league(findings.leagues)
    primary_measure = "" if primary is None else primary.measure.name
    threats = sorted(findings.threats, key=lambda threat: not threat.concerns_measure(primary_measure))
    lines = threat_lines(threats, labels(all_leagues(findings)))
    lists = []
    for severity in Severity:
        texts = [line.text for line in lines if line.severity is severity]
        if texts:
            lists.append((ThreatHeading(severity, severity_heading(severity)), texts))
    return lists


def terminal_lines(findings: Findings) -> list[str]:
    """Blocking and demoting threats for the terminal; notes are left to the page."""
    lines = []
    for heading, texts in threat_lists(findings):
        if heading.severity is Severity.NOTES:
            continue
        lines.append(f"{heading.text}:")
        lines += [f"  - {text}" for text in texts[:MAX_LINES]]
        if len(texts) > MAX_LINES:
            lines.append(f"  - and {len(texts) - MAX_LINES} more; the report lists them")
    return lines

"""Group the threats to a report's verdicts by effect, for page, terminal and tables."""

from dataclasses import dataclass

from trialogue.findings import Findings
from trialogue.findings.systems.answer import primary_league
from trialogue.findings.threats import Severity
from trialogue.findings.threats.summary import threat_lines
from trialogue.findings.threats.texts import severity_heading
from trialogue.report.measures import all_leagues, labels

MOST_LINES = 5  # on a terminal; the page has all


@dataclass(frozen=True)
class ThreatHeading:
    """Heading of a list of threats."""

    severity: str
    """Effect: ``blocks``, ``demotes`` or ``notes``."""
    text: str
    """In words."""


def threat_lists(findings: Findings) -> list[tuple[ThreatHeading, list[str]]]:
    """(heading, lines) by severity, blocking first; within each, threats to the answer first."""
    primary = primary_league(findings.leagues)
    about = "" if primary is None else primary.measure.name
    threats = sorted(findings.threats, key=lambda threat: not threat.concerns_measure(about))
    lines = threat_lines(threats, labels(all_leagues(findings)))
    lists = []
    for severity in Severity:
        texts = [line.text for line in lines if line.severity is severity]
        if texts:
            lists.append((ThreatHeading(severity.value, severity_heading(severity)), texts))
    return lists


def terminal_lines(findings: Findings) -> list[str]:
    """Blocking and demoting threats for the terminal; notes are counted."""
    lines = []
    for title, texts in threat_lists(findings):
        if title.severity == Severity.NOTES:
            continue
        lines.append(f"{title.text}:")
        lines += [f"  - {text}" for text in texts[:MOST_LINES]]
        if len(texts) > MOST_LINES:
            lines.append(f"  - and {len(texts) - MOST_LINES} more; the report lists them")
    return lines

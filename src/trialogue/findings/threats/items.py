"""Detector of threats by items: systems that recommend what does not exist, as far as is known."""

from collections.abc import Iterator

from trialogue.findings.records import Findings
from trialogue.findings.threat import Severity, Threat, ThreatCode

UNRECOGNISED = ("unrecognised_titles", "presented")
"""Name and variant of the measure of titles that neither the catalogue nor a list of real items has."""
TAKEN_FOR_UNKNOWN = 0.05
"""Share of people's own titles that at most is taken for titles the catalogue lacks."""
MOSTLY_UNKNOWN = 0.5
"""Share of a system's titles from which no verdict in its favour is left."""


def lacking_titles(findings: Findings) -> Iterator[Threat]:
    """Systems that recommend what the catalogue does not have more often than people's words are taken for such."""
    for league in findings.leagues:
        if (league.measure.measured.metric, league.measure.measured.variant) != UNRECOGNISED:
            continue
        for standing in league.standings:
            interval = standing.estimate.interval
            if interval is None or interval.low <= TAKEN_FOR_UNKNOWN:
                continue
            yield Threat(
                code=ThreatCode.UNRECOGNISED_TITLES,
                severity=Severity.BLOCKS if interval.low > MOSTLY_UNKNOWN else Severity.DEMOTES,
                systems=(standing.system,),
                only_if_ahead=True,
                facts={"share": standing.estimate.value},
            )

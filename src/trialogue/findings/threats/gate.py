"""The gate: remove or mark the verdicts of leagues that threats do not allow.

Every output (answer, terminal, page, CSV, JSON, exit codes) reads leagues that have passed it, so that none can conclude
more than another. A blocked subject has no rank and no verdict anywhere; a demoted verdict is kept and marked.
"""

from collections.abc import Iterable, Iterator, Sequence

from trialogue.findings.league_verdicts import with_ranks
from trialogue.findings.standings import Contrast, League
from trialogue.findings.threat import VALIDITY_BY_SEVERITY, Severity, Threat, Validity, lowest_validity


def gate_leagues(leagues: Sequence[League], threats: Sequence[Threat]) -> tuple[League, ...]:
    """Set the validity of every verdict; withdraw ranks and verdicts that a threat blocks.

    Ranks of the other systems are those of their comparisons among each other: a blocked system is neither above nor below
    them.
    """
    return tuple(
        _gate_league(league, [threat for threat in threats if threat.concerns_measure(league.measure.name)])
        for league in leagues
    )


def _gate_league(league: League, threats: Sequence[Threat]) -> League:
    contrasts = tuple(_gate_contrast(contrast, threats) for contrast in league.contrasts)
    beside = tuple(_gate_contrast(contrast, threats) for contrast in league.above_baseline)
    blocked = {
        standing.system for standing in league.standings if validity_of(threats, standing.system) is Validity.BLOCKED
    }
    standings = with_ranks(league.standings, contrasts, better=league.measure.better, without=blocked)
    last = sorted(standings, key=lambda standing: standing.system in blocked)  # stable: the others keep their order
    return league.model_copy(
        update={
            "standings": tuple(last),
            "contrasts": contrasts,
            "above_baseline": beside,
            "validity": lowest_validity(
                [VALIDITY_BY_SEVERITY[threat.severity] for threat in threats if not threat.systems]
            ),
        }
    )


def validity_of(threats: Iterable[Threat], system: str) -> Validity:
    """Validity of the verdicts about one system after threats."""
    return lowest_validity(
        [VALIDITY_BY_SEVERITY[threat.severity] for threat in threats if threat.concerns_system(system)]
    )


def threats_to(threats: Iterable[Threat], system: str) -> Iterator[Threat]:
    """Threats that block or demote verdicts about a system, or about it and another one."""
    for threat in threats:
        is_of_its_pair = threat.is_of_pair and system in threat.systems
        if threat.severity is not Severity.NOTES and (threat.concerns_system(system) or is_of_its_pair):
            yield threat


def _gate_contrast(contrast: Contrast, threats: Sequence[Threat]) -> Contrast:
    validity = lowest_validity(
        [
            VALIDITY_BY_SEVERITY[threat.severity]
            for threat in threats
            if threat.concerns_pair(contrast.a, contrast.b, ahead=contrast.leader)
        ]
    )
    verdict = "undefined" if validity is Validity.BLOCKED else contrast.verdict
    return contrast.model_copy(update={"verdict": verdict, "validity": validity})

"""Detectors of threats by needs and items: systems that meet needs without listening, that listen and serve less, or that
recommend what does not exist, as far as is known."""

from collections.abc import Iterator

from trialogue.findings.records import Findings
from trialogue.findings.standings import League, Standing
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.wording import render_estimate
from trialogue.records import Card, Estimate

OUTSIDE = "out_of_catalogue"
"""Name of the metric of items that are not in the users' catalogue."""
UNRECOGNISED = ("unrecognised_titles", "presented")
"""Name and variant of the measure of titles that neither the catalogue nor a list of real items has."""
TAKEN_FOR_UNKNOWN = 0.05
"""Share of people's own titles that at most is taken for titles the catalogue lacks."""
MOSTLY_UNKNOWN = 0.5
"""Share of a system's items that are unknown, from which no verdict in its favour is left."""


def serves_less(findings: Findings) -> Iterator[Threat]:
    """Pairs whose leader on lift is significantly worse on the measure of service beside it."""
    for league in _listening_leagues(findings):
        for partner in _partners(findings, league):
            worse = {(_other(each.a, each.b, each.leader), each.leader) for each in partner.contrasts if each.leader}
            for contrast in league.contrasts:
                leader = contrast.leader
                if leader is not None and (leader, _other(contrast.a, contrast.b, leader)) in worse:
                    yield Threat(
                        code=ThreatCode.SERVES_LESS,
                        severity=Severity.BLOCKS,
                        systems=(leader, _other(contrast.a, contrast.b, leader)),
                        measure=league.measure.name,
                        only_if_ahead=True,
                        is_of_pair=True,
                    )


def listening(findings: Findings) -> Iterator[Threat]:
    """Systems that are not shown to listen, for every outcome by needs; outcomes of which nothing is known."""
    for league in _outcomes_by_needs(findings):
        found = [each for each in _listening_leagues(findings) if each.measure.users == league.measure.users]
        for standing in [standing for each in found for standing in each.standings]:
            yield from _not_listening(standing, found[0], league)
        if not any(standing.estimate.value is not None for each in found for standing in each.standings):
            whys = [
                str(standing.estimate.why) for each in found for standing in each.standings if standing.estimate.why
            ]
            yield Threat(
                code=ThreatCode.LISTENING_UNKNOWN,
                severity=Severity.DEMOTES,
                measure=league.measure.name,
                facts={"why": whys[0] if whys else "not measured"},
            )
    for league in _listening_leagues(findings):
        for standing in league.standings:
            if _is_negligible(standing.estimate, league):
                yield _threat(standing, league, league, Severity.NOTES)


def other_catalogue(findings: Findings) -> Iterator[Threat]:
    """Systems that recommend items of another catalogue than that of the simulated users."""
    for found in findings.leagues:
        card = found.measure.card
        if card is None or card.name != OUTSIDE:
            continue
        for standing in found.standings:
            share = standing.estimate.value
            if share is None and standing.estimate.n:
                continue
            if share is not None and share < MOSTLY_UNKNOWN:
                continue
            for league in (*_outcomes_by_needs(findings), *_listening_leagues(findings)):
                if league.measure.users == found.measure.users:
                    yield Threat(
                        code=ThreatCode.OTHER_CATALOGUE,
                        severity=Severity.DEMOTES,
                        systems=(standing.system,),
                        measure=league.measure.name,
                        facts={"share": share},
                    )


def _not_listening(standing: Standing, lift: League, league: League) -> Iterator[Threat]:
    value, interval = standing.estimate.value, standing.estimate.interval
    if value is None or (interval is not None and interval.low > 0) or (interval is None and value > 0):
        return
    yield _threat(standing, lift, league, Severity.BLOCKS)


def _threat(standing: Standing, lift: League, league: League, severity: Severity) -> Threat:
    return Threat(
        code=ThreatCode.NOT_LISTENING,
        severity=severity,
        systems=(standing.system,),
        measure=league.measure.name,
        only_if_ahead=True,
        facts={
            "lift": render_estimate(standing.estimate),
            "is_negligible": _is_negligible(standing.estimate, lift),
        },
    )


def _is_negligible(estimate: Estimate, league: League) -> bool:
    card, interval = league.measure.card, estimate.interval
    if card is None or card.negligible is None or interval is None:
        return False
    return -card.negligible <= interval.low <= interval.high <= card.negligible


def _listening_leagues(findings: Findings) -> list[League]:
    return [league for league in findings.leagues if (card := league.measure.card) is not None and card.beside]


def _partners(findings: Findings, league: League) -> list[League]:
    """Leagues of the measure of service, with the same users."""
    beside = league.measure.card.beside if league.measure.card is not None else ""
    return [
        each
        for each in findings.leagues
        if each.measure.card is not None
        and each.measure.card.name == beside
        and each.measure.users == league.measure.users
    ]


def _outcomes_by_needs(findings: Findings) -> list[League]:
    """Leagues that rank by needs of simulated users, except those that show listening themselves."""
    return [league for league in findings.leagues if (card := league.measure.card) is not None and _is_by_needs(card)]


def _is_by_needs(card: Card) -> bool:
    return card.family == "simulation" and "need" in card.needs and card.better != "neither" and not card.beside


def _other(a: str, b: str, one: str | None) -> str:
    return b if one == a else a


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

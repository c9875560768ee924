"""Decide: from leagues, threats and a decision protocol to verdicts and the answer, in one way for every command."""

from collections.abc import Sequence
from dataclasses import dataclass

from trialogue.findings.decision.check import fewest_clusters
from trialogue.findings.decision.margins import exceeds_superiority, margin_sentences
from trialogue.findings.family import corrected_together, rank_league, simultaneous
from trialogue.findings.protocol import Correction, DecisionProtocol
from trialogue.findings.records import Findings, Statement, StatementKind, Votes
from trialogue.findings.standings import Contrast, League
from trialogue.findings.systems.answer import answer, league_of, primary_league
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.detect import protocols, threats_of
from trialogue.findings.threats.gate import gate_leagues
from trialogue.findings.wording import render_estimate
from trialogue.records import Interval, MeasureName
from trialogue.stats.comparison.families import CorrectedFamily


@dataclass(frozen=True)
class Decided:
    """What follows from leagues and threats."""

    threats: tuple[Threat, ...]
    """With the severity that the protocol gives them, blocking ones first."""
    leagues: tuple[League, ...]
    """Past the gate, with the protocol's family and margin of superiority."""
    league: League | None
    """The one that the answer rests on; None: none does."""
    answer: tuple[Statement, ...]
    """The verdict first."""


def decide(
    leagues: Sequence[League],
    threats: Sequence[Threat],
    protocol: DecisionProtocol | None = None,
    *,
    votes: Votes | None = None,
    rests_on: MeasureName | None = None,
) -> Decided:
    """Verdicts, and the answer: the one function by which every command decides.

    Args:
        leagues: of one family of measures. The gate only ever takes away, so that leagues that have passed it may pass it
            again with more threats.
        threats: those that were found.
        protocol: the decision protocol; None: the answer rests on what the kinds of evidence say (``primary_league``).
        votes: people's votes between pairs of systems, told beside the answer.
        rests_on: measure that the answer rests on where there is no protocol; None: it is derived.
    """
    raised = raised_threats(protocol, threats)
    gated = gate_leagues(leagues if protocol is None else leagues_under(protocol, leagues), raised)
    measure = rests_on if protocol is None else protocol.measure
    league = primary_league(gated) if measure is None else league_of(gated, measure)
    said = answer(gated, votes, raised, rests_on=measure)
    if protocol is not None and league is not None:
        said = statements_under(protocol, league, said, raised)
    return Decided(raised, gated, league, said)


def decide_findings(findings: Findings, *, decides: bool = True) -> Findings:
    """Findings with all threats that their facts show, and what follows from them under their protocol.

    Args:
        findings: findings with leagues; of those that were decided before, only the protocol is looked at anew.
        decides: whether the protocol's primary measure is theirs; else the answer stays on what it would rest on without
            one, and a protocol only gives threats their severity.
    """
    check = findings.protocol
    protocol = None if check is None else check.protocol
    threats = threats_of(findings)
    if findings.threats:
        found_before = [threat for threat in findings.threats if threat.code is not ThreatCode.NO_PROTOCOL]
        threats = (*found_before, *protocols(findings))
    if check is not None and check.is_kept and decides:
        # That several measures were looked at threatens no decision that was fixed, and kept, before anybody looked.
        threats = tuple(threat for threat in threats if threat.code is not ThreatCode.SEVERAL_MEASURES)
    if decides:
        found = decide(findings.leagues, threats, protocol, votes=findings.votes)
    else:
        found = decide(findings.leagues, raised_threats(protocol, threats), votes=findings.votes)
    return findings.model_copy(
        update={
            "threats": found.threats,
            "leagues": found.leagues,
            "answer": found.answer,
            "primary": None if found.league is None else found.league.measure.name,
        }
    )


def leagues_under(protocol: DecisionProtocol, leagues: Sequence[League]) -> tuple[League, ...]:
    """Leagues before the gate, with the family and the superiority margin of a protocol."""
    return _with_margin(_with_look(_with_family(leagues, protocol), protocol), protocol)


def statements_under(
    protocol: DecisionProtocol, league: League, statements: Sequence[Statement], threats: Sequence[Threat]
) -> tuple[Statement, ...]:
    """An answer, and after its verdict what the pairs show against a protocol's margins.

    Args:
        protocol: the one that decides.
        league: its primary measure, past the gate.
        statements: the answer on this measure, the verdict first.
        threats: those that the league has passed the gate with.
    """
    first = _no_margin_verdict(league, protocol.margin.superiority) or statements[0]
    level = protocol.level_at(fewest_clusters(league) or 0)
    sentences = margin_sentences(league, protocol.margin, threats, alpha=level) if level else ()
    look = (_look_statement(league, protocol),) if protocol.looks else ()
    return (first, *look, *(Statement(kind_of=StatementKind.MARGIN, text=text) for text in sentences), *statements[1:])


def raised_threats(protocol: DecisionProtocol | None, threats: Sequence[Threat]) -> tuple[Threat, ...]:
    """Threats with the severity that a protocol gives them, each once, blocking ones first."""
    blocks = protocol.blocks if protocol is not None else ()
    raised = {
        threat.model_dump_json(): threat.model_copy(
            update={"severity": Severity.BLOCKS if threat.code in blocks else threat.severity}
        )
        for threat in threats
    }
    order = list(Severity)
    return tuple(sorted(raised.values(), key=lambda threat: order.index(threat.severity)))


def _with_family(leagues: Sequence[League], protocol: DecisionProtocol) -> tuple[League, ...]:
    """The leagues with p-values corrected across the family, where it is of several measures."""
    if protocol.correction is Correction.WITHIN:
        return tuple(leagues)
    return corrected_together(leagues, {protocol.measure, *protocol.measures}, alpha=protocol.alpha)


def _with_look(leagues: Sequence[League], protocol: DecisionProtocol) -> tuple[League, ...]:
    """Leagues with verdicts on the primary measure at the level of the look that its sample has reached."""
    return tuple(
        _at_level(league, protocol, protocol.level_at(fewest_clusters(league) or 0))
        if protocol.looks and league.measure.measured == protocol.measure
        else league
        for league in leagues
    )


def _at_level(league: League, protocol: DecisionProtocol, level: float) -> League:
    contrasts = [
        each.model_copy(
            update={
                "verdict": "inconclusive" if each.leader and (each.p_adjusted or 0.0) > level else each.verdict,
                "simultaneous": _interval_at(each, league, level / protocol.alpha),
            }
        )
        for each in league.contrasts
    ]
    return rank_league(league, contrasts)


def _interval_at(contrast: Contrast, league: League, part: float) -> Interval | None:
    """The simultaneous interval at a part of its level; none before the first look."""
    if contrast.simultaneous is None or not part:
        return None
    family = CorrectedFamily((), league.correction, contrast.simultaneous.facts["level"] * part)
    return simultaneous(contrast.difference, family)


def _look_statement(league: League, protocol: DecisionProtocol) -> Statement:
    """Which of the planned looks this is, and what it takes to be significant."""
    clusters = fewest_clusters(league) or 0
    look, level = protocol.looks_until(clusters), protocol.level_at(clusters)
    sample = f"{clusters:,} of {protocol.looks[-1]:,} planned people or dialogues of each system"
    text = (
        f"Look {look} of {len(protocol.looks)}, at {sample}: a corrected p of at most {level:.2g} is significant, "
        f"so that all looks together keep {protocol.alpha:g} (O'Brien-Fleming spending)."
        if look
        else f"There are {sample}; before the first planned look, at {protocol.looks[0]:,}, nothing is significant."
    )
    drawn = min((each.difference.facts.get("arrangements", 0.0) for each in league.contrasts), default=0.0)
    if drawn and 0 < level < 2 / drawn:
        text += f" With {drawn:,.0f} arrangements (resamples), no p is below {2 / drawn:.2g}, so that nothing can be."
    return Statement(kind_of=StatementKind.SCOPE, text=text)


def _with_margin(leagues: Sequence[League], protocol: DecisionProtocol) -> tuple[League, ...]:
    """Leagues with verdicts on the primary measure limited to differences beyond the margin of superiority."""
    margin = protocol.margin.superiority
    if margin is None:
        return tuple(leagues)
    return tuple(
        rank_league(
            league, _apply_superiority(league.contrasts, margin, protocol.level_at(fewest_clusters(league) or 0))
        )
        if league.measure.measured == protocol.measure
        else league
        for league in leagues
    )


def _apply_superiority(contrasts: Sequence[Contrast], margin: float, alpha: float) -> list[Contrast]:
    pairs = max(1, sum(contrast.verdict != "undefined" for contrast in contrasts))
    return [
        contrast.model_copy(update={"verdict": "inconclusive"})
        if contrast.leader is not None and not exceeds_superiority(contrast, margin, pairs=pairs, alpha=alpha)
        else contrast
        for contrast in contrasts
    ]


def _no_margin_verdict(league: League, margin: float | None) -> Statement | None:
    """The verdict where pairs were compared and none differs by more than the margin of superiority; None: it is another."""
    compared = [contrast for contrast in league.contrasts if contrast.verdict != "undefined"]
    if margin is None or not compared or any(contrast.leader is not None for contrast in compared):
        return None
    size = f" (difference {render_estimate(compared[0].difference)})" if len(compared) == 1 else ""
    what = f"no system is shown to be better than another one by more than {margin:g}{size}"
    return Statement(kind_of=StatementKind.VERDICT, text=f"On {league.measure.title}, {what}.")

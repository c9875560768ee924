"""Apply a decision protocol to findings: family of comparisons, margins, blocking threats, and the answer."""

from collections.abc import Sequence

from trialogue.findings.decision.margins import exceeds_superiority, margin_sentences
from trialogue.findings.family import corrected_together, rank_league
from trialogue.findings.protocol import Correction, DecisionProtocol, ProtocolCheck
from trialogue.findings.records import Findings, Statement, StatementKind
from trialogue.findings.standings import Contrast, League
from trialogue.findings.systems.answer import answer, full_title, league_of
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.detect import protocols
from trialogue.findings.threats.gate import gate_leagues
from trialogue.findings.wording import render_estimate


def apply_protocol(findings: Findings, check: ProtocolCheck, *, decides: bool) -> Findings:
    """Apply a protocol's verdicts to findings, including the gate.

    The gate only ever takes away, so that findings that have passed it may pass it again with more threats.

    Args:
        findings: findings with the threats that were found in them, their leagues past the gate.
        check: the protocol, and whether it was kept.
        decides: whether the primary measure is theirs; else the answer stays on the measure that it rests on.
    """
    protocol = check.protocol
    findings = findings.model_copy(update={"protocol": check})
    threats = _threats(findings, check, decides=decides)
    leagues: tuple[League, ...] = findings.leagues
    if protocol is not None and decides:
        leagues = leagues_under(protocol, leagues)
    leagues = gate_leagues(leagues, threats)
    measure = protocol.measure if protocol is not None and decides else None
    league = None if measure is None else league_of(leagues, measure)
    statements = answer(leagues, findings.votes, threats, rests_on=measure)
    if protocol is not None and league is not None:
        statements = statements_under(protocol, league, statements, threats)
    primary = findings.primary if measure is None else (league.measure.name if league is not None else None)
    return findings.model_copy(
        update={"threats": threats, "leagues": leagues, "answer": statements, "primary": primary}
    )


def leagues_under(protocol: DecisionProtocol, leagues: Sequence[League]) -> tuple[League, ...]:
    """Leagues before the gate, with the family and the superiority margin of a protocol."""
    return _with_margin(_with_family(leagues, protocol), protocol)


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
    sentences = margin_sentences(league, protocol.margin, threats, alpha=protocol.alpha)
    return (first, *(Statement(kind_of=StatementKind.MARGIN, text=text) for text in sentences), *statements[1:])


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


def _threats(findings: Findings, check: ProtocolCheck, *, decides: bool) -> tuple[Threat, ...]:
    """Detected threats and deviations from the protocol, with the severity that the protocol gives them; blocking ones
    first.

    That several measures were looked at threatens no decision that was fixed, and kept, before anybody looked.
    """
    kept = [threat for threat in findings.threats if threat.code is not ThreatCode.NO_PROTOCOL]
    found = [*kept, *protocols(findings)]
    if check.is_kept and decides:
        found = [threat for threat in found if threat.code is not ThreatCode.SEVERAL_MEASURES]
    return raised_threats(check.protocol, found)


def _with_family(leagues: Sequence[League], protocol: DecisionProtocol) -> tuple[League, ...]:
    """The leagues with p-values corrected across the family, where it is of several measures."""
    if protocol.correction is Correction.WITHIN:
        return tuple(leagues)
    return corrected_together(leagues, {protocol.measure, *protocol.measures}, alpha=protocol.alpha)


def _with_margin(leagues: Sequence[League], protocol: DecisionProtocol) -> tuple[League, ...]:
    """Leagues with verdicts on the primary measure limited to differences beyond the margin of superiority."""
    margin = protocol.margin.superiority
    if margin is None:
        return tuple(leagues)
    return tuple(
        rank_league(league, _apply_superiority(league.contrasts, margin, protocol.alpha))
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
    return Statement(kind_of=StatementKind.VERDICT, text=f"On {full_title(league)}, {what}.")

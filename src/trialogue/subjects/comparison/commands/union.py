"""The facts of two runs as those of one evaluation of both systems, so that the same threats are found in them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trialogue.analysis.saved_results import StoredRun
from trialogue.errors import DataError, Problem
from trialogue.findings import Findings, Measure, SharedSituations
from trialogue.findings.decision.check import check_protocol
from trialogue.findings.decision.verdict import leagues_under
from trialogue.findings.differences.difference import metric_of
from trialogue.findings.differences.missing import missing_values
from trialogue.findings.differences.pairing import Pairing
from trialogue.findings.differences.re_estimates import re_estimates
from trialogue.findings.differences.system_sample import SystemSample
from trialogue.findings.languages import mismatches_of_pair
from trialogue.findings.protocol import DecisionProtocol
from trialogue.findings.sample.collect import look_across, sample_of
from trialogue.findings.threats import Severity, Threat, ThreatCode
from trialogue.findings.threats.detect import is_superseded, protocols, threats_of
from trialogue.findings.threats.users import separate_users
from trialogue.records import LanguageMismatch, MeasuredUnits, Population, Reason, ReasonCode

OF_A_RUN = frozenset({ThreatCode.SEVERAL_MEASURES, ThreatCode.NO_HUMAN_JUDGEMENT, ThreatCode.FAILURE_DIFFERENCE})
"""Threats that do not apply to a comparison of two versions, which corrects over its measures and judges failures itself."""


def merge_measures(sides: Sequence[SystemSample]) -> list[SystemSample]:
    """Both systems with one description of the measures that both have, as an evaluation of both would have it.

    Ratings without a declared scale are on the scale that the other run declares, if it holds all of them.
    """
    merged: list[dict[str, Measure]] = [dict(side.measures) for side in sides]
    for name in [name for name in sides[0].measures if name in sides[1].measures]:
        own = [side.measures[name] for side in sides]
        common = {
            "raters": tuple(dict.fromkeys(kind for each in own for kind in each.raters)),
            "is_calibrated": any(each.is_calibrated for each in own),
        }
        declared = {each.scale for each in own if each.scale is not None}
        for place, (side, each) in enumerate(zip(sides, own, strict=True)):
            scale = each.scale
            if scale is None and len(declared) == 1:
                (found,) = declared
                scale = found if all(found.holds(value) for _, _, value in side.units(name)) else None
            merged[place][name] = each.model_copy(update={**common, "scale": scale})
    return [replace(side, measures=own) for side, own in zip(sides, merged, strict=True)]


def scale_difference(before: SystemSample, after: SystemSample, name: str) -> Reason | None:
    """Why values on a measure are on different scales; None if they are on one."""
    old, new = before.measures[name], after.measures[name]
    if old.scale == new.scale and old.better == new.better:
        return None
    own, others = (each.scale.words if each.scale is not None else "undeclared" for each in (new, old))
    if own == others:
        own, others = (f"{each.better} is better" for each in (new, old))
    return Reason.of(ReasonCode.SCALES_DIFFER_BETWEEN_RUNS, before=others, after=own)


def refuse_other_scales(sides: Sequence[SystemSample], deciding: Sequence[str], names: Sequence[str]) -> None:
    """Refuse to compare ratings that decide and are on different scales, as an evaluation of both does.

    Raises:
        DataError: some are.
    """
    problems = [
        Problem(
            f"{name} cannot be compared: {why}.",
            file=", ".join(names),
            hint="Convert the ratings to one scale, or decide on another measure with --on.",
        )
        for name in deciding
        if (why := scale_difference(sides[0], sides[1], name)) is not None
    ]
    if problems:
        raise DataError(problems)


def language_mismatches(
    sides: Sequence[SystemSample], read: Sequence[StoredRun], shared: Sequence[str], *, any_language: bool
) -> list[LanguageMismatch]:
    """Shared measures on which the two are not compared, because they depend on wording and the languages differ."""
    found = [
        each.model_copy(update={"system": side.name})
        for side, run in zip(sides, read, strict=True)
        for each in run.concluded.languages
        if each.system == side.system
    ]
    metrics = [metric for name in shared if (metric := metric_of(sides[0].measures[name].measured)) is not None]
    pair = (sides[0].name, sides[1].name)
    return mismatches_of_pair(metrics, pair, found, are_kept=any_language)


def union_findings(
    findings: Findings,
    sides: Sequence[SystemSample],
    read: Sequence[StoredRun],
    mismatches: Sequence[LanguageMismatch],
) -> Findings:
    """Findings of a comparison with what the runs say of the two systems."""
    populations: list[Population] = []
    tables: list[MeasuredUnits] = []
    for side, run in zip(sides, read, strict=True):
        named = {"system": side.name}
        populations += [
            each.model_copy(update=named) for each in run.concluded.populations if each.system == side.system
        ]
        tables += [each.model_copy(update=named) for each in side.tables]
    pairing = Pairing.of(*sides)
    first, second = sorted(side.name for side in sides)
    partial = [SharedSituations(a=first, b=second, shared=pairing.shared)] if pairing.is_partial else []
    tables = look_across(tables)
    both = {side.name: replace(side, tables=[each for each in tables if each.system == side.name]) for side in sides}
    again = re_estimates(findings.leagues, both, alpha=findings.alpha, seed=findings.manifest.seed or 0)
    return findings.model_copy(
        update={
            "populations": tuple(populations),
            "sample": sample_of(tables),
            "re_estimates": again,
            "missing": tuple(missing_values(findings.leagues, both)),
            "separate_users": separate_users(tables, {side.name for side in sides}),
            "shared_situations": tuple(partial),
            "language_mismatches": tuple(mismatches),
        }
    )


def findings_under(protocol: DecisionProtocol | None, findings: Findings, sides: Sequence[SystemSample]) -> Findings:
    """Findings of a comparison with the family and margins of a protocol, and what deviates from it in the two.

    Planned systems are looked for only if the two are called by their systems' names, and only among these: a comparison is
    of two.
    """
    if protocol is None:
        return findings
    known = [side.system for side in sides]
    are_systems = known == [side.name for side in sides]
    planned = [each for each in protocol.systems if each in known] or protocol.systems
    check = check_protocol(findings, protocol, tuple(planned) if are_systems else ())
    return findings.model_copy(update={"protocol": check, "leagues": leagues_under(protocol, findings.leagues)})


def comparison_threats(
    findings: Findings, sides: Sequence[SystemSample], read: Sequence[StoredRun]
) -> tuple[Threat, ...]:
    """Threats detected in the comparison, and those inherited from the runs; blocking ones first.

    Args:
        findings: of the comparison.
        sides: the two systems.
        read: their runs.
    """
    protocol = protocols(findings) if findings.protocol is not None else ()
    found = [each for each in threats_of(findings) if each.code is not ThreatCode.NO_BASELINES]  # that, the runs know
    known = [*found, *_labeller_threats(sides), *_model_threats(findings, sides)]
    for each, run in zip(sides, read, strict=True):
        for threat in run.concluded.threats:
            if is_superseded(threat, findings.protocol):
                continue
            if not threat.is_of_pair and (not threat.systems or each.system in threat.systems):
                systems = (each.name,) if threat.systems else ()
                known.append(threat.model_copy(update={"systems": systems}))
    known += protocol
    known = [_demote_to_note(threat) if _is_of_old_failures(threat, sides[0]) else threat for threat in known]
    order = list(Severity)
    unique = {threat.model_dump_json(): threat for threat in known if threat.code not in OF_A_RUN}
    return tuple(sorted(unique.values(), key=lambda threat: order.index(threat.severity)))


def _is_of_old_failures(threat: Threat, before: SystemSample) -> bool:
    """Whether it says that the old version never finished: that is no reason to hold a new one back that does."""
    return threat.code is ThreatCode.NEVER_FINISHED and threat.systems == (before.name,)


def _demote_to_note(threat: Threat) -> Threat:
    return threat.model_copy(update={"severity": Severity.NOTES})


def _labeller_threats(sides: Sequence[SystemSample]) -> Iterator[Threat]:
    """Measures that read labels or beliefs which the two runs have from elsewhere."""
    for name in sides[0].measures:
        one, other = ("+".join(side.measures[name].labels_from) if name in side.measures else "" for side in sides)
        if one and other and one != other:
            yield Threat(
                code=ThreatCode.LABELLER_CHANGED,
                severity=Severity.DEMOTES,
                systems=(sides[1].name, sides[0].name),
                measure=name,
                is_of_pair=True,
                facts={"before": one, "after": other},
            )


def _model_threats(findings: Findings, sides: Sequence[SystemSample]) -> Iterator[Threat]:
    """Whether another language model, or the same one under another configuration, answered in the other run."""
    answered = {facts.system: facts.models for facts in findings.systems}
    old, new = (answered.get(side.name, ()) for side in sides)
    if old and new and old != new:
        yield Threat(
            code=ThreatCode.MODEL_CHANGED,
            severity=Severity.DEMOTES,
            systems=(sides[1].name, sides[0].name),
            is_of_pair=True,
            facts={"before": ", ".join(old), "after": ", ".join(new)},
        )

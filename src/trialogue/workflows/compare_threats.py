"""Threats to a comparison of two versions: detected in the comparison, and inherited from the runs."""

from collections.abc import Iterator, Sequence

from trialogue.findings import Findings
from trialogue.findings.comparison.system_sample import SystemSample
from trialogue.findings.threats import Severity, Threat, ThreatCode
from trialogue.findings.threats.detect import threats_of
from trialogue.workflows.pipeline.saved_results import StoredRun

OF_A_RUN = frozenset({ThreatCode.SEVERAL_MEASURES, ThreatCode.NO_HUMAN_JUDGEMENT, ThreatCode.FAILURE_DIFFERENCE})
"""Threats that do not apply to a comparison of two versions, which corrects over its measures and judges failures itself."""


def comparison_threats(
    findings: Findings, sides: Sequence[SystemSample], read: Sequence[StoredRun]
) -> tuple[Threat, ...]:
    """Threats detected in the comparison, and those inherited from the runs; blocking ones first."""
    known = [*threats_of(findings), *_labeller_threats(sides), *_model_threats(findings, sides)]
    for each, run in zip(sides, read, strict=True):
        for threat in run.concluded.threats:
            if not threat.is_of_pair and (not threat.systems or each.system in threat.systems):
                systems = (each.name,) if threat.systems else ()
                known.append(threat.model_copy(update={"systems": systems}))
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

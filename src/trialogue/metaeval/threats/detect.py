"""Finding threats: each detector reads the findings of a run, before the gate, and yields what speaks against them.

A detector reads types (facts of systems, of measures, leagues), never a sentence. The list at the end is all of them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations

import numpy as np

from trialogue.metaeval.findings import Findings, League, SystemFacts
from trialogue.metaeval.language_texts import language_of_texts, made_for
from trialogue.metaeval.threats.threat import Severity, Threat, ThreatCode
from trialogue.metaeval.validity import chance_card
from trialogue.records import Labeller, MeasureName

FAILING = 0.05  # of a system's dialogues: the share of failures from which a verdict in its favour is conditional
MISSING = 0.05  # of a system's dialogues: the share of missing ones above which there is no verdict
ANSWERED = 0.95  # of the situations: a system that answered fewer abstains
FEW_CLUSTERS = 10  # below, intervals of means hold the truth in less than 93 % (benchmarks/COVERAGE.md)
SEEN = 0.05  # of a system's dialogues: the share left out as training data above which a verdict is conditional

Detector = Callable[[Findings], Iterable[Threat]]


def threats_of(findings: Findings) -> tuple[Threat, ...]:
    """Every threat that can be found in the findings of a run; those that block first, each once."""
    order = list(Severity)
    every = {threat.model_dump_json(): threat for detector in DETECTORS for threat in detector(findings)}
    return tuple(sorted(every.values(), key=lambda threat: order.index(threat.severity)))


def failures(findings: Findings) -> Iterator[Threat]:
    """Systems whose dialogues failed: by their own fault, or by somebody else's."""
    for facts in findings.systems:
        outcomes = facts.outcomes
        if outcomes is None or not outcomes.dialogues:
            continue
        counts = {"failed": outcomes.failed_by_agent, "missing": outcomes.missing, "dialogues": outcomes.dialogues}
        if not outcomes.finished:
            yield Threat(
                code=ThreatCode.NEVER_FINISHED, severity=Severity.BLOCKS, systems=(facts.system,), facts=counts
            )
        elif outcomes.missing:
            severity = Severity.BLOCKS if outcomes.missing > MISSING * outcomes.dialogues else Severity.NOTES
            yield Threat(code=ThreatCode.MISSING_DIALOGUES, severity=severity, systems=(facts.system,), facts=counts)
        if outcomes.finished and outcomes.failed_by_agent:
            yield from _failing(findings, facts.system, outcomes.failed_by_agent, outcomes.dialogues)


def _failing(findings: Findings, system: str, failed: int, dialogues: int) -> Iterator[Threat]:
    """A failing system's lead means nothing on measures that leave its failed dialogues out."""
    counts = {"failed": failed, "dialogues": dialogues}
    yield Threat(code=ThreatCode.FAILURES, severity=Severity.NOTES, systems=(system,), facts=counts)
    if failed >= FAILING * dialogues:
        for league in findings.leagues:
            if not league.measure.counts_failures:
                yield Threat(
                    code=ThreatCode.FAILURES,
                    severity=Severity.DEMOTES,
                    systems=(system,),
                    measure=league.measure.name,
                    only_if_ahead=True,
                    facts=counts,
                )


def failure_differences(findings: Findings) -> Iterator[Threat]:
    """Pairs of which one fails significantly more often; its lead is conditional."""
    known = [facts for facts in findings.systems if facts.outcomes is not None and facts.outcomes.dialogues]
    for one, other in combinations(known, 2):
        worse, better = sorted((one, other), key=_failure_rate, reverse=True)
        if _failure_rate(worse) > _failure_rate(better) and _fisher(worse, better) <= findings.alpha:
            yield Threat(
                code=ThreatCode.FAILURE_DIFFERENCE,
                severity=Severity.DEMOTES,
                systems=(worse.system, better.system),
                is_of_pair=True,
                only_if_ahead=True,
                facts={"rate": round(_failure_rate(worse), 4), "other_rate": round(_failure_rate(better), 4)},
            )


def _failure_rate(facts: SystemFacts) -> float:
    assert facts.outcomes is not None
    return facts.outcomes.failed_by_agent / facts.outcomes.dialogues


def _fisher(one: SystemFacts, other: SystemFacts) -> float:
    from scipy.stats import fisher_exact

    assert one.outcomes is not None
    assert other.outcomes is not None
    rows = [[each.failed_by_agent, each.dialogues - each.failed_by_agent] for each in (one.outcomes, other.outcomes)]
    return float(fisher_exact(np.array(rows)).pvalue)


def abstentions(findings: Findings) -> Iterator[Threat]:
    """Systems that did not answer every situation that some system answered."""
    asked = max((facts.situations_asked or 0 for facts in findings.systems), default=0)
    for facts in findings.systems:
        if facts.situations_answered is not None and facts.situations_answered < asked:
            few = facts.situations_answered < ANSWERED * asked
            yield Threat(
                code=ThreatCode.ABSTENTION,
                severity=Severity.DEMOTES if few else Severity.NOTES,
                systems=(facts.system,),
                only_if_ahead=True,
                facts={"answered": facts.situations_answered, "asked": asked},
            )


def few_clusters(findings: Findings) -> Iterator[Threat]:
    """Systems whose value on a measure rests on few people or dialogues."""
    for league in findings.leagues:
        if league.measure.better == "neither":
            continue
        for standing in league.standings:
            clusters = standing.estimate.clusters
            if standing.estimate.value is not None and clusters is not None and clusters < FEW_CLUSTERS:
                yield Threat(
                    code=ThreatCode.FEW_CLUSTERS,
                    severity=Severity.DEMOTES,
                    systems=(standing.system,),
                    measure=league.measure.name,
                    facts={"clusters": clusters},
                )


def several_measures(findings: Findings) -> Iterator[Threat]:
    """How many measures were looked at, where it is more than one."""
    directed = [league for league in findings.leagues if league.measure.better != "neither" and league.contrasts]
    if len(directed) > 1:
        yield Threat(code=ThreatCode.SEVERAL_MEASURES, severity=Severity.NOTES, facts={"measures": len(directed)})


def baselines(findings: Findings) -> Iterator[Threat]:
    """Systems that are not significantly better than the best baseline of a measure."""
    for league in findings.leagues:
        for contrast in league.above_floor:
            if contrast.verdict != "a":
                yield Threat(
                    code=ThreatCode.BASELINE_NOT_BEATEN,
                    severity=Severity.DEMOTES,
                    systems=(contrast.a,),
                    measure=league.measure.name,
                    only_if_ahead=True,
                    facts={"baseline": contrast.b},
                )


def at_chance(findings: Findings) -> Iterator[Threat]:
    """Measures that are known to agree with people no better than chance."""
    for league in _computed(findings):
        card = chance_card(league.measure.measured)
        if card is not None and card.auc is not None:
            yield Threat(
                code=ThreatCode.AT_CHANCE,
                severity=Severity.DEMOTES,
                measure=league.measure.name,
                facts={
                    "asked": MeasureName(card.question).prose,
                    "data": card.data,
                    "auc": round(card.auc.value or 0.0, 2),
                },
            )


def _computed(findings: Findings) -> Iterator[League]:
    """Measures that nobody judged."""
    return (league for league in findings.leagues if league.measure.by != "people")


def no_human_judgement(findings: Findings) -> Iterator[Threat]:
    """Whether anybody judged at all."""
    judged = any(league.measure.by == "people" for league in findings.leagues) or findings.votes is not None
    if findings.leagues and not judged:
        yield Threat(code=ThreatCode.NO_HUMAN_JUDGEMENT, severity=Severity.NOTES)


def domains(findings: Findings) -> Iterator[Threat]:
    """Measures that are used outside the domain in which they were shown to agree with people."""
    for fit in findings.domains:
        if fit.is_measured and not fit.fits:
            yield Threat(
                code=ThreatCode.OUTSIDE_DOMAIN,
                severity=Severity.DEMOTES,
                measure=fit.measure,
                facts={"domain": fit.domain, "inside": fit.inside, "dialogues": fit.dialogues},
            )


def training_data(findings: Findings) -> Iterator[Threat]:
    """Measures that were trained on some of the dialogues."""
    sizes = {facts.system: facts.dialogues for facts in findings.systems}
    for exposure in findings.training_data:
        dialogues = sizes.get(exposure.system, exposure.recognised)
        left_out = exposure.excluded > SEEN * dialogues
        yield Threat(
            code=ThreatCode.TRAINING_DATA,
            severity=Severity.DEMOTES if left_out else Severity.NOTES,
            systems=(exposure.system,),
            measure=exposure.measure,
            facts={"recognised": exposure.recognised, "excluded": exposure.excluded, "dialogues": dialogues},
        )


def label_origins(findings: Findings) -> Iterator[Threat]:
    """Measures of alignment that count labels which are not people's, and which nothing corrects."""
    kinds = Counter[str]()
    for counts in findings.labels:
        kinds.update({labeller.value: count for labeller, count in counts.by.items()})
        kinds.update({"unknown": counts.unknown})
    others = {kind: count for kind, count in kinds.items() if count and kind != Labeller.PERSON.value}
    if not others:
        return
    for league in findings.leagues:
        if league.measure.counts_labels:
            yield Threat(
                code=ThreatCode.LABEL_ORIGIN,
                severity=Severity.DEMOTES,
                measure=league.measure.name,
                facts={"labellers": ", ".join(f"{kind}: {count}" for kind, count in sorted(others.items()))},
            )


def languages(findings: Findings) -> Iterator[Threat]:
    """Measures that were kept although they do not fit a language, or although it cannot be told."""
    for mismatch in findings.language_mismatches:
        if not mismatch.is_kept:
            continue
        is_unknown = mismatch.reason == "unknown"
        for measure in mismatch.measures:
            yield Threat(
                code=ThreatCode.LANGUAGE_UNKNOWN if is_unknown else ThreatCode.LANGUAGE,
                severity=Severity.NOTES if is_unknown else Severity.BLOCKS,
                systems=mismatch.systems,
                measure=measure,
                is_of_pair=mismatch.reason == "across_languages",
                facts={"language": language_of_texts(mismatch), "made_for": made_for(mismatch)},
            )


DETECTORS: tuple[Detector, ...] = (
    failures,
    failure_differences,
    abstentions,
    few_clusters,
    baselines,
    at_chance,
    label_origins,
    domains,
    languages,
    training_data,
    several_measures,
    no_human_judgement,
)

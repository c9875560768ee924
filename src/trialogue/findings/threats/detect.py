"""Detectors of threats: each reads the findings of a run, before the gate, and yields threats.

A detector reads types (facts about systems, about measures, leagues), never a sentence. The list at the end holds all of
them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from trialogue.findings.family import ACROSS_MEASURES
from trialogue.findings.protocol import ProtocolCheck
from trialogue.findings.records import Findings
from trialogue.findings.standings import Contrast, League
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.failures import failed_replies, failure_differences, failures
from trialogue.findings.threats.language_texts import language_of_texts, made_for
from trialogue.findings.threats.listening import lacking_titles, listening, other_catalogue, serves_less
from trialogue.findings.threats.sample import (
    lookalike_systems,
    missing_values,
    suspicions,
    turned_verdicts,
    unequal_chances,
)
from trialogue.findings.threats.users import (
    different_users,
    known_seeds,
    no_common_users,
    several_models,
    shared_families,
    user_fault_differences,
    user_fault_hints,
    user_faults,
)
from trialogue.findings.validity import chance_card
from trialogue.findings.wording import list_names
from trialogue.records import VOTES, DomainFit, JsonValue, Labeller, MeasureName, Raters
from trialogue.stats.comparison.crossed_raters import FEWEST_PARTLY_CROSSED
from trialogue.stats.comparison.crossed_raters import RATERS as RATERS_OF_BOTH
from trialogue.stats.comparison.two_sides import ENOUGH, SMALLER_SIDE, UNITS_DISAGREE, UNSEEN

ANSWERED = 0.95  # of the situations: a system that answered fewer abstains
FEW_CLUSTERS = 10  # below, intervals of means hold the truth in less than 93% (benchmarks/COVERAGE.md)
RECOGNISED = 0.05  # of a system's acts: the share not declared or annotated from which its success is conditional
SEEN = 0.05  # of a system's dialogues: the share left out as training data above which a verdict is conditional

OF_PROTOCOL = (ThreatCode.PROTOCOL_NOT_KEPT, ThreatCode.PROTOCOL_AFTER_DATA, ThreatCode.NO_PROTOCOL)
"""Threats to an experiment as a whole, for any kind of user."""

Detector = Callable[[Findings], Iterable[Threat]]


def threats_of(findings: Findings) -> tuple[Threat, ...]:
    """All threats detected in the findings of a run, without duplicates, blocking ones first."""
    order = list(Severity)
    every = {threat.model_dump_json(): threat for detector in DETECTORS for threat in detector(findings)}
    return tuple(sorted(every.values(), key=lambda threat: order.index(threat.severity)))


def abstentions(findings: Findings) -> Iterator[Threat]:
    """Systems that did not answer every situation."""
    for facts in findings.systems:
        done = facts.completion
        if done is not None and done.unanswered_count:
            few = done.answered < ANSWERED * done.situations
            yield Threat(
                code=ThreatCode.ABSTENTION,
                severity=Severity.DEMOTES if few else Severity.NOTES,
                systems=(facts.system,),
                only_if_ahead=True,
                facts={"answered": done.answered, "asked": done.situations},
            )


def different_situations(findings: Findings) -> Iterator[Threat]:
    """Pairs of systems that are compared on a part of their situations."""
    for pair in findings.shared_situations:
        yield Threat(
            code=ThreatCode.DIFFERENT_SITUATIONS,
            severity=Severity.NOTES,
            systems=(pair.a, pair.b),
            is_of_pair=True,
            facts={"shared": pair.shared},
        )


def recognised_acts(findings: Findings) -> Iterator[Threat]:
    """Success measures that rest on acts recognised by the simulated user, or on acts of unknown origin."""
    for facts in findings.systems:
        acts = facts.completion.acts if facts.completion is not None else None
        if acts is None or not acts.total + acts.unrecognised:
            continue
        # What a language model gave no act for rests on it as well: it could understand nothing that anybody said.
        share = (acts.recognised + acts.unknown + acts.unrecognised) / (acts.total + acts.unrecognised)
        of_models: dict[str, JsonValue] = {"labellers": [*acts.labellers], "unrecognised": acts.unrecognised}
        for league in findings.leagues if share >= RECOGNISED else ():
            if league.measure.reads_acts:
                yield Threat(
                    code=ThreatCode.RECOGNISED_ACTS,
                    severity=Severity.DEMOTES,
                    systems=(facts.system,),
                    measure=league.measure.name,
                    only_if_ahead=True,
                    facts={"share": round(share, 4), **(of_models if acts.labellers else {})},
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


def few_raters(findings: Findings) -> Iterator[Threat]:
    """Pairs of systems that rest on few raters, each of several dialogues."""
    for league in findings.leagues:
        for pair in league.contrasts:
            raters = pair.difference.facts.get(RATERS_OF_BOTH, FEWEST_PARTLY_CROSSED)
            if raters < FEWEST_PARTLY_CROSSED:
                yield _pair_threat(ThreatCode.FEW_RATERS, league, pair, raters=int(raters))


def unequal_clusters(findings: Findings) -> Iterator[Threat]:
    """Pairs of which people or dialogues count equally, and which differ otherwise where their units do."""
    for league in findings.leagues:
        for pair in league.contrasts:
            if pair.difference.facts.get(UNITS_DISAGREE):
                yield _pair_threat(ThreatCode.UNEQUAL_CLUSTERS, league, pair)


def unbounded_measures(findings: Findings) -> Iterator[Threat]:
    """Pairs of few clusters on a measure without an upper end, such as a time or a count; or of equal values of one side.

    By the declared kind of measure and the number of clusters, never by the look of the sample: of ten clusters, no
    diagnostic tells skewed from normal ones.
    """
    for league in findings.leagues:
        card = league.measure.card
        if league.measure.better == "neither":
            continue
        has_no_end = card is not None and card.low is not None and card.high is None
        for pair in league.contrasts:
            facts = pair.difference.facts
            clusters = facts.get(SMALLER_SIDE, ENOUGH)
            if UNSEEN in facts:
                clusters = pair.difference.clusters or ENOUGH
                yield _pair_threat(ThreatCode.UNBOUNDED, league, pair, clusters=int(clusters), equal=True)
            elif has_no_end and clusters < ENOUGH:
                yield _pair_threat(ThreatCode.UNBOUNDED, league, pair, clusters=int(clusters))


def _pair_threat(code: ThreatCode, league: League, pair: Contrast, **facts: JsonValue) -> Threat:
    return Threat(
        code=code,
        severity=Severity.DEMOTES,
        systems=(pair.a, pair.b),
        measure=league.measure.name,
        is_of_pair=True,
        facts=facts,
    )


def several_measures(findings: Findings) -> Iterator[Threat]:
    """More than one measure without a correction across measures."""
    directed = [league for league in findings.leagues if league.measure.better != "neither" and league.contrasts]
    if len(directed) > 1 and findings.correction != ACROSS_MEASURES:
        yield Threat(code=ThreatCode.SEVERAL_MEASURES, severity=Severity.NOTES, facts={"measures": len(directed)})


def baselines(findings: Findings) -> Iterator[Threat]:
    """Systems that are not significantly better than the best baseline of a measure.

    On outcomes of simulated dialogues, a system that is not above it at all cannot lead: nonsense has as much.
    """
    for league in findings.leagues:
        card = league.measure.card
        is_outcome = card is not None and card.family == "simulation"
        for contrast in league.above_baseline:
            if contrast.verdict != "a":
                gap = contrast.difference.value
                is_above = gap is not None and (gap > 0) == (league.measure.better == "higher") and gap != 0
                yield Threat(
                    code=ThreatCode.BASELINE_NOT_BEATEN,
                    severity=Severity.BLOCKS if is_outcome and not is_above else Severity.DEMOTES,
                    systems=(contrast.a,),
                    measure=league.measure.name,
                    only_if_ahead=True,
                    facts={"baseline": contrast.b},
                )


def no_baselines(findings: Findings) -> Iterator[Threat]:
    """Outcomes of simulated dialogues without a baseline for comparison."""
    if not any(facts.simulated for facts in findings.systems):
        return
    for league in findings.leagues:
        card = league.measure.card
        if card is not None and card.is_task_outcome and not league.baselines:
            yield Threat(code=ThreatCode.NO_BASELINES, severity=Severity.DEMOTES, measure=league.measure.name)


def detect_at_chance(findings: Findings) -> Iterator[Threat]:
    """Measures known to agree with people no better than chance."""
    for league in _computed_leagues(findings):
        card = chance_card(league.measure.measured) if league.measure.better != "neither" else None
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


def _computed_leagues(findings: Findings) -> Iterator[League]:
    """Leagues of automatic measures."""
    return (league for league in findings.leagues if league.measure.by != "people")


def no_human_judgement(findings: Findings) -> Iterator[Threat]:
    """Runs without any human judgement."""
    judged = any(league.measure.by == "people" for league in findings.leagues) or findings.votes is not None
    if findings.leagues and not judged:
        unread = findings.reading.may_be_feedback
        facts = {"unread": list_names(unread)} if unread else {}
        yield Threat(code=ThreatCode.NO_HUMAN_JUDGEMENT, severity=Severity.NOTES, facts=facts)


def domains(findings: Findings) -> Iterator[Threat]:
    """Measures used outside the domain in which they were validated against people."""
    simulated = {facts.system for facts in findings.systems if facts.simulated}  # it was learned from people
    measured = [fit for fit in findings.domains if fit.is_measured]
    for measure in dict.fromkeys(fit.measure for fit in measured):
        own = [fit for fit in measured if fit.measure == measure]
        outside = [fit for fit in own if not fit.fits or fit.system in simulated or (fit.system is None and simulated)]
        if len(outside) == len(own):
            yield _outside_domain_threat(outside, ())
        else:
            yield from (_outside_domain_threat([fit], (fit.system,)) for fit in outside if fit.system is not None)


def _outside_domain_threat(fits: Sequence[DomainFit], systems: tuple[str, ...]) -> Threat:
    return Threat(
        code=ThreatCode.OUTSIDE_DOMAIN,
        severity=Severity.DEMOTES,
        systems=systems,
        measure=fits[0].measure,
        facts={
            "domain": fits[0].domain,
            "inside": sum(fit.inside for fit in fits),
            "dialogues": sum(fit.dialogues for fit in fits),
        },
    )


def training_data(findings: Findings) -> Iterator[Threat]:
    """Measures whose training data include some of the dialogues."""
    sizes = {facts.system: facts.dialogues for facts in findings.systems}
    for exposure in findings.training_data:
        dialogues = sizes.get(exposure.system, exposure.recognised)
        left_out = exposure.excluded_count > SEEN * dialogues
        yield Threat(
            code=ThreatCode.TRAINING_DATA,
            severity=Severity.DEMOTES if left_out else Severity.NOTES,
            systems=(exposure.system,),
            measure=exposure.measure,
            facts={"recognised": exposure.recognised, "excluded": exposure.excluded_count, "dialogues": dialogues},
        )


RATERS: Mapping[Raters, ThreatCode] = {
    Raters.SCRIPTED: ThreatCode.SCRIPTED_RATERS,
    Raters.INVENTED: ThreatCode.INVENTED_RATERS,
    Raters.MODEL: ThreatCode.MODEL_RATERS,
    Raters.PROGRAM: ThreatCode.PROGRAM_RATERS,
    Raters.UNKNOWN: ThreatCode.UNKNOWN_RATERS,
}
"""Threats of ratings that were not, or perhaps not, given by people."""


def raters(findings: Findings) -> Iterator[Threat]:
    """Ratings and votes not given by people."""
    columns = [(league.measure.name, league.measure.raters) for league in findings.leagues]
    if findings.votes is not None:
        columns.append((str(VOTES), findings.votes.rater_kinds))
    for measure, kinds in columns:
        for kind in kinds:
            if kind in RATERS:
                yield Threat(code=RATERS[kind], severity=Severity.DEMOTES, measure=measure)


def label_origins(findings: Findings) -> Iterator[Threat]:
    """Alignment measures that rest on uncorrected labels not given by people."""
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


def calibrations(findings: Findings) -> Iterator[Threat]:
    """Estimates that rest on a calibration fitted and checked on other data."""
    for league in findings.leagues:
        if league.measure.is_calibrated and league.measure.better != "neither":
            yield Threat(
                code=ThreatCode.CALIBRATION_ELSEWHERE,
                severity=Severity.DEMOTES,
                measure=league.measure.name,
                facts={"models": ", ".join(league.measure.labels_from) or "a model"},
            )


def corpus_shifts(findings: Findings) -> Iterator[Threat]:
    """Estimates from a calibration for texts that are from another corpus."""
    for facts in findings.systems:
        if facts.shift is None:
            continue
        for league in findings.leagues:
            if league.measure.is_calibrated and league.measure.better != "neither":
                yield Threat(
                    code=ThreatCode.CORPUS_SHIFT,
                    severity=Severity.BLOCKS if facts.shift.error is None else Severity.DEMOTES,
                    systems=(facts.system,),
                    measure=league.measure.name,
                    facts=facts.shift.model_dump(mode="json", exclude={"error"}),
                )


def languages(findings: Findings) -> Iterator[Threat]:
    """Measures that were kept although they do not fit a language, or although it is unknown."""
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


def is_superseded(threat: Threat, check: ProtocolCheck | None) -> bool:
    """Whether a run's threat by a protocol gives way to the check of the same protocol on several runs together."""
    if check is None or threat.code not in OF_PROTOCOL:
        return False
    return bool(threat.facts.get("protocol", check.short_hash) == check.short_hash)


def protocols(findings: Findings) -> Iterator[Threat]:
    """Analyses without a protocol, with deviations, or with a protocol registered after there were conversations."""
    check = findings.protocol
    if check is None or check.sha256 is None:
        yield Threat(code=ThreatCode.NO_PROTOCOL, severity=Severity.NOTES)
        return
    if not check.is_kept:
        yield Threat(
            code=ThreatCode.PROTOCOL_NOT_KEPT,
            severity=Severity.DEMOTES,
            facts={"protocol": check.short_hash, "deviations": [each.to_json() for each in check.deviations]},
        )
    if check.data_existed:
        yield Threat(code=ThreatCode.PROTOCOL_AFTER_DATA, severity=Severity.NOTES, facts={"protocol": check.short_hash})


DETECTORS: tuple[Detector, ...] = (
    failures,
    failed_replies,
    failure_differences,
    abstentions,
    suspicions,
    turned_verdicts,
    missing_values,
    unequal_chances,
    lookalike_systems,
    different_situations,
    recognised_acts,
    user_faults,
    user_fault_hints,
    user_fault_differences,
    several_models,
    shared_families,
    different_users,
    no_common_users,
    few_clusters,
    few_raters,
    unequal_clusters,
    unbounded_measures,
    baselines,
    known_seeds,
    no_baselines,
    serves_less,
    listening,
    other_catalogue,
    lacking_titles,
    detect_at_chance,
    raters,
    label_origins,
    calibrations,
    corpus_shifts,
    domains,
    languages,
    training_data,
    several_measures,
    no_human_judgement,
    protocols,
)

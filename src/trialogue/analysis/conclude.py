"""Pipeline step ``conclude``: turn estimates into findings, detect threats, and gate every verdict."""

from collections.abc import Iterator, Sequence

from trialogue.analysis.beside import NOTHING_BESIDE, Beside
from trialogue.analysis.decision import protocol_check
from trialogue.analysis.domains import domain_lines
from trialogue.analysis.infer import Estimates
from trialogue.analysis.measure import Measurements
from trialogue.analysis.training_data import training_lines
from trialogue.errors import DataError, Problem
from trialogue.findings import Example, Findings, League, Sensitivity
from trialogue.findings.calibration_notes import calibration_warnings
from trialogue.findings.decision.verdict import decide_findings
from trialogue.findings.disagreement import disagreements
from trialogue.findings.examples import examples
from trialogue.findings.logs.log import log_findings
from trialogue.findings.sample.collect import sample_of
from trialogue.findings.systems.answer import primary_league
from trialogue.findings.systems.beside import baseline_methods, baseline_sections, failure_sections, sensitivity
from trialogue.findings.threats.language_texts import language_lines
from trialogue.findings.threats.users import separate_users
from trialogue.findings.titles import with_titles
from trialogue.metrics import AnyMetric
from trialogue.metrics.engine.engine import MAX_COMPARED
from trialogue.records import MeasuredUnits

MAX_SLICE_PERMUTATIONS = 4_000  # of which p = .00025 is the smallest: 200 slices can be told apart


def conclude(inferred: Estimates, *, title: str, beside: Beside = NOTHING_BESIDE) -> Findings:
    """Turn estimates into findings with threats, verdicts and the answer, once.

    Args:
        inferred: the estimates.
        title: heading of the report.
        beside: what stands beside them, and decides nothing.

    Raises:
        DataError: nothing could be measured.
    """
    measured = inferred.measured
    if not inferred.leagues and inferred.votes is None:
        raise DataError(_nothing_measured_problem(measured))
    tables = [each for each in measured.counts if isinstance(each, MeasuredUnits)]
    manifest = measured.manifest
    facts = Findings(
        title=title,
        answer=(),
        systems=measured.systems,
        populations=measured.populations,
        dialogues=measured.dialogues,
        people=measured.people,
        reading=measured.material.reading,
        shared_situations=measured.shared_situations,
        separate_users=separate_users(tables, {facts.system for facts in measured.systems}),
        leagues=with_titles(inferred.shown_leagues),
        judge_leagues=beside.judge_leagues,
        sample=sample_of(tables, measured.scores, systems={facts.system for facts in measured.systems}),
        primary=None,
        votes=inferred.votes,
        sensitivity=_sensitivities(inferred),
        training_data=measured.training_data,
        labels=measured.labels,
        domains=measured.domains,
        re_estimates=inferred.re_estimates,
        missing=inferred.missing,
        languages=measured.languages,
        language_mismatches=measured.language_mismatches,
        methods=baseline_methods(inferred.shown_leagues),
        warnings=(*beside.leading, *_warnings(inferred), *beside.warnings),
        alpha=inferred.alpha,
        correction=inferred.correction,
        manifest=manifest.model_copy(update={"inputs": {**manifest.inputs, **beside.inputs}}),
    )
    check = protocol_check(facts, inferred.protocol, inferred.declared_by)
    findings = decide_findings(facts.model_copy(update={"protocol": check}))
    log = log_findings(
        findings,
        measured.material.dialogues,
        measured.scores,
        measured.units,
        leads=not measured.choice.are_named,
        permutations=min(measured.settings.permutations, MAX_SLICE_PERMUTATIONS),
    )
    return findings.model_copy(
        update={
            "log": log,
            "sections": baseline_sections(findings.leagues)
            + failure_sections(measured.failure_sensitivity, findings.leagues)
            + beside.sections,
            "examples": _examples(measured, findings),
        }
    )


def _examples(measured: Measurements, findings: Findings) -> tuple[Example, ...]:
    names = [league.measure.name for league in findings.leagues]
    dialogues = measured.material.dialogues
    chosen = examples(primary_league(findings.leagues), dialogues, measured.scores, units=measured.units, beside=names)
    found = (*chosen, *disagreements(findings.leagues, dialogues, measured.scores, units=measured.units))
    return tuple(_with_answers(example, measured) for example in found) if measured.answers.of_replies else found


def _with_answers(example: Example, measured: Measurements) -> Example:
    """A dialogue with people's answers from separate files about its replies."""
    dialogue = example.dialogue
    own = [
        each
        for each in measured.answers.of_replies
        if (each.system, each.dialogue_id) == (dialogue.system, dialogue.id)
    ]
    return example.model_copy(update={"answers": tuple(own)})


def _warnings(inferred: Estimates) -> tuple[str, ...]:
    """Caveats on the data."""
    measured = inferred.measured
    return (
        *language_lines(measured.language_mismatches),
        *_left_out(measured, inferred.leagues),
        *measured.unanswered,
        *domain_lines(measured.domains),
        *training_lines(measured.training_data),
        *_too_many(len(measured.systems)),
        *calibration_warnings(measured.scores),
        *measured.notes,
        *measured.material.warnings,
        *_answers_left_out(measured),
    )


def _answers_left_out(measured: Measurements) -> Iterator[str]:
    """Warning on answers about units that are not among the records."""
    if left := measured.answers.unmatched:
        yield (
            f"{left} of {measured.answers.given} ratings belong to no dialogue or reply in the input, and are left out."
        )


def _sensitivities(inferred: Estimates) -> tuple[Sensitivity, ...]:
    by_name = {league.measure.name: league for league in inferred.leagues}
    return tuple(
        sensitivity(name, [by_name[metric.measure] for metric in family if metric.measure in by_name])
        for name, family in inferred.measured.choice.families.items()
    )


def _nothing_measured_problem(measured: Measurements) -> Problem:
    misfits = language_lines(measured.language_mismatches)
    if misfits:
        what = "there is nothing to measure here. " + " ".join(misfits)
        return Problem(what, file=", ".join(measured.manifest.inputs))
    chosen = measured.choice.shown
    needs = "; ".join(f"{metric.measure} needs {_needs(metric)}" for metric in chosen)
    return Problem(
        f"there is nothing to measure here{f': {needs}' if needs else ''}.",
        file=", ".join(measured.manifest.inputs),
        hint="Choose other metrics (see: trialogue list metrics), or give situations with references and the responses.",
    )


def _needs(metric: AnyMetric) -> str:
    return ", ".join(metric.card.needs) or "replies"


def _left_out(measured: Measurements, leagues: Sequence[League]) -> list[str]:
    """A line for each metric asked for that has no league, and no line on its language."""
    names: set[str] = {league.measure.name for league in leagues}
    names |= {name for each in measured.language_mismatches for name in each.measures}
    return [
        f"{metric.measure} is left out: it needs {_needs(metric)}, which the data lack."
        for metric in measured.choice.shown
        if metric.measure not in names
    ]


def _too_many(systems: int) -> list[str]:
    if systems <= MAX_COMPARED:
        return []
    return [(f"{systems} systems are not compared in pairs; the limit is {MAX_COMPARED}. Evaluate fewer at a time.")]

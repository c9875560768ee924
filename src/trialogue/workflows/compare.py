"""Compare two versions of a recommender: two folders of runs, or two sets of conversations."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trialogue.errors import DataError, Problem, UnknownNameError, UsageError
from trialogue.findings import Findings, League, Measure, Statement, SystemFacts
from trialogue.findings.comparison.comparison import AS_INDEPENDENT, Comparison, compare_sides
from trialogue.findings.comparison.gate import FAILURE_MARGIN, compare_failures, conclude_comparison
from trialogue.findings.comparison.sides import Side, side
from trialogue.findings.league import estimate_of
from trialogue.findings.records import OVER_MEASURES
from trialogue.findings.threats import Severity, Threat, ThreatCode
from trialogue.findings.threats.detect import threats_of
from trialogue.findings.threats.gate import gate_leagues
from trialogue.metrics import get_card, metric_names
from trialogue.records import CompletionCounts, Estimate, Manifest, MeasureName
from trialogue.records.files.cells import csv_text
from trialogue.records.files.manifest import versions_of
from trialogue.records.files.opening import path_uncompressed
from trialogue.workflows.compare_inputs import Given, are_same, counted_differences, given_side, refuse_itself
from trialogue.workflows.evaluation import Progress, Run, evaluate
from trialogue.workflows.experiment.measured import compared_stages, experiment_run, is_experiment
from trialogue.workflows.inputs.memory import Data, InMemory
from trialogue.workflows.pipeline.report import report
from trialogue.workflows.pipeline.stored import SCORES, StoredRun, holds_run, read_run
from trialogue.workflows.showing import ShowsFindings

OF_A_RUN = frozenset({ThreatCode.SEVERAL_MEASURES, ThreatCode.NO_HUMAN_JUDGEMENT, ThreatCode.FAILURE_DIFFERENCE})
"""What is no threat to a comparison of two versions: it corrects over its measures, and judges failures by itself."""


@dataclass(frozen=True, repr=False)
class Compared(ShowsFindings):
    """A comparison, and the findings that a report draws."""

    comparison: Comparison
    findings: Findings

    def __repr__(self) -> str:
        return self._summary()

    def write(self, folder: Path | str) -> Path:
        """Write the report, ``comparison.json`` and ``moved.csv``; returns the path of the report."""
        from trialogue.records.files.jsonl import to_line
        from trialogue.records.files.opening import write_text

        folder = Path(folder)
        write_text(folder / "comparison.json", to_line(self.comparison) + "\n")
        write_text(folder / "moved.csv", _moved_csv(self.comparison))
        return report(self.findings, folder)


def compare(
    before: str | Path | Run | Data,
    after: str | Path | Run | Data,
    *,
    systems: Sequence[str] = (),
    on: Sequence[str] = (),
    margin: float | None = None,
    failure_margin: float = FAILURE_MARGIN,
    any_language: bool = False,
    alpha: float = 0.05,
    seed: int = 0,
    resamples: int = 10_000,
    progress: Progress | None = None,
) -> Compared:
    """Is the new version better, worse, or can nobody tell?

    Args:
        before: a run in memory, a folder that ``evaluate`` wrote, or conversations (a file, a corpus, or data in memory as
            ``evaluate`` takes them) of the old version.
        after: the same of the new version.
        systems: the system's name (or its two names, before and after) where a run holds several.
        on: measures that decide, by full name or its beginning; (): what people said, else the task outcome of simulated
            users, else nothing decides.
        margin: a loss up to which the new version counts as not worse, in the measure's unit (non-inferiority; a gain within
            it, too, is equivalence).
        failure_margin: share of dialogues by which the new version may fail more often, where that is not significant;
            beyond it, it is worse whatever the measures say.
        any_language: keep measures that are not made for the language of conversations; runs are taken as they are.
        alpha: level at which differences are called, after correction over the measures that decide.
        seed: seed of everything random.
        resamples: bootstrap resamples.
        progress: called with a line now and then.

    Raises:
        UsageError: unclear which systems are meant, unknown measures, impossible options.
        DataError: what is given cannot be read, or holds nothing that both share.
    """
    _check_margins(margin, failure_margin)
    if len(systems) > 2:
        raise UsageError(f"two systems are compared, got {len(systems)} names: {', '.join(systems)}.")
    same = before is after
    old, new = given_side(before, "before"), given_side(after, "after")
    same = same or are_same(old, new)
    first = _read(old, on, seed, resamples, progress, any_language=any_language)
    read = (first, first if same else _read(new, on, seed, resamples, progress, any_language=any_language))
    names = [
        _system(run.concluded, list(systems[place : place + 1] or systems[:1]), given)
        for place, (run, given) in enumerate(zip(read, (old, new), strict=True))
    ]
    refuse_itself(names, same=same, known=[facts.system for facts in first.concluded.systems])
    labels = _labels(names, [_stem(old), _stem(new)])
    sides = [side(label, name, run.concluded, run.scores) for label, name, run in zip(labels, names, read, strict=True)]
    completed = [_completion(each, run.concluded) for each, run in zip(sides, read, strict=True)]
    failures = compare_failures(*completed, margin=failure_margin, alpha=alpha)
    fails = failures is not None and failures.is_worse  # a verdict of its own, for which no measure is needed
    shared = [name for name in sides[0].measures if name in sides[1].measures]
    if not shared and not fails:
        raise DataError(
            Problem(
                "the two have no measure in common.",
                file=f"{_stem(old)}, {_stem(new)}",
                hint="Evaluate both with the same metrics: a metric's variant, parameters and version must be equal.",
            )
        )
    comparison, leagues = compare_sides(
        *sides,
        on=_resolve_measures([name for name in on if not fails or _names_matching(name, shared)], sides, shared),
        margin=margin,
        alpha=alpha,
        seed=seed,
        resamples=resamples,
        within={
            **counted_differences(*read, names, {name: sides[0].measures[name].measured for name in shared}),
            **_own_differences(names, read),
        },
    )
    _check_range(margin, [sides[0].measures[each.measure] for each in comparison.judgements if each.decides])
    units = {sides[0].measures[each.measure].unit for each in comparison.judgements if each.decides}
    if margin is not None and len(units) != 1 and not fails:
        raise UsageError("a margin is in the unit of the deciding measure: name it with on (--on).")
    findings = _findings(comparison, leagues, sides, read, alpha=alpha, seed=seed, resamples=resamples)
    comparison = conclude_comparison(comparison, _threats(findings, sides, read), failures, margin=margin, alpha=alpha)
    decides = {each.measure: each.decides for each in comparison.judgements}
    errs = list(_errs(comparison, sides))
    answer = (*comparison.answer, *(text for name, text in errs if decides[name]))
    others = [text for name, text in errs if not decides[name]]
    stages = compared_stages([Path(each) for each in (old, new) if isinstance(each, str | Path)])
    lacking = [f"{name} is not measured in both runs." for name in on if not _names_matching(name, shared)]
    notes = (*stages, *lacking, *comparison.notes, *others, *_made_differently(read))
    comparison = comparison.model_copy(update={"notes": notes, "answer": answer})
    deciding = [each.measure for each in comparison.judgements if each.decides]
    shown = findings.model_copy(
        update={
            "answer": tuple(Statement(text=text) for text in answer),
            "leagues": gate_leagues(findings.leagues, comparison.threats),
            "threats": comparison.threats,
            "primary": next(iter(deciding), None),
            "warnings": notes,
        }
    )
    return Compared(comparison, shown)


def _folder(given: str | Path | InMemory) -> Path:
    """The folder of a run that may have a name of its own: ``NAME=FOLDER``."""
    folder = Path(str(given))
    return (
        folder
        if isinstance(given, InMemory) or holds_run(folder) or "=" not in str(given)
        else Path(str(given).partition("=")[2])
    )


def _check_margins(margin: float | None, failure_margin: float) -> None:
    if margin is not None and not (math.isfinite(margin) and margin >= 0):
        raise UsageError(
            f"a margin must be a number of at least 0, in the unit of the deciding measure, got {margin!r}."
        )
    if not 0 <= failure_margin <= 1:
        raise UsageError(f"the failure margin must be a share of dialogues from 0 to 1, got {failure_margin!r}.")


def _check_range(margin: float | None, deciding: Sequence[Measure]) -> None:
    """Refuse a margin that no difference can exceed: everything would be equivalent."""
    for measure in deciding:
        low, high = (measure.card.low, measure.card.high) if measure.card is not None else (None, None)
        if margin is not None and low is not None and high is not None and margin >= high - low:
            raise UsageError(
                f"a margin of {margin:g} covers every possible difference on {measure.name}, whose values range "
                f"from {low:g} to {high:g}."
            )


def _completion(side: Side, findings: Findings) -> CompletionCounts | None:
    return next((facts.completion for facts in findings.systems if facts.system == side.system), None)


def _threats(findings: Findings, sides: Sequence[Side], read: Sequence[StoredRun]) -> tuple[Threat, ...]:
    """What can be detected in the comparison itself, and what the runs know of their own values; those that block first."""
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


def _is_of_old_failures(threat: Threat, before: Side) -> bool:
    """Whether it says that the old version never finished: that is no reason to hold a new one back that does."""
    return threat.code is ThreatCode.NEVER_FINISHED and threat.systems == (before.name,)


def _demote_to_note(threat: Threat) -> Threat:
    return threat.model_copy(update={"severity": Severity.NOTES})


def _labeller_threats(sides: Sequence[Side]) -> Iterator[Threat]:
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


def _model_threats(findings: Findings, sides: Sequence[Side]) -> Iterator[Threat]:
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


def _read(
    given: Given,
    on: Sequence[str],
    seed: int,
    resamples: int,
    progress: Progress | None,
    *,
    any_language: bool,
) -> StoredRun:
    """A run as it is; conversations are evaluated, on the metrics that decide where these are named."""
    if isinstance(given, Run):
        return given.to_stored()
    folder = _folder(given)
    if isinstance(given, InMemory) or not holds_run(folder):
        metrics = [name for name in on if _is_metric(name)]
        run = evaluate(
            given,
            metrics=metrics or None,
            seed=seed,
            resamples=resamples,
            any_language=any_language,
            progress=progress,
        )
        return run.to_stored()
    stored = experiment_run(folder) if is_experiment(folder) else read_run(folder)
    if not stored.scores:
        hint = "Was it written completely? Evaluate again."
        raise DataError(Problem("it contains no scores.", file=str(folder / SCORES), hint=hint))
    return stored


def _is_metric(name: str) -> bool:
    measure = MeasureName(name)
    return not measure.is_judgement and measure.metric in metric_names()


def _system(findings: Findings, wanted: Sequence[str], given: Given) -> str:
    known = [facts.system for facts in findings.systems]
    if wanted and (wanted[0] in known):
        return wanted[0]
    if wanted:
        raise UnknownNameError("system", wanted[0], known)
    if len(known) != 1:
        raise UsageError(
            f"{_stem(given)} holds {len(known)} systems ({', '.join(known[:8])}): choose one with --system."
        )
    return known[0]


def _stem(given: Given) -> str:
    """What a version is called where its system's name does not tell: a folder's name, a file's without its ending."""
    if isinstance(given, Run):
        return given.findings.title
    if isinstance(given, InMemory):
        return given.given
    name, equals, _ = str(given).partition("=")
    path = Path(given)
    return name if equals else (path.name if holds_run(path) else path_uncompressed(path).stem) or str(given)


def _labels(names: Sequence[str], stems: Sequence[str]) -> tuple[str, str]:
    for one, other in (names, stems):
        if one != other:
            return one, other
    return "before", "after"


def _resolve_measures(on: Sequence[str], sides: Sequence[Side], shared: Sequence[str]) -> list[str]:
    """Full names of the measures that decide: of those that both runs hold, the ones named that have a direction."""
    directed = [name for name in shared if sides[0].measures[name].better != "neither"]
    found = []
    for one in on:
        matching = _names_matching(one, shared)
        if not matching:
            hint = _side_with_measure(one, sides) + _command_measuring(one)
            raise UnknownNameError("measure", one, shared, where="that both runs hold", hint=hint)
        deciding = [name for name in matching if name in directed]
        if not deciding:
            raise _direction_error(matching, directed)
        found += deciding
    return found


def _direction_error(named: Sequence[str], directed: Sequence[str]) -> UsageError:
    has = "has" if len(named) == 1 else "have"
    do = f"Those with one: {', '.join(directed)}." if directed else "No measure that both runs hold has one."
    return UsageError(
        f"{', '.join(named)} {has} no direction (neither more nor less is better), and cannot decide. "
        f"{do} Without --on, the change of every measure is reported."
    )


def _names_matching(one: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if MeasureName(name).is_called(one)]


def _side_with_measure(one: str, sides: Sequence[Side]) -> str:
    """Which of the two runs holds a measure, where one does."""
    holding = [side.name for side in sides if _names_matching(one, side.measures)]
    return f"Only {holding[0]} holds it. " if len(holding) == 1 else ""


def _command_measuring(one: str) -> str:
    """The command that measures it, where it is one of our metrics."""
    bare = MeasureName(one).metric
    if bare not in metric_names():
        return ""
    aligned = "trialogue align, or " if get_card(bare).family == "alignment" else ""
    return f"It is measured by {aligned}trialogue evaluate --metric '{MeasureName(one).short}'."


def _own_differences(names: Sequence[str], read: Sequence[StoredRun]) -> dict[str, Estimate]:
    """Where both systems stand in one run: its own differences by measure, after minus before, paired and with one fit."""
    if names[0] == names[1] or len({run.inputs.get(SCORES, str(place)) for place, run in enumerate(read)}) > 1:
        return {}
    found: dict[str, Estimate] = {}
    for score in read[0].scores:
        if score.level != "difference" or {score.system, score.versus} != set(names) or score.interval is None:
            continue
        estimate = estimate_of(score)
        found[score.measure] = estimate if score.system == names[1] else estimate.negate()
    return found


def _errs(comparison: Comparison, sides: Sequence[Side]) -> Iterator[tuple[str, str]]:
    """Of measures compared as if the runs were independent, though they share a calibration: which way the interval errs."""
    for each in comparison.judgements:
        if each.difference.interval is None or each.difference.interval.method != AS_INDEPENDENT:
            continue
        measures = [side.measures[each.measure] for side in sides]
        if measures[0].labels_from == measures[1].labels_from and all(measure.is_calibrated for measure in measures):
            text = (
                f"On {each.title} the interval is too wide, and p too large: both runs rest on one calibration "
                f"({'+'.join(measures[0].labels_from)}), whose error moves both values together. The runs do not "
                "record its size, so it is counted as two independent errors. For the exact difference align "
                "both in one run: trialogue align --responses OLD=a NEW=b."
            )
            yield each.measure, text


def _made_differently(read: Sequence[StoredRun]) -> list[str]:
    """What of how the runs were made differs, other than the data."""
    one, other = (run.concluded for run in read)
    notes = []
    for package in sorted({*one.manifest.versions, *other.manifest.versions}):
        versions = [findings.manifest.versions.get(package, "none") for findings in (one, other)]
        if versions[0] != versions[1]:
            notes.append(f"The runs were made with {package} {versions[0]} and {versions[1]}.")
    return notes


def _findings(
    comparison: Comparison,
    leagues: tuple[League, ...],
    sides: Sequence[Side],
    read: Sequence[StoredRun],
    *,
    alpha: float,
    seed: int,
    resamples: int,
) -> Findings:
    facts = [
        facts.model_copy(update={"system": each.name})
        for each, run in zip(sides, read, strict=True)
        for facts in run.concluded.systems
        if facts.system == each.system
    ]
    inputs = {
        f"{each.name}/{name}": digest
        for each, run in zip(sides, read, strict=True)
        for name, digest in run.inputs.items()
    }
    deciding = [each.measure for each in comparison.judgements if each.decides]
    manifest = Manifest(
        command="compare",
        config={"on": list(deciding), "alpha": alpha, "resamples": resamples},
        seed=seed,
        inputs=inputs,
        versions=versions_of("trialogue", "numpy", "scipy", "pydantic"),
    )
    return Findings(
        title=f"{comparison.after} against {comparison.before}",
        answer=(),
        systems=tuple(sorted(facts, key=_sort_key)),
        leagues=leagues,
        primary=next((name for name in deciding), None),
        warnings=comparison.notes,
        alpha=alpha,
        correction=OVER_MEASURES,
        manifest=manifest,
    )


def _sort_key(facts: SystemFacts) -> str:
    return facts.system


def _moved_csv(comparison: Comparison) -> str:
    """Units that lost most, as a table whose cells no spreadsheet takes for formulas."""
    rows = ([each.measure, each.unit, each.before, each.after] for each in comparison.moved)
    return csv_text(["measure", "unit", "before", "after"], rows)

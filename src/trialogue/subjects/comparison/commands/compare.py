"""Compare two versions of a recommender: two run folders, or two sets of conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from trialogue.analysis.calls import arguments_of, manifest_of
from trialogue.analysis.decision import Decision, read_decision, refuse_other_exclusions
from trialogue.analysis.saved_results import SCORES, StoredRun
from trialogue.analysis.stage_measures import compared_stages
from trialogue.datasets.tables.mapping import Columns
from trialogue.errors import DataError, Problem, UsageError
from trialogue.findings import Findings, League, Measure, Statement, SystemFacts
from trialogue.findings.decision.verdict import decide as decide_by
from trialogue.findings.decision.verdict import statements_under
from trialogue.findings.differences.system_sample import SystemSample, collect_system
from trialogue.findings.languages import DIFFERENT
from trialogue.findings.league import estimate_of
from trialogue.findings.protocol import Correction, Margins
from trialogue.findings.standings import OVER_MEASURES
from trialogue.findings.titles import with_titles
from trialogue.inputs.memory import Data
from trialogue.long_work import Progress
from trialogue.options import Alpha, AnyLanguage, FailureMargin, Margin, Resamples, Seed
from trialogue.records import CompletionCounts, Estimate, JsonValue
from trialogue.records.runs import run_draft
from trialogue.subjects.comparison.commands.inputs import (
    are_same,
    labels_of,
    read_version,
    refuse_itself,
    stem_of,
    system_of,
    version_in_memory,
)
from trialogue.subjects.comparison.commands.measures import names_matching, resolve_measures
from trialogue.subjects.comparison.commands.union import (
    comparison_threats,
    findings_under,
    language_mismatches,
    merge_measures,
    refuse_other_scales,
    scale_difference,
    union_findings,
)
from trialogue.subjects.comparison.comparison import compare_systems, deciding_of
from trialogue.subjects.comparison.gate import FAILURE_MARGIN, compare_failures, conclude_comparison
from trialogue.subjects.comparison.records import Comparison
from trialogue.subjects.evaluation.commands.display import ShowsFindings
from trialogue.subjects.evaluation.commands.evaluate import Run
from trialogue.subjects.evaluation.commands.report import report


@dataclass(frozen=True, repr=False)
class ComparisonResult(ShowsFindings):
    """A comparison, and its findings for the report."""

    comparison: Comparison
    findings: Findings

    def __repr__(self) -> str:
        return self._summary()

    def write(self, folder: Path | str) -> Path:
        """Write the report, ``comparison.json`` and ``moved.csv``; returns the path of the report."""
        from trialogue.records.files.jsonl import to_line
        from trialogue.records.files.opening import write_text
        from trialogue.render.media.files import tidy_csv
        from trialogue.subjects.comparison.pages.document import moved_table

        with run_draft(folder, self.findings.manifest) as draft:
            write_text(draft / "comparison.json", to_line(self.comparison) + "\n")
            write_text(draft / "moved.csv", tidy_csv([moved_table(self.comparison.moved)]))
            page = report(self.findings, draft)
        return Path(folder) / page.name


def compare(
    before: str | Path | Run | Data,
    after: str | Path | Run | Data,
    *,
    systems: Sequence[str] = (),
    on: Sequence[str] = (),
    margin: Margin | None = None,
    failure_margin: FailureMargin = FAILURE_MARGIN,
    decide: Decision | None = None,
    any_language: AnyLanguage = False,
    alpha: Alpha = 0.05,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    mapping: Columns | None = None,
    progress: Progress | None = None,
) -> ComparisonResult:
    """Compare two versions of a recommender: better, worse, equivalent or inconclusive.

    Args:
        before: a run in memory, a folder that ``evaluate`` wrote, or conversations (a file, a corpus, or data in memory as
            ``evaluate`` takes them) of the old version.
        after: the same of the new version.
        systems: systems to compare (default: all). Where a run holds several: its name, or its two names, before and
            after.
        on: measures that decide (default: people's ratings, else the task outcome of simulated users). Full names or
            beginnings of them; with neither ratings nor outcomes, nothing decides.
        margin: a loss up to which the new version counts as not worse, in the measure's unit (non-inferiority; a gain within
            it, too, is equivalence).
        failure_margin: share of dialogues by which the new version may fail more often, where that is not significant;
            beyond it, it is worse whatever the measures say.
        decide: a decision protocol, as a YAML file or its fields, in place of ``on``, ``margin`` and ``alpha``.
        any_language: keep measures that are not made for the language of conversations; runs are taken as they are.
        alpha: significance level, after correction across the measures that decide.
        seed: random seed.
        resamples: bootstrap resamples.
        mapping: which column of a table, or path into JSON, is what, where conversations are given.
        progress: called with progress lines.

    Raises:
        UsageError: unclear which systems are meant, unknown measures, impossible options.
        DataError: what is given cannot be read, or holds nothing that both share.
    """
    call = arguments_of(compare, locals())
    protocol = read_decision(decide)
    if protocol is not None:
        if on or margin is not None:
            raise UsageError("a decision protocol names the measures and margins: omit on and margin.")
        if protocol.looks:
            raise UsageError("a decision protocol with interim looks works only with trialogue evaluate --decide.")
        on, alpha, margin = [str(protocol.measure)], protocol.alpha, protocol.margin.non_inferiority
    margins = Margins() if protocol is None else protocol.margin
    further = () if protocol is None or protocol.correction is Correction.WITHIN else protocol.measures
    if len(systems) > 2:
        raise UsageError(f"two systems are compared, got {len(systems)} names: {', '.join(systems)}.")
    same = before is after
    old, new = version_in_memory(before, "before", mapping), version_in_memory(after, "after", mapping)
    same = same or are_same(old, new)
    wanted = [*on, *map(str, further)]
    load = partial(read_version, any_language=any_language, mapping=mapping, protocol=protocol)
    first = load(old, wanted, seed, resamples, progress)
    read = (first, first if same else load(new, wanted, seed, resamples, progress))
    refuse_other_exclusions(
        protocol, {stem_of(each): run.concluded for each, run in zip((old, new), read, strict=True)}
    )
    names = [
        system_of(run.concluded, list(systems[place : place + 1] or systems[:1]), given)
        for place, (run, given) in enumerate(zip(read, (old, new), strict=True))
    ]
    refuse_itself(names, same=same, known=[facts.system for facts in first.concluded.systems])
    labels = labels_of(names, [stem_of(old), stem_of(new)])
    sides = [
        collect_system(label, name, run.concluded.leagues, run.scores, run.counts)
        for label, name, run in zip(labels, names, read, strict=True)
    ]
    sides = merge_measures(sides)
    completed = [_completion(each, run.concluded) for each, run in zip(sides, read, strict=True)]
    failures = compare_failures(*completed, margin=failure_margin, alpha=alpha)
    fails = failures is not None and failures.is_worse  # a verdict of its own, for which no measure is needed
    shared = [name for name in sides[0].measures if name in sides[1].measures]
    if not shared and not fails:
        raise DataError(
            Problem(
                "the two have no measure in common.",
                file=f"{stem_of(old)}, {stem_of(new)}",
                hint="Evaluate both with the same metrics: a metric's variant, parameters and version must be equal.",
            )
        )
    chosen = resolve_measures([name for name in on if not fails or names_matching(name, shared)], sides, shared)
    family = resolve_measures([str(name) for name in further if names_matching(name, shared)], sides, shared)
    refuse_other_scales(sides, chosen or sorted(deciding_of(sides[0], shared)), [stem_of(old), stem_of(new)])
    mismatches = language_mismatches(sides, read, shared, any_language=any_language)
    comparison, leagues = compare_systems(
        *sides,
        on=chosen,
        family=family,
        margin=margin,
        equivalence=margins.equivalence,
        superiority=margins.superiority,
        alpha=alpha,
        seed=seed,
        resamples=resamples,
        within=_own_differences(names, read),
        apart={
            **{name: why for name in shared if (why := scale_difference(sides[0], sides[1], name)) is not None},
            **{name: DIFFERENT for each in mismatches if not each.is_kept for name in each.measures},
        },
    )
    _check_range(margin, [sides[0].measures[each.measure] for each in comparison.judgements if each.decides])
    units = {sides[0].measures[each.measure].unit for each in comparison.judgements if each.decides}
    if margin is not None and len(units) != 1 and not fails:
        raise UsageError("a margin is in the unit of one measure: name the measure with on (--on).")
    findings = union_findings(
        _findings(comparison, leagues, sides, read, call=call, alpha=alpha, seed=seed, resamples=resamples),
        sides,
        read,
        mismatches,
    )
    findings = findings_under(protocol, findings, sides)
    decided = decide_by(findings.leagues, comparison_threats(findings, sides, read), protocol)
    comparison = conclude_comparison(
        comparison,
        decided.threats,
        failures,
        margin=margin,
        equivalence=margins.equivalence,
        family=len(family),
        alpha=alpha,
    )
    if protocol is not None and decided.league is not None and not fails:
        said = statements_under(
            protocol, decided.league, [Statement(text=text) for text in comparison.answer], comparison.threats
        )
        comparison = comparison.model_copy(update={"answer": tuple(each.text for each in said)})
    stages = compared_stages([Path(each) for each in (old, new) if isinstance(each, str | Path)])
    lacking = [f"{name} is not measured in both runs." for name in on if not names_matching(name, shared)]
    notes = (*stages, *lacking, *comparison.notes, *_made_differently(read))
    comparison = comparison.model_copy(update={"notes": notes})
    deciding = [each.measure for each in comparison.judgements if each.decides]
    shown = findings.model_copy(
        update={
            "answer": tuple(Statement(text=text) for text in comparison.answer),
            "leagues": decided.leagues,
            "threats": comparison.threats,
            "primary": next(iter(deciding), None),
            "warnings": notes,
        }
    )
    return ComparisonResult(comparison, shown)


def _check_range(margin: float | None, deciding: Sequence[Measure]) -> None:
    """Refuse a margin that no difference can exceed: everything would be equivalent."""
    for measure in deciding:
        low, high = (measure.card.low, measure.card.high) if measure.card is not None else (None, None)
        if margin is not None and low is not None and high is not None and margin >= high - low:
            raise UsageError(
                f"a margin of {margin:g} covers every possible difference on {measure.name}, whose values range "
                f"from {low:g} to {high:g}."
            )


def _completion(side: SystemSample, findings: Findings) -> CompletionCounts | None:
    return next((facts.completion for facts in findings.systems if facts.system == side.system), None)


def _own_differences(names: Sequence[str], read: Sequence[StoredRun]) -> dict[str, Estimate]:
    """For two systems of one run: its own differences by measure, after minus before, paired and with one calibration."""
    copies = len({run.inputs.get(SCORES, str(place)) for place, run in enumerate(read)}) == 1
    if names[0] == names[1] or not (copies or read[0] is read[1]):
        return {}
    found: dict[str, Estimate] = {}
    for score in read[0].scores:
        if score.level != "difference" or {score.system, score.versus} != set(names):
            continue
        estimate = estimate_of(score)
        found[score.measure] = estimate if score.system == names[1] else estimate.negate()
    return found


def _made_differently(read: Sequence[StoredRun]) -> list[str]:
    """Differences in the runs' settings, except for the data."""
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
    sides: Sequence[SystemSample],
    read: Sequence[StoredRun],
    *,
    call: Mapping[str, JsonValue],
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
    config: dict[str, JsonValue] = {"on": [*deciding], "alpha": alpha, "resamples": resamples}
    manifest = manifest_of("compare", call, config=config, inputs=inputs, seed=seed)
    return Findings(
        title=f"{comparison.after} against {comparison.before}",
        answer=(),
        systems=tuple(sorted(facts, key=_sort_key)),
        leagues=with_titles(leagues),
        primary=next((name for name in deciding), None),
        warnings=comparison.notes,
        alpha=alpha,
        correction=OVER_MEASURES,
        manifest=manifest,
    )


def _sort_key(facts: SystemFacts) -> str:
    return facts.system

"""Correct a judge's scores of a run with human labels, and plan what to label next."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from trialogue.errors import UsageError
from trialogue.findings.judging.conclude import JudgeSettings, judging_findings
from trialogue.findings.judging.records import JudgingFindings, PlannedLabel
from trialogue.findings.judging.units import JudgedUnit, table_of
from trialogue.records import Manifest
from trialogue.records.files.manifest import versions_of
from trialogue.records.score import AGGREGATE
from trialogue.seeds import rng_for
from trialogue.stats.correction.means import LEAST_LABELS
from trialogue.stats.correction.plan import LabelNeed, labels_needed
from trialogue.workflows.evaluation import PACKAGES, Progress
from trialogue.workflows.judging.units import JudgedInput, judged_material


@dataclass(frozen=True)
class LabelPlan:
    """Units to label for a target width."""

    width: float
    """Target width of intervals, from end to end."""
    needs: tuple[LabelNeed, ...]
    """Labels that each system needs."""
    units: tuple[PlannedLabel, ...]
    """Units that were or are to be labelled, in random order."""
    is_pilot: bool
    """Whether nothing is known yet: 10 labels of each system come first."""


def judge(
    run: str | Path,
    *,
    aspect: str,
    labels: str | Path,
    scores: str | Path | None = None,
    chances: Path | None = None,
    how: JudgeSettings | None = None,
    progress: Progress | None = None,
) -> JudgingFindings:
    """Means, differences and ranks of systems by a judge, by labels alone, and by both combined.

    Args:
        run: a folder that ``trialogue evaluate`` wrote, or dialogues.
        aspect: the judge's column: the full name of a measure, or the question that it predicts.
        labels: people's answers to the question of some of the units.
        scores: the judge's scores; None: they are in the run.
        chances: a plan that ``plan_labels`` made, where labels had different chances within a system.
        how: the estimand and the confidence level of the intervals.
        progress: called with a line now and then.

    Raises:
        DataError: there are no such scores or labels, or they are about other dialogues.
        UsageError: a system of the judge's family that is not there, or an impossible setting.
    """
    tell = progress or (lambda _line: None)
    how = how or JudgeSettings()
    tell(f"reading {run}")
    found = judged_material(
        str(run), scores=_path(scores), aspect=aspect, labels=_path(labels), chances=chances, estimand=how.estimand
    )
    table = table_of(found.units, aggregate=AGGREGATE)
    unknown = sorted(set(how.family) - set(table.systems))
    if unknown:
        raise UsageError(
            f"--family names no system of the run: {', '.join(unknown)}. There are {', '.join(table.systems)}."
        )
    tell(f"{len(found.units):,} units, {len(table.labelled):,} labelled")
    return judging_findings(
        table,
        how,
        judge=str(found.judge),
        question=found.question,
        level=found.level,
        labels_by=found.labels_by,
        rater_count=len(found.raters),
        title=f"{found.question.replace('_', ' ').capitalize()}, judged and corrected",
        warnings=_warnings(found, table.abstained),
        manifest=Manifest(
            command="judge",
            config={
                "aspect": aspect,
                "estimand": how.estimand.value,
                "raters": how.raters.value,
                "drawn_overall": how.drawn_overall,
                "confidence": how.confidence,
                "looks": how.looks,
                "scale": list(how.scale),
                "family": list(how.family),
            },
            inputs=found.hashes,
            versions=versions_of(*PACKAGES),
        ),
    )


def plan_labels(
    run: str | Path,
    *,
    aspect: str,
    width: float,
    labels: str | Path | None = None,
    scores: str | Path | None = None,
    how: JudgeSettings | None = None,
    seed: int = 0,
) -> LabelPlan:
    """Select the units to label next for a target interval width, at random within each system.

    Args:
        run: a folder that ``trialogue evaluate`` wrote, or dialogues.
        aspect: the judge's column.
        width: of the interval of each difference (of the mean, of a single system), from end to end.
        labels: those that are there already; None: none are.
        scores: the judge's scores; None: they are in the run.
        how: what will be estimated.
        seed: of the draw.

    Raises:
        UsageError: a width that is not above 0; DataError: as of ``judge``.
    """
    how = how or JudgeSettings()
    if not width > 0:
        raise UsageError(f"--width must be above 0, got {width:g}.")
    found = judged_material(
        str(run), scores=_path(scores), aspect=aspect, labels=_path(labels), chances=None, estimand=how.estimand
    )
    by_system: dict[str, list[JudgedUnit]] = defaultdict(list)
    for unit in found.units:
        by_system[unit.key[0]].append(unit)
    is_pilot = all(sum(bool(unit.answers) for unit in units) < LEAST_LABELS for units in by_system.values())
    level = 1 - (1 - how.confidence) / how.looks
    if labels is None:
        needs = tuple(
            LabelNeed(name, len(units), 0, min(LEAST_LABELS, len(units))) for name, units in sorted(by_system.items())
        )
    else:
        table = table_of(found.units, aggregate=AGGREGATE)
        needs = labels_needed(table, width, estimand=how.estimand, confidence=level)
    chosen = [
        one
        for need in needs
        for one in _draw_labels(by_system[need.system], need.needed or need.judged, need.system, seed)
    ]
    order = rng_for(seed, "order of labels").permutation(len(chosen)).tolist()
    return LabelPlan(width, needs, tuple(chosen[place] for place in order), is_pilot)


def _path(file: str | Path | None) -> str | None:
    return None if file is None else str(file)


def _draw_labels(units: list[JudgedUnit], count: int, system: str, seed: int) -> list[PlannedLabel]:
    """Labelled units and a random sample of the others; inclusion probabilities are equal, because existing labels were
    random."""
    done = [unit for unit in units if unit.answers]
    rest = [unit for unit in units if not unit.answers]
    order = rng_for(seed, "labels", system).permutation(len(rest)).tolist()
    fresh = [rest[place] for place in order[: max(count - len(done), 0)]]
    chance = (len(done) + len(fresh)) / len(units)
    return [
        PlannedLabel(
            system=unit.key[0],
            dialogue_id=unit.key[1],
            situation_id=unit.key[2],
            utterance=unit.key[3],
            chance=chance,
            is_labelled=bool(unit.answers),
        )
        for unit in (*done, *fresh)
    ]


def _warnings(found: JudgedInput, abstained: int) -> list[str]:
    lines = list(found.warnings)
    if abstained:
        lines.append(
            f"The judge gave no score to {abstained} of {len(found.units)} units; they are kept, with its mean "
            "score for the system."
        )
    if len(found.raters) < 2:
        lines.append(
            "Every label comes from one rater or is an aggregate, so disagreement between raters is not included."
        )
    return lines

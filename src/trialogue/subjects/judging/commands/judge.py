"""Judge systems by scores or by language models, correct them with human labels, and plan what to label next."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trialogue.analysis.calls import arguments_of, manifest_of
from trialogue.errors import UsageError
from trialogue.inputs.memory import Data, with_data_read
from trialogue.judges.prompts import signature_of
from trialogue.judges.rubric import Rubric, load_rubric
from trialogue.long_work import Progress
from trialogue.options import Jobs, Seed
from trialogue.records.score import AGGREGATE, Score
from trialogue.seeds import rng_for
from trialogue.stats.correction.means import MIN_LABELS, LabelNeed, labels_needed
from trialogue.stats.correction.table import JudgedTable
from trialogue.subjects.judging.card import judge_card
from trialogue.subjects.judging.commands.ask import (
    JudgeGiven,
    JudgeScores,
    judge_scores,
    prepare_panel,
    shared_families,
)
from trialogue.subjects.judging.commands.consent import check_consent
from trialogue.subjects.judging.commands.probes import prepare_probes
from trialogue.subjects.judging.commands.units import JudgedInput, judged_material, name_of, refuse_other_scale
from trialogue.subjects.judging.conclude import JudgeSettings, judging_findings
from trialogue.subjects.judging.correlations import judged_correlations
from trialogue.subjects.judging.records import JudgeCard, JudgedCorrelation, JudgingFindings, PlannedLabel, ProbeFinding
from trialogue.subjects.judging.units import JudgedUnit, table_of


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
    *given: str | Path | Data,
    aspect: str | None = None,
    labels: Any = None,
    scores: Any = None,
    rubric: str | Path | Rubric | None = None,
    model: JudgeGiven | Sequence[JudgeGiven] | None = None,
    options: Mapping[str, Any] | None = None,
    cache: Path | None = None,
    i_may: bool = False,
    probes: int = 0,
    jobs: Jobs = 1,
    cluster: str | None = None,
    out: Path | str | None = None,
    chances: Path | None = None,
    settings: JudgeSettings | None = None,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> JudgingFindings:
    """Means, differences and ranks of systems by a judge, by labels alone, and by both combined.

    The judge is a column of scores that exists (``scores``, or a measure of the run), or a language model that is asked by a
    rubric (``rubric`` and ``model``). Without labels the findings are the judge's own, and every verdict is conditional.

    Args:
        given: a folder that ``trialogue evaluate`` wrote; or dialogues, or situations and replies: files, corpora, or data
            in memory, as ``evaluate`` takes them.
        aspect: the judge's column: the full name of a measure, or the question that it predicts; None: the only one. Of a
            rubric: one of its aspects (needed if it has several), or the question that its only aspect is compared with.
        labels: people's answers to the question of some of the units: a file, rows, a data frame, or records; None: those
            that the run holds, if any.
        scores: the judge's scores: a file, ``"FILE:COLUMN"``, rows, a data frame, or records; None: they are in the run,
            or a model is asked.
        rubric: a name such as ``"overall"``, a YAML file, or a ``Rubric``.
        model: ``"openai:MODEL"``, a YAML file of options, options, or any ``Judge``; several are a panel.
        options: further options of all models, such as ``url``, ``temperature`` or ``samples``.
        cache: folder of answers, so that no question is paid for twice.
        i_may: whether dialogues of people may be sent to other people's servers without recorded consent.
        probes: maximum number of dialogues (and pairs) used to probe models for biases; 0: no probes.
        jobs: processes that ask (or that models in this process run in); the results are the same for any number.
        cluster: address of a Dask scheduler whose workers see the same files, or ``"local"`` for one of ``jobs`` processes
            on this machine; None: no cluster.
        out: folder for the model's scores, answers and usage; None: they are not written.
        chances: a plan that ``plan_labels`` made, where labels had different chances within a system.
        settings: the estimand and the confidence level of the intervals.
        seed: random seed for the model's draws and for the probes.
        progress: called with progress lines.

    Raises:
        DataError: there are no such scores or labels, they are about other dialogues, or a rubric has mistakes.
        UsageError: options that do not go together, no consent, or an endpoint that cannot be reached.
    """
    call = arguments_of(judge, locals())
    tell = progress or (lambda _line: None)
    settings = settings or JudgeSettings()
    tell(f"reading {', '.join(name_of(one, 'data') for one in given)}")
    sources: Sequence[Any] = with_data_read(given)
    asked: JudgeScores | None = None
    also: tuple[str, ...] = ()
    families: dict[str, str] = {}
    column: str | None = None
    probed: tuple[ProbeFinding, ...] = ()
    if model is not None or rubric is not None:
        if model is None or rubric is None or scores is not None:
            raise UsageError("To judge with a language model, give both a rubric and a model, and omit scores.")
        panel = prepare_panel(sources, rubric, model, options, cache, seed, jobs, cluster)
        chosen, also = aspect_of(panel.rubric, aspect)
        check_consent(panel.disclosure, i_may=i_may)
        planned = prepare_probes(panel, chosen, count=probes, seed=seed) if probes else None
        asked = panel.ask(tell=tell)
        if out is not None:
            asked.write(out)
        if planned is not None:
            probed = planned.ask(confidence=settings.confidence, tell=tell)
            asked = replace(asked, usage=(*asked.usage, *planned.usage()))
            if out is not None:
                asked.write(out)
        sources, scores, column = [panel.material], asked.scores, str(asked.columns[chosen])
        families = shared_families(panel.material, asked)
    elif probes:
        raise UsageError("Probes ask a language model: give a rubric and a model.")
    else:
        column = aspect
    found = judged_material(
        sources,
        scores=scores,
        aspect=column,
        labels=labels,
        chances=chances,
        estimand=settings.estimand,
        also=also,
        families=families,
    )
    refuse_other_scale(found, settings.scale)
    table = table_of(found.units, aggregate=AGGREGATE)
    unknown = sorted(set(settings.family) - set(table.systems))
    if unknown:
        raise UsageError(
            f"--set family names no system of the run: {', '.join(unknown)}. Its systems: {', '.join(table.systems)}."
        )
    tell(f"{len(found.units):,} units, {len(table.labelled):,} labelled")
    if not len(table.labelled) and table.unscored.all():
        whys = {str(each.why): None for each in found.coverage if each.why is not None}
        raise UsageError(
            f"The judge gave no score to any of {len(found.units):,} units: {'; '.join(whys) or 'no reason is recorded'}."
        )
    notes = () if asked is None else asked.notes
    if not len(table.labelled) and settings.scale == (None, None) and found.scale is not None:
        # a raw mean cannot leave the judge's own scale
        settings = replace(settings, scale=(found.scale.low, found.scale.high))
    kind = "judged and corrected" if len(table.labelled) else "judged without correction"
    return judging_findings(
        table,
        settings,
        judge=str(found.judge),
        question=found.question,
        level=found.level,
        labels_by=found.labels_by,
        rater_count=len(found.raters),
        title=f"{found.question.replace('_', ' ').capitalize()}, {kind}",
        warnings=[*notes, *_warnings(found, table)],
        coverage=found.coverage,
        card=_card(found, settings) if len(table.labelled) else None,
        probes=probed,
        correlations=_correlations(found, settings) if len(table.labelled) else (),
        manifest=manifest_of(
            "judge",
            call,
            config={
                "aspect": column,
                "estimand": settings.estimand.value,
                "raters": settings.raters.value,
                "drawn_overall": settings.drawn_overall,
                "confidence": settings.confidence,
                "looks": settings.looks,
                "scale": list(settings.scale),
                "family": list(settings.family),
                **({} if asked is None else {"rubric": asked.rubric.signature, "prompt": signature_of()}),
                **({"probes": probes} if probes else {}),
            },
            seed=seed if asked is not None else None,
            inputs=found.hashes,
        ),
    )


def _correlations(found: JudgedInput, settings: JudgeSettings) -> tuple[JudgedCorrelation, ...]:
    """Correlations of the run's other measures with people's answers."""
    return judged_correlations(
        found.units,
        found.columns,
        aggregate=AGGREGATE,
        estimand=settings.estimand,
        drawn_overall=settings.drawn_overall,
        confidence=settings.confidence,
    )


def _card(found: JudgedInput, settings: JudgeSettings) -> JudgeCard:
    """The judge's report card, from the same units as the estimates."""
    declared = found.label_scale
    scale = settings.scale if declared is None or settings.scale != (None, None) else (declared.low, declared.high)
    return judge_card(
        found.units,
        judge=str(found.judge),
        question=found.question,
        level=found.level,
        scale=scale,
        family=sorted({*settings.family, *(each.system for each in found.coverage if each.family is not None)}),
        confidence=settings.confidence,
    )


def judged_aspect(given: Sequence[Any], aspect: str | None, **asked: Any) -> tuple[str, tuple[Score, ...]]:
    """(the column of an aspect, scores) by models that are asked now; arguments as for ``judge_scores``."""
    rubric = load_rubric(asked["rubric"])
    name, _ = aspect_of(rubric, aspect)
    found = judge_scores(*given, **{**asked, "rubric": rubric})
    return str(found.columns[name]), found.scores


def aspect_of(rubric: Rubric, given: str | None) -> tuple[str, tuple[str, ...]]:
    """(the aspect of a rubric that is analysed, other names of the question in people's labels).

    Raises:
        UsageError: the rubric has several, and none of them is named.
    """
    by_name = {each.name: each for each in rubric.aspects}
    if given in by_name:
        return given, by_name[given].also
    if len(by_name) > 1:
        raise UsageError(
            f"The rubric {rubric.id} has several aspects; name one of them (aspect): {', '.join(by_name)}."
        )
    only = rubric.aspects[0]
    return only.name, only.also if given is None else (given, *only.also)


def plan_labels(
    *given: str | Path | Data,
    aspect: str,
    width: float,
    labels: Any = None,
    scores: Any = None,
    settings: JudgeSettings | None = None,
    seed: Seed = 0,
) -> LabelPlan:
    """Select the units to label next for a target interval width, at random within each system.

    Args:
        given: a folder that ``trialogue evaluate`` wrote; or dialogues, as ``evaluate`` takes them.
        aspect: the judge's column.
        width: width of the interval of each difference (of the mean, of a single system), from end to end.
        labels: existing labels; None: there are none.
        scores: the judge's scores; None: the scores stored in the run.
        settings: what will be estimated.
        seed: random seed for the draw.

    Raises:
        UsageError: a width that is not above 0; DataError: as of ``judge``.
    """
    settings = settings or JudgeSettings()
    if not width > 0:
        raise UsageError(f"--width must be above 0, got {width:g}.")
    found = judged_material(
        with_data_read(given), scores=scores, aspect=aspect, labels=labels, chances=None, estimand=settings.estimand
    )
    refuse_other_scale(found, settings.scale)
    by_system: dict[str, list[JudgedUnit]] = defaultdict(list)
    for unit in found.units:
        by_system[unit.key[0]].append(unit)
    is_pilot = all(sum(bool(unit.answers) for unit in units) < MIN_LABELS for units in by_system.values())
    level = 1 - (1 - settings.confidence) / settings.looks
    if labels is None:
        needs = tuple(
            LabelNeed(name, len(units), 0, min(MIN_LABELS, len(units))) for name, units in sorted(by_system.items())
        )
    else:
        table = table_of(found.units, aggregate=AGGREGATE)
        needs = labels_needed(table, width, estimand=settings.estimand, confidence=level)
    chosen = [
        one
        for need in needs
        for one in _draw_labels(by_system[need.system], need.needed or need.judged, need.system, seed)
    ]
    order = rng_for(seed, "order of labels").permutation(len(chosen)).tolist()
    return LabelPlan(width, needs, tuple(chosen[place] for place in order), is_pilot)


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


def _warnings(found: JudgedInput, table: JudgedTable) -> list[str]:
    lines = list(found.warnings)
    abstained = table.abstained
    if not len(table.labelled):
        return lines
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

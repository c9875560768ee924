"""Outcomes of dialogues by measure, for ranking systems."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from trialogue.findings.passport.ranking import Outcomes
from trialogue.metrics import AnyMetric
from trialogue.records import MeasureName
from trialogue.workflows.inputs.inputs import InputRecords
from trialogue.workflows.simulation.realism import PREDICTORS, values_of

OUTCOMES = ("need_met", "constraints_satisfied@mean", *PREDICTORS)
"""Outcomes to compute; those without data are omitted."""


@dataclass(frozen=True)
class SampleOutcomes:
    """Every outcome of the dialogues of one side."""

    values: dict[str, Outcomes] = field(default_factory=dict)
    """By full name of the measure."""
    judgements: tuple[str, ...] = ()
    """Outcomes judged by people or by a publisher."""


def outcomes_of(material: InputRecords, metrics: Sequence[AnyMetric]) -> SampleOutcomes:
    """The outcomes that are defined for dialogues with a known system, and scores that came with them.

    Args:
        material: dialogues, and scores of files about them.
        metrics: what is measured; what has no direction puts nothing in order.
    """
    ranking = [metric for metric in metrics if metric.card.better != "neither"]
    directions = {metric.measure: metric.card.better for metric in ranking}
    found = {
        name: Outcomes(values, tuple(systems), tuple(clusters), directions.get(name) == "lower")
        for name, (values, systems, clusters) in values_of(material, ranking).items()
        if len(values)
    }
    judgements = tuple(name for name in found if MeasureName(name).is_judgement)
    return SampleOutcomes({**_scores_of_file(material), **found}, judgements)


def _scores_of_file(material: InputRecords) -> dict[str, Outcomes]:
    """Scores of dialogues that were published with them, such as another toolkit's flags of success."""
    clusters = {(each.system, each.id): each.cluster for each in material.dialogues}
    rows: dict[str, list[tuple[float, str, str]]] = {}
    for score in material.scores:
        cluster = clusters.get((score.system, score.dialogue_id or ""))
        if score.level != "dialogue" or score.measure.is_judgement or cluster is None or score.system is None:
            continue
        if score.value is not None:
            rows.setdefault(score.measure, []).append((score.value, score.system, cluster))
    return {
        name: Outcomes(
            np.array([value for value, _, _ in given]),
            tuple(system for _, system, _ in given),
            tuple(cluster for _, _, cluster in given),
        )
        for name, given in rows.items()
    }

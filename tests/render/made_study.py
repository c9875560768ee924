"""Findings of a study of everything, made up."""

import numpy as np

from tests.subjects.people.made import judged, participants, rated
from trialogue.inputs.study_data import Code, Label, StudyData
from trialogue.records import Manifest, MeasureName
from trialogue.subjects.people import StudyFindings
from trialogue.subjects.people.commands.report import analyse


def everything() -> StudyFindings:
    """Two criteria, realism with codes, labels, exclusions."""
    scores, shown = rated(np.random.default_rng(0), workers=9, situations=4, pool=10)
    more = [score.model_copy(update={"measure": MeasureName("human:m/eaning fulness")}) for score in scores]
    labels = [
        Label(f"d{d}", u, f"P00{r}", "ab"[(d * u + r) % 2] + "_label")
        for d in range(5)
        for u in range(3)
        for r in range(2)
    ]
    judgements = [
        one.model_copy(update={"rater": f"P00{place % 9}"})
        for place, one in enumerate(judged(np.random.default_rng(1), pairs=8))
    ]
    data = StudyData(
        title="<A> study",
        scores=[*scores, *more],
        preferences=judgements,
        labels=labels,
        people=participants(9, flagged=(8,)),
        rules={"failed_attention": "answered an attention check wrongly, which is a long story" * 2},
        presentations=shown,
        codes=[Code(one.id, coder, "grammar") for one in judgements[:12] for coder in ("ann", "bob")],
        task="realism",
    )
    return analyse(data, manifest=Manifest(command="study report"), models=True)

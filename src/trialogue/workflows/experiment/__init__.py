"""Experiments end to end: simulate dialogues, collect ratings, measure everything, and report where the results agree.

A file describes an experiment (``file``), stages run it (``stages``), each in a folder named after its dependencies
(``graph``), so that a change reruns only the affected stages, and an interrupted experiment resumes.
"""

from trialogue.workflows.experiment.estimate.plan_text import plan_text
from trialogue.workflows.experiment.file import Experiment, experiment_of, read_experiment
from trialogue.workflows.experiment.graph import Plan, Stage, StageContext
from trialogue.workflows.experiment.registration import protocol_text
from trialogue.workflows.experiment.run import plan_steps, run_experiment

__all__ = [
    "Experiment",
    "Plan",
    "Stage",
    "StageContext",
    "experiment_of",
    "plan_steps",
    "plan_text",
    "protocol_text",
    "read_experiment",
    "run_experiment",
]

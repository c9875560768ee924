"""One experiment from end to end: systems talk, people rate, everything is measured, and one report says where they agree.

A file describes it (``file``), stages do it (``stages``), each into a folder named after what it depends on (``graph``), so
that a change runs only what it touches, and an interrupted experiment goes on where it was.
"""

from trialogue.workflows.experiment.estimate.plan_text import plan_text
from trialogue.workflows.experiment.file import Experiment, experiment_of, read_experiment
from trialogue.workflows.experiment.graph import Doing, Plan, Stage
from trialogue.workflows.experiment.registration import protocol_text
from trialogue.workflows.experiment.run import plan_steps, run_experiment

__all__ = [
    "Doing",
    "Experiment",
    "Plan",
    "Stage",
    "experiment_of",
    "plan_steps",
    "plan_text",
    "protocol_text",
    "read_experiment",
    "run_experiment",
]

"""Pipeline from files to a report, one public function per step, each operating on records only.

``read`` → ``prepare`` → ``measure`` → ``infer`` → ``conclude`` → ``report``. Every command composes these steps; none of
them depends on the command. The return value of a step holds everything that the next one needs.
"""

from trialogue.workflows.pipeline.conclude import conclude
from trialogue.workflows.pipeline.infer import Estimates, infer
from trialogue.workflows.pipeline.measure import Choice, Measurements, choose, measure
from trialogue.workflows.pipeline.read import Step, prepare, read
from trialogue.workflows.pipeline.report import report
from trialogue.workflows.pipeline.saved_results import StoredRun, read_run

PIPELINE = ("read", "prepare", "choose", "measure", "infer", "conclude", "report")
"""The names of the steps, in order; ``choose`` says which metrics are measured."""

__all__ = [
    "PIPELINE",
    "Choice",
    "Estimates",
    "Measurements",
    "Step",
    "StoredRun",
    "choose",
    "conclude",
    "infer",
    "measure",
    "prepare",
    "read",
    "read_run",
    "report",
]

"""Pipeline from files to findings, one public function per step, each operating on records only.

``read`` → ``prepare`` → ``measure`` → ``infer`` → ``conclude``. Every command composes these steps; none of
them depends on the command. The return value of a step holds everything that the next one needs.
"""

from trialogue.analysis.conclude import conclude
from trialogue.analysis.infer import Estimates, infer
from trialogue.analysis.measure import Choice, Measurements, choose, measure
from trialogue.analysis.read import Step, prepare, read
from trialogue.analysis.saved_results import StoredRun, read_run

PIPELINE = ("read", "prepare", "choose", "measure", "infer", "conclude", "report")
"""The names of the steps, in order; ``choose`` says which metrics are measured. ``report`` is that of a subject."""

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
]

"""The road from files to a report, one public function a step, each on records alone.

``read`` → ``prepare`` → ``measure`` → ``infer`` → ``conclude`` → ``report``. Every command composes these steps; none of
them knows which command asked. What a step gives back holds everything that the next one needs.
"""

from trialogue.evaluation.pipeline.concluding import conclude, with_threats
from trialogue.evaluation.pipeline.inferring import Inferred, infer
from trialogue.evaluation.pipeline.measuring import Choice, Measured, choose, measure
from trialogue.evaluation.pipeline.reading import Step, prepare, read
from trialogue.evaluation.pipeline.reporting import report

__all__ = [
    "Choice",
    "Inferred",
    "Measured",
    "Step",
    "choose",
    "conclude",
    "infer",
    "measure",
    "prepare",
    "read",
    "report",
    "with_threats",
]

"""One run from end to end: conversations in, scores, findings and a report out."""

from trialogue.evaluation.material import Material, gather
from trialogue.evaluation.run import Run, evaluate

__all__ = ["Material", "Run", "evaluate", "gather"]

"""One run from end to end: conversations in, scores, findings and a report out."""

from trialogue.workflows.evaluation import Run, evaluate
from trialogue.workflows.inputs.inputs import Material, gather

__all__ = ["Material", "Run", "evaluate", "gather"]

"""Trialogue: find out whether a conversational recommender is any good, measured, simulated and judged.

>>> import trialogue
>>> run = trialogue.evaluate("demo", resamples=1000)
>>> run.findings.primary
'human:satisfaction'
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from trialogue.workflows import evaluate as evaluate
    from trialogue.workflows.inputs.read import read as read
    from trialogue.workflows.score import score as score

_PLACES = {
    "evaluate": "trialogue.workflows",
    "score": "trialogue.workflows.score",
    "read": "trialogue.workflows.inputs.read",
}
__all__ = ["__version__", "evaluate", "read", "score"]


def __getattr__(name: str) -> Any:
    """The rooms' main functions, imported when they are first used, so that ``import trialogue`` costs nothing."""
    if name not in _PLACES:
        raise AttributeError(f"module 'trialogue' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)

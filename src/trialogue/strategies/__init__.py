"""Strategy labels of utterances: the thirteen strategies, models that label them, and their evaluation.

``label_records`` writes labels and distributions with a ``Model``: the ``default_model`` that needs no download, one that
``train`` fits on ``examples_of`` labelled dialogues, or one that ``load_model`` reads. ``evaluate`` measures the accuracy of
a kind of model.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from trialogue.strategies.base import (
    CLASSES,
    Context,
    Example,
    Fit,
    Floats,
    Kind,
    PairClassifier,
    StrategyClassifier,
    data_hash,
    examples_of,
    ordered_classes,
)
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.evaluation.protocols import evaluate, evaluate_trained
from trialogue.strategies.labelling import Options, label_records
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import Model, load_model, save_model

if TYPE_CHECKING:
    from trialogue.strategies.pairs.crossencoder import CrossEncoder as CrossEncoder

_LAZY = {"CrossEncoder": "trialogue.strategies.pairs.crossencoder"}
__all__ = [
    "CLASSES",
    "Context",
    "CrossEncoder",
    "Example",
    "Fit",
    "Floats",
    "Kind",
    "Model",
    "Options",
    "PairClassifier",
    "StrategyClassifier",
    "data_hash",
    "default_model",
    "evaluate",
    "evaluate_trained",
    "examples_of",
    "label_records",
    "load_model",
    "ordered_classes",
    "save_model",
    "train",
]


def __getattr__(name: str) -> Any:
    """Import a public name lazily: importing encoders takes 70 ms."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)

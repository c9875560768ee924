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
from trialogue.strategies.card import ModelCard, card_lines
from trialogue.strategies.evaluation.coverage import Coverage, coverage_of
from trialogue.strategies.evaluation.protocols import evaluate, evaluate_trained
from trialogue.strategies.evaluation.results import PROTOCOLS, EvaluationResult
from trialogue.strategies.labelling import Options, label_dialogue, label_records, label_response
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import Model, kinds, load_model, recipe, save_model
from trialogue.strategies.names import canonical
from trialogue.strategies.pairs.protocols import evaluate_pairs
from trialogue.strategies.pairs.training_pairs import (
    PairSet,
    hard_classes,
    mixed_hard_pairs,
    original_pairs,
    write_pairs,
)
from trialogue.strategies.paper_data import judge_pairs, read_annotations, read_pairs, table5
from trialogue.strategies.taxonomy import TAXONOMY, Strategy, bundled_examples

if TYPE_CHECKING:
    from trialogue.strategies.pairs.crossencoder import CrossEncoder as CrossEncoder

_LAZY = {"CrossEncoder": "trialogue.strategies.pairs.crossencoder"}
__all__ = [
    "CLASSES",
    "PROTOCOLS",
    "TAXONOMY",
    "Context",
    "Coverage",
    "CrossEncoder",
    "EvaluationResult",
    "Example",
    "Fit",
    "Floats",
    "Kind",
    "Model",
    "ModelCard",
    "Options",
    "PairClassifier",
    "PairSet",
    "Strategy",
    "StrategyClassifier",
    "bundled_examples",
    "canonical",
    "card_lines",
    "coverage_of",
    "data_hash",
    "default_model",
    "evaluate",
    "evaluate_pairs",
    "evaluate_trained",
    "examples_of",
    "hard_classes",
    "judge_pairs",
    "kinds",
    "label_dialogue",
    "label_records",
    "label_response",
    "load_model",
    "mixed_hard_pairs",
    "ordered_classes",
    "original_pairs",
    "read_annotations",
    "read_pairs",
    "recipe",
    "save_model",
    "table5",
    "train",
    "write_pairs",
]


def __getattr__(name: str) -> Any:
    """Import a public name lazily: importing encoders takes 70 ms."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)

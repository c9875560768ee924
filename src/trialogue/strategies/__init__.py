"""What an utterance does: the thirteen strategies, labellers that write them onto records, and how far to trust them.

``label_records`` writes labels and distributions with a ``Model``: the ``default_model`` that needs no download, one that
``train`` makes of ``examples_of`` labelled dialogues, or one that ``load_model`` reads. ``evaluate`` says how good a kind of
model is.
"""

from trialogue.strategies.base import CLASSES, Example, Fit, Kind, PairClassifier, StrategyClassifier, examples_of
from trialogue.strategies.card import ModelCard, card_lines
from trialogue.strategies.coverage import Coverage, coverage_of
from trialogue.strategies.default import default_model
from trialogue.strategies.label import Options, label_dialogue, label_records, label_response
from trialogue.strategies.models import Model, kinds, load_model, recipe, save_model
from trialogue.strategies.names import canonical
from trialogue.strategies.pair_protocols import evaluate_pairs
from trialogue.strategies.pairs import PairSet, hard_classes, mixed_hard_pairs, original_pairs, write_pairs
from trialogue.strategies.protocols import evaluate, evaluate_trained
from trialogue.strategies.released import judge_pairs, read_annotations, read_pairs, table5
from trialogue.strategies.results import PROTOCOLS, EvaluationResult
from trialogue.strategies.taxonomy import TAXONOMY, Strategy, bundled_examples
from trialogue.strategies.training import train

__all__ = [
    "CLASSES",
    "PROTOCOLS",
    "TAXONOMY",
    "Coverage",
    "EvaluationResult",
    "Example",
    "Fit",
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
    "original_pairs",
    "read_annotations",
    "read_pairs",
    "recipe",
    "save_model",
    "table5",
    "train",
    "write_pairs",
]

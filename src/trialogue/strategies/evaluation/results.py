"""Results of evaluating a strategy model."""

from typing import ClassVar, Literal, TypeAlias

from trialogue.records import Record
from trialogue.strategies.learning.dyads import PairScores
from trialogue.strategies.learning.scoring import LabelScores

Protocol: TypeAlias = Literal["dialogue", "text", "pairs", "transfer"]

PROTOCOLS: dict[str, str] = {
    "dialogue": "folds of whole dialogues: no dialogue is in both training and test data",
    "text": "folds of distinct texts: no tested text was in the training data, but its dialogue may have been",
    "pairs": "folds of pairs of sentences, as in the paper: a tested pair was not in the training data, but both of "
    "its sentences were",
    "transfer": "trained on one corpus, tested on another that was not used for fitting",
}
LEAK_ABOVE = 0.6  # accuracy on balanced pairs with permuted labels; .5 is what knows nothing


class LeakTest(Record):
    """Result of the same protocol with labels permuted over texts: what memorisation achieves."""

    pair_accuracy: float
    """Accuracy on balanced pairs; .5 without any leak."""
    pair_auc: float
    """The same as AUC."""
    label_accuracy: float | None
    """Accuracy of the labels; None where the protocol has none."""
    leaks: bool
    """Whether the pair accuracy is above .6: then the protocol measures memory."""


class EvaluationResult(Record):
    """Result of an evaluation protocol."""

    kind: ClassVar[str] = "strategy_evaluation"

    model: str
    """Origin of a trained model, or name of the trained kind."""
    protocol: str
    """One of PROTOCOLS."""
    folds: int | None
    """Folds; None where there are none."""
    seed: int
    """Seed of folds, pairs, permutation and intervals."""
    classes: tuple[str, ...]
    """The strategies that are distinguished."""
    n: int
    """Sentences tested."""
    dialogues: int
    """Dialogues they are from; 0 where unknown."""
    left_out: int
    """Sentences given with labels of other classes."""
    data: str
    """Hash of the tested examples."""
    trained_on: str | None
    """Hash of the training data where they are others."""
    seen_texts: float | None
    """Share of the tested sentences whose words occur in what the model judging them was trained on; None: unknown."""
    labels: LabelScores | None
    """The labels; None for ``pairs``, where every sentence was trained on."""
    unseen_accuracy: float | None
    """Accuracy of the labels of sentences whose words were not seen; None where none was, or this is unknown."""
    pairs: PairScores
    """Balanced pairs of tested sentences."""
    temperature: float
    """Mean temperature over folds; 1 where the raw model is right as it is."""
    leak: LeakTest | None
    """None where it was not asked for, or the model was trained before."""

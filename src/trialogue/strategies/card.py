"""Model cards: how a model was trained and what it scored; and the commands that train a better one.

Kinds of models more accurate than the current one, each with the command that trains it and its measured accuracy.

Numbers are those of five folds by dialogue on INSPIRED dev and test (``benchmarks/STRATEGIES.md``, ``ENCODERS.md``), so a
model trained on other data may gain more or less.
"""

from dataclasses import dataclass

from pydantic import Field

from trialogue.languages import ENGLISH
from trialogue.records import Estimate, JsonValue, Record
from trialogue.strategies.learning.calibration import Calibration
from trialogue.strategies.learning.dyads import PairScores
from trialogue.strategies.learning.scoring import LabelScores

OWN_DATA = "its own data, unseen"


class MeasuredAccuracy(Record):
    """Accuracy on other data than the training data."""

    on: str
    """Name of the data that it was measured on."""
    protocol: str
    """Name of the evaluation protocol."""
    n: int
    """Number of sentences tested."""
    accuracy: Estimate
    """Share of sentences labelled right."""
    macro_f1: Estimate
    """Mean F1 over strategies."""
    pair_accuracy: Estimate
    """Accuracy on balanced pairs."""
    pair_kappa: Estimate
    """The same beyond chance."""
    pair_auc: Estimate
    """Chance that a pair with one strategy ranks above one with two."""
    seen: float
    """Share of the sentences whose words occur in the training data."""


class ModelCard(Record):
    """Card of a trained model."""

    model: str
    """Kind of model, such as ``"tfidf"``."""
    origin: str
    """Model, version and hash of its data, as it stands on every label."""
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    """Settings that are not the defaults."""
    languages: tuple[str, ...] | None = ENGLISH
    """ISO 639 codes of the languages it was trained on; None: several. English for models of earlier versions."""
    sources: tuple[str, ...]
    """Corpora it was trained on; ``bundled`` are the examples that come with Trialogue."""
    dialogues: int
    """Dialogues; 0 for single sentences."""
    n: int
    """Sentences that calibration and numbers are made from."""
    extra: int = 0
    """Sentences it was trained on besides."""
    counts: dict[str, int]
    """Sentences of each strategy, without those."""
    split: str
    """Origin of the numbers below."""
    labels: LabelScores
    """On its training data, each sentence by a model that had not seen it."""
    pairs: PairScores
    """On balanced pairs of those sentences."""
    calibration: Calibration
    """Part of the model."""
    calibrated_on: str = OWN_DATA
    """Data that the calibration was fitted on."""
    measured: tuple[MeasuredAccuracy, ...] = ()
    """Accuracy on data of other sources, where it was measured."""
    better: str | None = None
    """The commands that train better ones, one a line, where there are any."""
    seed: int
    """Seed of folds and pairs."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Packages it was trained with."""


def number(estimate: Estimate, digits: int = 3) -> str:
    """Format an estimate as ".707 [.689, .725]", without leading zeros, or "undefined".

    >>> number(Estimate(value=0.707))
    '.707'
    """
    return estimate.render(_bare, digits, undefined="undefined")


def _bare(value: float, digits: int) -> str:
    text = f"{value:z.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def card_lines(card: ModelCard) -> list[str]:
    """Render a card as lines of text for the terminal."""
    whole = f"{card.n} sentences" + (f" of {card.dialogues} dialogues" if card.dialogues else "")
    whole += f" and {card.extra} others" if card.extra else ""
    lines = [
        f"{card.origin}: {len(card.counts)} classes, trained on {whole} ({', '.join(card.sources)}).",
        f"On its own data, {card.split}:",
        f"  labels of {len(card.counts)} classes: {_labels(card.labels.accuracy, card.labels.macro_f1)}, "
        f"log-loss {number(card.labels.log_loss)}, calibration error {number(card.labels.calibration_error)}",
        f"  pairs: {_pairs(card.pairs.by_cluster.accuracy, card.pairs.by_cluster.kappa, card.pairs.by_cluster.auc)}",
    ]
    for found in card.measured:
        lines += [
            f"On {found.on} ({found.protocol}; n = {found.n}, {found.seen:.0%} of the sentences seen in training):",
            f"  labels: {_labels(found.accuracy, found.macro_f1)}",
            f"  pairs: {_pairs(found.pair_accuracy, found.pair_kappa, found.pair_auc)}",
        ]
    lines.append(
        f"Calibrated on {card.calibrated_on}. Unsure below a probability of {card.calibration.unsure_below:.2f}; "
        f"{1 - card.calibration.kept:.0%} of human sentences with a strategy seem to fit none."
    )
    known = card.calibration.matching_error is not None
    lines.append(
        f"Intervals of implicit alignment {'include' if known else 'leave out'} the calibration's own error"
        f"{'.' if known else ', which is unknown for this model: train it again, on at least ten dialogues.'}"
    )
    return lines + [f"A better one: {each}" for each in (card.better or "").splitlines()]


def _labels(accuracy: Estimate, macro_f1: Estimate) -> str:
    return f"accuracy {number(accuracy)}, macro-F1 {number(macro_f1)}"


def _pairs(accuracy: Estimate, kappa: Estimate, auc: Estimate) -> str:
    return f"accuracy {number(accuracy)}, kappa {number(kappa)}, AUC {number(auc)} (balanced)"


TRAIN_COMMAND = "trialogue strategies train --data inspired --out FOLDER --model"
ENCODER_COMMAND = "trialogue data get minilm"


@dataclass(frozen=True)
class ModelTier:
    """A kind of model, from the simplest to the best."""

    kind: str
    """Its name; ``bundled`` is the one that comes with Trialogue."""
    accuracy: str
    """Share of unseen sentences of INSPIRED that it labels right, 13 strategies."""
    needs: str
    """Requirements beyond Trialogue itself; "" for none."""


TIERS = (
    ModelTier("bundled", ".73", ""),
    ModelTier("tfidf", ".75", ""),
    ModelTier("encoder", ".77", f"an encoder: {ENCODER_COMMAND}"),
    ModelTier("ensemble", ".80", f"an encoder: {ENCODER_COMMAND}; and torch, to train: trialogue[neural]"),
)


def upgrade_commands(kind: str) -> str | None:
    """Commands that train better models than one of that kind, one a line, with the gain as a comment of the shell.

    None if no better kind is known, or the kind is not.

    >>> print(upgrade_commands("tfidf").splitlines()[0].partition("--model ")[2].partition(";")[0])
    encoder  # accuracy .77 on unseen INSPIRED dialogues with 13 strategies, instead of .75
    >>> upgrade_commands("ensemble") is None
    True
    """
    tiers = {tier.kind: place for place, tier in enumerate(TIERS)}
    tiers["finetuned"] = tiers["encoder"]  # fine-tuned ones were right as often (ENCODERS.md)
    if kind not in tiers or tiers[kind] + 1 == len(TIERS):
        return None
    current, better = TIERS[tiers[kind]], TIERS[tiers[kind] + 1 :]
    return "\n".join(_command_line(tier, current) for tier in better)


def _command_line(tier: ModelTier, current: ModelTier) -> str:
    needs = f"; needs {tier.needs}" if tier.needs else ""
    return (
        f"{TRAIN_COMMAND} {tier.kind}  # accuracy {tier.accuracy} on unseen INSPIRED dialogues with 13 strategies, "
        f"instead of {current.accuracy}{needs}"
    )

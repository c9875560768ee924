"""Results of evaluating a strategy model."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from trialogue.records import Dialogue, Estimate, Reason, ReasonCode, Record
from trialogue.seeds import rng_for
from trialogue.stats import cohen_kappa
from trialogue.strategies.base import Example, Fit, Floats, Ints, StrategyClassifier
from trialogue.strategies.learning.calibration import (
    codes,
    fit_calibration,
    logit,
    platt,
    same_probability,
    shared_mass,
    sharpen,
)
from trialogue.strategies.learning.dyads import Bools, Pairs, PairScores, draw_pairs
from trialogue.strategies.learning.folds import (
    Split,
    WithExtra,
    ask,
    fold_of_each,
    groups_of,
    normalise_words,
    out_of_fold,
)
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
    """Name of the protocol, a key of ``PROTOCOLS``."""
    folds: int | None
    """Folds; None where there are none."""
    seed: int
    """Seed of folds, pairs, permutation and intervals."""
    classes: tuple[str, ...]
    """The strategies that are distinguished."""
    n: int
    """Number of sentences tested."""
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


@dataclass(frozen=True)
class Plan:
    """Settings of a run."""

    fit: Fit
    classes: tuple[str, ...]
    """The strategies that are distinguished."""
    folds: int
    """Parts of the data."""
    seed: int
    pairs: int
    """Balanced pairs to judge, of either kind, at most."""
    n_jobs: int = 1
    """Processes for the folds."""
    extra: tuple[Example, ...] = ()
    """Sentences that every model is trained on and that are never tested."""

    @property
    def train(self) -> Fit:
        """The fit, including the extra sentences."""
        return WithExtra(self.fit, self.extra) if self.extra else self.fit


@dataclass(frozen=True, eq=False)
class ProtocolPredictions:
    """Predictions of a protocol before scoring."""

    clear: Floats | None
    """Calibrated probabilities of the labels, shape (n, n_classes)."""
    pairs: Pairs
    """Pairs of tested sentences."""
    chances: Floats
    """Probability of each pair to share a strategy, half of all doing so."""
    seen: Bools | None
    """Whether the words of each sentence were trained on, shape (n,)."""
    temperature: float
    """Mean over folds."""


def run(plan: Plan, protocol: str, kept: Sequence[Example], tested: Sequence[Example] | None) -> ProtocolPredictions:
    """Run a protocol."""
    if tested is not None:
        return _transfer(plan, kept, tested)
    return (
        _cross_validate_pairs(plan, kept)
        if protocol == "pairs"
        else _cross_validate_groups(plan, kept, "text" if protocol == "text" else "dialogue")
    )


def _cross_validate_groups(plan: Plan, kept: Sequence[Example], split: Split) -> ProtocolPredictions:
    """Each fold is judged by a model of the others, and calibrated by what such models say of the others."""
    labels = [example.label for example in kept]
    fold_of = fold_of_each(labels, groups_of(kept, split), folds=plan.folds, rng=rng_for(plan.seed, "folds"))
    raw = out_of_fold(plan.train, kept, fold_of, plan.classes, n_jobs=plan.n_jobs)
    clear, temperatures = np.empty_like(raw), []
    drawn: list[Pairs] = []
    chances: list[Floats] = []
    for fold in range(plan.folds):
        own, others = np.flatnonzero(fold_of == fold), np.flatnonzero(fold_of != fold)
        rng = rng_for(plan.seed, "calibration", str(fold))
        found = fit_calibration(raw[others], [labels[place] for place in others], plan.classes, rng=rng)
        clear[own] = sharpen(raw[own], found.temperature)
        temperatures.append(found.temperature)
        inside = draw_pairs(
            codes([labels[place] for place in own], plan.classes),
            plan.pairs // plan.folds,
            rng=rng_for(plan.seed, "pairs", str(fold)),
        )
        placed = Pairs(own[inside.left], own[inside.right], inside.same)
        drawn.append(placed)
        chances.append(same_probability(clear[placed.left], clear[placed.right], found.same))
    together = Pairs(*(np.concatenate(part) for part in zip(*drawn, strict=True)))
    known = mask_of_repeated_sentences(kept, fold_of) | mask_of_training_sentences(kept, plan.extra)
    return ProtocolPredictions(clear, together, np.concatenate(chances), known, float(np.mean(temperatures)))


def _cross_validate_pairs(plan: Plan, kept: Sequence[Example]) -> ProtocolPredictions:
    """Pairs are dealt to folds; a fold is judged by a model of all sentences in the other folds' pairs."""
    drawn = draw(kept, plan.classes, plan.pairs, plan.seed)
    rng = rng_for(plan.seed, "pair folds")
    fold_of = rng.permutation(np.arange(len(drawn.same)) % plan.folds)
    chances = np.empty(len(drawn.same))
    models: dict[tuple[int, ...], StrategyClassifier] = {}
    for fold in range(plan.folds):
        train, own = fold_of != fold, fold_of == fold
        known = tuple(np.unique(np.concatenate([drawn.left[train], drawn.right[train]])).tolist())
        if known not in models:
            models[known] = plan.train([kept[place] for place in known])
        raw = ask(models[known], kept, plan.classes)
        scores = logit(shared_mass(raw[drawn.left], raw[drawn.right]))
        slope, intercept = platt(scores[train], drawn.same[train])
        chances[own] = 1 / (1 + np.exp(-np.clip(slope * scores[own] + intercept, -700, 700)))
    return ProtocolPredictions(None, drawn, chances, np.ones(len(kept), dtype=bool), 1.0)


def _transfer(plan: Plan, kept: Sequence[Example], tested: Sequence[Example]) -> ProtocolPredictions:
    """Trained and calibrated on one corpus, judged on the other."""
    labels = [example.label for example in kept]
    fold_of = fold_of_each(labels, groups_of(kept, "dialogue"), folds=plan.folds, rng=rng_for(plan.seed, "folds"))
    raw = out_of_fold(plan.train, kept, fold_of, plan.classes, n_jobs=plan.n_jobs)
    found = fit_calibration(raw, labels, plan.classes, rng=rng_for(plan.seed, "calibration"))
    clear = sharpen(ask(plan.train(kept), tested, plan.classes), found.temperature)
    drawn = draw(tested, plan.classes, plan.pairs, plan.seed)
    chances = same_probability(clear[drawn.left], clear[drawn.right], found.same)
    return ProtocolPredictions(
        clear, drawn, chances, mask_of_training_sentences(tested, [*kept, *plan.extra]), found.temperature
    )


def draw(examples: Sequence[Example], classes: Sequence[str], pairs: int, seed: int) -> Pairs:
    """Sample balanced pairs of examples."""
    columns = codes([example.label for example in examples], classes)
    return draw_pairs(columns, pairs, rng=rng_for(seed, "pairs"))


def mask_of_training_sentences(tested: Sequence[Example], trained: Sequence[Example]) -> Bools:
    """Whether the words of each tested sentence occur in the training data, shape (n,)."""
    known = {normalise_words(example.text) for example in trained}
    return np.array([normalise_words(example.text) in known for example in tested])


def mask_of_repeated_sentences(examples: Sequence[Example], fold_of: Ints) -> Bools:
    """Whether the words of each sentence also occur in another fold, shape (n,)."""
    where: dict[str, set[int]] = {}
    words = [normalise_words(example.text) for example in examples]
    for text, fold in zip(words, fold_of.tolist(), strict=True):
        where.setdefault(text, set()).add(fold)
    return np.array([len(where[text]) > 1 for text in words])


RESAMPLES = 2_000


def kappa_between_people(dialogues: Iterable[Dialogue], *, origin: str = "expert", seed: int = 0) -> Estimate:
    """Cohen's kappa of the labels of one annotator and those of the others on the same sentences.

    The interval resamples dialogues. Only sentences that somebody labelled a second time count, which may have been chosen
    because they were hard; ``n`` says how many they are.

    Args:
        dialogues: dialogues with labels by people.
        origin: whose labels are compared with everybody else's.
        seed: seed for the resamples.
    """
    pairs = list(_pairs(dialogues, origin))
    if len(pairs) < 2:
        return Estimate(value=None, n=len(pairs), why=Reason.of(ReasonCode.TOO_FEW_RATERS, raters=1))
    first, second, clusters = zip(*pairs, strict=True)
    rng = rng_for(seed, "kappa between people")
    return cohen_kappa(first, second, clusters=clusters, rng=rng, resamples=RESAMPLES)


def _pairs(dialogues: Iterable[Dialogue], origin: str) -> Iterator[tuple[str, str, str]]:
    """(one's label, another's label, dialogue) of each sentence with labels by both; the first label of each counts."""
    for dialogue in dialogues:
        for utterance in dialogue.utterances:
            by_text: dict[str | None, dict[str, str]] = {}
            for label in utterance.strategies or ():
                if label.is_by_a_person:
                    by_text.setdefault(label.text, {}).setdefault(label.origin, label.strategy)
            for given in by_text.values():
                if origin in given:
                    yield from ((given[origin], other, dialogue.id) for name, other in given.items() if name != origin)

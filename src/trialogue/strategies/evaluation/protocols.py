"""Evaluation protocols of strategy models: splits by dialogue, by text and by pair, and transfer, each with a leakage test.

A split by pair, as in the paper, lets every sentence occur on both sides: a model need only remember it. So every protocol
is repeated with labels permuted over the texts, where only memorisation can help: any accuracy above
.5 there is leakage.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, get_args

import numpy as np

from trialogue.errors import UsageError
from trialogue.fingerprints import fingerprint
from trialogue.seeds import rng_for
from trialogue.stats import auc
from trialogue.strategies.base import (
    CLASSES,
    Example,
    Fit,
    StrategyClassifier,
    check_examples,
    data_hash,
    ordered_classes,
)
from trialogue.strategies.evaluation.results import (
    LEAK_ABOVE,
    EvaluationResult,
    LeakTest,
    Plan,
    Protocol,
    ProtocolPredictions,
    draw,
    mask_of_training_sentences,
    run,
)
from trialogue.strategies.learning.calibration import codes, same_probability
from trialogue.strategies.learning.dyads import RESAMPLES, Bools, Dyads, pair_scores
from trialogue.strategies.learning.folds import ask, groups_of, normalise_words, places_of
from trialogue.strategies.learning.scoring import label_scores

PAIRS = 10_000  # of either kind


def evaluate(
    fit: Fit,
    examples: Sequence[Example],
    *,
    protocol: Protocol = "dialogue",
    test: Sequence[Example] | None = None,
    classes: Sequence[str] = CLASSES,
    folds: int = 5,
    seed: int = 0,
    pairs: int = PAIRS,
    resamples: int = RESAMPLES,
    leak_test: bool = True,
    extra: Sequence[Example] = (),
    n_jobs: int = 1,
) -> EvaluationResult:
    """Evaluate models trained by ``fit`` under a protocol.

    Temperature and the probability that a pair shares a strategy are always fitted on other dialogues (texts, corpora)
    than those they are applied to.

    Args:
        fit: trains a labeller; see ``models.recipe``.
        examples: labelled sentences; for ``transfer`` those to train on.
        protocol: one of ``results.PROTOCOLS``.
        test: the other corpus, for ``transfer``.
        classes: strategies to distinguish; sentences with other labels are left out. By default the 13 and
            ``no_strategy``, which models are trained on; the paper has the 13 (``STRATEGIES``).
        folds: parts of the data.
        seed: random seed.
        pairs: balanced pairs to judge, of either kind, at most.
        resamples: bootstrap replicates of every interval.
        leak_test: also run it on permuted labels (twice the time).
        extra: sentences that every model is trained on, too, and that are never tested, such as ``bundled_examples()``.
        n_jobs: processes for the folds; the result is the same whatever it is.

    Raises:
        UsageError: too few examples, dialogues or classes; ``test`` without ``transfer`` or the reverse.
    """
    data = prepare_data(examples, protocol, test, classes)
    plan = Plan(fit, data.classes, folds, seed, pairs, n_jobs, tuple(extra))
    result = evaluate_run(
        lambda kept, tested: run(plan, protocol, kept, tested),
        data,
        seed=seed,
        resamples=resamples,
        leak_test=leak_test,
    )
    return result.model_copy(update={"model": name_of(plan.train), "protocol": protocol, "folds": folds})


@dataclass(frozen=True)
class Data:
    """Validated data of a protocol."""

    kept: list[Example]
    """Examples of the wanted classes."""
    tested: list[Example] | None
    """Test examples of another corpus; None if training and test examples come from the same data."""
    classes: tuple[str, ...]
    """The strategies of the former."""
    left_out: int
    """Tested examples with other labels."""


Runner: TypeAlias = Callable[[Sequence[Example], Sequence[Example] | None], ProtocolPredictions]


def prepare_data(
    examples: Sequence[Example], protocol: str, test: Sequence[Example] | None, classes: Sequence[str]
) -> Data:
    """Prepare the data for a protocol; UsageError if they are insufficient or unsuitable."""
    if protocol not in get_args(Protocol):
        raise UsageError(f"protocol must be {', '.join(get_args(Protocol))}, got {protocol!r}.")
    if (protocol == "transfer") != (test is not None):
        raise UsageError("transfer requires other data to test on; the other protocols test on the given data.")
    kept = _select_classes(examples, classes)
    check_examples(kept)
    known = ordered_classes(example.label for example in kept)
    tested = None if test is None else _select_classes(test, known)
    if test is not None and tested is not None:
        _check_common_classes(known, test, tested)
        return Data(kept, tested, known, len(test) - len(tested))
    return Data(kept, None, known, len(examples) - len(kept))


def evaluate_run(runner: Runner, data: Data, *, seed: int, resamples: int, leak_test: bool) -> EvaluationResult:
    """Result of a run on the data and, optionally, on permuted labels; the caller sets name, protocol and folds."""
    scored = data.kept if data.tested is None else data.tested
    result = _score_run(runner(data.kept, data.tested), scored, data.classes, seed, resamples)
    return result.model_copy(
        update={
            "left_out": data.left_out,
            "trained_on": None if data.tested is None else data_hash(data.kept),
            "leak": _leak(runner, data, seed) if leak_test else None,
        }
    )


def name_of(fit: object) -> str:
    """Name of a fit."""
    return str(getattr(fit, "name", None) or getattr(fit, "__name__", type(fit).__name__))


def evaluate_trained(
    model: StrategyClassifier,
    same: tuple[float, float],
    test: Sequence[Example],
    *,
    classes: Sequence[str] = CLASSES,
    trained_on: Sequence[Example] | frozenset[str] | None = None,
    seed: int = 0,
    pairs: int = PAIRS,
    resamples: int = RESAMPLES,
) -> EvaluationResult:
    """Evaluate a trained and calibrated model on other data (``transfer``).

    Args:
        model: model with calibrated probabilities.
        same: its (slope, intercept) for pairs.
        test: labelled sentences that it was not trained on.
        classes: strategies to distinguish: what the model gives to others is spread over these.
        trained_on: its training data, or their fingerprints (``Model.fingerprints``), for the share of texts seen; None:
            unknown.
        seed: seed for pairs and intervals.
        pairs: balanced pairs to judge, of either kind, at most.
        resamples: bootstrap replicates.

    Raises:
        UsageError: the model knows none of the strategies of the test data, or there are too few of them.
    """
    known = ordered_classes(label for label in model.classes if label in frozenset(classes))
    tested = _select_classes(test, known)
    _check_common_classes(known, test, tested)
    clear = ask(model, tested, known)
    drawn = draw(tested, known, pairs, seed)
    chances = same_probability(clear[drawn.left], clear[drawn.right], same)
    found = ProtocolPredictions(clear, drawn, chances, _mask_of_training_sentences(tested, trained_on), 1.0)
    result = _score_run(found, tested, known, seed, resamples)
    return result.model_copy(update={"model": model.origin, "left_out": len(test) - len(tested)})


def _mask_of_training_sentences(
    tested: Sequence[Example], trained_on: Sequence[Example] | frozenset[str] | None
) -> Bools | None:
    if isinstance(trained_on, frozenset):
        return np.array([fingerprint(example.text) in trained_on for example in tested])
    return None if trained_on is None else mask_of_training_sentences(tested, trained_on)


def permute_labels(examples: Sequence[Example], *, rng: np.random.Generator) -> list[Example]:
    """Examples with labels permuted over distinct texts."""
    first: dict[str, str] = {}
    for example in examples:
        first.setdefault(normalise_words(example.text), example.label)
    labels = list(first.values())
    dealt = dict(zip(first, [labels[place] for place in rng.permutation(len(labels))], strict=True))
    return [example.model_copy(update={"label": dealt[normalise_words(example.text)]}) for example in examples]


def _select_classes(examples: Sequence[Example], classes: Sequence[str]) -> list[Example]:
    wanted = frozenset(classes)
    return [example for example in examples if example.label in wanted]


def _check_common_classes(known: Sequence[str], given: Sequence[Example], tested: Sequence[Example]) -> None:
    if not tested:
        labels = ", ".join(ordered_classes(example.label for example in given)) or "there is none"
        raise UsageError(
            f"no label in the data ({labels}) is a class of the model ({', '.join(known) or 'none of those requested'})."
        )
    check_examples(tested)


def _leak(runner: Runner, data: Data, seed: int) -> LeakTest:
    dealt = permute_labels([*data.kept, *(data.tested or ())], rng=rng_for(seed, "permutation"))
    train, test = dealt[: len(data.kept)], None if data.tested is None else dealt[len(data.kept) :]
    found = runner(train, test)
    truth = codes([example.label for example in (train if test is None else test)], data.classes)
    accuracy = float(np.mean((found.chances >= 0.5) == found.pairs.same))
    rank = auc(found.chances, found.pairs.same).value
    return LeakTest(
        pair_accuracy=accuracy,
        pair_auc=0.5 if rank is None else rank,
        label_accuracy=None if found.clear is None else float(np.mean(found.clear.argmax(axis=1) == truth)),
        leaks=accuracy > LEAK_ABOVE,
    )


def _score_run(
    found: ProtocolPredictions, tested: Sequence[Example], classes: tuple[str, ...], seed: int, resamples: int
) -> EvaluationResult:
    """The result of a trained model; what a training adds is for the caller to put in."""
    groups = groups_of(tested, "dialogue")
    dialogues = len({example.dialogue_id for example in tested if example.dialogue_id is not None})
    unit = "dialogue" if dialogues else "sentence"
    truth = codes([example.label for example in tested], classes)
    labels, unseen = None, None
    if found.clear is not None:
        rng = rng_for(seed, "label intervals")
        labels = label_scores(found.clear, truth, classes, groups, unit=unit, rng=rng, resamples=resamples)
        if found.seen is not None and not found.seen.all():
            unseen = float(np.mean((found.clear.argmax(axis=1) == truth)[~found.seen]))
    words = np.array([normalise_words(example.text) for example in tested])
    dyads = Dyads.from_pairs(found.pairs, found.chances, places_of(groups))
    return EvaluationResult(
        model="",
        protocol="transfer",
        folds=None,
        seed=seed,
        classes=classes,
        n=len(tested),
        dialogues=dialogues,
        left_out=0,
        data=data_hash(tested),
        trained_on=None,
        seen_texts=None if found.seen is None else float(found.seen.mean()),
        labels=labels,
        unseen_accuracy=unseen,
        pairs=pair_scores(
            dyads,
            unit=unit,
            rng=rng_for(seed, "pair intervals"),
            identical=int((words[found.pairs.left] == words[found.pairs.right]).sum()),
            resamples=resamples,
        ),
        temperature=found.temperature,
        leak=None,
    )

"""Neural models of strategies with ``no_strategy`` as a fourteenth class: a part of ``benchmarks/ENCODERS.md``, which
``benchmarks/encoders.py`` writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.kept import Once, finetuned
from benchmarks.strategies import LABEL_HEAD, PAIR_HEAD, label_row, pair_row, table
from trialogue.records import NO_STRATEGY, STRATEGIES, Estimate
from trialogue.seeds import rng_for
from trialogue.stats.resampling.replicates import Plan, bootstrap_weighted
from trialogue.strategies.base import CLASSES, Example, Fit, Floats, Ints, StrategyClassifier
from trialogue.strategies.card import number
from trialogue.strategies.classifiers.encoder_linear import EncoderFit
from trialogue.strategies.classifiers.tfidf import TfidfFit
from trialogue.strategies.evaluation.protocols import evaluate
from trialogue.strategies.evaluation.results import EvaluationResult
from trialogue.strategies.learning.calibration import codes
from trialogue.strategies.learning.folds import ask, groups_of, places_of
from trialogue.strategies.taxonomy import bundled_examples

TITLE = "## Fourteen classes"
FIVE, ONCE = "dialogue", "dev to test"


def fourteen_part(kept: Path, both: Sequence[Example], commit: str, *, may_train: bool) -> str:
    """The section of the page; ``both`` has INSPIRED's sentences with 14 classes. LookupError without the networks."""
    found: list[tuple[str, str, EvaluationResult]] = []
    right: dict[tuple[str, int], Right] = {}
    fits: dict[str, Fit] = {"TF-IDF": TfidfFit(), "encoder": EncoderFit()}
    network: Fit = Once(finetuned(kept, may_train=may_train, seed=0))
    for classes in (STRATEGIES, CLASSES):
        for name, fit in (fits | {"fine-tuned": network}).items():
            result, right[name, len(classes)] = dev_to_test(fit, both, classes)
            found.append((name, ONCE, result))
            print(label_row(found[-1][2], name, ONCE), flush=True)
        for name, fit in fits.items():
            if name != "TF-IDF":
                whole = evaluate(fit, both, classes=classes, extra=bundled_examples(), leak_test=False)
                found.append((name, FIVE, whole))
                print(label_row(whole, name, FIVE), flush=True)
    found.sort(key=lambda row: (row[1] == FIVE, [*fits, "fine-tuned"].index(row[0])))
    labels = [label_row(result, name, protocol) for name, protocol, result in found]
    pairs = [pair_row(result, name, f"{protocol}, {len(result.classes)} classes") for name, protocol, result in found]
    none = [none_row(result, name, protocol) for name, protocol, result in found if len(result.classes) == len(CLASSES)]
    gaps = [
        f"{number(gap(right['fine-tuned', size], right[name, size]))} above {name} ({size})"
        for size in (len(STRATEGIES), len(CLASSES))
        for name in fits
    ]
    return f"""{TITLE}

After commit {commit}. The 14th class is `no_strategy`, 541 of INSPIRED's 3,624 sentences; `trialogue strategies
train` has it by default. By dialogue: five folds of dev and test, as above. Dev to test: one model, trained on dev and the
bundled sentences (networks: those written with dev in view), so that a network need not be trained six times; temperature
and the probability of a pair are fitted on four fifths of test's dialogues and used on the last fifth, by turns. Rows with
13 and with 14 classes are different tasks: the latter has more sentences and one more class. The network was
trained once for each, from one seed; what another would change is in no interval. TF-IDF by dialogue is in `STRATEGIES.md`.

{table(LABEL_HEAD, labels)}
{table(PAIR_HEAD, pairs)}
Accuracy of the network's labels, dev to test (classes in brackets; paired, by dialogue): {"; ".join(gaps)}.

`no_strategy` itself:

{table(NONE_HEAD, none)}"""


NONE_HEAD = "| model | protocol | n | recall | precision | taken for |\n"


def none_row(found: EvaluationResult, name: str, protocol: str) -> str:
    assert found.labels is not None
    own = next(each for each in found.labels.classes if each.strategy == NO_STRATEGY)
    taken = ", ".join(f"{other.strategy} {other.n}" for other in own.confusions)
    return f"| {name} | {protocol} | {own.n} | {own.recall or 0:.2f} | {own.precision or 0:.2f} | {taken} |"


@dataclass(frozen=True, eq=False)
class Right:
    """Whether each sentence was labelled rightly."""

    right: Floats
    dialogues: Ints
    """Number of each sentence's."""


def gap(ours: Right, theirs: Right) -> Estimate:
    """Accuracy of one above that of another on the same sentences."""
    rows = np.column_stack([ours.right - theirs.right, np.ones(len(ours.right))])
    sums = np.zeros((int(ours.dialogues.max()) + 1, 2))
    np.add.at(sums, ours.dialogues, rows)
    units = np.ones(len(sums), dtype=np.int64)
    return bootstrap_weighted(
        lambda weights: (weights @ sums[:, 0]) / (weights @ sums[:, 1]),
        units,
        Plan(rng_for(0, "gap"), 2_000),
        n=len(rows),
    )


def dev_to_test(fit: Fit, both: Sequence[Example], classes: Sequence[str]) -> tuple[EvaluationResult, Right]:
    """A model of INSPIRED dev on test, calibrated on other dialogues of test than it is scored on."""
    kept = [each for each in both if each.label in classes]
    dev, test = ([each for each in kept if each.source == f"inspired/{part}"] for part in ("dev", "test"))
    model = fit([*dev, *(each for each in bundled_examples() if each.label in classes)])

    def trained(examples: Sequence[Example]) -> StrategyClassifier:
        return model

    found = evaluate(trained, test, classes=classes, leak_test=False)
    likeliest = ask(model, test, classes).argmax(axis=1)  # calibration changes none
    right = np.asarray(likeliest == codes([each.label for each in test], classes), dtype=np.float64)
    groups = places_of(groups_of(test, "dialogue"))
    return found.model_copy(update={"seen_texts": None, "unseen_accuracy": None}), Right(right, groups)

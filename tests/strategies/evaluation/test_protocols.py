"""Splits and their leaks."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.strategies.made import examples
from tests.untraced import untraced
from trialogue.errors import UsageError
from trialogue.records import STRATEGIES
from trialogue.strategies.base import CLASSES, Context, Example, Floats, examples_of, ordered_classes
from trialogue.strategies.card import card_lines
from trialogue.strategies.classifiers.tfidf import TfidfFit
from trialogue.strategies.evaluation.protocols import evaluate, evaluate_trained, permute_labels
from trialogue.strategies.evaluation.results import EvaluationResult
from trialogue.strategies.learning.folds import normalise_words
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import Model, recipe

FEW: tuple[str, ...] = ("credibility", "experience_inquiry", "similarity", "encouragement")
GIVEN = examples(45, classes=FEW, dialogues=30)


@dataclass(frozen=True)
class Memory:
    """Knows by heart what it was trained on, and nothing else."""

    known: dict[str, str]
    classes: tuple[str, ...]
    name: str = "memory"
    origin: str = "memory|v1"
    uses_context: bool = False

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        rows = np.full((len(texts), len(self.classes)), 0.01)
        for row, text in zip(rows, texts, strict=True):
            if text in self.known:
                row[self.classes.index(self.known[text])] = 1
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def memory(train: Sequence[Example]) -> Memory:
    return Memory({e.text: e.label for e in train}, ordered_classes(e.label for e in train))


@pytest.fixture(scope="module")
def by_dialogue() -> EvaluationResult:
    return evaluate(TfidfFit(), GIVEN, classes=FEW, pairs=2_000, resamples=100)


def test_by_dialogue_a_model_is_judged_by_what_it_learned(by_dialogue: EvaluationResult) -> None:
    assert by_dialogue.labels is not None
    assert (by_dialogue.labels.accuracy.value or 0) > 0.75
    assert (by_dialogue.pairs.by_cluster.accuracy.value or 0) > 0.75
    assert by_dialogue.pairs.unit == "dialogue"
    assert by_dialogue.pairs.prevalence == 0.5
    assert by_dialogue.seen_texts is not None
    assert by_dialogue.seen_texts < 0.1
    assert (by_dialogue.n, by_dialogue.dialogues, by_dialogue.classes) == (180, 30, FEW_ORDERED)


FEW_ORDERED = ordered_classes(FEW)


def test_by_dialogue_nothing_can_be_had_by_heart(by_dialogue: EvaluationResult) -> None:
    assert by_dialogue.leak is not None
    assert by_dialogue.leak.pair_accuracy == pytest.approx(0.5, abs=0.06)
    assert by_dialogue.leak.label_accuracy == pytest.approx(0.25, abs=0.12)
    assert not by_dialogue.leak.leaks


def test_by_pair_a_model_that_only_remembers_seems_perfect() -> None:
    found = evaluate(memory, GIVEN, classes=FEW, protocol="pairs", pairs=2_000, resamples=50)
    assert found.labels is None
    assert found.seen_texts == 1
    assert (found.pairs.by_cluster.accuracy.value or 0) > 0.95
    assert found.leak is not None
    assert found.leak.leaks
    assert found.leak.pair_accuracy > 0.95  # on labels dealt out at random!


def test_by_dialogue_the_same_model_knows_nothing() -> None:
    found = evaluate(memory, GIVEN, classes=FEW, pairs=2_000, resamples=50)
    assert found.pairs.by_cluster.accuracy.value == pytest.approx(0.5, abs=0.06)


def test_by_text_no_tested_text_was_trained_on() -> None:
    doubled = [*GIVEN, *(example.model_copy(update={"dialogue_id": "other"}) for example in GIVEN)]
    found = evaluate(memory, doubled, classes=FEW, protocol="text", pairs=500, resamples=20, leak_test=False)
    assert found.seen_texts == 0
    assert found.leak is None
    assert found.pairs.identical > 0
    leaky = evaluate(memory, doubled, classes=FEW, protocol="dialogue", pairs=500, resamples=20, leak_test=False)
    assert leaky.seen_texts is not None
    assert leaky.seen_texts > 0.9


def test_transfer_tests_on_what_nothing_was_fitted_on() -> None:
    other = [
        Example(text="Have you watched Alien?", label="experience_inquiry"),
        Example(text="Did you see Up?", label="experience_inquiry"),
        Example(text="Me too, I love that!", label="similarity"),
        Example(text="I agree with you", label="similarity"),
        Example(text="Hello", label="no_strategy"),
    ]
    found = evaluate(TfidfFit(), GIVEN, protocol="transfer", test=other, classes=FEW, resamples=20)
    assert found.labels is not None
    assert found.labels.accuracy.value == 1
    assert (found.n, found.left_out, found.pairs.unit) == (4, 1, "sentence")
    assert found.trained_on is not None
    assert found.leak is not None


def test_a_trained_model_is_judged_on_other_data(small: Model) -> None:
    other = examples(45, dialogues=15)[::3]
    found = evaluate_trained(
        small, small.same_coefficients, other, classes=STRATEGIES, trained_on=examples(30), pairs=500, resamples=20
    )
    assert found.model == small.origin
    assert found.classes == STRATEGIES  # no_strategy was not asked for
    assert found.left_out == sum(example.label == "no_strategy" for example in other)
    assert found.seen_texts is not None
    assert 0.5 < found.seen_texts < 0.8
    assert found.unseen_accuracy is not None
    assert found.labels is not None
    assert found.unseen_accuracy < (found.labels.accuracy.value or 0)


def test_a_model_is_judged_on_the_classes_that_it_was_trained_on(small: Model) -> None:
    """The product trains 14 classes; a benchmark of 13 would be of another model."""
    other = examples(45, dialogues=15)[::3]
    found = evaluate_trained(small, small.same_coefficients, other, pairs=500, resamples=20)
    assert (found.classes, found.left_out) == (small.classes, 0)


def test_a_model_of_other_classes_is_refused(small: Model) -> None:
    acts = [Example(text="Hi", label="Greet"), Example(text="Bye", label="Bye")]
    with pytest.raises(
        UsageError, match=r"no label in the data \(Bye, Greet\) is a class of the model \(acknowledgment"
    ):
        evaluate_trained(small, small.same_coefficients, acts, classes=[*CLASSES, "Greet", "Bye"])
    with pytest.raises(UsageError, match="is a class of the model"):
        evaluate(TfidfFit(), GIVEN, protocol="transfer", test=acts)


def test_the_result_is_reproducible_and_the_seed_matters() -> None:
    first, again, other = (
        evaluate(TfidfFit(), GIVEN, classes=FEW, pairs=300, resamples=20, leak_test=False, seed=seed)
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first.pairs != other.pairs
    assert EvaluationResult.model_validate(first.to_json()) == first


@pytest.mark.slow
def test_the_number_of_processes_does_not_matter() -> None:
    alone, together = (
        evaluate(TfidfFit(), GIVEN, classes=FEW, pairs=300, resamples=20, leak_test=False, n_jobs=n) for n in (1, 2)
    )
    assert alone == together


def test_extra_sentences_are_trained_on_and_never_tested() -> None:
    given, extra = GIVEN[::3], [example.model_copy(update={"dialogue_id": None}) for example in GIVEN]
    alone, helped = (
        evaluate(memory, given, classes=FEW, pairs=300, resamples=20, leak_test=False, extra=added)
        for added in ((), extra)
    )
    assert alone.labels is not None
    assert helped.labels is not None
    assert (alone.n, helped.n) == (60, 60)
    assert helped.labels.accuracy.value == 1  # it has seen them all
    assert (alone.labels.accuracy.value or 0) < 0.5
    assert helped.seen_texts == 1
    assert helped.model.endswith("and 180 sentences")
    model = train(given, extra=[*extra, Example(text="x", label="Greet")])
    assert (model.card.n, model.card.extra, sum(model.card.counts.values())) == (60, 180, 60)
    assert "60 sentences of 10 dialogues and 180 others" in card_lines(model.card)[0]


def test_permuting_keeps_one_label_for_each_text() -> None:
    twice = [*GIVEN, *GIVEN]
    dealt = permute_labels(twice, rng=np.random.default_rng(0))
    labels: dict[str, set[str]] = {}
    for example in dealt:
        labels.setdefault(normalise_words(example.text), set()).add(example.label)
    assert {len(found) for found in labels.values()} == {1}
    assert [example.text for example in dealt] == [example.text for example in twice]
    agree = np.mean([one.label == other.label for one, other in zip(dealt, twice, strict=True)])
    assert agree == pytest.approx(0.25, abs=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protocol": "random"}, "protocol must be dialogue, text, pairs, transfer"),
        ({"protocol": "transfer"}, "transfer requires other data"),
        ({"test": GIVEN}, "transfer requires other data"),
        ({"folds": 99}, "got 30 groups"),
        ({"classes": ["similarity"]}, "at least 2 different strategies"),
        ({"classes": ["Greet"]}, "no labelled sentences"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        evaluate(TfidfFit(), GIVEN, **options)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.mirror
@pytest.mark.reproduction
@untraced()
def test_inspired_gives_the_numbers_that_were_to_be_met(mirror: Path) -> None:
    """Five folds by dialogue, 13 classes: accuracy .707, macro-F1 .585, pairs .829 / .658 / .913 (spec, tables 5 and 6)."""
    given = inspired(mirror)
    assert (len(given), len({example.dialogue_id for example in given})) == (3083, 198)
    found = evaluate(recipe("tfidf"), given, classes=STRATEGIES, resamples=100, leak_test=False)
    assert found.labels is not None
    assert found.labels.accuracy.value == pytest.approx(0.707, abs=0.012)
    assert found.labels.macro_f1.value == pytest.approx(0.585, abs=0.02)
    assert found.labels.log_loss.value == pytest.approx(0.92, abs=0.03)
    assert found.pairs.by_cluster.accuracy.value == pytest.approx(0.829, abs=0.01)
    assert found.pairs.by_cluster.kappa.value == pytest.approx(0.658, abs=0.02)
    assert found.pairs.by_cluster.auc.value == pytest.approx(0.913, abs=0.01)


@pytest.mark.slow
@pytest.mark.mirror
@pytest.mark.reproduction
def test_the_bundled_model_is_as_good_on_inspired_as_its_card_says(mirror: Path, bundled: Model) -> None:
    given = inspired(mirror)
    found = evaluate_trained(bundled, bundled.same_coefficients, given, classes=STRATEGIES, resamples=50)
    on_card = next(measured for measured in bundled.card.measured if measured.on.startswith("INSPIRED dev and test"))
    assert found.labels is not None
    assert found.labels.accuracy.value == pytest.approx(on_card.accuracy.value, abs=0.005)
    assert found.pairs.by_cluster.accuracy.value == pytest.approx(on_card.pair_accuracy.value, abs=0.005)


def inspired(mirror: Path) -> list[Example]:
    from trialogue.datasets.corpora.inspired import CORPUS
    from trialogue.records import Dialogue

    read = CORPUS.read(mirror / "inspired", note=lambda problem: None)
    return list(examples_of((record for record in read if isinstance(record, Dialogue)), classes=STRATEGIES))

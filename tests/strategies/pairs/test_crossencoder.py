import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.strategies.made import examples
from trialogue.errors import DataError, MissingExtraError, UsageError
from trialogue.records import STRATEGIES
from trialogue.strategies.base import Example
from trialogue.strategies.evaluation.protocols import permute_labels
from trialogue.strategies.pairs.crossencoder import (
    CrossEncoder,
    CrossEncoderFit,
    PairPlan,
    plan_and_fit,
    save_cross_encoder,
)
from trialogue.strategies.pairs.protocols import PAPER_CONFUSIONS, evaluate_pairs, measure_hard_strategies

QUICK: dict[str, Any] = {"epochs": 1, "batch": 8, "longest": 24}


def needs_trainer() -> None:
    for package in ("torch", "transformers", "accelerate"):
        pytest.importorskip(package, reason=f"{package} is not installed: cross-encoders cannot be trained here")


def two_kinds() -> list[Example]:
    return [
        Example(text=f"{word} {tail}", label=label, dialogue_id=f"d{place}")
        for word, label in (("have you", "experience_inquiry"), ("i loved", "personal_opinion"))
        for place, tail in enumerate(("it", "the movie", "a comedy", "this film", "that", "all", "them", "him"))
    ]


def test_it_learns_which_pairs_share_a_strategy_and_is_read_again(tiny_encoder: Path, tmp_path: Path) -> None:
    needs_trainer()
    pairs = PairPlan(pairs=50).draw(two_kinds(), seed=0)
    fit = CrossEncoderFit(encoder=str(tiny_encoder), epochs=40, rate=5e-3, batch=16, longest=24, segments=True)
    model = fit(pairs)
    found = model.same_probability(
        ["have you it", "have you it", "i loved it"], ["have you the movie", "i loved that", "have you all"]
    )
    assert (found > 0.5).tolist() == [True, False, False]
    save_cross_encoder(model, tmp_path / "m")
    again = CrossEncoder.load(tmp_path / "m")
    with pytest.raises(UsageError, match="is not empty"):
        save_cross_encoder(model, tmp_path / "m")
    assert again.origin == model.origin
    np.testing.assert_allclose(
        again.same_probability(["have you it"], ["i loved it"]),
        model.same_probability(["have you it"], ["i loved it"]),
        atol=1e-6,
    )


def test_it_runs_under_the_protocols_of_pairs_with_hard_negatives(tiny_encoder: Path) -> None:
    needs_trainer()
    given = examples(8, classes=STRATEGIES, dialogues=6)
    plan, fit = plan_and_fit({"encoder": str(tiny_encoder), "pairs": 40, "hard": "paper", "hard_pairs": 8, **QUICK})
    found = evaluate_pairs(
        fit,
        given,
        folds=2,
        train_pairs=plan.pairs,
        hard=plan.hard_ones(seed=0),
        hard_pairs=plan.hard_pairs,
        pairs=40,
        resamples=50,
        leak_test=False,
    )
    assert found.model == "cross-encoder"
    assert found.labels is None
    assert found.pairs.n == 80


def test_the_world_s_randomness_is_left_alone(tiny_encoder: Path) -> None:
    needs_trainer()
    random.seed(3)
    expected = random.random()
    random.seed(3)
    CrossEncoderFit(encoder=str(tiny_encoder), **QUICK)(PairPlan(pairs=8).draw(two_kinds(), seed=0))
    assert random.random() == expected


def test_pairs_are_cut_to_the_positions_that_the_encoder_has(tiny_encoder: Path) -> None:
    needs_trainer()
    long = "have you seen the movie that i loved and all of them liked " * 5  # over 120 tokens a pair; 64 positions
    given = [one.model_copy(update={"text": f"{one.text} {long}"}) for one in two_kinds()]
    fit = CrossEncoderFit(encoder=str(tiny_encoder), epochs=1, batch=8)  # 128 tokens by default
    model = fit(PairPlan(pairs=8).draw(given, seed=0))
    assert model.tokenizer.longest == 64
    assert model.same_probability([long], [long]).shape == (1,)


def test_no_pairs_have_no_probabilities(tiny_encoder: Path) -> None:
    needs_trainer()
    model = CrossEncoderFit(encoder=str(tiny_encoder), **QUICK)(PairPlan(pairs=8).draw(two_kinds(), seed=0))
    assert model.same_probability([], []).shape == (0,)


def test_mixed_hard_puts_a_fifth_of_hard_pairs_in() -> None:
    pairs = PairPlan(pairs=100, hard="paper").draw(examples(20, classes=STRATEGIES), seed=0)
    assert (len(pairs), int(pairs.same.sum()), int(pairs.hard.sum())) == (200, 100, 20)  # 100 / 5 hard ones
    for one, other, _ in (row for row, hard in zip(pairs.rows(), pairs.hard.tolist(), strict=True) if hard):
        assert PAPER_CONFUSIONS[one.label] == other.label


def test_mixed_hard_by_measurement_takes_what_the_training_sentences_show() -> None:
    given = permute_labels(
        examples(6, classes=STRATEGIES), rng=np.random.default_rng(0)
    )  # nothing to be learned: all is hard
    expected = measure_hard_strategies(given, seed=3)
    pairs = PairPlan(pairs=100, hard="measured").draw(given, seed=3)
    rows = [row for row, hard in zip(pairs.rows(), pairs.hard.tolist(), strict=True) if hard]
    assert len(rows) == 20
    assert len(expected) > 5
    assert all(expected[one.label] == other.label for one, other, _ in rows)


@pytest.mark.parametrize(
    "settings", [{"hard": "very"}, {"pairs": 0}, {"epochs": 0}, {"batch": 0}, {"longest": 3}, {"depth": 2}]
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(settings))):
        plan_and_fit(settings)


def test_without_torch_the_error_says_what_to_install(tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"trialogue\[neural\]"):
        CrossEncoderFit(encoder=str(tiny_encoder))(PairPlan(pairs=8).draw(two_kinds(), seed=0))


def test_a_folder_without_one_is_an_error_of_ours(tmp_path: Path, tiny_encoder: Path) -> None:
    with pytest.raises(DataError, match="no cross-encoder here"):
        CrossEncoder.load(tmp_path)
    shutil.copytree(tiny_encoder, tmp_path / "e")
    with pytest.raises(DataError, match="no cross-encoder here"):
        CrossEncoder.load(tmp_path / "e")

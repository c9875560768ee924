"""Our model and the released classifiers are compared on the same pairs, by sentence, and a tie is called a tie."""

from pathlib import Path

import numpy as np
import pytest

from tests.cli.test_strategy_commands import run
from tests.strategies.made import examples
from trialogue.records import Estimate, Interval, JsonValue
from trialogue.reproduce.behavior_alignment.same_pairs import PART, same_pairs_rows, verdict
from trialogue.stats.resampling.replicates import Plan
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.learning.dyads import Dyads, accuracy_difference
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import save_model

QUESTIONS = [f"Have you seen {name}?" for name in ("Heat", "Alien", "Up", "Coco", "Big")]
FACTS = [f"It stars {name} and won two Oscars." for name in ("Pitt", "Hanks", "Streep", "Damon", "Bale")]


def released(folder: Path, *, right: float) -> Path:
    """A released file of all pairs of ten sentences, with a classifier that is right for a share of them."""
    rng = np.random.default_rng(0)
    lines = ["Input Text Part 1,Input Text Part 2,Ground Truth Label,Model Prediction"]
    texts = [*QUESTIONS, *FACTS]
    for left in range(10):
        for other in range(left + 1, 10):
            truth = int((left < 5) == (other < 5))
            said = truth if rng.random() < right else 1 - truth
            lines.append(f'"{texts[left]}","{texts[other]}",{truth},{said}')
    file = folder / "redial_evaluation_results_original.csv"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def gap(folder: Path) -> tuple[float, str | None]:
    rows = [row for row in same_pairs_rows(folder, default_model(), seed=0, resamples=200) if "minus" in row.what]
    assert {row.part for row in rows} == {PART}
    assert [row.what.split(": ")[0].rpartition(", ")[2] for row in rows] == ["all its classes", "without no_strategy"]
    assert all(row.what.endswith("accuracy minus that of Original") for row in rows)
    assert rows[0].ours is not None
    assert rows[0].ours.value is not None
    return rows[0].ours.value, rows[0].why


def test_a_classifier_that_guesses_is_less_accurate_and_a_good_one_ties(tmp_path: Path) -> None:
    value, why = gap(released(tmp_path, right=0.5))
    assert value > 0.3
    assert why == "our model is more accurate"
    value, why = gap(released(tmp_path, right=1.0))
    assert value == pytest.approx(0.0, abs=0.05)
    assert why in (None, "a tie: the interval of the difference contains 0")


def test_a_trained_ensemble_is_compared_on_the_same_pairs_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Members that read the context are asked without one: the released sentences have none."""
    monkeypatch.delenv("TRIALOGUE_DATA_MIRROR", raising=False)
    monkeypatch.setenv("TRIALOGUE_DATA", str(tmp_path / "none"))
    settings: dict[str, JsonValue] = {"members": ["tfidf+context", "tfidf"], "settings": {"tfidf": {"strength": 1.0}}}
    save_model(train(examples(12), kind="ensemble", settings=settings, folds=2), tmp_path / "model")
    (tmp_path / "released").mkdir()
    folder = released(tmp_path / "released", right=0.5)
    words = [
        "reproduce",
        "behavior-alignment",
        "--predictions",
        folder,
        "--model",
        tmp_path / "model",
        "--set",
        "quick=true",
    ]
    done = run(*words, "--set", "resamples=100", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "out" / "reproduction.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if "ensemble:tfidf+context+tfidf|v2|data:" in line.replace("\\|", "|")]
    gaps = [row for row in rows if "accuracy minus that of Original" in row]
    assert len(gaps) == 2  # with and without no_strategy
    assert all("[" in row for row in gaps)  # each with its interval


def test_without_predictions_nothing_is_compared() -> None:
    assert list(same_pairs_rows(None, default_model(), seed=0)) == []


def test_what_a_difference_allows_to_say() -> None:
    def estimate(low: float, high: float) -> Estimate:
        return Estimate(value=(low + high) / 2, n=9, interval=Interval(low=low, high=high, method="x"))

    assert verdict(estimate(-0.02, 0.01)) == "a tie: the interval of the difference contains 0"
    assert verdict(estimate(-0.02, -0.01)) == "our model is less accurate"
    assert verdict(Estimate(value=0.1, n=2)) is None


def test_the_difference_is_that_of_the_accuracies_and_its_interval_draws_sentences() -> None:
    rng = np.random.default_rng(1)
    ends = np.array([(a, b) for a in range(30) for b in range(a)])
    truth = rng.random(len(ends)) < 0.5
    hard = rng.random(30) < 0.3  # all answers about pairs with such a sentence are guesses of the one
    guess = hard[ends].any(axis=1)
    ours = np.where(guess, rng.random(len(ends)) < 0.5, truth)
    theirs = np.where(rng.random(len(ends)) < 0.2, ~truth, truth)
    dyads = Dyads(ends[:, 0], ends[:, 1], truth, ours, ours.astype(float), 30)
    found = accuracy_difference(dyads, theirs, Plan(np.random.default_rng(0), 500))
    assert found.value == pytest.approx(float((ours == truth).mean() - (theirs == truth).mean()))
    assert found.interval is not None
    by_pair = 2 * 1.96 * float(np.std((ours == truth).astype(float) - (theirs == truth))) / len(ends) ** 0.5
    assert found.interval.high - found.interval.low > 1.5 * by_pair

"""Language models label and are calibrated on the command line."""

import json
from pathlib import Path

import pytest

from tests.agents.conftest import endpoint, start
from tests.cli.words import trialogue
from trialogue.records import Dialogue, Labeller, StrategyLabel, Utterance, read_records, write_records

__all__ = ["endpoint", "start"]
TEXTS = {
    "experience_inquiry": "Have you seen {}?",
    "opinion_inquiry": "Do you like {}?",
    "credibility": "It stars {}.",
    "acknowledgment": "Okay, {}.",
}


@pytest.fixture
def settings(tmp_path: Path, endpoint: str) -> Path:
    file = tmp_path / "llm.yaml"
    price = {"prompt_per_million": 10.0, "completion_per_million": 20.0, "currency": "USD"}
    options = {"url": f"{endpoint}/labels/errs", "model": "tiny", "cache": str(tmp_path / "cache"), "price": price}
    file.write_text(json.dumps(options))
    return file


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    """Dialogues in which a person labelled every sentence, and a second person every fifth."""
    dialogues = []
    for number in range(20):
        said = []
        for place, (label, text) in enumerate(TEXTS.items()):
            labels = [StrategyLabel(strategy=label, origin="expert", by=Labeller.PERSON)]
            if place == number % 4:
                second = "credibility" if number % 5 == 0 else label
                labels.append(StrategyLabel(strategy=second, origin="second", by=Labeller.PERSON))
            said.append(Utterance(speaker="system", text=text.format(f"film {number}"), strategies=tuple(labels)))
        dialogues.append(Dialogue(id=f"d{number}", system="s", utterances=tuple(said)))
    write_records(tmp_path / "talks.jsonl", dialogues)
    return tmp_path / "talks.jsonl"


def test_a_language_model_is_priced_and_labels(tmp_path: Path, settings: Path) -> None:
    said = tuple(Utterance(speaker="system", text=text) for text in ("It stars Tom.", "Have you seen it?"))
    write_records(tmp_path / "new.jsonl", [Dialogue(id="d", system="s", utterances=said)])
    priced = trialogue("strategies", "label", tmp_path / "new.jsonl", "--model", f"llm:{settings}", "--dry-run")
    assert priced.returncode == 0, priced.stderr
    assert "2 different sentences for tiny at" in priced.stdout
    assert "2 requests, 0 answers in the cache" in priced.stdout
    assert "Cost: about 0.0" in priced.stdout
    assert not (tmp_path / "new.labelled.jsonl").exists()
    done = trialogue("strategies", "label", tmp_path / "new.jsonl", "--model", f"llm:{settings}")
    assert done.returncode == 0, done.stderr
    assert "tiny: 2 requests, 0 answers from the cache, 0 failed" in done.stdout
    (dialogue,) = list(read_records(tmp_path / "new.labelled.jsonl", Dialogue))
    labels = [label for said in dialogue.utterances for label in said.strategies or ()]
    assert len(labels) == 2
    assert {label.by for label in labels} == {Labeller.LLM}
    again = trialogue("strategies", "label", tmp_path / "new.jsonl", "--model", f"llm:{settings}", "--dry-run")
    assert "0 requests, 2 answers in the cache" in again.stdout


def test_a_language_model_is_calibrated_beside_the_agreement_of_people(
    tmp_path: Path, settings: Path, talks: Path
) -> None:
    given: list[str | Path] = [
        "strategies",
        "train",
        "--model",
        f"llm:{settings}",
        "--data",
        talks,
        "--out",
        tmp_path / "model",
    ]
    priced = trialogue(*given, "--dry-run")
    assert "80 different sentences for tiny" in priced.stdout
    done = trialogue(*given)
    assert done.returncode == 0, done.stderr
    assert "not trained (temperature and match probabilities fitted on the same answers)" in done.stdout
    # Of 20 sentences labelled twice 4 have credibility as the second label, one of which is credibility.
    assert "on 80 sentences; two people: ." in done.stdout
    assert "on the 20 sentences that a second person labelled." in done.stdout
    assert "tiny: 80 requests" in done.stdout
    card = trialogue("list", "models", tmp_path / "model")
    assert card.stdout.startswith("llm|v1|tiny|")
    found = trialogue("strategies", "label", talks, tmp_path / "out.jsonl", "--model", f"llm:{tmp_path / 'model'}")
    assert found.returncode == 0, found.stderr
    assert "0 failed" in found.stdout


def test_wrong_uses_say_what_is_expected(tmp_path: Path, talks: Path) -> None:
    costs = trialogue("strategies", "label", talks, "--dry-run")
    assert costs.returncode == 2
    assert "--dry-run is for language models" in costs.stderr
    wrong = trialogue("strategies", "train", "--model", "tfidf", "--data", talks, "--dry-run", "--out", tmp_path / "m")
    assert wrong.returncode == 2
    assert "--model tfidf does not use --dry-run" in wrong.stderr

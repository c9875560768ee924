"""A run says which dialogues a measure was trained on, as records and in one sentence, whatever the systems are called."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from benchmarks.satisfaction_training import train

from trialogue.analysis.training_data import training_lines, unknown_training_lines
from trialogue.fingerprints import TrainingExposure
from trialogue.metrics.satisfaction.learned import write_model
from trialogue.metrics.satisfaction.metric import Satisfaction
from trialogue.records import Dialogue, Rating, Utterance, write_records
from trialogue.subjects.agreement.commands.agree import agree
from trialogue.subjects.evaluation.commands.evaluate import Run, evaluate


def dialogue(place: int, system: str, *, rated: bool = True) -> Dialogue:
    texts = (
        "a film please",
        f"You could try number {place}.",
        "great, thanks" if place % 2 else "that is wrong",
        "Bye.",
    )
    said = tuple(
        Utterance.model_validate({"speaker": ("user", "system")[n % 2], "text": text}) for n, text in enumerate(texts)
    )
    rating = Rating(name="satisfaction", value=place % 2, rater="user", low=0, high=1)
    return Dialogue(
        id=f"{system}-{place}", system=system, user=f"{place}", utterances=said, ratings=(rating,) if rated else ()
    )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """24 dialogues of one system are learned from; then they come back under another name, beside 6 new ones."""
    model = train([dialogue(place, "taught") for place in range(24)], origin="test")
    write_model(model, tmp_path / "model.json")
    given = [
        *(dialogue(place, "renamed") for place in range(24)),
        *(dialogue(place, "fresh") for place in range(100, 106)),
    ]
    write_records(tmp_path / "d.jsonl", given)
    metrics = [f"satisfaction(model={tmp_path / 'model.json'})", "length@words"]
    return evaluate(tmp_path / "d.jsonl", metrics=metrics, resamples=100)


def test_training_dialogues_under_another_name_have_no_value_and_are_counted(run: Run, tmp_path: Path) -> None:
    (found,) = run.findings.training_data
    assert (found.system, found.dialogues, found.recognised, found.excluded_count) == ("renamed", 24, 24, 24)
    values = [each.value for each in run.scores if each.measure == found.measure and each.level == "dialogue"]
    assert sum(value is None for value in values) == 24
    assert len(values) == 30
    line = (
        f"{found.measure} was trained on 24 of the dialogues (systems: renamed). 24 of them have no value, because "
        "no such weights exist."
    )
    assert line in run.findings.warnings
    run.write(tmp_path / "run")
    agreement = agree(tmp_path / "run", resamples=100)
    assert agreement.training_data == (found,)
    assert line in agreement.warnings


def test_dialogues_scored_out_of_fold_are_distinguished_from_those_without_value() -> None:
    found = TrainingExposure(measure="m|v1", system="a", dialogues=9, recognised=5, out_of_fold=3)
    assert list(training_lines([found])) == [
        "m|v1 was trained on 5 of the dialogues (systems: a). 3 of them are scored by weights fitted without "
        "these dialogues, their system and the people in them. 2 of them have no value, because no such weights exist."
    ]
    assert list(training_lines([])) == []


def test_an_estimator_without_fingerprints_says_that_its_training_data_are_not_known() -> None:
    model = train([dialogue(place, "taught") for place in range(24)], origin="test")

    class Forgetful(Satisfaction):
        def training_exposure(self, dialogues: Iterable[Dialogue]) -> None:  # type: ignore[override]
            """What it was trained on is not known."""

    old = Forgetful()
    (line,) = unknown_training_lines([old, Satisfaction(model=model)])
    assert line.startswith(f"It is unknown whether {old.measure} was trained on any of these dialogues")

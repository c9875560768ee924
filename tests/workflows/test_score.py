"""Scoring files of any size in one pass."""

from pathlib import Path

import pytest

from tests.workflows.made import dialogue, good_and_bad, offline, written
from trialogue.errors import DataError, UsageError
from trialogue.metrics import Settings
from trialogue.records import Record, Score
from trialogue.workflows.score import score

FEW = Settings(resamples=200, permutations=200)


def test_scores_of_systems_and_their_differences(tmp_path: Path) -> None:
    found = score(written(tmp_path / "x.jsonl", good_and_bad()), metrics=["length"], settings=FEW)
    assert [(each.level, each.system, each.versus, each.value) for each in found] == [
        ("system", "bad", None, 3.0),
        ("system", "good", None, 8.0),
        ("difference", "bad", "good", -5.0),
    ]


def test_scores_of_single_replies_go_to_the_sink(tmp_path: Path) -> None:
    units: list[Score] = []
    score(written(tmp_path / "x.jsonl", good_and_bad(3)), metrics=["length"], settings=FEW, sink=units.append)
    assert {each.level for each in units} == {"utterance", "dialogue"}
    assert [each.utterance for each in units if each.level == "utterance"] == [1] * 6


def test_responses_are_scored_with_their_references(tmp_path: Path) -> None:
    found = score(written(tmp_path / "x.jsonl", offline()), metrics=["length", "token_f1@crslab"], settings=FEW)
    values = {(str(each.measure), each.system): each.value for each in found if each.level == "system"}
    assert values["token_f1@crslab|v1", "echo"] == pytest.approx(1.0)
    assert values["length@words|v1", "mute"] == 2.0


def test_dialogues_cannot_be_scored_against_references_they_lack(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="only dialogues"):
        score(written(tmp_path / "x.jsonl", good_and_bad(3)), metrics=["bleu"], settings=FEW)


def test_a_doubled_id_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", [dialogue(1, "a", satisfied=True), dialogue(1, "a", satisfied=True)])
    with pytest.raises(DataError, match="occurs twice"):
        score(path, metrics=["length"], settings=FEW)


def test_an_unknown_metric_is_refused_before_reading(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no metric"):
        score(tmp_path / "not even there.jsonl", metrics=["lenght"])


def test_p_values_are_corrected_over_the_pairs_of_a_measure(tmp_path: Path) -> None:
    from statsmodels.stats.multitest import multipletests

    records: list[Record] = [
        dialogue(number, system, satisfied=True, words=2 + (place * number) % 7)
        for place, system in enumerate(("one", "two", "three", "four"))
        for number in range(12)
    ]
    found = score(written(tmp_path / "x.jsonl", records), metrics=["length", "length@characters"], settings=FEW)
    for measure in {each.measure for each in found}:
        pairs = [each for each in found if each.level == "difference" and each.measure == measure]
        assert len(pairs) == 6
        expected = multipletests([each.p for each in pairs], method="bonferroni")[1]
        assert [each.p_adjusted for each in pairs] == pytest.approx(expected.tolist())

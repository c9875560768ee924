"""The released files: ours in their form, and the sample of theirs."""

from pathlib import Path

import pytest

from trialogue.errors import DataError
from trialogue.strategies.models import Model
from trialogue.strategies.paper_data import (
    judge_pairs,
    normalise_for_bert,
    read_annotations,
    read_pairs,
    repair_encoding,
    table5,
)

ANNOTATED = """\ufeff,recommend_sentence,annotation,labels,type,WrongTime
1,"Have you seen Up (2009)?",1,3,experience_inquiry,0
2,I‚Äö√Ñ√¥m a fan!,1,11,similarity,3
3,Not accepted,0,11,similarity,3
4,,1,11,similarity,3
"""
PAIRS = """\ufeffInput Text Part 1,Input Text Part 2,Ground Truth Label,Model Prediction
have you seen up ( 2009 )?,have you seen up ( 2009 )?,1,1
i ‚ ao√n√¥m a fan!,have you seen up ( 2009 )?,0,1
i ‚ ao√n√¥m a fan!,me too,1,1
me too,have you seen up ( 2009 )?,0,0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "human_annotation.csv").write_text(ANNOTATED, "utf-8")
    (tmp_path / "redial_evaluation_results_mixedhard.csv").write_text(PAIRS, "utf-8")
    (tmp_path / "redial_evaluation_results_original.csv").write_text(PAIRS.replace("0,0", "0,1"), "utf-8")
    return tmp_path


def test_accepted_sentences_are_read_and_repaired(folder: Path) -> None:
    found = read_annotations(folder)
    assert [(example.text, example.label) for example in found] == [
        ("Have you seen Up (2009)?", "experience_inquiry"),
        ("I’m a fan!", "similarity"),
    ]


def test_pairs_are_put_back_into_the_wording_of_the_annotation(folder: Path) -> None:
    plain = read_pairs(folder / "redial_evaluation_results_original.csv")
    worded = read_pairs(folder / "redial_evaluation_results_original.csv", folder)
    assert worded.texts == ("Have you seen Up (2009)?", "I’m a fan!", "me too")
    assert plain.texts[0] == "have you seen up ( 2009 )?"
    assert (plain.left == worded.left).all()
    assert (worded.identical, worded.same.tolist()) == (1, [True, False, True, False])


def test_table_5_is_recomputed_original_first(folder: Path) -> None:
    original, hard = table5(folder, resamples=50)
    assert (original.model, hard.model) == ("Original", "Mixed-hard")
    # Original: right in the two pairs with one strategy, wrong in the two others
    assert original.scores.by_cluster.accuracy.value == 0.5
    assert original.scores.by_cluster.kappa.value == 0
    # Mixed-hard: one of the others is right, too: (.75 - .5) / (1 - .5)
    assert hard.scores.by_cluster.accuracy.value == 0.75
    assert hard.scores.by_cluster.kappa.value == 0.5
    assert (hard.scores.n, hard.scores.clusters, hard.scores.identical, hard.scores.unit) == (4, 3, 1, "sentence")


def test_a_single_file_will_do(folder: Path) -> None:
    (row,) = table5(folder / "redial_evaluation_results_mixedhard.csv", resamples=20)
    assert row.file == "redial_evaluation_results_mixedhard.csv"


def test_a_model_is_asked_about_the_pairs(folder: Path, small: Model) -> None:
    pairs = read_pairs(folder / "redial_evaluation_results_original.csv", folder)
    found = judge_pairs(small, small.same_coefficients, pairs, resamples=20)
    assert found.n == 4
    assert (found.by_cluster.accuracy.value or 0) >= 0.75


def test_wrongly_decoded_characters_are_put_right_once_or_twice() -> None:
    assert repair_encoding("I‚Äö√Ñ√¥m") == repair_encoding("I‚Äôm") == repair_encoding("I’m") == "I’m"
    assert repair_encoding("Amélie 日本") == "Amélie 日本"


def test_sentences_are_recognised_by_their_letters() -> None:
    assert normalise_for_bert("I‚Äö√Ñ√¥m a fan!") == normalise_for_bert("i ‚ ao√n√¥m a fan!")
    assert normalise_for_bert("?!") == "?!"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("redial_evaluation_results_x.csv", "a,b\n1,2\n", "columns are missing: Input Text Part 1"),
        ("redial_evaluation_results_x.csv", PAIRS.replace("1,1", "yes,1"), "truth and answer must be 0 or 1"),
        ("redial_evaluation_results_x.csv", PAIRS.splitlines()[0] + "\n", "no pairs"),
        ("redial_evaluation_results_x.csv", PAIRS + "short\n", "line 6: the row has too few cells"),
        ("redial_evaluation_results_x.csv", PAIRS.replace(",Model Prediction", ""), "'Model Prediction' is missing"),
    ],
)
def test_bad_files_of_pairs_are_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(DataError, match=message):
        table5(tmp_path)


def test_bad_annotations_are_refused(tmp_path: Path) -> None:
    (tmp_path / "human_annotation.csv").write_text(ANNOTATED.replace(",3,", ",13,", 1), "utf-8")
    with pytest.raises(DataError, match="'13' is not the number"):
        read_annotations(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        read_annotations(tmp_path / "nothing.csv")


def test_short_rows_and_broken_tables_of_annotations_are_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "human_annotation.csv"
    path.write_text("recommend_sentence,labels,annotation\nHave you seen it?,3\n", "utf-8")
    assert [one.label for one in read_annotations(path)] == ["experience_inquiry"]  # nobody said that it was refused
    path.write_text("recommend_sentence,labels\nHave you seen it?," + "9" * 5_000 + "\n", "utf-8")
    with pytest.raises(DataError, match="is not the number"):
        read_annotations(path)
    path.write_text('recommend_sentence,labels\n"' + "x" * 200_000 + '",3\n', "utf-8")
    with pytest.raises(DataError, match="cannot be read: field larger than field limit"):
        read_annotations(path)


def test_a_folder_without_answers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the folder has no redial_evaluation_results"):
        table5(tmp_path)


@pytest.mark.mirror
def test_the_sample_gives_its_exact_counts(mirror: Path) -> None:
    folder = mirror / "redial_strategies_sample"
    original, hard = table5(folder, resamples=200)
    # of 400 pairs 119 + 193 and 177 + 193 are right
    assert original.scores.by_cluster.accuracy.value == (119 + 193) / 400
    assert hard.scores.by_cluster.accuracy.value == (177 + 193) / 400
    assert len(read_annotations(folder)) == 60
    interval, pairs = original.scores.by_cluster.accuracy.interval, original.scores.by_pair.accuracy.interval
    assert interval is not None
    assert pairs is not None
    assert interval.high - interval.low > 1.3 * (pairs.high - pairs.low)

"""CRSArena-Eval: human scores of replies and conversations, and the runs of metrics over them."""

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.records import strategies as made
from trialogue.datasets import AnyRecord, Head, Repairs
from trialogue.datasets.crsarena.evaluation import CORPUS, FORMAT, read_labels, read_run, write_run
from trialogue.errors import DataError, UsageError
from trialogue.records import Dialogue, Reason, ReasonCode, Score

DATA = Path(__file__).parent.parent.parent / "data" / "crsarena_eval"
LABELS, RUN = DATA / "crs_arena_eval.json", DATA / "short_run.json"


def split(records: list[Any]) -> tuple[list[Dialogue], list[Score]]:
    dialogues = [record for record in records if isinstance(record, Dialogue)]
    return dialogues, [record for record in records if isinstance(record, Score)]


def written(folder: Path, content: Any, name: str = "x.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def problems_of(path: Path) -> list[str]:
    with pytest.raises(DataError) as caught:
        list(FORMAT.read(path))
    return [f"{problem.field}: {problem.what}" for problem in caught.value.problems]


@pytest.fixture(scope="module")
def labelled() -> tuple[list[AnyRecord], Repairs]:
    repairs = Repairs()
    return list(read_labels(LABELS, note=repairs)), repairs


def test_dialogues_know_their_system_and_person(labelled: tuple[list[AnyRecord], Repairs]) -> None:
    dialogues, _ = split(labelled[0])
    assert [(each.id, each.system, each.user) for each in dialogues] == [
        ("barcor_redial_ann", "barcor_redial", "ann"),
        ("kbrd_redial_ann", "kbrd_redial", "ann"),
    ]
    assert [utterance.speaker for utterance in dialogues[0].utterances] == ["user", "system", "user", "system"]


def test_labels_become_scores_of_an_aggregate_of_people(labelled: tuple[list[AnyRecord], Repairs]) -> None:
    _, scores = split(labelled[0])
    assert [(score.measure, score.level, score.utterance, score.value) for score in scores[:7]] == [
        ("relevance", "utterance", 1, 2),
        ("interestingness", "utterance", 1, 1),
        ("relevance", "utterance", 3, None),
        ("interestingness", "utterance", 3, 0),
        ("understanding", "dialogue", None, 1),
        ("efficiency", "dialogue", None, 0),
        ("dialogue_overall", "dialogue", None, 3),
    ]
    assert {(score.dialogue_id, score.system) for score in scores[:7]} == {("barcor_redial_ann", "barcor_redial")}
    assert {score.rater for score in scores} == {"aggregate"}


def test_a_missing_label_is_a_score_without_a_value_and_is_reported(labelled: tuple[list[AnyRecord], Repairs]) -> None:
    _, scores = split(labelled[0])
    assert [score.why for score in scores if score.value is None] == [Reason.of(ReasonCode.LABEL_NOT_IN_FILE)]
    assert [str(problem).partition(": ")[2] for problem in labelled[1].problems] == ["'relevance' is not labelled."]


def test_the_old_spelling_gives_the_same_records_with_a_note(labelled: tuple[list[AnyRecord], Repairs]) -> None:
    repairs = Repairs()
    assert list(read_labels(DATA / "old" / "crs_arena_eval.json", note=repairs)) == labelled[0]
    assert "'dialog_overall' is called 'dialogue_overall' now" in repairs.problems[0].what


def test_predictions_become_scores_of_a_metric_named_after_the_file() -> None:
    scores = list(read_run(RUN, note=Repairs()))
    assert [(score.measure, score.level, score.utterance, score.value) for score in scores] == [
        ("short_run:relevance", "utterance", 1, 1.5),
        ("short_run:interestingness", "utterance", 1, 0.25),
        ("short_run:relevance", "utterance", 3, None),
        ("short_run:interestingness", "utterance", 3, None),
        ("short_run:understanding", "dialogue", None, 0.5),
        ("short_run:dialogue_overall", "dialogue", None, 2.0),
    ]
    assert {(score.rater, score.system) for score in scores} == {(None, "barcor_redial")}


def test_a_missing_prediction_is_a_score_without_a_value_and_is_reported() -> None:
    repairs = Repairs()
    scores = list(read_run(RUN, note=repairs))
    assert [score.why for score in scores[2:4]] == [Reason.of(ReasonCode.PREDICTION_NOT_IN_RUN)] * 2
    assert [problem.what for problem in repairs.problems] == [
        "short_run predicts no relevance for one utterance.",
        "short_run predicts no interestingness for one utterance.",
    ]


def test_a_folder_gives_labels_then_runs_and_tells_what_a_run_leaves_out() -> None:
    repairs = Repairs()
    records = list(FORMAT.read(DATA, note=repairs))
    kinds = ["human" if score.rater else "run" for score in split(records)[1]]
    assert kinds == ["human"] * 12 + ["run"] * 6  # 2 * 3 replies + 3 * 2 dialogues; 2 * 2 + 2
    assert "this run has no scores for 1 of 3 judged replies and 1 of 2 judged dialogues." in repairs.problems[-1].what


def test_a_null_label_is_a_missing_one(tmp_path: Path) -> None:
    content = json.loads(LABELS.read_text())
    content[1]["dial_level_aggregated"]["understanding"] = None
    scores = split(list(read_labels(written(tmp_path, content), note=Repairs())))[1]
    assert sum(score.value is None for score in scores) == 2


def test_a_nan_in_a_run_is_a_missing_prediction(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('[{"conv_id": "a_b", "turns": [], "dial_level_pred": {"x": NaN, "y": 1}}]')
    repairs = Repairs()
    assert [score.value for score in read_run(path, note=repairs)] == [None, 1]
    assert "was read as null" in repairs.problems[0].what


def test_what_is_written_as_a_run_and_read_again_is_equal_to_what_it_was(tmp_path: Path) -> None:
    scores = list(read_run(RUN, note=Repairs()))
    path = tmp_path / "short_run.json"
    assert write_run(path, scores) == 1
    assert list(read_run(path, note=Repairs())) == scores
    assert json.loads(path.read_text()) == json.loads(RUN.read_text())


run_units = st.lists(
    st.tuples(made.name, made.maybe(st.integers(0, 9)), made.number),
    min_size=1,
    max_size=6,
    unique_by=lambda unit: unit[:2],
)


@settings(deadline=None, max_examples=60)
@given(run_units)
def test_any_scores_come_back_from_a_run(units: list[tuple[str, int | None, float]]) -> None:
    scores = [
        Score(
            measure="mine:quality",
            level="dialogue" if place is None else "utterance",
            dialogue_id=f"bot_{person}",
            utterance=place,
            system="bot",
            value=value,
        )
        for person, place, value in units
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "mine.json"
        write_run(path, scores)
        read = [score for score in read_run(path, note=Repairs()) if score.value is not None]
    assert {score.to_json()["dialogue_id"] for score in read} == {score.dialogue_id for score in scores}
    # rpartition("_") takes the person from the last underscore on, so systems are compared where that is unambiguous
    assert {(each.dialogue_id, each.utterance, each.value, each.measure) for each in read} == {
        (each.dialogue_id, each.utterance, each.value, each.measure) for each in scores
    }


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"level": "system"}, "got one of level 'system'"),
        ({"dialogue_id": None}, "scores of utterances and dialogues only"),
        ({"utterance": None}, "does not name its utterance"),
        ({"value": 2.0}, "two different scores for 'relevance'. Write one run at a time"),
    ],
)
def test_scores_that_fit_no_run_are_refused_and_nothing_is_written(
    changed: dict[str, Any], message: str, tmp_path: Path
) -> None:
    good = next(read_run(RUN, note=Repairs()))
    with pytest.raises(UsageError, match=message):
        write_run(tmp_path / "run.json", [good, good.model_copy(update=changed)])
    assert list(tmp_path.iterdir()) == []


def test_labels_runs_and_folders_are_recognised(tmp_path: Path) -> None:
    for path in (DATA, LABELS, RUN, DATA / "old"):
        assert FORMAT.recognises(Head(path)), path
    assert not FORMAT.recognises(Head(tmp_path))
    assert not FORMAT.recognises(Head(written(tmp_path, [{"conv_id": "a", "dialogue": []}])))


def test_every_mistake_of_a_labels_file_is_reported_at_once(tmp_path: Path) -> None:
    utterances = [
        {"turn_ind": 0, "role": "HOST", "utterance": "x"},
        "y",
        {"turn_ind": 2, "role": "USER", "utterance": None},
    ]
    content = [
        {
            "conv_id": "a_b",
            "dialogue": utterances,
            "dial_level_aggregated": {"understanding": "good", "efficiency": True},
        },
        {"conv_id": "a_b", "dialogue": []},
        {"conv_id": "c_d", "dialogue": "x", "dial_level_aggregated": []},
        {"id": "e"},
        "f",
    ]
    path = written(tmp_path, content)
    with pytest.raises(DataError) as caught:
        list(read_labels(path))
    assert [f"{problem.field}: {problem.what}" for problem in caught.value.problems] == [
        "[1].conv_id: duplicate conversation 'a_b': see [0].",
        "[3]: expected an object with a conv_id, got an object.",
        "[4]: expected an object with a conv_id, got the text 'f'.",
        "[0].dialogue[0]: not an utterance (role the text 'HOST', utterance the text 'x').",
        "[0].dialogue[1]: not an utterance (role null, utterance null).",
        "[0].dialogue[2]: not an utterance (role the text 'USER', utterance null).",
        "[0].dial_level_aggregated.understanding: a score must be a number, got the text 'good'.",
        "[0].dial_level_aggregated.efficiency: a score must be a number, got true.",
        "[2].dialogue: a dialogue must be a list of utterances, got the text 'x'.",
        "[2].dial_level_aggregated: expected an object that maps aspects to numbers, got a list.",
    ]


def test_every_mistake_of_a_run_is_reported_at_once(tmp_path: Path) -> None:
    turns = [{"turn_ind": 1, "turn_level_pred": {"x": "good"}}, {"turn_ind": 1}, {"turn_ind": True}, 4]
    content = [{"conv_id": "a_b", "turns": turns, "dial_level_pred": 3}, {"conv_id": "c_d", "turns": {}}]
    assert problems_of(written(tmp_path, content)) == [
        "[0].turns[0].turn_level_pred.x: a score must be a number, got the text 'good'.",
        "[0].turns[1].turn_ind: turn 1 occurs twice. Keep one.",
        "[0].turns[2]: expected an object whose turn_ind is a whole number, turn_ind is true.",
        "[0].turns[3]: expected an object whose turn_ind is a whole number, got the number 4.",
        "[0].dial_level_pred: expected an object that maps aspects to numbers, got the number 3.",
        "[1].turns: expected a list of turns, got an object.",
    ]


def test_numbers_in_quotes_and_truth_values_of_a_run_are_read_and_reported(tmp_path: Path) -> None:
    turns = [{"turn_ind": "1", "turn_level_pred": {"x": "0.5"}}, {"turn_ind": 3.0, "turn_level_pred": {"x": " 2 "}}]
    content = [{"conv_id": "a_b", "turns": turns, "dial_level_pred": {"y": True, "z": "nan"}}]
    repairs = Repairs()
    scores = list(read_run(written(tmp_path, content), note=repairs))
    assert [(score.utterance, score.value) for score in scores] == [(1, 0.5), (3, 2), (None, 1), (None, None)]
    messages = " ".join(problem.what for problem in repairs.problems)
    assert "a number in quotes was read as a number (2 times" in messages
    assert "true and false were read as 1 and 0" in messages
    assert "was read as the whole number (2 times" in messages
    assert "was read as a missing score" in messages


@pytest.mark.parametrize("shape", ["lines", "by id"])
def test_json_lines_and_conversations_by_id_are_the_same_run(shape: str, tmp_path: Path) -> None:
    entries = [
        {"conv_id": name, "turns": [{"turn_ind": 1, "turn_level_pred": {"x": 1}}], "dial_level_pred": {"y": 2}}
        for name in ("a_b", "c_d")
    ]
    path, other = tmp_path / "run.json", tmp_path / "other" / "run.json"
    other.parent.mkdir()
    path.write_text(json.dumps(entries), "utf-8")
    by_id = {each["conv_id"]: {key: each[key] for key in ("turns", "dial_level_pred")} for each in entries}
    text = "\n".join(map(json.dumps, entries)) if shape == "lines" else json.dumps(by_id)
    other.write_text(text, "utf-8")
    repairs = Repairs()
    assert list(read_run(other, note=repairs)) == list(read_run(path))
    assert "was read as the list" in repairs.problems[0].what or "were read as the list" in repairs.problems[0].what


@pytest.mark.parametrize(("content", "message"), [([], "the list is empty"), ({}, "expected a list, got an object")])
def test_a_file_without_conversations_is_refused(content: Any, message: str, tmp_path: Path) -> None:
    for read in (read_labels, read_run):
        with pytest.raises(DataError, match=message):
            list(read(written(tmp_path, content)))


def test_odd_turn_numbers_and_names_are_reported(tmp_path: Path) -> None:
    repairs = Repairs()
    content = [{"conv_id": "talk7", "dialogue": [{"turn_ind": 1, "role": "USER", "utterance": "hi"}]}]
    dialogues, scores = split(list(read_labels(written(tmp_path, content), note=repairs)))
    assert (dialogues[0].id, dialogues[0].system, dialogues[0].user, scores) == ("talk7", None, None, [])
    assert [problem.field for problem in repairs.problems] == ["[0].conv_id", "[0].dialogue[0].turn_ind"]


def test_an_empty_folder_is_refused_with_what_is_expected(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"neither labels nor runs .* Expected crs_arena_eval\.json"):
        list(FORMAT.read(tmp_path))


@pytest.mark.mirror
def test_the_sample_has_150_dialogues_with_their_labels(mirror: Path) -> None:
    repairs = Repairs()
    records = list(CORPUS.read(mirror / "crsarena_eval_sample", note=repairs))
    dialogues, scores = split(records)
    assert (len(dialogues), sum(len(dialogue.utterances) for dialogue in dialogues)) == (150, 1_427)
    human = [score for score in scores if score.rater == "aggregate"]
    assert Counter(score.measure for score in human if score.value is not None) == {
        "relevance": 712,  # of 713 replies; values 0: 435, 1: 110, 2: 167
        "interestingness": 713,
        **dict.fromkeys(["understanding", "task_completion", "interest_arousal", "efficiency"], 150),
        **dict.fromkeys(["dialogue_overall", "preference_elicitation", "explanation"], 150),
    }
    assert Counter(score.value for score in human if score.measure == "relevance") == {0: 435, 1: 110, 2: 167, None: 1}
    assert repairs.problems[-1].what == "the corpus is incomplete: 150 of 467 dialogues."


@pytest.mark.mirror
def test_the_run_of_face_leaves_out_four_replies_of_the_sample(mirror: Path, tmp_path: Path) -> None:
    path = mirror / "crsarena_eval_sample" / "face_run.json"
    repairs = Repairs()
    scores = list(read_run(path, note=repairs))
    counts = Counter((score.level, score.value is None) for score in scores)
    assert counts == {("utterance", False): 2 * 709, ("utterance", True): 2 * 4, ("dialogue", False): 5 * 150}
    assert all("(4 times, first here)" in problem.what for problem in repairs.problems)
    ours = tmp_path / "face_run.json"
    write_run(ours, scores)
    assert json.loads(ours.read_text()) == json.loads(path.read_text())

"""The annotated dialogues of KDD 2020, label counts of every kind among them."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from trialogue.datasets import Head, Repairs
from trialogue.datasets.corpora.kdd2020 import CORPUS, FORMAT
from trialogue.errors import DataError
from trialogue.records import Dialogue, DialogueAct

TESTS = Path(__file__).parent.parent.parent
DATA = TESTS / "data" / "kdd2020"
GOLDEN = TESTS / "golden" / "kdd2020_labels.json"


def dialogues_of(path: Path, repairs: Repairs | None = None) -> list[Dialogue]:
    return [each for each in FORMAT.read(path, note=repairs or Repairs()) if isinstance(each, Dialogue)]


def written(folder: Path, content: Any, name: str = "x.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def labels_of(dialogues: list[Dialogue], speaker: str) -> Counter[str]:
    said = [utterance for dialogue in dialogues for utterance in dialogue.utterances if utterance.speaker == speaker]
    return Counter(act.intent for utterance in said for act in utterance.acts or ())


def test_a_folder_is_read_by_name_with_ids_that_are_unique_across_its_files() -> None:
    assert [dialogue.id for dialogue in dialogues_of(DATA)] == [
        *("1219_andchill/1", "1219_andchill/2", "1219_andchill/1047672896"),
        *("my_bot/1047672896-2", "my_bot/12"),
    ]


def test_a_chat_id_is_a_person_and_a_small_number_nobody() -> None:
    assert [dialogue.user for dialogue in dialogues_of(DATA)] == [None, None, "1047672896", "1047672896", None]


def test_known_files_name_their_system_and_others_are_called_by_their_name() -> None:
    assert [dialogue.system for dialogue in dialogues_of(DATA)] == ["and-chill"] * 3 + ["my_bot"] * 2


def test_the_label_is_the_only_act_and_typos_are_kept() -> None:
    first = dialogues_of(DATA / "1219_andchill.json")[0]
    assert [utterance.acts for utterance in first.utterances] == [
        (DialogueAct(intent=label),) for label in ("Inquire", "Non-disclose", "Elicit", "Suggesnt")
    ]
    assert [utterance.speaker for utterance in first.utterances] == ["system", "user", "system", "system"]


def test_numbers_for_labels_become_text_and_same_dialogues_are_reported() -> None:
    repairs = Repairs()
    dialogues = dialogues_of(DATA, repairs)
    assert dialogues[3].utterances[1].acts == (DialogueAct(intent="655342253"),)
    assert [(problem.field, problem.what) for problem in repairs.problems] == [
        ("", "the dialogues '1219_andchill/1' and '1219_andchill/2' are identical word for word; both were kept."),
        ("1047672896-2[1][2]", "the label 655342253 is a number, and was kept as a string."),
    ]


def test_a_dialogue_given_twice_in_the_object_is_reported(tmp_path: Path) -> None:
    repairs = Repairs()
    path = written(tmp_path, '{"1": [["user", "a", "X"]], "1": [["user", "b", "Y"]]}')
    assert [dialogue.utterances[0].text for dialogue in dialogues_of(path, repairs)] == ["b"]
    assert "the key '1' occurs twice" in repairs.problems[0].what


def test_every_mistake_is_reported_at_once_with_its_place(tmp_path: Path) -> None:
    triples = [["user", "a"], ["host", "a", "X"], ["user", 3, "X"], ["user", "a", None], ["user", "a", True], "a"]
    with pytest.raises(DataError) as caught:
        dialogues_of(written(tmp_path, {"1": triples, "2": "none"}))
    assert [f"{problem.field}: {problem.what}" for problem in caught.value.problems] == [
        '1[0]: an utterance must be [speaker, text, label], got ["user", "a"].',
        '1[1][0]: the speaker must be "user" or "agent", got the text \'host\'.',
        "1[2][1]: the text must be a string, got the number 3.",
        "1[3][2]: a label must be a string, got null.",
        "1[4][2]: a label must be a string, got true.",
        '1[5]: an utterance must be [speaker, text, label], got "a".',
        "2: a dialogue must be a list, got the text 'none'.",
    ]


@pytest.mark.parametrize("content", [{}, []])
def test_a_file_without_dialogues_is_refused_with_what_is_expected(content: Any, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"expected an object of dialogues, got an? \w+\. Expected \{"):
        dialogues_of(written(tmp_path, content))


def test_a_folder_without_dialogues_is_refused_with_what_is_expected(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Expected 1219_andchill\.json, 1225_mb\.json, 1224_ms\.json"):
        dialogues_of(tmp_path)


@pytest.mark.parametrize(
    ("content", "is_ours"),
    [
        ({"1": [["user", 'say "hi"', "X"]]}, True),
        ({"1": [["agent", "hi", 655342253]]}, True),
        ({"1": [["user", "hi"]]}, False),
        ({"1": [["host", "hi", "X"]]}, False),
        ({"1": []}, False),
        ([["user", "hi", "X"]], False),
    ],
)
def test_it_is_recognised_by_its_first_utterance(content: Any, is_ours: bool, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    assert FORMAT.recognises(Head(path)) is is_ours
    assert FORMAT.recognises(Head(tmp_path)) is is_ours


@pytest.mark.mirror
@pytest.mark.parametrize("stem", ["1219_andchill", "1225_mb", "1224_ms"])
def test_dialogues_utterances_and_every_label_count_are_those_recorded(stem: str, mirror: Path) -> None:
    expected = json.loads(GOLDEN.read_text())["files"][stem]
    dialogues = dialogues_of(mirror / CORPUS.source.folder / f"{stem}.json")
    assert len(dialogues) == expected["dialogues"] == 25
    assert sum(len(dialogue.utterances) for dialogue in dialogues) == expected["utterances"]
    assert labels_of(dialogues, "user") == expected["user"]
    assert labels_of(dialogues, "system") == expected["agent"]
    assert {dialogue.system for dialogue in dialogues} == {expected["system"]}


def test_the_recorded_counts_add_up() -> None:
    files = json.loads(GOLDEN.read_text())["files"]
    sums = {stem: (sum(file["user"].values()), sum(file["agent"].values())) for stem, file in files.items()}
    assert sums == {"1219_andchill": (230, 384), "1225_mb": (371, 370), "1224_ms": (506, 506)}
    assert all(sum(sums[stem]) == file["utterances"] for stem, file in files.items())


@pytest.mark.mirror
def test_the_corpus_has_75_dialogues_of_known_and_unknown_people(mirror: Path) -> None:
    repairs = Repairs()
    folder = mirror / CORPUS.source.folder
    dialogues = [each for each in CORPUS.read(folder, note=repairs) if isinstance(each, Dialogue)]
    assert len({dialogue.id for dialogue in dialogues}) == 75 == CORPUS.source.counts["dialogues"]
    assert sum(len(dialogue.utterances) for dialogue in dialogues) == 2_367 == CORPUS.source.counts["utterances"]
    people = Counter(dialogue.user for dialogue in dialogues)
    assert people.pop(None) == 36  # 21 + 15 + 0 dialogues with small numbers for ids
    assert Counter(people.values()) == {1: 27, 2: 4, 4: 1}  # 27 + 8 + 4 = 39
    assert len(repairs.problems) == 3  # one pair of the same dialogues, two labels that are numbers

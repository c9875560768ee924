"""Lists of language models for turns of INSPIRED (He et al., CIKM 2023)."""

import json
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from trialogue.datasets.corpora.zero_shot_crs import FORMAT, name_of
from trialogue.datasets.registry import recognise
from trialogue.errors import DataError, Problem
from trialogue.metrics import Settings, get_metric, measure, offline_conversations
from trialogue.records import Response, Situation

ENTITIES = {
    "<http://dbpedia.org/resource/Heat_(1995_film)>": 0,
    "<http://dbpedia.org/resource/Spider-Man_(2002_film)>": 1,
    "<http://dbpedia.org/resource/Comedy>": 2,
}


def turn(**more: Any) -> dict[str, Any]:
    return {
        "context": ["", "Hi!", "I saw Spider-Man and like comedy"],
        "resp": "How about Heat?",
        "rec": [0],
        "prev_entity": [1, 2],
        "dialog_id": "test_0",
        "turn_id": "test_4",
        **more,
    }


def answer(*names: str, **more: Any) -> dict[str, Any]:
    listed = [{"movie_name": name.lower(), "nearest_movie": name, "min_edit_distance": 1} for name in names]
    said = {"choices": [{"message": {"content": "1. ..."}}]}
    return {"index": 0, "rec_list": listed, "resp": said, **more}


def publish(folder: Path, turns: list[Any], answers: list[Any]) -> Path:
    data, lists = folder / "data" / "inspired", folder / "src" / "gpt" / "general" / "intermediate" / "inspired"
    for path in (data, lists):
        path.mkdir(parents=True)
    (data / "entity2id.json").write_text(json.dumps(ENTITIES))
    (data / "item_ids.json").write_text("[0, 1]")
    (data / "test.jsonl").write_text("".join(json.dumps(each) + "\n" for each in turns))
    (lists / "extracted.jsonl").write_text("".join(json.dumps(each) + "\n" for each in answers))
    return folder


def read(folder: Path, notes: list[Problem] | None = None) -> tuple[list[Situation], list[Response]]:
    found = list(FORMAT.read(folder, note=(notes if notes is not None else []).append))
    situations = [each for each in found if isinstance(each, Situation)]
    return situations, [each for each in found if isinstance(each, Response)]


def test_names_are_those_of_the_publishers_lists() -> None:
    assert [name_of(each) for each in ENTITIES] == ["Heat", "Spider Man", "Comedy"]


def test_a_line_is_a_situation_and_a_list_a_response_with_its_repetitions(tmp_path: Path) -> None:
    folder = publish(tmp_path, [turn()], [answer("Ronin", "Ronin", "Heat")])
    assert recognise(folder).name == "zero-shot-crs"
    (situation,), (response,) = read(folder)
    assert (situation.id, situation.targets, situation.source) == ("test_0#test_4", ("Heat",), "zero-shot-crs/inspired")
    assert [each.text for each in situation.context] == ["Hi!", "I saw Spider-Man and like comedy"]  # no placeholder
    assert [each.item_id for each in situation.context[-1].mentions or ()] == ["Spider Man"]  # a genre is no item
    assert response.utterance.ranking == ("Ronin", "Ronin", "Heat")
    assert (response.system, response.utterance.text) == ("gpt", "1. ...")
    assert response.meta["edit_distances"] == [1, 1, 1]


def test_an_item_of_the_context_that_no_text_names_stands_with_the_last_message(tmp_path: Path) -> None:
    (situation,), _ = read(publish(tmp_path, [turn(context=["Heat!", "Yes?", "More"], prev_entity=[1, 0])], [answer()]))
    assert [[each.item_id for each in said.mentions or ()] for said in situation.context] == [
        ["Heat"],
        [],
        ["Spider Man"],
    ]


def test_situations_without_a_list_are_counted(tmp_path: Path) -> None:
    notes: list[Problem] = []
    _, responses = read(publish(tmp_path, [turn(), turn(turn_id="test_6")], [answer("Heat", index=1)]), notes)
    assert [each.situation_id for each in responses] == ["test_0#test_6"]
    assert "1 of 2 situations have no list by gpt" in str(notes[0])


@pytest.mark.parametrize(
    ("turns", "answers", "message"),
    [
        ([turn(context=["Hi", "Hello"])], [], "an odd number of texts"),
        ([turn(context="Hi")], [], "must be a list of texts"),
        ([turn(resp=None)], [], "the reply must be text"),
        ([turn(rec=[77])], [], "an unknown entity: 77"),
        ([turn()], [answer(index=1)], "0 to 0, got 1"),
        ([turn()], [answer(), answer()], "the index 0 occurs twice"),
        ([turn()], [answer(rec_list=["Heat"])], "objects with nearest_movie"),
        ([turn()], [3], "expected an object"),
    ],
)
def test_what_is_off_is_refused_with_its_place(
    tmp_path: Path, turns: list[Any], answers: list[Any], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        read(publish(tmp_path, turns, answers))


@pytest.mark.mirror
def test_the_published_recall_is_computed_to_four_digits(mirror: Path) -> None:
    """``summary.csv`` with F and S False: recall at 1, 5, 10 and 20 of all 253 targets, and of the 211 new ones at 1."""
    situations, responses = read(mirror / "zero_shot_crs")
    assert (len(situations), len(responses)) == (228, 456)
    published = {"gpt-3.5-turbo": (0.0514, 0.1067, 0.1502, 0.2055), "vicuna": (0.0672, 0.1542, 0.1937, 0.2213)}
    of_new_ones = {"gpt-3.5-turbo": 0.0474, "vicuna": 0.0332}
    places = (1, 5, 10, 20)
    for system, expected in published.items():
        lists = {each.situation_id: each.utterance.ranking or () for each in responses if each.system == system}
        cases = [(target, lists[each.id], each) for each in situations for target in each.targets or ()]
        assert [round(mean(target in ranking[:k] for target, ranking, _ in cases), 4) for k in places] == [*expected]
        new = [target in ranking[:1] for target, ranking, each in cases if target not in named_before(each)]
        assert (len(new), round(mean(new), 4)) == (211, of_new_ones[system])
        # Our metric counts the one target that a reply names twice once: 252, and neither model has it in its list.
        own = [each for each in responses if each.system == system]
        metrics = [get_metric(f"recall(k={k})@per_label") for k in places]
        scores = measure(offline_conversations(situations, own), metrics, settings=Settings(resamples=10))
        values = [score.value or 0 for score in scores if score.level == "system"]
        assert values == pytest.approx([round(share * 253) / 252 for share in expected])


def named_before(situation: Situation) -> set[str | None]:
    return {each.item_id for said in situation.context for each in said.mentions or ()}

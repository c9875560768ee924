"""Lists of language models for turns of INSPIRED (He et al., CIKM 2023)."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from trialogue.datasets.base import get_format, recognise
from trialogue.datasets.corpora.zero_shot_crs import FORMAT, name_of
from trialogue.errors import DataError, Problem
from trialogue.metrics import Settings, get_metric, measure, offline_conversations
from trialogue.records import Response, Situation

ENTITIES = {
    "<http://dbpedia.org/resource/Heat_(1995_film)>": 0,
    "<http://dbpedia.org/resource/Spider-Man_(2002_film)>": 1,
    "<http://dbpedia.org/resource/Comedy>": 2,
    "<http://dbpedia.org/resource/Black/Out_(film)_II>": 3,
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


def read(
    folder: Path, notes: list[Problem] | None = None, *, name: str = FORMAT.name
) -> tuple[list[Situation], list[Response]]:
    found = list(get_format(name).read(folder, note=(notes if notes is not None else []).append))
    situations = [each for each in found if isinstance(each, Situation)]
    return situations, [each for each in found if isinstance(each, Response)]


def test_names_are_those_of_the_publishers_lists() -> None:
    assert [name_of(each) for each in ENTITIES] == ["Heat", "Spider Man", "Comedy", "Out II"]  # after the last slash


def test_a_line_is_a_situation_and_a_list_a_response_with_its_repetitions(tmp_path: Path) -> None:
    folder = publish(tmp_path, [turn()], [answer("Ronin", "Ronin", "Heat")])
    assert recognise(folder).name == "zero-shot-crs"
    (situation,), (response,) = read(folder)
    assert (situation.id, situation.dialogue_id) == ("inspired/test_0#test_4", "inspired/test_0")
    assert (situation.targets, situation.source) == (("Heat",), "zero-shot-crs/inspired")
    assert situation.meta == {"seen": ["Spider Man", "Comedy"]}  # what was seen is kept, item or not
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


@pytest.mark.parametrize(
    ("context", "speakers"),
    [
        ([""], ["user"]),  # the system opens: there is nothing before its reply
        (["", "Hello!"], ["user"]),
        (["", "What do you like?", "Easy A (2010)"], ["system", "user"]),
        (["", "Hi", "See Heat", "And others?"], ["user", "system", "user"]),
        (["Hi", "Hello!", "I like Heat", "Me too", "And others?"], ["user", "system", "user", "system", "user"]),
    ],
)
def test_roles_are_counted_backwards_from_the_text_that_is_answered(
    tmp_path: Path, context: list[str], speakers: list[str]
) -> None:
    (situation,), _ = read(publish(tmp_path, [turn(context=context)], []))
    assert [each.speaker for each in situation.context] == speakers


def test_lists_are_also_read_without_what_is_far_or_was_seen_and_what_is_left_out_is_counted(tmp_path: Path) -> None:
    listed = [("Comedy", 0), ("Heat", 3), ("Spider Man", 2), ("Ronin", 1)]
    near = [{"movie_name": "?", "nearest_movie": name, "min_edit_distance": edits} for name, edits in listed]
    folder = publish(tmp_path, [turn()], [answer(rec_list=near)])
    kept = {
        "zero-shot-crs": ("Comedy", "Heat", "Spider Man", "Ronin"),
        "zero-shot-crs-filtered": ("Comedy", "Spider Man", "Ronin"),
        "zero-shot-crs-unseen": ("Heat", "Ronin"),  # a genre that was named is seen, too
        "zero-shot-crs-filtered-unseen": ("Ronin",),
    }
    for name, expected in kept.items():
        notes: list[Problem] = []
        _, (response,) = read(folder, notes, name=name)
        assert response.utterance.ranking == expected
        assert len(response.meta["edit_distances"]) == len(expected)  # type: ignore[arg-type]
        found = [str(each) for each in notes]
        missing = 4 - len(expected)
        assert found == [] if name == FORMAT.name else f"{missing} of 4 names in lists by gpt were left out" in found[0]
    assert recognise(folder).name == "zero-shot-crs"


def test_situations_without_a_list_are_counted(tmp_path: Path) -> None:
    notes: list[Problem] = []
    _, responses = read(publish(tmp_path, [turn(), turn(turn_id="test_6")], [answer("Heat", index=1)]), notes)
    assert [each.situation_id for each in responses] == ["inspired/test_0#test_6"]
    assert "1 of 2 situations have no list by gpt" in str(notes[0])


@pytest.mark.parametrize(
    ("turns", "answers", "message"),
    [
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


PLACES = (1, 5, 10, 20)
CONDITIONS = {"recommendation": 211, "discussion": 42, "all": 253}


@pytest.mark.mirror
@pytest.mark.parametrize("filtered", [False, True])
@pytest.mark.parametrize("unseen", [False, True])
def test_every_published_column_is_computed_to_four_digits(mirror: Path, filtered: bool, unseen: bool) -> None:
    """All of ``summary.csv``: recall, NDCG and MRR of all targets, of new ones, and of those that the context names."""
    folder = mirror / "zero_shot_crs"
    name = "zero-shot-crs" + "-filtered" * filtered + "-unseen" * unseen
    situations, responses = read(folder, name=name)
    assert (len(situations), len(responses)) == (228, 456)
    metrics = [get_metric(f"{kind}(k={k})@per_mention") for kind in ("recall", "ndcg", "mrr") for k in PLACES]
    for system in ("gpt-3.5-turbo", "vicuna"):
        own = [each for each in responses if each.system == system]
        table = (
            folder / f"src/{system}/general/intermediate/inspired/filtered_{filtered}_exclude_seen_{unseen}/summary.csv"
        )
        published = {row["condition"]: row for row in csv.DictReader(table.read_text().splitlines())}
        for condition, number in CONDITIONS.items():
            asked = [of_condition(each, condition) for each in situations]
            assert sum(len(each.targets or ()) for each in asked) == number
            scores = measure(offline_conversations(asked, own), metrics, settings=Settings(resamples=10))
            for score in (each for each in scores if each.level == "system"):
                kind, k = score.measure.split("(k=")
                column = f"{kind}@{k.partition(')')[0]}_mean"
                assert score.value == pytest.approx(float(published[condition][column]), abs=5e-5), (condition, column)


def of_condition(situation: Situation, condition: str) -> Situation:
    """With the targets that the condition looks at."""
    seen = situation.meta["seen"]
    assert isinstance(seen, list)
    wanted = {"recommendation": (False,), "discussion": (True,), "all": (True, False)}[condition]
    targets = tuple(each for each in situation.targets or () if (each in seen) in wanted)
    return situation.model_copy(update={"targets": targets})

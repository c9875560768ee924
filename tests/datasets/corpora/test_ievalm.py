"""Dialogues of language models as users, as iEvaLM and CONCEPT write them."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from trialogue.datasets.base import recognise
from trialogue.datasets.corpora.ievalm import FORMAT
from trialogue.errors import DataError, Problem
from trialogue.metrics import conversations_of, get_metric, measure
from trialogue.metrics.gates.detect import gates_in
from trialogue.records import Dialogue, Ending, Score
from trialogue.records.kinds.suspicions import Gate

MIRROR = os.environ.get("TRIALOGUE_DATA_MIRROR")
NAMES = ["Heat (1995)", "Big (1988)", "Clue (1985)", "comedy", "Tom Hanks"]
GENRES = {"Heat (1995)": ["crime", "drama"], "Big (1988)": ["comedy"], "Clue (1985)": ["comedy", "crime"]}


def publishers_files(folder: Path, *, first: int = 0) -> None:
    """As the publisher has them: entities by their own numbers (from ``first``), films under keys of another list."""
    folder.mkdir(parents=True)
    (folder / "entity2id.json").write_text(json.dumps({name: place for place, name in enumerate(NAMES, first)}))
    films = {str(900 + place): {"name": name, "genre": genres} for place, (name, genres) in enumerate(GENRES.items())}
    (folder / "id2info.json").write_text(json.dumps(films))


def reply(text: str, *, entity: list[str] | None = None, items: list[int] | None = None, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, "entity": entity or [], "rec_items": items or [0, 1, 1, 2], **more}


def asked(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def outer(**more: Any) -> dict[str, Any]:
    return {
        "dialog_id": "7", "turn_id": "3", "context": ["hi", "Do you like Big?", "yes"], "entity": ["Big (1988)"],
        "rec": ["Heat (1995)"], "resp": "see Heat", "template": [], **more,
    }  # fmt: skip


def concept(folder: Path, name: str = "7_3_profile1_attribute2", *, messages: list[Any] | None = None) -> Path:
    said = messages or [
        asked("Hello"),
        reply(
            "Have you seen Clue (1985)?",
            entity=["Clue (1985)", "comedy"],
            rec_success_rec=True,
            rec_success_dialogue=False,
        ),
        asked("What is it about?", entity=[], feelings="Sounds like what I want."),
        reply(
            "You should watch Clue (1985)!", entity=["Clue (1985)"], rec_success_rec=False, rec_success_dialogue=True
        ),
        asked("Great, I will. [END]"),
    ]
    inner = {"dialog_id": "7", "attributes": ["crime", "comedy"], "profile": ["You are curious."], "context": said}
    return store(folder, name, outer(simulator_dialog=inner))


def store(folder: Path, name: str, data: dict[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(data))
    return path


def read(path: Path) -> tuple[list[Dialogue], list[Score]]:
    found = list(recognise(path).read(path, note=lambda _: None))
    return [each for each in found if isinstance(each, Dialogue)], [each for each in found if isinstance(each, Score)]


def test_a_dialogue_of_concept_has_its_goal_persona_endings_rankings_and_flags(tmp_path: Path) -> None:
    publishers_files(tmp_path / "code" / "data" / "redial")
    path = concept(tmp_path / "dataset" / "kbrd" / "redial_eval")
    ((dialogue,), scores) = read(path)
    assert recognise(path) is FORMAT
    assert (dialogue.id, dialogue.system) == ("kbrd_redial/7_3_profile1_attribute2", "kbrd_redial")
    assert dialogue.source == "concept/redial"
    assert [each.text for each in dialogue.utterances][
        -1
    ] == "Great, I will."  # the stop token is no word of the user's
    assert dialogue.ended_by is Ending.USER_ENDED
    need = dialogue.need
    assert need is not None
    assert need.acceptable == ("2",)  # Clue alone has just these two genres; its entity is number 2
    assert [each.values for each in need.constraints] == [("crime",), ("comedy",)]
    assert need.persona == "You are curious."
    assert need.catalogue_size == 3
    assert need.fits == {"2": 1.0}
    first = dialogue.utterances[1]
    assert first.ranking == ("0", "1", "2")  # a repeated id counts where it stands first
    assert [(each.title, each.item_id) for each in first.mentions or ()] == [("Clue (1985)", "2")]  # a genre is no item
    assert dialogue.utterances[2].meta == {"feelings": "Sounds like what I want."}
    assert {str(each.measure): each.value for each in scores} == {
        "published_success@list": 1.0,
        "published_success@text": 1.0,
    }
    assert "Big" not in " ".join(each.text for each in dialogue.utterances)  # the dialogue around it is another one


def test_what_is_asked_about_does_not_meet_the_need_and_the_limit_is_an_ending(tmp_path: Path) -> None:
    publishers_files(tmp_path / "data" / "redial")
    question = [asked("Hello"), reply("Have you seen Clue (1985)?", entity=["Clue (1985)"])]
    concept(tmp_path / "kbrd" / "redial_eval", messages=[*question * 10, asked("bye")])
    ((dialogue,), scores) = read(tmp_path / "kbrd")
    assert dialogue.ended_by is Ending.TURN_LIMIT
    assert scores == []
    found: list[Score] = []
    measure(list(conversations_of([dialogue])), [get_metric("need_met")], sink=found.append)
    assert [each.value for each in found if each.level == "dialogue"] == [0.0]


def test_one_goal_and_persona_is_one_case_with_every_system(tmp_path: Path) -> None:
    publishers_files(tmp_path / "data" / "redial")
    for system in ("kbrd", "barcor"):
        concept(tmp_path / "dialogues" / system / "redial_eval", name=f"{system}-1")
    dialogues, _ = read(tmp_path / "dialogues")
    assert [each.system for each in dialogues] == ["barcor_redial", "kbrd_redial"]
    assert len({each.cluster for each in dialogues}) == 1


def test_without_the_publishers_files_goals_have_no_items_and_that_is_said(tmp_path: Path) -> None:
    concept(tmp_path / "kbrd" / "redial_eval")
    notes: list[Problem] = []
    (dialogue,) = (each for each in FORMAT.read(tmp_path / "kbrd", note=notes.append) if isinstance(each, Dialogue))
    assert dialogue.need is not None
    assert dialogue.need.acceptable == ()
    assert not dialogue.need.is_resolved
    assert "there is no id2info.json" in str(notes[0])


def of_both_corpora(folder: Path) -> Path:
    """One system's list on both corpora, as the publishers' folders have it: Heat is 0 of ReDial and 70 of OpenDialKG."""
    for corpus, first in (("redial", 0), ("opendialkg", 70)):
        publishers_files(folder / "data" / corpus, first=first)
        said = {"context": [reply("Heat (1995)", entity=["Heat (1995)"], items=[first, first + 1])]}
        store(
            folder / "save_5" / "chat" / "kbrd" / f"{corpus}_eval", "7_3", outer(context=["hi"], simulator_dialog=said)
        )
    return folder / "save_5"


def test_items_are_those_of_the_corpus_that_the_folder_names_and_corpora_are_never_one_system(tmp_path: Path) -> None:
    dialogues, _ = read(of_both_corpora(tmp_path))
    assert [(each.system, each.source) for each in dialogues] == [
        ("kbrd_opendialkg", "ievalm/opendialkg"),
        ("kbrd_redial", "ievalm/redial"),
    ]
    assert len({each.id for each in dialogues}) == 2  # though the files have one name
    assert [each.need.targets for each in dialogues if each.need] == [("70",), ("0",)]
    scores: list[Score] = []
    measure(list(conversations_of(dialogues)), [get_metric("need_recall(k=1)@last")], sink=scores.append)
    assert [each.value for each in scores if each.level == "dialogue"] == [1.0, 1.0]


@pytest.mark.parametrize("below", ["", "full_non_repeated", "full_non_repeated/test"])
def test_one_file_is_read_like_its_folder_and_folders_below_the_corpus_change_nothing(
    tmp_path: Path, below: str
) -> None:
    of_both_corpora(tmp_path)
    folder = tmp_path / "save_5" / "chat" / "kbrd" / "opendialkg_eval"
    place = folder / below
    place.mkdir(parents=True, exist_ok=True)
    path = (folder / "7_3.json").rename(place / "7_3.json")
    ((dialogue,), _) = read(path)
    assert (dialogue.system, dialogue.source) == ("kbrd_opendialkg", "ievalm/opendialkg")
    assert dialogue.need is not None
    assert dialogue.need.targets == ("70",)


def test_items_of_another_corpus_are_not_taken(tmp_path: Path) -> None:
    publishers_files(tmp_path / "data" / "redial")
    for corpus in ("redial", "opendialkg"):
        concept(tmp_path / "dialogues" / "kbrd" / f"{corpus}_eval")
    notes: list[Problem] = []
    found = [each for each in FORMAT.read(tmp_path, note=notes.append) if isinstance(each, Dialogue)]
    assert [(each.source, each.need is not None and each.need.is_resolved) for each in found] == [
        ("concept/opendialkg", False),
        ("concept/redial", True),
    ]
    assert [str(each).count("there is no id2info.json of opendialkg") for each in notes] == [1]


def test_items_of_several_corpora_without_a_folder_that_says_which_are_an_error(tmp_path: Path) -> None:
    of_both_corpora(tmp_path)
    data = outer(context=["hi"], simulator_dialog={"context": [reply("Heat (1995)")]})
    store(tmp_path / "mine", "7_3", data)
    with pytest.raises(DataError, match="there are items of several: opendialkg, redial") as error:
        read(tmp_path / "mine")
    assert "mine/redial_eval" in str(error.value)


def test_targets_without_an_id_are_counted(tmp_path: Path) -> None:
    publishers_files(tmp_path / "data" / "redial")
    data = outer(rec=["Heat (1995)", "Nobody (1999)"], simulator_dialog={"context": [reply("Heat (1995)")]})
    path = store(tmp_path / "kbrd" / "redial_eval", "7_3", data)
    notes: list[Problem] = []
    list(FORMAT.read(path, note=notes.append))
    assert "1 of 2 targets are not in entity2id.json" in str(notes[0])


def test_a_dialogue_of_ievalm_begins_with_the_human_one_and_a_target_in_it_is_a_leak(tmp_path: Path) -> None:
    publishers_files(tmp_path / "data" / "redial")
    said = [
        reply("Tell me more.", rec_success=False),
        asked("Robbers in a city."),
        reply("Heat (1995)", entity=["Heat (1995)"], rec_success=True),
        asked("That is it!"),
    ]
    for name, context in (("7_3", ["hi", "Do you like Big?", "not really"]), ("8_1", ["I liked Heat", "", "more?"])):
        data = outer(context=context, simulator_dialog={"context": said})
        store(tmp_path / "save_5" / "chat" / "unicrs" / "redial_eval", name, data)
    dialogues, scores = read(tmp_path / "save_5")
    clean, leaked = dialogues
    assert clean.system == "unicrs_redial"
    assert [each.text for each in clean.utterances][:4] == ["hi", "Do you like Big?", "not really", "Tell me more."]
    assert clean.utterances[1].mentions is not None
    assert [each.item_id for each in clean.utterances[1].mentions] == []  # Big is too short to be looked for in a text
    assert clean.need is not None
    assert clean.need.targets == ("0",)
    assert [each.text for each in leaked.utterances][:2] == ["I liked Heat", "more?"]  # an empty text is a placeholder
    assert gates_in(clean)[Gate.TARGET_LEAKED] is False
    assert [each.value for each in scores] == [1.0, 1.0]


def test_a_log_of_attribute_questions_has_options_and_no_ranking_where_the_system_only_asks(tmp_path: Path) -> None:
    publishers_files(tmp_path / "data" / "redial")

    def chose(option: str, text: str, **more: Any) -> dict[str, Any]:
        return {"role": "assistant", "content": text, "option": option, **more}

    asks = [chose("A", "Which genre do you like?"), asked("crime, drama"), chose("C", "Which director?", rec_items=[])]
    ends = chose("D", "I recommend: 1: Big (1988) 1: Heat (1995)", rec_items=[1, 0, 2], rec_success=True)
    mode = tmp_path / "save_5" / "ask" / "kbrd" / "redial_eval"
    store(mode, "7_3", outer(context=["hi"], simulator_dialog={"context": [*asks, asked("no information"), ends]}))
    store(mode, "8_1", outer(context=["hi"], simulator_dialog={"context": asks}))
    chat = {"context": [reply("Heat (1995)", entity=["Heat (1995)"])]}
    store(tmp_path / "save_5" / "chat" / "kbrd" / "redial_eval", "7_3", outer(context=["hi"], simulator_dialog=chat))
    dialogues, _ = read(tmp_path / "save_5")
    found, never, chatting = dialogues
    assert [each.id for each in dialogues] == [
        "kbrd_redial/attributes/7_3",
        "kbrd_redial/attributes/8_1",
        "kbrd_redial/7_3",
    ]
    assert [each.source for each in dialogues] == ["ievalm/attributes/redial"] * 2 + ["ievalm/redial"]
    replies = [each for each in found.utterances if each.speaker == "system"]
    assert [each.meta for each in replies] == [{"option": "A"}, {"option": "C"}, {"option": "D"}]
    assert [each.ranking for each in replies] == [None, None, ("1", "0", "2")]
    assert [each.item_id for each in replies[-1].mentions or ()] == ["1", "0"]  # Clue is in the list, not in the text
    assert chatting.utterances[1].meta == {}

    def recalls(dialogue: Dialogue, *names: str) -> list[float | None]:
        scores: list[Score] = []
        measure(list(conversations_of([dialogue])), list(map(get_metric, names)), sink=scores.append)
        return [each.value for each in scores if each.level == "dialogue"]

    names = ("need_recall(k=1)@last", "need_recall(k=50)@last", "need_recall(k=50)@all-cases", "need_met")
    assert recalls(found, *names) == [0, 1, 1, 1]
    assert recalls(never, *names) == [None, None, 0, 0]


def test_a_recorded_exception_is_a_failure(tmp_path: Path) -> None:
    said = [asked("Hello"), {**reply(""), "error": {"type": "ReadTimeout", "message": "no answer in 30 s"}}]
    path = concept(tmp_path / "kbrd", messages=said)
    ((dialogue,), _) = read(path)
    assert dialogue.ended_by is Ending.AGENT_TIMEOUT
    assert dialogue.ending_detail == "ReadTimeout: no answer in 30 s"


def test_mistakes_are_named_with_file_and_place_all_at_once(tmp_path: Path) -> None:
    concept(tmp_path / "kbrd", "a", messages=[{"role": "robot", "content": "x"}, "text"])
    concept(tmp_path / "kbrd", "b", messages=[{"role": "user", "content": None}])
    with pytest.raises(DataError) as error:
        list(FORMAT.read(tmp_path / "kbrd", note=lambda _: None))
    text = str(error.value)
    assert 'a.json, field simulator_dialog.context[0].role: the role must be "user" or "assistant"' in text
    assert "simulator_dialog.context[1]: a message must be an object" in text
    assert "b.json, field simulator_dialog.context[0].content: a message must be text, got null" in text
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no dialogues of iEvaLM or CONCEPT"):
        list(FORMAT.read(tmp_path / "empty", note=lambda _: None))


@pytest.mark.skipif(MIRROR is None, reason="TRIALOGUE_DATA_MIRROR does not name the published dialogues")
def test_the_published_dialogues_have_the_published_counts() -> None:
    """Facts: 75 dialogues of four systems, 2,644 replies; dialogues with a flag ever true; 60 that end with the token."""
    folder = Path(str(MIRROR)) / "concept_redial" / "dataset" / "dialog_data"
    dialogues, scores = read(folder)
    systems = ("barcor_redial", "chatgpt_redial", "kbrd_redial", "unicrs_redial")
    assert Counter(each.system for each in dialogues) == dict.fromkeys(systems, 75)
    assert sum(each.speaker == "system" for one in dialogues for each in one.utterances) == 2644
    ever = Counter((each.system, str(each.measure)) for each in scores if each.value)
    assert [ever[system, "published_success@text"] for system in systems] == [
        19,
        10,
        3,
        10,
    ]
    assert [ever[system, "published_success@list"] for system in systems] == [
        32,
        34,
        2,
        7,
    ]
    assert Counter(each.system for each in dialogues if each.ended_by is Ending.USER_ENDED) == {
        "chatgpt_redial": 58, "barcor_redial": 1, "unicrs_redial": 1,
    }  # fmt: skip
    sizes = {len(each.need.acceptable) for each in dialogues if each.need}
    assert (min(sizes), max(sizes)) == (50, 246)
    in_list = sum(
        not set(each.ranking or ()).isdisjoint(one.need.acceptable)
        for one in dialogues for each in one.utterances if one.need and each.speaker == "system"
    )  # fmt: skip
    first = sum(
        (each.ranking or ("",))[0] in one.need.acceptable
        for one in dialogues for each in one.utterances if one.need and each.speaker == "system"
    )  # fmt: skip
    assert (in_list, first) == (1679, 315)

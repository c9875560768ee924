"""RecLLMSim: people, and a model as the user, with assistants; three formats under one roof."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from trialogue.datasets.base import recognise
from trialogue.datasets.corpora.recllmsim import CHINESE, FORMAT
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue

MIRROR = os.environ.get("TRIALOGUE_DATA_MIRROR")


def of_people(**more: Any) -> dict[str, Any]:
    return {
        "chat_model": "gpt-4",
        "history": [
            {"role": "user", "content": "我想买一份礼物"},
            {"role": "assistant", "content": "茶叶", "satisfaction": "2", "hallucination": "否", "reason": "不够细致"},
            {"role": "user", "content": "还有吗"},
            {"role": "assistant", "content": "书", "satisfaction": "5", "hallucination": "无法判断"},
        ],
        "task_context": "礼物",
        "task_type": "礼物准备",
        "questionnaire": [
            {"query": "?", "summary": "Detail", "option": "详细"},
            {"query": "?", "summary": "Memorization", "option": "否"},
        ],
        **more,
    }


def of_model(**more: Any) -> dict[str, Any]:
    return {
        "task": "preparing gifts",
        "preference_id": 4,
        "preference": "1. Gender: Male",
        "task_context": "A gift.",
        "history": [
            {"role": "user", "content": "I want a gift.", "content_zh": "我想要礼物。", "intent": "Planning"},
            {
                "role": "assistant",
                "content": "Tea.",
                "content_zh": "茶。",
                "hallucination": {"hallucination": True, "memo": ""},
            },
        ],
        "conflict": False,
        "rating": {"Memorization": 1, "Detail Level": 2},
        **more,
    }


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    write(tmp_path / "human_exp_V2" / "User_3" / "礼物准备" / "0.json", of_people())
    write(tmp_path / "real_human_user" / "User_3" / "礼物准备" / "0.json", of_people(chat_model=None))
    write(tmp_path / "LLM_agent_user" / "preparing gifts" / "0.json", of_model())
    write(tmp_path / "LLM_agent_user" / "recipe planning" / "0.json", of_model(task="recipe planning"))
    return tmp_path


def read(path: Path) -> list[Dialogue]:
    problems: list[Problem] = []
    found = [each for each in FORMAT.read(path, note=problems.append) if isinstance(each, Dialogue)]
    assert not problems
    return found


def test_ids_are_paths_and_the_same_number_is_not_the_same_person(corpus: Path) -> None:
    assert recognise(corpus).name == recognise(corpus / "LLM_agent_user").name == "recllmsim"
    found = read(corpus)
    assert [each.id for each in found] == [
        "LLM_agent_user/preparing gifts/0",
        "LLM_agent_user/recipe planning/0",
        "human_exp_V2/User_3/礼物准备/0",
        "real_human_user/User_3/礼物准备/0",
    ]
    assert len({each.user for each in found[2:]}) == 2
    # one model is not one user: its dialogues are clustered by the persona that it plays
    assert found[0].cluster == found[1].cluster == "user:LLM_agent_user/persona-4"
    assert [each.source for each in found] == 2 * ["recllmsim/llm-user"] + ["recllmsim/people-v2", "recllmsim/people"]


def test_satisfaction_of_a_reply_and_answers_about_the_dialogue_are_ratings(corpus: Path) -> None:
    (found,) = read(corpus / "human_exp_V2")
    assert found.system == "gpt-4"
    assert [[each.value for each in said.ratings] for said in found.utterances] == [[], [2], [], [5]]
    assert found.utterances[1].meta == {"hallucination": "no", "reason": "not detailed"}
    assert found.utterances[3].meta == {"hallucination": "cannot_tell"}
    assert {(each.name, each.value, each.high) for each in found.ratings} == {("detail", 2, 2), ("remembered", 1, 1)}


def test_remembered_has_one_direction_though_people_were_asked_whether_it_was_forgotten(tmp_path: Path) -> None:
    forgot = {"query": "?", "summary": "Memorization", "option": "是"}
    people = write(tmp_path / "a" / "human_exp_V2" / "User_1" / "t" / "0.json", of_people(questionnaire=[forgot]))
    model = write(tmp_path / "b" / "LLM_agent_user" / "t" / "0.json", of_model(rating={"Memorization": 0}))
    for path in (people, model):
        (dialogue,) = read(path)
        assert [(each.name, each.value) for each in dialogue.ratings] == [("remembered", 0)]


def test_the_models_dialogues_are_in_english_with_a_chinese_translation_beside_it(corpus: Path) -> None:
    found = read(corpus / "LLM_agent_user")[0]
    assert [each.text for each in found.utterances] == ["I want a gift.", "Tea."]
    assert [each.meta[CHINESE] for each in found.utterances] == ["我想要礼物。", "茶。"]
    assert found.utterances[0].meta["intents"] == ["Planning"]
    assert found.utterances[1].meta["hallucination"] == "yes"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"history": [{"role": "wizard", "content": "a"}]}, "role must be"),
        ({"history": [{"role": "user", "content": 1}]}, "a message must be text"),
        ({"history": [{"role": "assistant", "content": "a", "satisfaction": "6"}]}, 'satisfaction must be "1" to "5"'),
        ({"history": [{"role": "assistant", "content": "a", "hallucination": "maybe"}]}, "expected one of 否"),
        ({"questionnaire": [{"summary": "Detail", "option": "so so"}]}, "unknown question or option"),
        ({"rating": {"Detail Level": 3}}, "outside its scale"),
        ({"rating": {"Beauty": 1}}, "unknown grade"),
        ({"history": "none"}, "expected an object with a list 'history'"),
    ],
)
def test_what_is_off_is_refused_with_file_and_field(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = write(tmp_path / "human_exp_V2" / "User_1" / "t" / "0.json", of_people(**change))
    with pytest.raises(DataError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_mistakes_of_all_files_are_listed_at_once(corpus: Path) -> None:
    for part in ("human_exp_V2", "real_human_user"):
        write(corpus / part / "User_9" / "t" / "0.json", of_people(history=[{"role": "wizard", "content": "a"}]))
    with pytest.raises(DataError) as caught:
        list(FORMAT.read(corpus))
    assert len(caught.value.problems) == 2
    with pytest.raises(DataError, match="contains no dialogues of RecLLMSim"):
        list(FORMAT.read(write(corpus / "empty" / "a.txt", "").parent))


@pytest.mark.mirror
def test_the_corpus_has_its_published_counts(mirror: Path) -> None:
    found = read(mirror / "recllmsim")
    by_source = Counter(each.source for each in found)
    assert by_source == {"recllmsim/people-v2": 964, "recllmsim/people": 132, "recllmsim/llm-user": 300}
    systems = Counter(each.system for each in found if each.source == "recllmsim/people-v2")
    assert systems["gpt-4-turbo-preview"] == 288
    points = Counter(
        rating.value for each in found for said in each.utterances for rating in said.ratings
    )  # the publisher's: 60, 136, 473, 1,496 and 2,076
    assert [points[value] for value in (1, 2, 3, 4, 5)] == [60, 136, 473, 1496, 2076]
    assert len({each.user for each in found if each.source == "recllmsim/people-v2"}) == 61

"""Recorded dialogues as an agent."""

from pathlib import Path

import pytest

from tests.agents.talk import said_to, texts, user
from trialogue.agents import make_agent
from trialogue.agents.replay import ReplayAgent
from trialogue.errors import DataError, UsageError
from trialogue.records import Dialogue, DialogueAct, Rating, Utterance, write_records


def system(text: str) -> Utterance:
    return Utterance(
        speaker="system",
        text=text,
        id="u1",
        acts=(DialogueAct(intent="SAY"),),
        ratings=(Rating(name="relevance", value=1),),
    )


GREETED = Dialogue(
    id="greeted",
    system="A",
    utterances=(
        system("Welcome!"),
        system("What do you like?"),
        user("films"),
        system("Heat?"),
        user("no"),
        system("Bye"),
    ),
)
ASKED = Dialogue(
    id="asked", system="B", utterances=(user("hi"), system(" "), user("hello?"), system("Ronin?"), user("ok"))
)
SILENT = Dialogue(id="silent", system="A", utterances=(user("hi"),))


def test_the_recording_of_the_dialogues_name_is_replayed_whatever_the_user_says() -> None:
    agent = ReplayAgent([GREETED, ASKED, SILENT])
    assert said_to(agent, "x", "y", dialogue_id="greeted") == [["Welcome!", "What do you like?"], ["Heat?"], ["Bye"]]
    assert said_to(agent, "x", dialogue_id="asked") == [[], ["Ronin?"]]


def test_acts_are_kept_and_ids_and_ratings_of_the_recording_are_not() -> None:
    with ReplayAgent([ASKED]).open("asked", seed=0) as session:
        said = session.reply([user("x")]).utterances[0]
    assert (said.acts, said.id, said.ratings) == ((DialogueAct(intent="SAY"),), None, ())


def test_the_last_words_end_the_dialogue_and_after_them_there_is_nothing() -> None:
    with ReplayAgent([GREETED]).open("greeted", seed=0) as session:
        first = session.reply([user("x")])
        history = [user("x"), *first.utterances, user("y")]
        last = session.reply(history)
        after = session.reply([*history, *last.utterances, user("z")])
    assert [(texts(turn), turn.ends) for turn in (first, last, after)] == [
        (["Heat?"], False),
        (["Bye"], True),
        ([], True),
    ]


def test_other_dialogues_are_drawn_by_the_seed() -> None:
    agent = ReplayAgent([GREETED, ASKED])
    drawn = {tuple(said_to(agent, "x", dialogue_id="new", seed=seed)[1]) for seed in range(20)}
    assert drawn == {("Heat?",), ("Ronin?",)}
    assert said_to(agent, "x", seed=5) == said_to(agent, "x", seed=5)


def test_recordings_come_from_a_file_and_of_one_system_if_wanted(tmp_path: Path) -> None:
    write_records(tmp_path / "d.jsonl", [GREETED, ASKED])
    agent = make_agent(f"replay:{tmp_path / 'd.jsonl'}", system="B")
    assert agent.name == "B"
    assert said_to(agent, "x", dialogue_id="greeted")[1] == ["Ronin?"]
    agent.close()


def test_recordings_without_a_system_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="None of the 1 dialogues"):
        ReplayAgent([SILENT])
    with pytest.raises(DataError, match="no such file"):
        make_agent(f"replay:{tmp_path / 'none.jsonl'}")

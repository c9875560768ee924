"""Nobody takes an item that nobody named, whatever the agent says and whatever the user understands of it."""

from collections.abc import Iterator

import pytest

from trialogue.agents.baselines import Fixed
from trialogue.inputs.knowledge import load_catalogue
from trialogue.metrics.recommendation.acceptance import TAKES
from trialogue.records import Dialogue
from trialogue.simulation.batch.plan import Plan
from trialogue.simulation.batch.workers import DialogueRunner
from trialogue.simulation.users.kinds import load_kind
from trialogue.simulation.users.world import World

REPLIES = (
    "Before I recommend something, which genre do you prefer?",
    "I recommend it to everybody who asks me.",
    "Я бы посоветовал посмотреть что-нибудь хорошее сегодня вечером.",
    "我推荐你看一部好电影。",
    "Here you go!",
    "genre: crime, 1 of 3 pages",
)
KINDS = ("cir6-pkg", "cir6-single", "qrfa-single")


def _dialogues(kind: str, reply: str, **options: object) -> Iterator[Dialogue]:
    known = load_catalogue()
    users = load_kind(kind, **options).settle(World(known.catalogue, known.ratings))
    runner, agent = DialogueRunner(max_turns=8), Fixed(reply)
    return (runner(agent, users, task) for task in Plan(("fixed",), ("users",), 25, seed=3))


def _takes(dialogue: Dialogue) -> bool:
    return any(act.intent == TAKES for said in dialogue.utterances if said.speaker == "user" for act in said.acts or ())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reply", REPLIES)
def test_no_item_is_taken_where_none_was_named(kind: str, reply: str) -> None:
    assert not any(map(_takes, _dialogues(kind, reply)))


def test_the_papers_agendas_take_it_all_the_same() -> None:
    taken = [_takes(each) for reply in REPLIES[:2] for each in _dialogues("cir6-pkg", reply, wants="profile")]
    assert any(taken)

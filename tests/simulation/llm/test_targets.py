"""Users who know their target: its title is theirs alone until the agent names it."""

import pytest

from tests.simulation.llm.test_user import VALUES, Says
from tests.simulation.made import Scripted, agent, films, texts, turn
from trialogue.records import Ending, Need
from trialogue.simulation.dialogue import Transcript, talk
from trialogue.simulation.llm.prompts import PROMPTS
from trialogue.simulation.llm.user import LlmUser, ModelQueries, SinglePrompt
from trialogue.simulation.llm.users import WITHHELD, TitleGuard, tastes_need
from trialogue.simulation.users.world import World, target_need

TARGET = next(item for item in films().values() if len(item.title) > 8)
OTHER = next(item for item in films().values() if len(item.title) > 8 and item.id != TARGET.id)


def held(*answers: str, says: str = "What is it about?", turns: int | None = 5) -> Transcript:
    policy = SinglePrompt(PROMPTS["target-item"], VALUES, role="system")
    keeps = TitleGuard(policy, [TARGET.id], World(films()))
    asking = ModelQueries(Says(*answers), seed=1, trial="t", longest_text=1000)
    user = LlmUser(keeps, asking, Need(id="n", targets=(TARGET.id,)), turns=turns)
    return talk(Scripted(turn(agent(says))), user)


@pytest.mark.parametrize("title", [TARGET.title, TARGET.title.upper(), f"{TARGET.title} ({TARGET.year})"])
def test_sentences_that_give_the_title_away_are_not_said_and_are_counted(title: str) -> None:
    said = held(f"I look for {title}. It is quite old!", "[DONE]").utterances[0]
    assert said.text == "It is quite old!"
    assert said.meta[WITHHELD] == 1


def test_other_titles_and_words_inside_of_others_are_said() -> None:
    said = held(f"It is like {OTHER.title}. Not x{TARGET.title}y.", "[DONE]").utterances[0]
    assert said.text == f"It is like {OTHER.title}. Not x{TARGET.title}y."
    assert WITHHELD not in said.meta


def test_nothing_but_the_title_is_the_users_failure() -> None:
    found = held(f"{TARGET.title}!")
    assert (found.ended_by, found.utterances) == (Ending.USER_ERROR, ())
    assert "the title that it must not name" in (found.detail or "")


def test_once_the_agent_has_named_it_the_user_may_too() -> None:
    found = held("Something old.", f"Yes, {TARGET.title}! [DONE]", says=f"Is it {TARGET.title_with_year}?")
    assert texts(found.utterances)[2] == f"Yes, {TARGET.title}!"
    assert found.ended_by is Ending.USER_ENDED


def test_after_five_messages_it_is_over() -> None:
    found = held(*["Something old."] * 9)
    assert found.ended_by is Ending.TURN_LIMIT
    assert [each.speaker for each in found.utterances] == ["user", "system"] * 5


def test_a_target_is_all_that_does_and_a_taste_is_no_need() -> None:
    need = Need(id="n", targets=("a", "b"), acceptable=("a", "b", "c"), examples=("e",))
    assert target_need(need) == Need(id="n-target", targets=("a",), acceptable=("a",), examples=("e",))
    assert tastes_need(need) == Need(id="n-tastes", examples=("e",))

"""What all reference agents keep to, whatever is said to them."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.recommenders.material import (
    film_expert,
    film_ratings,
    films,
    intents,
    recommended,
    restaurant_expert,
    restaurants,
    said,
    talk,
    talk_to,
    user,
)
from tests.untraced import untraced
from trialogue.agents import Agent, Session, Turn
from trialogue.catalogue import Catalogue, Item
from trialogue.records import Dialogue, Mention, Utterance
from trialogue_recommenders import (
    Expert,
    GenreLedAgent,
    GuidedAgent,
    ItemCentredAgent,
    PopularAgent,
    RandomAgent,
    ReferenceAgent,
)

RECOMMENDERS = (GuidedAgent, ItemCentredAgent, GenreLedAgent)
BASELINES = (PopularAgent, RandomAgent)
CORPUS = {GuidedAgent: "1219_andchill", ItemCentredAgent: "1225_mb", GenreLedAgent: "1224_ms"}

# Labels of each agent's utterances in the paper's corpora (typos and labels of users put on agents left out).
PAPER = {
    GuidedAgent: "Elicit Inquire Suggest Show List Similar More Back Record End Fail",
    ItemCentredAgent: "Elicit Clarify Show List Similar Subset Repeat Record End",
    GenreLedAgent: "Elicit Elicit-review Show List Similar Repeat Repeat-fail More End Fail",
}

AnyAgent = ReferenceAgent | PopularAgent | RandomAgent

PHRASES = (
    *(
        "hi",
        "hello there",
        "I like The Matrix",
        "Titanic because it is sad",
        "Harry Potter",
        "scary",
        "comedy with Tom Hanks",
    ),
    *(
        "something from the 80s",
        "yes",
        "no",
        "ok",
        "not yet",
        "seen it",
        "I loved it",
        "I don't like it",
        "no horror please",
    ),
    *(
        "more",
        "another",
        "anything else?",
        "something similar",
        "recommend similar movies",
        "1",
        "2",
        "the last one",
        "99",
    ),
    *(
        "who directed it?",
        "genre",
        "what is it about?",
        "tell me more",
        "how long is it?",
        "I'll watch it",
        "friday evening",
    ),
    *(
        "go back",
        "that is not what I meant",
        "start over",
        "help",
        "surprise me",
        "I don't know",
        "thanks",
        "8/10",
        "asdf qwer",
    ),
    *("is it a comedy?", "not Titanic", "any movie", "a film about samurai", "what else", "I have seen both", "..."),
)


def film_agent(kind: type[ReferenceAgent]) -> ReferenceAgent:
    return kind(films(), film_ratings(), expert=film_expert())


def check(agent: AnyAgent, catalogue: Catalogue, turn: Turn) -> None:
    """What holds of every turn: something is said or it ends, with declared acts and mentions in their places."""
    assert turn.utterances or turn.ends
    for utterance in turn.utterances:
        assert utterance.speaker == "system"
        assert utterance.text.strip()
        assert not any(
            field in utterance.text for field in ("{title", "{fact}", "{noun", "{known}", "{kind", "{value}")
        )
        assert utterance.acts
        assert {act.intent for act in utterance.acts} <= agent.labels
        assert utterance.mentions is not None
        for mention in utterance.mentions:
            assert mention.item_id is not None
            assert utterance.text[mention.start : mention.end] in (mention.title, catalogue[mention.item_id].title)
        for slot in (slot for act in utterance.acts for slot in act.slots if slot.value is not None):
            assert utterance.text[slot.start : slot.end] == slot.value
        if utterance.ranking is not None:
            assert len(set(utterance.ranking)) == len(utterance.ranking)
            assert set(utterance.ranking) <= set(catalogue)
            ranked = [mention.item_id for mention in utterance.mentions if mention.item_id in utterance.ranking]
            assert ranked == list(utterance.ranking[: len(ranked)])


@pytest.mark.parametrize("kind", RECOMMENDERS)
def test_its_labels_are_those_of_the_papers_agent(kind: type[ReferenceAgent]) -> None:
    assert kind.labels <= set(PAPER[kind].split())


@pytest.mark.mirror
@pytest.mark.parametrize("kind", RECOMMENDERS)
def test_its_labels_are_in_the_corpus_of_the_papers_agent(kind: type[ReferenceAgent], mirror: Path) -> None:
    rows = json.loads((mirror / "kdd2020" / f"{CORPUS[kind]}.json").read_text(encoding="utf-8"))
    assert kind.labels <= {str(label) for dialogue in rows.values() for who, _, label in dialogue if who == "agent"}


@pytest.mark.parametrize("kind", [*RECOMMENDERS, *BASELINES])
def test_it_is_an_agent_with_a_name_and_any_number_of_sessions(kind: type[AnyAgent]) -> None:
    default, other = kind(films()), kind(films(), name="mine")
    agent: Agent = default
    assert agent.name == kind.default_name
    assert other.name == "mine"
    assert agent.sessions_at_once is None
    with agent.open("d", seed=0) as session:
        held: Session = session
        assert held.greet() is None
        assert held.reply([user("hello")]).utterances
    agent.close()


@pytest.mark.parametrize("kind", RECOMMENDERS)
@settings(max_examples=60)
@given(
    texts=st.lists(st.one_of(st.sampled_from(PHRASES), st.text(max_size=60)), min_size=1, max_size=14),
    seed=st.integers(-5, 2**70),
)
def test_whatever_is_said_it_answers_well_formed(kind: type[ReferenceAgent], texts: list[str], seed: int) -> None:
    agent = film_agent(kind)
    turns = talk_to(agent, *texts, seed=seed)
    for turn in turns:
        check(agent, films(), turn)
    offered = recommended(turns)
    assert len(offered) == len(set(offered))
    assert talk_to(agent, *texts, seed=seed) == turns


@pytest.mark.parametrize("kind", RECOMMENDERS)
@settings(max_examples=40)
@given(texts=st.lists(st.one_of(st.sampled_from(PHRASES), st.text(max_size=30)), min_size=1, max_size=10))
def test_it_speaks_of_any_domain_in_its_words(kind: type[ReferenceAgent], texts: list[str]) -> None:
    agent = kind(restaurants(), None, expert=restaurant_expert())
    for turn in talk_to(agent, *texts):
        check(agent, restaurants(), turn)
        assert "film" not in said(turn) or any("film" in text for text in texts)


@pytest.mark.parametrize("kind", RECOMMENDERS)
@settings(max_examples=40)
@given(texts=st.lists(st.sampled_from(PHRASES), min_size=1, max_size=10))
def test_it_gets_along_with_few_items_and_with_none(kind: type[ReferenceAgent], texts: list[str]) -> None:
    for items in ((), (Item(id="x", title="Alien"),), (Item(id="y", title=""), Item(id="z", title="..."))):
        catalogue = Catalogue.from_items(items)
        agent = kind(catalogue, None, expert=_small_expert(items))
        for turn in talk_to(agent, *texts):
            check(agent, catalogue, turn)


def _small_expert(items: tuple[Item, ...], _kept: dict[tuple[str, ...], Expert] = {}) -> Expert:  # noqa: B006 - kept
    key = tuple(item.id for item in items)
    if key not in _kept:
        _kept[key] = Expert(Catalogue.from_items(items))
    return _kept[key]


@pytest.mark.parametrize("kind", RECOMMENDERS)
def test_a_megabyte_of_text_and_strange_scripts_are_answered(kind: type[ReferenceAgent]) -> None:
    agent = film_agent(kind)
    for text in ("x" * 1_000_000, "映画" * 1000, "ok " * 300_000, "🎬🍿", "\u202eolleh", "é" * 5000, "\x00\x01"):
        for turn in talk_to(agent, text, "Alien", text):
            check(agent, films(), turn)
            assert len(said(turn)) < 2000


@pytest.mark.parametrize("kind", RECOMMENDERS)
def test_recommendations_come_with_a_ranking_of_at_least_ten_the_named_one_first(kind: type[ReferenceAgent]) -> None:
    turns = talk_to(
        film_agent(kind), "hi", "I like The Matrix because of the action", "something similar", "another one"
    )
    ranked = [utterance for turn in turns for utterance in turn.utterances if utterance.ranking is not None]
    assert ranked
    for utterance in ranked:
        assert len(utterance.ranking or ()) >= 10
        assert (utterance.ranking or ())[0] in {mention.item_id for mention in utterance.mentions or ()}


@pytest.mark.parametrize("kind", RECOMMENDERS)
def test_nothing_is_offered_twice_until_all_is_offered_and_then_it_says_so(kind: type[ReferenceAgent]) -> None:
    agent = kind(restaurants(), None, expert=restaurant_expert())
    turns = talk_to(agent, "surprise me", "surprise me", *["another one please"] * 15)
    offered = recommended(turns)
    assert len(offered) == len(set(offered)) == len(restaurants())
    assert intents(turns[-1]) == ["Elicit"]


@pytest.mark.parametrize("kind", RECOMMENDERS)
def test_the_seed_chooses_words_and_the_same_seed_the_same(kind: type[ReferenceAgent]) -> None:
    texts = ("hi", "I like The Matrix because of the action", "another one", "who directed it?", "bye")
    dialogues = [talk_to(film_agent(kind), *texts, seed=seed) for seed in (1, 1, 2, 3)]
    assert dialogues[0] == dialogues[1]
    assert len({tuple(said(turn) for turn in turns) for turns in dialogues}) > 1
    assert len({tuple(recommended(turns)) for turns in dialogues}) == 1


@pytest.mark.parametrize("kind", RECOMMENDERS)
@pytest.mark.parametrize("text", ["bye", "thanks, bye!"])
def test_it_ends_politely(kind: type[ReferenceAgent], text: str) -> None:
    last = talk_to(film_agent(kind), "hi", "The Matrix", "because of the action", text)[-1]
    assert last.ends
    assert intents(last) == ["End"]


@pytest.mark.parametrize("kind", RECOMMENDERS)
def test_a_session_given_the_beginning_of_a_dialogue_goes_on_as_the_one_that_lived_through_it(
    kind: type[ReferenceAgent],
) -> None:
    agent = film_agent(kind)
    texts = (
        "hi",
        "I like The Matrix",
        "for the action",
        "I have seen it",
        "another",
        "tell me more",
        "the last one",
        "more",
    )
    lived, history = agent.open("a", seed=5), list[Utterance]()
    for text in texts:
        history.append(user(text))
        expected = lived.reply(history)
        assert agent.open("b", seed=5).reply(history) == expected
        history.extend(expected.utterances)


@pytest.mark.parametrize("kind", [*RECOMMENDERS, *BASELINES])
def test_what_another_system_has_named_is_not_offered_again(kind: type[AnyAgent]) -> None:
    agent = kind(films(), film_ratings())
    first = agent.open("a", seed=0).reply([user("surprise me"), user("surprise me")])
    again = agent.open("a", seed=0).reply([user("surprise me"), *first.utterances, user("surprise me")])
    others = [mention for utterance in first.utterances for mention in utterance.mentions or ()]
    messages = Utterance(speaker="system", text="Somebody else's words", mentions=tuple(others))
    foreign = agent.open("a", seed=0).reply([user("hi"), messages, user("anything"), user("surprise me")])
    assert not {mention.item_id for mention in others} & set(recommended([foreign]))
    assert again.utterances


@pytest.mark.parametrize("kind", RECOMMENDERS)
def test_a_dialogue_that_another_system_began_is_gone_on_with(kind: type[ReferenceAgent]) -> None:
    heat = Mention(title="Heat (1995)", item_id="heat-1995")
    strange = Mention(title="Nowhere (2001)", item_id="nowhere")
    messages = (
        Utterance(speaker="system", text="I would say Heat.", mentions=(heat,)),
        Utterance(speaker="system", text="Or Nowhere.", mentions=(strange,)),
    )
    session = film_agent(kind).open("d", seed=0)
    assert "Michael Mann" in said(session.reply([user("a thriller"), *messages, user("who directed it?")]))


def test_messages_in_a_row_are_heard_together() -> None:
    session = film_agent(GuidedAgent).open("d", seed=0)
    assert "Show" in intents(session.reply([user("The Matrix"), user("because of the action")]))


def test_a_shorter_history_begins_anew() -> None:
    session = film_agent(GenreLedAgent).open("d", seed=0)
    first = session.reply([user("horror")])
    session.reply([user("horror"), *first.utterances, user("another")])
    assert session.reply([user("horror")]) == first


@pytest.mark.parametrize("history", [[], [Utterance(speaker="system", text="Hello")]])
def test_a_history_that_does_not_end_on_the_user_is_a_mistake_of_the_caller(history: list[Utterance]) -> None:
    with pytest.raises(ValueError, match="user utterance"):
        film_agent(GuidedAgent).open("d", seed=0).reply(history)


def test_sessions_of_one_agent_do_not_know_of_each_other() -> None:
    agent = film_agent(GenreLedAgent)
    one, other = agent.open("a", seed=0), agent.open("b", seed=0)
    first = one.reply([user("horror")])
    assert other.reply([user("horror")]) == first


@pytest.mark.parametrize("kind", BASELINES)
def test_a_baseline_names_every_item_once_and_ends(kind: type[AnyAgent]) -> None:
    agent = kind(restaurants())
    turns = talk(agent.open("d", seed=1), *["hm"] * 20)
    assert len(turns) == len(restaurants()) + 1
    assert sorted(recommended(turns)) == sorted(restaurants())
    assert turns[-1].ends
    assert intents(turns[-1]) == ["End"]
    for turn in turns:
        check(agent, restaurants(), turn)


def test_the_popular_agent_begins_with_what_was_rated_most_and_the_random_one_with_anything() -> None:
    counts = film_ratings().popularity()
    first = recommended(talk(PopularAgent(films(), film_ratings()).open("d", seed=0), "hi"))[0]
    assert counts[first] > sorted(counts.values())[-10]
    firsts = {recommended(talk(RandomAgent(films()).open("d", seed=seed), "hi"))[0] for seed in range(20)}
    assert len(firsts) > 15


def test_an_empty_catalogue_ends_a_baseline_at_once() -> None:
    assert talk(PopularAgent(Catalogue.from_items([])).open("d", seed=0), "hi")[0].ends
    assert talk(RandomAgent(Catalogue.from_items([])).open("d", seed=0), "hi")[0].ends


def test_a_dialogue_with_it_survives_a_trip_through_json() -> None:
    history: list[Utterance] = []
    session = film_agent(GuidedAgent).open("d", seed=0)
    for text in ("hi", "Alien", "the monster", "the first one", "bye"):
        history.append(user(text))
        history.extend(session.reply(history).utterances)
    dialogue = Dialogue(id="d", utterances=tuple(history))
    assert Dialogue.model_validate_json(dialogue.model_dump_json()) == dialogue


@pytest.mark.mirror
@pytest.mark.parametrize("kind", RECOMMENDERS)
def test_what_real_users_said_to_all_three_is_answered(kind: type[ReferenceAgent], mirror: Path) -> None:
    agent = film_agent(kind)
    for path in sorted((mirror / "kdd2020").glob("*.json")):
        for name, rows in json.loads(path.read_text(encoding="utf-8")).items():
            history: list[Utterance] = []
            session = agent.open(name, seed=0)
            for text in (text for who, text, _ in rows if who == "user"):
                history.append(user(text))
                turn = session.reply(history)
                check(agent, films(), turn)
                history.extend(turn.utterances)


# What an agent may answer to an act of the user: the rule by which the paper counts success.
ACCEPTABLE = {
    "Non-disclose Non-disclose-review Non-disclose-complain": "Elicit Inquire",
    "Disclose Disclose-review Disclose-repeat Revise Refine Expand": "Elicit Show List Suggest Clarify",
    "Inquire Note-dislike": "List Elicit",
    "List Back": "List",
    "Similar": "Elicit Similar List",
    "Subset": "Subset",
    "Navigate": "Show",
    "Repeat": "Repeat",
    "More": "List More",
    "Note Note-end": "Record Repeat",
    "Note-yes": "Elicit-review",
    "Note-complain": "Elicit",
    "Note-speechless": "Record",
    "Complete Complete-complain": "End",
    "Interrupt": "Suggest Elicit Back",
}


@pytest.mark.mirror
@pytest.mark.parametrize(
    (
        "kind",
        "least",
    ),  # measured: .855, .769, .908; the paper's agents, which the users talked to, have .833, .864, .727
    [(GuidedAgent, 0.83), (ItemCentredAgent, 0.74), (GenreLedAgent, 0.88)],
)
def test_it_answers_real_users_of_the_papers_agent_as_they_may_expect(
    kind: type[ReferenceAgent], least: float, mirror: Path
) -> None:
    """The users' words are replayed, though they were said to another agent, about films that are mostly not among ours."""
    allowed = {user: set(agent.split()) for users, agent in ACCEPTABLE.items() for user in users.split()}
    rates = []
    for rows in json.loads((mirror / "kdd2020" / f"{CORPUS[kind]}.json").read_text(encoding="utf-8")).values():
        acts = [(text, label) for who, text, label in rows if who == "user"]
        session, history, accepted = film_agent(kind).open("d", seed=0), list[Utterance](), 0
        for text, label in acts:
            history.append(user(text))
            turn = session.reply(history)
            history.extend(turn.utterances)
            accepted += intents(turn)[0] in allowed.get(label, set())
        rates.append(accepted / len(acts))
    assert sum(rates) / len(rates) > least


@pytest.mark.slow
@pytest.mark.parametrize("kind", RECOMMENDERS)
@untraced()
def test_three_thousand_turns_take_less_than_a_cpu_second(kind: type[ReferenceAgent]) -> None:
    agent = film_agent(kind)
    texts = (
        "hi",
        "I like The Matrix",
        "the robots",
        "another one",
        "who directed it?",
        "tell me more",
        "not for me",
        "bye",
    )
    talk_to(agent, *texts)  # what is said for the first time takes some tenths of a millisecond
    start, turns = time.process_time(), 0
    for seed in range(400):
        turns += len(talk_to(agent, *texts, seed=seed))
    assert turns / (time.process_time() - start) > 3000  # measured: 14,000 to 41,000


def test_importing_the_agents_loads_no_machine_learning() -> None:
    code = "import sys, trialogue_recommenders; print({'sklearn', 'scipy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"

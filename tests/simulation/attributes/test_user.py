"""A user who knows one item: what it answers, accepts, refuses and never says."""

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest

from tests.simulation.made import Scripted, agent, films, texts, turn
from trialogue.agents.base import Turn
from trialogue.catalogue import Catalogue, Item
from trialogue.catalogue.item import ASKED
from trialogue.metrics import Undefined, get_metric
from trialogue.metrics.gates.detect import gates_in
from trialogue.records import Dialogue, Ending, Mention, Need, Utterance
from trialogue.simulation.attributes import questions as wording
from trialogue.simulation.attributes.kinds import WITHHELD, AttributeKind, AttributeUser, AttributeUsers
from trialogue.simulation.attributes.questions import QuestionParser, answer_with, join_sentences
from trialogue.simulation.dialogue import Transcript, talk
from trialogue.simulation.users.needs import resolve_mentions
from trialogue.simulation.users.world import TitleDetector, World

CATALOGUE = films()
TARGET = next(item for item in CATALOGUE.values() if item.title == "Jurassic Park")
OTHERS = [item for item in CATALOGUE.values() if item.id != TARGET.id and len(item.title) > 8]
GENRES = ", ".join(TARGET.attributes["genre"])
DIRECTOR = ", ".join(TARGET.attributes["director"])


def user_of(target: Item = TARGET, catalogue: Catalogue = CATALOGUE, **options: object) -> AttributeUser:
    """A user with a given target, of users made with options."""
    users: AttributeUsers = AttributeKind().with_options(**options).settle(World(catalogue))
    need = Need(id="n", targets=(target.id,), acceptable=(target.id,), catalogue_size=len(catalogue))
    settings = {"turns": 5, "titles": 3, "ranked": 0, "opening": (), "domain": "movies", **options}
    settings.pop("attributes", None)
    return AttributeUser(
        need,
        QuestionParser(catalogue, users.attributes, main="genre"),
        TitleDetector(need.targets, users.world, with_other_titles=True),
        catalogue,
        users.world.linker,
        **settings,  # type: ignore[arg-type]
    )


def run_dialogue(*turns: Turn | str, user: AttributeUser | None = None, greeting: str | None = None) -> Transcript:
    said = [turn(agent(each)) if isinstance(each, str) else each for each in turns]
    greets = None if greeting is None else turn(agent(greeting))
    return talk(Scripted(*said, greeting=greets), user or user_of())


def answers(*turns: Turn | str, user: AttributeUser | None = None) -> list[str]:
    """What the user says after the opening."""
    return texts(each for each in run_dialogue(*turns, user=user).utterances if each.speaker == "user")[1:]


def test_values_of_one_attribute_are_separated_by_commas_and_of_several_are_named() -> None:
    said = run_dialogue("Which genre?", "Which genre or director?", "Which language?").utterances
    assert said[0].text == "Hello, I am looking for movies."
    assert said[2].text == f"{GENRES}."
    assert said[4].text == f"genre: {GENRES}; director: {DIRECTOR}."
    assert said[6].text == "No information."
    assert [each.meta for each in said[2:7:2]] == [{ASKED: ["genre"]}, {ASKED: ["genre", "director"]}, {}]


def test_an_attribute_that_the_target_has_no_value_of_is_no_information() -> None:
    bare = Item(id="1", title="Bare Bones", attributes={"genre": ("Drama",)})
    other = Item(id="2", title="Other Bones", attributes={"director": ("Ann Lee",)})
    user = user_of(bare, Catalogue.from_items([bare, other]))
    assert answers("Which director?", "Which director or genre?", user=user)[:2] == [
        "No information.", "genre: Drama; director: no information.",
    ]  # fmt: skip


def test_decades_are_told_where_the_options_have_them() -> None:
    asks = "Which decade?"
    assert answers(asks, user=user_of(attributes=["genre", "decade"]))[0] == "1990s."
    assert answers(asks)[0] == "No information."


@pytest.mark.parametrize(
    "reply",
    [
        agent(f"How about {TARGET.title_with_year}?"),
        agent(f"Watch {TARGET.title} tonight."),
        agent("This one!", items=[TARGET.id]),
        Utterance(speaker="system", text="This one!", mentions=(Mention(title=TARGET.title_with_year),)),
        agent(f"1. {OTHERS[0].title_with_year}\n2. {OTHERS[1].title_with_year}\n3. {TARGET.title_with_year}"),
    ],
    ids=["asked", "said", "declared by id", "declared by title", "in a list"],
)
def test_the_target_is_accepted_and_the_agent_has_no_reply_to_it(reply: Utterance) -> None:
    found = run_dialogue(turn(reply))
    assert found.ended_by is Ending.USER_ENDED
    assert texts(found.utterances) == ["Hello, I am looking for movies.", reply.text, "Yes, that is it!"]


def test_everything_else_is_refused() -> None:
    other = OTHERS[0].title_with_year
    assert answers(f"How about {other}?", f"Or {OTHERS[1].title_with_year}? Which genre do you like?")[:2] == [
        "No, something else, please.", f"No, something else, please. {GENRES}.",
    ]  # fmt: skip
    assert answers(f"Have you seen {TARGET.title}?")[0] == "No information."  # asked about, not recommended
    assert answers(f"Not {TARGET.title}. Try {other}.")[0] == "No, something else, please."


def test_of_a_long_list_the_first_three_are_considered_and_with_another_option_more() -> None:
    listed = "\n".join(f"{place}. {item.title_with_year}" for place, item in enumerate([*OTHERS[:3], TARGET], start=1))
    assert run_dialogue(listed).ended_by is Ending.TURN_LIMIT
    assert run_dialogue(listed, user=user_of(titles=4)).ended_by is Ending.USER_ENDED


def test_a_ranked_list_is_read_where_the_options_say_so_and_no_question_is_asked() -> None:
    ranking = (OTHERS[0].id, TARGET.id)

    def ranked(text: str, **more: str) -> Turn:
        return turn(Utterance(speaker="system", text=text, mentions=(), ranking=ranking, meta=dict(more)))

    assert run_dialogue(ranked("D")).ended_by is Ending.TURN_LIMIT
    assert run_dialogue(ranked("D"), user=user_of(ranked=1)).ended_by is Ending.TURN_LIMIT
    assert run_dialogue(ranked("D"), user=user_of(ranked=2)).ended_by is Ending.USER_ENDED
    assert (
        run_dialogue(ranked("Here they are.", option="recommend"), user=user_of(ranked=2)).ended_by is Ending.USER_ENDED
    )
    assert run_dialogue(ranked("Which genre?"), user=user_of(ranked=2)).ended_by is Ending.TURN_LIMIT
    assert answers(ranked("D"))[0] == "No, something else, please."


def test_after_five_replies_it_is_over() -> None:
    found = run_dialogue("Which genre?")
    assert found.ended_by is Ending.TURN_LIMIT
    assert [each.speaker for each in found.utterances] == ["user", "system"] * 5
    assert len(run_dialogue("Which genre?", user=user_of(turns=2)).utterances) == 4
    last = run_dialogue("Which genre?", "Which genre?", f"Watch {TARGET.title}.", user=user_of(turns=3))
    assert last.ended_by is Ending.USER_ENDED


def test_a_question_is_answered_twice_and_no_user_looks_as_if_in_a_loop() -> None:
    assert answers("Which actors?")[1:] == [answers("Which actors?")[0], "I have said that.", "I have said that."]
    for said in ("Which actors, genre or director?", "Hm.", f"How about {OTHERS[0].title}? Which actors and genre?"):
        found = run_dialogue(said)
        need = Need(id="n", targets=(TARGET.id,), acceptable=(TARGET.id,))
        dialogue = Dialogue(id="d", utterances=found.utterances, need=need, ended_by=found.ended_by)
        assert not any(gates_in(dialogue).values())


def test_what_the_first_message_tells_is_an_option() -> None:
    assert (
        run_dialogue("Hm.", user=user_of(opening=["genre"])).utterances[0].text
        == f"Hello, I am looking for movies. {GENRES}."
    )


def test_a_greeting_that_asks_is_answered_and_one_that_recommends_the_target_is_accepted() -> None:
    assert run_dialogue("Hm.", greeting="Hello! Which genre do you like?").utterances[1].text == f"{GENRES}."
    assert run_dialogue("Hm.", greeting="Hello!").utterances[1].text == "Hello, I am looking for movies."
    accepted = run_dialogue("Hm.", greeting=f"Hello! Watch {TARGET.title_with_year}.")
    assert (accepted.ended_by, len(accepted.utterances)) == (Ending.USER_ENDED, 2)


@pytest.mark.parametrize(
    "text", ["Ich verstehe Sie nicht.", "好的。", "🎬", "no\x00information", "?" * 5000, "a " * 20_000]
)
def test_a_reply_in_another_language_or_none_is_no_information(text: str) -> None:
    assert answers(text)[0] == "No information."


def test_an_empty_reply_is_the_agents_failure() -> None:
    assert run_dialogue(turn(agent("  "))).ended_by is Ending.AGENT_INVALID_REPLY


def test_a_dialogue_is_gone_on_with_its_turns_do_not_count_and_what_was_named_in_it_is_not_new() -> None:
    history = [
        Utterance(speaker="user", text="Hi."),
        agent(f"I liked {OTHERS[0].title_with_year}, watch it."),
        Utterance(speaker="user", text="Hm."),
    ]
    session = Scripted(turn(agent("Which genre?")))
    found = talk(session, user_of(turns=2), history=history)
    assert texts(found.utterances)[3:] == ["Which genre?", f"{GENRES}.", "Which genre?"]
    assert found.ended_by is Ending.TURN_LIMIT


@pytest.mark.parametrize("seed", range(12))
def test_the_user_accepts_exactly_where_the_need_is_met(seed: int) -> None:
    """Agents that name, ask about and reject the target among other items: the user and the outcome count the same."""
    others = OTHERS[7 * seed : 7 * seed + 7]
    replies = [
        f"Have you seen {TARGET.title_with_year}?",
        f"Not {TARGET.title}. {others[0].title_with_year}?",
        "Try " + ", ".join(each.title_with_year for each in [*others[: seed % 5], TARGET]) + ".",
        f"Films like {TARGET.title_with_year}: {others[1].title_with_year}.",
        f"Watch {TARGET.title_with_year}.",
    ]
    order = [replies[(seed + 2 * place) % 5] for place in range(5)]
    found = run_dialogue(*order)
    need = Need(id="n", targets=(TARGET.id,), acceptable=(TARGET.id,))
    said, need = resolve_mentions(found.utterances, need, CATALOGUE, World(CATALOGUE).linker)
    met = get_metric("need_met").statistics(Dialogue(id="d", utterances=said, need=need, ended_by=found.ended_by))  # type: ignore[union-attr]
    assert not isinstance(met, Undefined)
    assert (met[0] == 1.0) is (found.ended_by is Ending.USER_ENDED)


TITLES = [
    "Drama", "Crime", "Comedy, Drama", "Ann Lee", "Movies", "Hello", "No", "No Information", "Unknown", "Something Else",
    "Recommend Something", "Genre", "Director: Ann Lee", "I", "That", "Please. Comedy", "Not That One", "Already Told", "M",
    "Yes", "...", "!", "信息", "It", "Something Else, Please. Comedy", "Lee; Genre",
]  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
def test_a_title_that_is_a_value_or_a_word_of_a_sentence_is_not_said(title: str) -> None:
    attributes = {"genre": ("Comedy", "Drama", "Crime"), "director": ("Ann Lee",), "other title": ("Ann", "Crime")}
    target = Item(id="t", title=title, attributes=attributes)
    catalogue = Catalogue.from_items([target, *OTHERS[:5]])
    for opening in ((), ("genre", "director")):
        for reply in (
            "Which genre?", "Which director?", "Which genre or director?", "Hm.", f"See {OTHERS[0].title}. Which genre?"
        ):  # fmt: skip
            found = run_dialogue(reply, user=user_of(target, catalogue, opening=opening))
            for said in texts(each for each in found.utterances if each.speaker == "user"):
                assert said.strip()
                for name in (title, "Ann", "Crime"):
                    assert not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said, re.IGNORECASE), (name, said)


def test_values_that_are_withheld_are_counted() -> None:
    target = Item(id="t", title="Drama", attributes={"genre": ("Comedy", "Drama"), "director": ("Drama",)})
    said = run_dialogue(
        "Which genre?", "Which director?", user=user_of(target, Catalogue.from_items([target]))
    ).utterances
    assert [each.text for each in said[2:5:2]] == ["Comedy.", "No information."]
    assert [each.meta[WITHHELD] for each in said[2:5:2]] == [1, 1]


def test_no_user_of_the_whole_catalogue_names_its_target() -> None:
    world = World(CATALOGUE)
    attributes = ("genre", "actor", "director", "decade")
    for item in CATALOGUE.values():
        title = TitleDetector([item.id], world, with_other_titles=True)
        values = {name: item.attributes.get(name, ()) for name in attributes}
        parts = [[wording.REFUSAL, answer_with(values, title).wordings], [wording.OPENING], [wording.NO_INFORMATION]]
        for said in (join_sentences(each, title) for each in parts):
            assert said
            assert not re.search(rf"(?<!\w){re.escape(item.title)}(?!\w)", said, re.IGNORECASE)
            assert all(each.item_id != item.id for each in world.linker.find(said))


def test_the_second_wording_of_a_sentence_shares_no_word_with_the_first() -> None:
    def words(text: str) -> set[str]:
        return set(re.findall(r"\w+", text.casefold()))

    given: Sequence[wording.Wordings] = (
        wording.OPENING, wording.NO_INFORMATION, wording.ALREADY_SAID, wording.REFUSAL,
    )  # fmt: skip
    for each in given:
        assert all(words(one).isdisjoint(words(other)) for one, other in pairwise(each))
        assert re.search(r"[^\w\s]", each[-1]) is None  # a title of marks alone is in no second wording

"""The agenda-based user, with small models whose every step is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pytest

from tests.simulation.made import agent, dialogue, film_ratings, films, rng, turn, user
from trialogue.catalogue import TitleLinker
from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import Utterance
from trialogue.simulation.actions import QRFA_RELEASED
from trialogue.simulation.bundled import bundled_users
from trialogue.simulation.language.agent_turns import AgentTurnParser
from trialogue.simulation.language.nlg import UtteranceGenerator
from trialogue.simulation.language.nlu import Example, RetrievalClassifier
from trialogue.simulation.language.phrases import Phrase, Phrasebook
from trialogue.simulation.language.styles import PersonalStyle
from trialogue.simulation.preferences import KnowledgeGraph, Preferences, SingleItem
from trialogue.simulation.profiles import Profile
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.agenda import UpdateRule
from trialogue.simulation.users.course import Course
from trialogue.simulation.users.interaction import InteractionModel, fit_interaction
from trialogue.simulation.users.population import Users
from trialogue.simulation.users.user import AgendaUser, BehaviorOptions, HasLabeller, Stop

STOPS: tuple[Literal["released", "paper"], ...] = ("released", "paper")
HEAT, PIANO, CLUELESS, SCREAM = "heat-1995", "the-piano-1993", "clueless-1995", "scream-1996"
READS = RetrievalClassifier([Example("anything", "Fail")])
GENRE_LED = fit_interaction(
    [
        dialogue(
            *(
                "u:Non-disclose",
                "a:Elicit",
                "u:Disclose",
                "a:List",
                "u:Note-yes",
                "a:Elicit-review",
                "u:Disclose-review",
            ),
            *(
                "a:List",
                "u:Note",
                "a:Repeat",
                "u:Note-dislike",
                "a:List",
                "u:Similar",
                "a:Similar",
                "u:Note-end",
                "a:Repeat",
            ),
            *("u:Complete", "a:End"),
        )
    ]
)
GUIDED = fit_interaction(
    [dialogue("u:Non-disclose", "a:Elicit", "u:Disclose", "a:List", "u:Note", "a:Record", "u:Similar", "a:List")]
)


def wants(kind: str = "pkg") -> Preferences:
    """Somebody who knows Heat (5 stars: action, crime, thriller) and Scream (1 star: horror, mystery), and likes drama."""
    profile = Profile("ann", {HEAT: 5.0, SCREAM: 1.0, "before-sunrise-1995": 4.5}, films())
    return SingleItem(profile) if kind == "single" else KnowledgeGraph(profile, films())


@dataclass(frozen=True)
class Fixed(Course):
    """A course with a given agenda."""

    labels: tuple[str, ...] = ()

    def draw(self, rng: RandomSource) -> tuple[str, ...]:
        return self.labels


def made(
    labels: Sequence[str],
    *,
    model: InteractionModel = GENRE_LED,
    kind: str = "pkg",
    conduct: BehaviorOptions | None = None,
    seed: int = 0,
    style: PersonalStyle | None = None,
) -> AgendaUser:
    """A user with a given agenda, who goes by declared acts and named items."""
    return AgendaUser(
        course=Fixed(model, QRFA_RELEASED, labels=tuple(labels)),
        listening=AgentTurnParser(READS, films(), model.space, source="declared"),
        speech=UtteranceGenerator(
            Phrasebook({"Similar": (Phrase("seen it, what else?", 1, "seen"), Phrase("another"))}), films()
        ),
        preferences=wants(kind),
        rng=rng(seed),
        conduct=conduct or BehaviorOptions(),
        has=frozenset(model.labels),
        style=style,
    )


def label(said: Utterance | Stop) -> str:
    return said.reason if isinstance(said, Stop) else (said.acts or ())[0].intent


def put_forward(item: str, text: str = "How about this?", act: str = "List") -> Utterance:
    return agent(text, act, items=[item])


def test_an_acceptable_reply_pulls_the_next_action() -> None:
    ann = made(["Non-disclose", "Disclose", "Complete"])
    assert label(ann.start()) == "Non-disclose"
    assert ann.agenda == ("Disclose", "Complete")
    assert label(ann.answer(turn(agent("What?", "Elicit")))) == "Disclose"
    assert label(ann.answer(turn(agent("Which?", "Elicit")))) == "Complete"
    assert label(ann.answer(turn(agent("Bye", "End")))) == "agenda_empty"


def test_any_other_reply_is_met_with_a_replacement_and_the_agenda_stays() -> None:
    ann = made(["Non-disclose", "Disclose", "Complete"])
    ann.start()
    assert (
        label(ann.answer(turn(agent("What do you think?", "Elicit-review")))) == "Disclose-review"
    )  # P = 1 in the model
    assert ann.agenda == ("Disclose", "Complete")
    assert label(ann.answer(turn(agent("What?", "Elicit")))) == "Disclose"  # the replacement was answered


def test_an_unanswered_last_action_ends_the_dialogue_in_the_released_code_and_is_replaced_in_the_paper() -> None:
    released, paper = (made(["Non-disclose"], conduct=BehaviorOptions(update=UpdateRule(stop=rule))) for rule in STOPS)
    for ann in (released, paper):
        ann.start()
    assert label(released.answer(turn(agent("Sorry", "Fail")))) == "agenda_empty"
    assert label(paper.answer(turn(agent("What do you think?", "Elicit-review")))) == "Disclose-review"
    assert label(paper.answer(turn(agent("Which?", "Elicit")))) == "agenda_empty"  # the replacement was answered


def test_a_failed_action_is_tried_again_only_if_the_rule_says_so() -> None:
    ann = made(["Non-disclose", "Note"], conduct=BehaviorOptions(update=UpdateRule(failed="retry")))
    ann.start()
    ann.answer(turn(agent("Sorry", "Fail")))
    assert ann.agenda == ("Non-disclose", "Note")


def test_the_last_message_of_a_burst_counts_or_the_first_if_the_rule_says_so() -> None:
    burst = turn(agent("What?", "Elicit"), agent("Sorry", "Fail"))
    last = made(["Non-disclose", "Complete"])
    last.start()
    last.answer(burst)
    assert last.agenda == ("Complete",)
    first = made(["Non-disclose", "Complete"], conduct=BehaviorOptions(update=UpdateRule(decides="first")))
    first.start()
    assert label(first.answer(burst)) == "Complete"


def test_a_greeting_that_answers_the_opening_already_is_taken_so() -> None:
    assert label(made(["Non-disclose", "Disclose"]).start(turn(agent("Which genre?", "Elicit")))) == "Disclose"
    assert label(made(["Non-disclose", "Disclose"]).start(turn(agent("Welcome", "Record")))) == "Non-disclose"
    assert label(made(["Non-disclose"]).start(turn(agent("Which genre?", "Elicit")))) == "Non-disclose"
    assert label(made(["Non-disclose", "Disclose"]).start(turn())) == "Non-disclose"


def test_who_is_asked_says_whether_they_know_an_item_by_their_profile() -> None:
    for kind in ("single", "pkg"):
        for due in ("Note", "Note-yes"):
            ann = made(["Non-disclose", due], kind=kind)
            ann.start()
            assert label(ann.answer(turn(put_forward(HEAT, "Have you seen it?", "Elicit")))) == "Note-yes"
            bob = made(["Non-disclose", due], kind=kind)
            bob.start()
            said = bob.answer(turn(put_forward(CLUELESS, "Have you seen it?", "Elicit")))
            assert label(said) == "Note"
            assert isinstance(said, Utterance)
            assert said.text.lower().startswith(("no", "nope"))


def test_nobody_says_to_know_what_they_do_not_know_even_unasked() -> None:
    ann = made(["Non-disclose", "Note-yes"])
    ann.start()
    assert label(ann.answer(turn(put_forward(CLUELESS, act="Elicit")))) == "Note"


def test_the_agenda_alone_says_what_is_known_if_the_conduct_says_so() -> None:
    ann = made(["Non-disclose", "Note-yes"], conduct=BehaviorOptions(seen="agenda"))
    ann.start()
    assert label(ann.answer(turn(put_forward(CLUELESS, "Have you seen it?", "Elicit")))) == "Note-yes"


def test_without_a_word_for_knowing_somebody_asks_for_another() -> None:
    ann = made(["Non-disclose", "Note"], model=GUIDED)
    ann.start()
    said = ann.answer(turn(put_forward(HEAT, "Have you seen it?", "Elicit")))
    assert label(said) == "Similar"
    assert isinstance(said, Utterance)
    assert said.text == "seen it, what else?"


@pytest.mark.parametrize("due", ["Note-dislike", "Note-end"])
def test_a_liked_item_is_taken_and_ends_the_agenda(due: str) -> None:
    ann = made(["Non-disclose", due, "Similar", "Complete"])
    ann.start()
    assert label(ann.answer(turn(put_forward(PIANO, act="Elicit")))) == "Note-end"  # drama and romance: 4.5 stars
    assert ann.agenda == ()
    assert label(ann.answer(turn(agent("Good", "Record")))) == "agenda_empty"


def test_a_goodbye_becomes_a_yes_where_something_liked_is_put_forward() -> None:
    ann = made(["Non-disclose", "Disclose", "Complete", "Similar"])
    ann.start()
    ann.answer(turn(agent("What?", "Elicit")))
    assert label(ann.answer(turn(put_forward(PIANO)))) == "Note-end"
    assert ann.agenda == ()
    bob = made(["Non-disclose", "Disclose", "Complete"], kind="single")
    bob.start()
    bob.answer(turn(agent("What?", "Elicit")))
    assert label(bob.answer(turn(put_forward(PIANO)))) == "Complete"


def test_what_follows_liking_can_be_a_goodbye_or_the_agenda_as_it_was() -> None:
    for after, left in (("goodbye", ("Complete",)), ("go-on", ("Similar",))):
        ann = made(["Non-disclose", "Note-end", "Similar"], conduct=BehaviorOptions(after_liking=after))  # type: ignore[arg-type]
        ann.start()
        assert label(ann.answer(turn(put_forward(PIANO, act="Elicit")))) == "Note-end"
        assert ann.agenda == left


def test_what_is_not_liked_is_turned_down_and_the_agenda_goes_on() -> None:
    ann = made(["Non-disclose", "Note-end", "Similar"])
    ann.start()
    assert label(ann.answer(turn(put_forward("it-chapter-two-2019", act="Elicit")))) == "Note-dislike"  # horror: 1 star
    assert ann.agenda == ("Similar",)


def test_somebody_without_an_opinion_asks_for_another() -> None:
    ann = made(["Non-disclose", "Note-end", "Complete"])
    ann.start()
    assert label(ann.answer(turn(put_forward("blazing-saddles-1974", act="Elicit")))) == "Similar"  # comedy, western


def test_what_somebody_knows_already_is_not_taken() -> None:
    ann = made(["Non-disclose", "Note-end", "Complete"])
    ann.start()
    said = ann.answer(turn(put_forward(HEAT, act="Elicit")))
    assert label(said) == "Similar"


def test_reviews_say_what_is_thought_of_the_item() -> None:
    bundle = bundled_users(["cir6-pkg", "genre-led"][0], "genre-led")
    for item, expected in ((HEAT, "like"), (SCREAM, "dislike")):
        ann = made(["Non-disclose", "Disclose-review"])
        ann._speech = UtteranceGenerator(bundle.phrasebook, films())
        ann.start()
        said = ann.answer(turn(put_forward(item, act="Elicit")))
        assert isinstance(said, Utterance)
        stances = {phrase.text: phrase.stance for phrase in bundle.phrasebook.phrases_of("Disclose-review")}
        assert stances[said.text] == expected


def test_patience_ends_after_so_many_failed_replies_in_a_row() -> None:
    ann = made(["Non-disclose", "Disclose", "Complete"], conduct=BehaviorOptions(patience=2))
    ann.start()
    fail, elicit = turn(agent("Sorry", "Fail")), turn(agent("What?", "Elicit"))
    assert label(ann.answer(fail)) != "user_gave_up"
    assert label(ann.answer(fail)) == "user_gave_up"
    bob = made(["Non-disclose", "Disclose", "Disclose", "Complete"], conduct=BehaviorOptions(patience=2))
    bob.start()
    bob.answer(elicit)
    assert not isinstance(bob.answer(fail), Stop)


def test_what_messages_do_is_distinguished_from_their_words_alone_and_left_open_where_that_is_unsure() -> None:
    users = Users(bundled_users("cir6-pkg"), films(), film_ratings())
    ann, bob = users.new("a", seed=1), users.new("b", seed=2)
    burst = turn(
        agent("Which genre are you in the mood for?"), agent("Bread needs two hours to rise in a warm kitchen.")
    )
    ann.start()
    bob.start()
    bob.answer(turn(agent("Goodbye!")))  # another thing was done before
    assert isinstance(ann, HasLabeller)
    assert [heard.label for heard in ann.labels(burst)] == ["Elicit", None]
    assert ann.labels(burst) == ann.labels(burst) == bob.labels(burst)


def test_a_resumed_user_goes_on_from_its_last_act_and_knows_what_was_said() -> None:
    ann = made(["never drawn"])
    history = [user("hi", "Non-disclose"), agent("What?", "Elicit"), user("Heat", "Disclose"), put_forward(CLUELESS)]
    ann.resume(history[:3])
    assert ann.agenda[0] == "Note-yes"  # what follows Disclose in the only dialogue of the model
    assert label(ann.answer(turn(history[3]))) == "Note"  # Clueless is not in the profile
    bob = made(["never drawn"])
    bob.resume([agent("Welcome", "Elicit")])
    assert bob.agenda[0] == "Disclose"
    cid = made(["never drawn"])
    cid.resume([user("hm")])
    assert cid.agenda[0] == "Disclose"  # without an act, the opening counts as the last one
    dee = made(["never drawn"])
    dee.resume([user("hm", "opinion_inquiry")])
    assert dee.agenda[0] == "Disclose"  # and so it does where the act is of other people's
    eve = made(["never drawn"])
    eve.resume([user("which of them is older?", "Compare")])  # an act of the space that nobody of the model ever did
    assert eve.agenda[0] == "Disclose"


def test_an_empty_turn_is_like_one_that_was_not_understood() -> None:
    ann = made(["Non-disclose", "Disclose", "Complete"])
    ann.start()
    assert label(ann.answer(turn())) in GENRE_LED.labels
    assert ann.agenda == ("Disclose", "Complete")


def test_impossible_conduct_is_refused() -> None:
    with pytest.raises(UsageError, match="\\(at least 1\\) or None"):
        BehaviorOptions(patience=0)
    with pytest.raises(UnknownNameError, match="goodbye"):
        BehaviorOptions(after_liking="party")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="profile"):
        BehaviorOptions(seen="sometimes")  # type: ignore[arg-type]


def test_a_user_of_another_domain_talks_of_its_attribute() -> None:
    from tests.simulation.made import book_ratings, books

    model = bundled_users("cir6-pkg").with_options(thing="book", things="books", do="read", done="read")
    readers = Users(model, books(), book_ratings(), linker=TitleLinker(books()))
    assert readers.attributes == ("subject",)
    said = [readers.new(f"d{number}", seed=1).start(turn(agent("What?", "Elicit"))) for number in range(40)]
    slots = {slot.slot for each in said if isinstance(each, Utterance) for act in each.acts or () for slot in act.slots}
    assert slots <= {"item", "subject"}
    assert slots


def test_who_has_rated_the_films_does_not_matter_to_the_kind_of_user() -> None:
    users = Users(bundled_users("cir6-single"), films(), film_ratings())
    assert users.new("d", seed=0).agenda == ()


NEITHER = "stagecoach-1939"  # neither liked nor disliked
PERSON = PersonalStyle(1, 1, 1, 1, 0, goodbye=False, answered=4, asks=0, polite=0, verbosity=0)


@pytest.mark.parametrize(
    ("style", "last", "said"),
    [
        (None, agent("When shall I remind you?", "Record"), "Similar"),  # the paper's users judge what was shown before
        (PERSON, agent("When shall I remind you?", "Record"), "Note"),  # people answer what they were asked
        (None, put_forward(NEITHER), "Similar"),
        (PERSON, put_forward(NEITHER), "Note"),
        (PERSON, put_forward("king-kong-1933"), "Similar"),  # disliked
    ],
)
def test_users_in_a_personal_style_take_note_where_nothing_was_put_forward_to_turn_down(
    style: PersonalStyle | None, last: Utterance, said: str
) -> None:
    ann = made(["Disclose", "Note", "Note", "Note"], model=GUIDED, style=style)
    ann.start()
    ann.answer(turn(put_forward(NEITHER)))
    assert label(ann.answer(turn(last))) == said

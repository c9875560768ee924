import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulation.made import book_ratings, books, film_ratings, films, rng
from trialogue.catalogue import Catalogue, Item
from trialogue.catalogue.domains import Domain
from trialogue.errors import UsageError
from trialogue.records.kinds.acts import ACCEPTABLE
from trialogue.simulation.bundled import bundled_users
from trialogue.simulation.language.nlg import UtteranceGenerator, UtteranceState, WritingStyle
from trialogue.simulation.language.phrases import (
    ANY,
    DISLIKE,
    INDIFFERENT,
    LIKE,
    OPENING,
    PLAIN,
    SEEN,
    UNSEEN,
    Phrase,
    Phrasebook,
)
from trialogue.simulation.language.wordings import FALLBACK
from trialogue.simulation.preferences import KnowledgeGraph, SingleItem
from trialogue.simulation.profiles import Profile, Profiles

STANCES = (PLAIN, LIKE, DISLIKE, SEEN, UNSEEN, INDIFFERENT, ANY, OPENING)
NOBODY = UtteranceState(SingleItem(Profile("nobody", {}, films())))


def telling(seed: int = 0) -> UtteranceState:
    return UtteranceState(KnowledgeGraph(Profiles(film_ratings(), films()).sample(rng(seed)), films()))


def speech(
    *phrases: Phrase, label: str = "Disclose", manner: WritingStyle | None = None, written: bool = False
) -> UtteranceGenerator:
    book = Phrasebook({label: phrases}) if phrases else Phrasebook()
    return UtteranceGenerator(book, films(), manner=manner)


@settings(max_examples=200)
@given(
    seed=st.integers(0, 2**32),
    label=st.sampled_from([*ACCEPTABLE, "no such label", "REVEAL.REFINE", ""]),
    stance=st.sampled_from(STANCES),
    bundled=st.booleans(),
)
def test_every_act_is_worded_and_its_slots_stand_where_they_say(
    seed: int, label: str, stance: str, bundled: bool
) -> None:
    book = bundled_users("cir6-pkg").phrasebook if bundled else Phrasebook()
    messages = telling(seed % 50)
    messages.focus = list(films())[seed % len(films())] if seed % 2 else None
    said = UtteranceGenerator(book, films()).say(label, messages, rng(seed), stance=stance)
    assert said.text.strip()
    assert "{" not in said.text
    (act,) = said.acts or ()
    assert act.intent == label
    for slot in act.slots:
        assert said.text[slot.start : slot.end].lower() == (slot.value or "").lower()
    for mention in said.mentions or ():
        assert mention.item_id in films()
        assert said.text[mention.start : mention.end] == films()[mention.item_id or ""].title


@pytest.mark.parametrize("label", [*ACCEPTABLE, "no such label"])
def test_somebody_who_knows_nothing_still_finds_words(label: str) -> None:
    bare = Catalogue.from_items([Item(id="1", title="Only")])
    nobody = UtteranceState(SingleItem(Profile("nobody", {}, bare)))
    said = UtteranceGenerator(Phrasebook(), bare).say(label, nobody, rng(4))
    assert said.text
    assert not (said.acts or ())[0].slots


def test_slots_that_nothing_fills_end_in_the_declared_fallback() -> None:
    only = UtteranceGenerator(Phrasebook({"Compare": (Phrase("{item} or {item}?"),)}), films())
    assert only.say("Compare", NOBODY, rng()).text == FALLBACK


def test_nobody_says_the_same_twice_while_there_is_another_way_nor_gets_stuck() -> None:
    three = speech(*(Phrase(text) for text in ("what?", "why?", "who?")), label="Repeat")
    for seed in range(20):
        messages, drawn = telling(), rng(seed)
        said = [three.say("Repeat", messages, drawn).text for _ in range(9)]
        for start in (0, 3, 6):
            assert len(set(said[start : start + 3])) == 3


def test_a_choice_from_a_list_may_be_made_again_and_again() -> None:
    ones = speech(Phrase("1", 1000), Phrase("4"), label="Subset")
    messages, drawn = telling(), rng(1)
    assert [ones.say("Subset", messages, drawn).text for _ in range(5)] == ["1"] * 5


def test_acts_that_tell_a_preference_name_wanted_things_and_others_what_is_talked_about() -> None:
    messages = telling()
    messages.focus = "heat-1995"
    about = Phrase("what about {item}?")
    liked = {films()[item].title for item in messages.preferences.profile.liked_items}  # type: ignore[attr-defined]
    assert speech(about, label="Repeat").say("Repeat", messages, rng()).text == "what about Heat?"
    said = speech(about).say("Disclose", messages, rng())
    assert {slot.value for slot in (said.acts or ())[0].slots} <= liked
    assert said.mentions
    assert said.mentions[0].item_id in messages.named


def test_values_are_written_small_inside_a_sentence_but_names_are_not() -> None:
    messages = UtteranceState(SingleItem(Profile("u", {"heat-1995": 5.0}, films())))
    assert {speech(Phrase("any {genre}?")).say("Disclose", messages, rng(seed)).text for seed in range(9)} == {
        "any action?",
        "any crime?",
        "any thriller?",
    }
    assert speech(Phrase("{genre}")).say("Disclose", messages, rng()).text in {"Action", "Crime", "Thriller"}
    assert speech(Phrase("with {director}")).say("Disclose", messages, rng()).text == "with Michael Mann"


def test_the_article_fits_the_value() -> None:
    messages = UtteranceState(SingleItem(Profile("u", {"heat-1995": 5.0}, films())))
    said = {speech(Phrase("a {genre} {thing}")).say("Disclose", messages, rng(seed)).text for seed in range(9)}
    assert said == {"an action movie", "a crime movie", "a thriller movie"}


def test_a_template_for_an_attribute_the_catalogue_lacks_is_left_out() -> None:
    messages = UtteranceState(SingleItem(Profiles(book_ratings(), books()).sample(rng())))
    spoken = UtteranceGenerator(
        Phrasebook({"Disclose": (Phrase("I like {genre}"), Phrase("{subject} {things}"))}),
        books(),
        attributes=("subject",),
        domain=Domain("book", "books", "read", "read"),
    )
    assert {spoken.say("Disclose", messages, rng(seed)).text.split()[1] for seed in range(9)} == {"books"}
    texts = {spoken.say("Note", messages, rng(seed), stance=LIKE).text for seed in range(40)}
    assert "I'll read that one" in texts
    assert not any("movie" in text or "watch" in text for text in texts)


def test_a_stance_is_kept_if_the_act_has_words_for_it() -> None:
    reviews = UtteranceGenerator(bundled_users("cir6-pkg").phrasebook, films())
    texts = {
        stance: {reviews.say("Disclose-review", telling(), rng(s), stance=stance).text for s in range(60)}
        for stance in STANCES
    }
    assert texts[LIKE].isdisjoint(texts[DISLIKE])
    assert texts[INDIFFERENT] == {"so-so", "It was okay", "neither here nor there"}  # two of them hand-written
    assert {reviews.say("Note", telling(), rng(s), stance=UNSEEN).text.lower()[:2] for s in range(60)} <= {"no", "ne"}


def test_first_words_are_words_people_began_with() -> None:
    spoken = UtteranceGenerator(
        Phrasebook({"Non-disclose": (Phrase("hi"), Phrase("yes", 99)), OPENING: (Phrase("hi"),)}), films()
    )
    assert {spoken.say("Non-disclose", telling(), rng(seed), stance=OPENING).text for seed in range(30)} == {"hi"}
    assert "yes" in {spoken.say("Non-disclose", telling(), rng(seed)).text for seed in range(30)}


def test_typos_spare_titles_and_slots_stay_where_they_are() -> None:
    sloppy = speech(Phrase("something wonderful like {item} please"), manner=WritingStyle(typos=1.0))
    said = sloppy.say("Disclose", telling(), rng(3))
    (slot,) = (said.acts or ())[0].slots
    assert said.text[slot.start : slot.end] == slot.value
    assert "something wonderful" not in said.text
    assert speech(Phrase("hello")).say("Disclose", telling(), rng()).text == "hello"


def test_wordy_users_say_longer_things_than_terse_ones() -> None:
    def mean_words(verbosity: float) -> float:
        spoken = UtteranceGenerator(
            bundled_users("cir6-pkg").phrasebook, films(), manner=WritingStyle(verbosity=verbosity)
        )
        return sum(len(spoken.say("Repeat", telling(), rng(seed)).text.split()) for seed in range(200)) / 200

    assert mean_words(-2) < mean_words(0) - 0.5
    assert mean_words(0) + 0.5 < mean_words(2)


def test_a_persona_is_said_once_with_the_first_preference() -> None:
    spoken = speech(Phrase("I like {item}!"), manner=WritingStyle(persona="I have two small kids."))
    messages = telling()
    first, second = spoken.say("Disclose", messages, rng()), spoken.say("Disclose", messages, rng())
    assert first.text.endswith("! I have two small kids.")
    assert "kids" not in second.text
    assert "kids" not in spoken.say("Complete", telling(), rng()).text


def test_impossible_manners_are_refused() -> None:
    with pytest.raises(UsageError, match="from 0 to 1; given: 2"):
        WritingStyle(typos=2)
    with pytest.raises(UsageError, match="from -5"):
        WritingStyle(verbosity=9)

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulation.made import book_ratings, books, dice, film_ratings, films
from trialogue.catalogue import Catalogue, Item
from trialogue.errors import UsageError
from trialogue.records.kinds.acts import ACCEPTABLE
from trialogue.simulation.bundled import bundled_users
from trialogue.simulation.language.nlg import Manner, Speech, Telling
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
from trialogue.simulation.language.wordings import FALLBACK, Domain
from trialogue.simulation.preferences import KnowledgeGraph, SingleItem
from trialogue.simulation.profiles import Profile, Profiles

STANCES = (PLAIN, LIKE, DISLIKE, SEEN, UNSEEN, INDIFFERENT, ANY, OPENING)
NOBODY = Telling(SingleItem(Profile("nobody", {}, films())))


def telling(seed: int = 0) -> Telling:
    return Telling(KnowledgeGraph(Profiles(film_ratings(), films()).sample(dice(seed)), films()))


def speech(*phrases: Phrase, label: str = "Disclose", manner: Manner | None = None, written: bool = False) -> Speech:
    book = Phrasebook({label: phrases}) if phrases else Phrasebook()
    return Speech(book, films(), manner=manner)


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
    told = telling(seed % 50)
    told.focus = list(films())[seed % len(films())] if seed % 2 else None
    said = Speech(book, films()).say(label, told, dice(seed), stance=stance)
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
    nobody = Telling(SingleItem(Profile("nobody", {}, bare)))
    said = Speech(Phrasebook(), bare).say(label, nobody, dice(4))
    assert said.text
    assert not (said.acts or ())[0].slots


def test_slots_that_nothing_fills_end_in_the_declared_fallback() -> None:
    only = Speech(Phrasebook({"Compare": (Phrase("{item} or {item}?"),)}), films())
    assert only.say("Compare", NOBODY, dice()).text == FALLBACK


def test_nobody_says_the_same_twice_while_there_is_another_way_nor_gets_stuck() -> None:
    three = speech(*(Phrase(text) for text in ("what?", "why?", "who?")), label="Repeat")
    for seed in range(20):
        told, drawn = telling(), dice(seed)
        said = [three.say("Repeat", told, drawn).text for _ in range(9)]
        for start in (0, 3, 6):
            assert len(set(said[start : start + 3])) == 3


def test_a_choice_from_a_list_may_be_made_again_and_again() -> None:
    ones = speech(Phrase("1", 1000), Phrase("4"), label="Subset")
    told, drawn = telling(), dice(1)
    assert [ones.say("Subset", told, drawn).text for _ in range(5)] == ["1"] * 5


def test_acts_that_tell_a_preference_name_wanted_things_and_others_what_is_talked_about() -> None:
    told = telling()
    told.focus = "heat-1995"
    about = Phrase("what about {item}?")
    liked = {films()[item].title for item in told.preferences.profile.liked_items}  # type: ignore[attr-defined]
    assert speech(about, label="Repeat").say("Repeat", told, dice()).text == "what about Heat?"
    said = speech(about).say("Disclose", told, dice())
    assert {slot.value for slot in (said.acts or ())[0].slots} <= liked
    assert said.mentions
    assert said.mentions[0].item_id in told.named


def test_values_are_written_small_inside_a_sentence_but_names_are_not() -> None:
    told = Telling(SingleItem(Profile("u", {"heat-1995": 5.0}, films())))
    assert {speech(Phrase("any {genre}?")).say("Disclose", told, dice(seed)).text for seed in range(9)} == {
        "any action?",
        "any crime?",
        "any thriller?",
    }
    assert speech(Phrase("{genre}")).say("Disclose", told, dice()).text in {"Action", "Crime", "Thriller"}
    assert speech(Phrase("with {director}")).say("Disclose", told, dice()).text == "with Michael Mann"


def test_the_article_fits_the_value() -> None:
    told = Telling(SingleItem(Profile("u", {"heat-1995": 5.0}, films())))
    said = {speech(Phrase("a {genre} {thing}")).say("Disclose", told, dice(seed)).text for seed in range(9)}
    assert said == {"an action movie", "a crime movie", "a thriller movie"}


def test_a_template_for_an_attribute_the_catalogue_lacks_is_left_out() -> None:
    told = Telling(SingleItem(Profiles(book_ratings(), books()).sample(dice())))
    spoken = Speech(
        Phrasebook({"Disclose": (Phrase("I like {genre}"), Phrase("{subject} {things}"))}),
        books(),
        attributes=("subject",),
        domain=Domain("book", "books", "read", "read"),
    )
    assert {spoken.say("Disclose", told, dice(seed)).text.split()[1] for seed in range(9)} == {"books"}
    texts = {spoken.say("Note", told, dice(seed), stance=LIKE).text for seed in range(40)}
    assert "I'll read that one" in texts
    assert not any("movie" in text or "watch" in text for text in texts)


def test_a_stance_is_kept_if_the_act_has_words_for_it() -> None:
    reviews = Speech(bundled_users("cir6-pkg").phrasebook, films())
    texts = {
        stance: {reviews.say("Disclose-review", telling(), dice(s), stance=stance).text for s in range(60)}
        for stance in STANCES
    }
    assert texts[LIKE].isdisjoint(texts[DISLIKE])
    assert texts[INDIFFERENT] == {"so-so", "It was okay", "neither here nor there"}  # two of them hand-written
    assert {reviews.say("Note", telling(), dice(s), stance=UNSEEN).text.lower()[:2] for s in range(60)} <= {"no", "ne"}


def test_first_words_are_words_people_began_with() -> None:
    spoken = Speech(Phrasebook({"Non-disclose": (Phrase("hi"), Phrase("yes", 99)), OPENING: (Phrase("hi"),)}), films())
    assert {spoken.say("Non-disclose", telling(), dice(seed), stance=OPENING).text for seed in range(30)} == {"hi"}
    assert "yes" in {spoken.say("Non-disclose", telling(), dice(seed)).text for seed in range(30)}


def test_typos_spare_titles_and_slots_stay_where_they_are() -> None:
    sloppy = speech(Phrase("something wonderful like {item} please"), manner=Manner(typos=1.0))
    said = sloppy.say("Disclose", telling(), dice(3))
    (slot,) = (said.acts or ())[0].slots
    assert said.text[slot.start : slot.end] == slot.value
    assert "something wonderful" not in said.text
    assert speech(Phrase("hello")).say("Disclose", telling(), dice()).text == "hello"


def test_wordy_users_say_longer_things_than_terse_ones() -> None:
    def mean_words(verbosity: float) -> float:
        spoken = Speech(bundled_users("cir6-pkg").phrasebook, films(), manner=Manner(verbosity=verbosity))
        return sum(len(spoken.say("Repeat", telling(), dice(seed)).text.split()) for seed in range(200)) / 200

    assert mean_words(-2) < mean_words(0) - 0.5
    assert mean_words(0) + 0.5 < mean_words(2)


def test_a_persona_is_told_once_with_the_first_preference() -> None:
    spoken = speech(Phrase("I like {item}!"), manner=Manner(persona="I have two small kids."))
    told = telling()
    first, second = spoken.say("Disclose", told, dice()), spoken.say("Disclose", told, dice())
    assert first.text.endswith("! I have two small kids.")
    assert "kids" not in second.text
    assert "kids" not in spoken.say("Complete", telling(), dice()).text


def test_impossible_manners_are_refused() -> None:
    with pytest.raises(UsageError, match="from 0 to 1; given: 2"):
        Manner(typos=2)
    with pytest.raises(UsageError, match="from -5"):
        Manner(verbosity=9)

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulation.made import films, user
from trialogue.catalogue import TitleLinker
from trialogue.catalogue.domains import Domain
from trialogue.records import Dialogue, DialogueAct, SlotValue, Utterance
from trialogue.records.kinds.acts import ACCEPTABLE
from trialogue.simulation.actions import KDD2020
from trialogue.simulation.bundled import bundled_dialogues
from trialogue.simulation.language.phrases import OPENING, Phrase, Phrasebook, extract, stance
from trialogue.simulation.language.wordings import FALLBACK, hand_written_phrases, written_for


def messages(*pairs: tuple[str, str], copies: int = 1) -> list[Dialogue]:
    first = user("hello", "Non-disclose")
    said = (first, *(user(text, label) for text, label in pairs))
    return [Dialogue(id=str(number), utterances=said) for number in range(copies)]


def extracted(*pairs: tuple[str, str], copies: int = 1) -> Phrasebook:
    return extract(messages(*pairs, copies=copies), catalogue=films(), linker=TitleLinker(films()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No", "unseen"),
        ("nope, never heard of it", "unseen"),
        ("I haven't", "unseen"),
        ("No thanks", ""),
        ("I don't like it", "dislike"),
        ("No {genre} {things}", "dislike"),
        ("could be better", "dislike"),
        ("I liked it", "like"),
        ("sounds good, I'll watch it", "like"),
        ("Watched those already.", "seen"),
        ("so-so", ""),
        ("who directed it?", ""),
    ],
)
def test_the_stance_of_a_text_is_recognised_by_its_words(text: str, expected: str) -> None:
    assert stance(text) == expected


def test_titles_and_values_become_slots_and_films_the_domains_noun() -> None:
    book = extracted(("I loved Heat, do you have other Thriller movies?", "Disclose"))
    assert book.phrases_of("Disclose") == (Phrase("I loved {item}, do you have other {genre} {things}?", 1, "like"),)


def test_annotated_slots_are_taken_as_they_are() -> None:
    act = DialogueAct(intent="Disclose", slots=(SlotValue(slot="GENRE", value="spooky", start=5, end=11),))
    said = Utterance(speaker="user", text="some spooky thing", acts=(act,))
    assert extract([Dialogue(id="d", utterances=(said,))]).phrases_of("Disclose")[0].text == "some {GENRE} thing"


def test_counts_are_kept_and_first_words_are_known() -> None:
    book = extracted(("bye", "Complete"), ("bye", "Complete"), copies=2)
    assert book.phrases_of("Complete") == (Phrase("bye", 4),)
    assert book.phrases_of(OPENING) == (Phrase("hello", 2),)


@pytest.mark.parametrize(
    "text",
    [
        "I like zzyzx",
        "harry pottter",
        "i like fantacy movies",
        "Zzyzx. Because I like Thriller movies",
        "I need it",
        "Wuxi",
    ],
)
def test_what_may_name_something_of_one_person_is_no_template_for_others(text: str) -> None:
    assert extracted((text, "Disclose")).phrases_of("Disclose") == ()


def test_reasons_and_what_many_say_are_kept_without_a_slot() -> None:
    assert extracted(("because it is funny", "Expand")).phrases_of("Expand")
    assert extracted(("1", "Refine"), copies=3).phrases_of("Refine") == (Phrase("1", 3),)
    assert extracted(("1", "Refine"), copies=2).phrases_of("Refine") == ()
    looked = Utterance(speaker="user", text="surprise me", acts=(DialogueAct(intent="Disclose"),), mentions=())
    assert extract([Dialogue(id="d", utterances=(looked,))]).phrases_of("Disclose")


@pytest.mark.parametrize(
    "text",
    [
        "What is the rating JARVIS?",
        "hi Andchill",
        "Come\x87ar",
        "??",
        "/start",
        "look at http://x.y",
        "x" * 400,
        " ",
        "fuck you",
    ],
)
def test_names_of_agents_lost_letters_links_and_abuse_are_left_out(text: str) -> None:
    assert extracted((text, "Repeat")).phrases_of("Repeat") == ()


def test_braces_of_a_user_are_no_slots() -> None:
    assert extracted(("what is {item}?", "Repeat")).phrases_of("Repeat") == (Phrase("what is (item)?", 1),)


def test_an_utterance_without_a_label_is_passed_over() -> None:
    assert extract([Dialogue(id="d", utterances=(user("hm"),))]).phrases == {}


texts = st.text(st.characters(codec="utf-8"), max_size=20)


@given(st.dictionaries(texts, st.lists(st.builds(Phrase, texts, st.integers(1, 9), texts), min_size=1).map(tuple)))
def test_a_phrasebook_is_the_same_after_a_trip_through_json(phrases: dict[str, tuple[Phrase, ...]]) -> None:
    book = Phrasebook(phrases)
    assert Phrasebook.from_json(json.loads(json.dumps(book.to_json()))) == book


def test_every_label_has_hand_written_words_and_an_unknown_one_a_fallback() -> None:
    for label in (*ACCEPTABLE, OPENING, "Reveal"):
        assert label in hand_written_phrases(), label
    assert written_for("no such label", KDD2020) == (Phrase(FALLBACK),)


@pytest.mark.parametrize(
    ("label", "like"),
    [
        ("REVEAL.REFINE", "Refine"),
        ("DISCLOSE.NON-DISCLOSE", "Non-disclose"),
        ("NOTE.NOTE_YES", "Note-yes"),
        ("YES", "Note-yes"),
    ],
)
def test_labels_of_another_naming_are_worded_like_their_last_known_part(label: str, like: str) -> None:
    assert written_for(label, KDD2020) == hand_written_phrases()[like]


def test_hand_written_reviews_cover_every_opinion() -> None:
    stances = {phrase.stance for phrase in hand_written_phrases()["Disclose-review"]}
    assert {"like", "dislike", ""} <= stances
    assert {phrase.stance for phrase in hand_written_phrases()["Note-dislike"]} == {"dislike"}
    assert {"like", "unseen", ""} <= {phrase.stance for phrase in hand_written_phrases()["Note"]}


def test_hand_written_words_have_known_slots_only() -> None:
    known = {"item", "value", "decade", "attribute", *Domain().words}
    assert {slot for phrases in hand_written_phrases().values() for phrase in phrases for slot in phrase.slots} <= known


def test_our_own_conversations_give_words_for_most_acts() -> None:
    book = extract(bundled_dialogues())
    assert {"Disclose", "Revise", "Note", "Note-yes", "Note-dislike", "Similar", "Repeat", "Complete"} <= set(
        book.phrases
    )
    assert len(book.phrases_of("Repeat")) > 20

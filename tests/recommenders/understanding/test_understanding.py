import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recommenders.material import film_expert, restaurant_expert
from trialogue_recommenders.text_files import sections_of
from trialogue_recommenders.user_text import LONGEST, ParsedText


def heard(text: str) -> ParsedText:
    return film_expert().listener.hear(text)


def values(wanted: frozenset[tuple[object, ...]]) -> set[str]:
    return {one[0].value for one in wanted}  # type: ignore[attr-defined]


# What they do, by sign. None of it is from a corpus.
SIGNS = {
    "greeting": ("Hi", "hello!", "Hey there", "good evening", "Hi, how are you?", "GO", "/start", "Get started"),
    "yes": ("yes", "Yeah, why not", "yep.", "Sure!", "Well, yes", "of course", "definitely"),
    "ok": ("ok", "Okay then", "fine.", "cool", "alright", "wow"),
    "no": ("no", "Nope", "nah.", "not really", "No, I have not", "Oh no", "not yet"),
    "seen": (
        "I've seen it",
        "I saw that already",
        "seen it",
        "Yes. Seen it",
        "I have already watched both",
        "Watched those",
    ),
    "unseen": (
        "I haven't seen it",
        "never seen it",
        "No, not yet",
        "I have never watched that one",
        "never heard of it",
    ),
    "similar": ("something similar", "more like this", "films like Heat", "something dark like that", "the same kind"),
    "other": ("another one", "anything else?", "show me others", "something different", "next", "Not this"),
    "more": ("more", "give me more", "more films please", "a few more", "any more?", "more suggestions"),
    "tell": ("tell me more", "more about it", "more details", "what is it?", "what else"),
    "request": (
        *(
            "recommend me something",
            "can you suggest a film?",
            "I am looking for a film",
            "what should I watch",
            "find me one",
        ),
        *(
            "I need a thriller",
            "do you have comedies?",
            "I'm in the mood for war films",
            "any ideas?",
            "recommendations please",
        ),
    ),
    "accept": (
        *(
            "I'll watch it",
            "I will take it",
            "sounds good",
            "looks interesting",
            "Let's go with the first",
            "good choice",
        ),
        *("I'll give it a try", "I want to watch it", "I'm sold", "I like it", "I liked your suggestion", "that works"),
    ),
    "disliked": (
        *(
            "I don't like it",
            "I didn't enjoy that",
            "boring",
            "I hated it",
            "not my type",
            "not interested",
            "no thanks",
        ),
        *("it was awful", "not very good", "I can't stand it", "not for me", "none of them", "I'm not into war films"),
    ),
    "liked": ("I loved it", "great film", "it was amazing", "not bad", "my favorite", "I'm a fan of it"),
    "wrong": ("that's not what I meant", "you don't understand", "never mind", "forget it", "No reminder, please"),
    "back": ("go back", "back to the list", "what were they again?", "say that again", "the previous one"),
    "restart": ("start over", "restart", "let's begin again", "new search", "reset"),
    "help": ("help", "what can you do?", "how does this work?", "give me a hint", "which genres do you have?"),
    "thanks": ("thanks", "Thank you!", "thx", "many thanks", "cheers"),
    "bye": ("bye", "Goodbye!", "good bye", "see you later", "that's all", "stop", "I'm done", "quit"),
    "open": ("I don't know", "surprise me", "anything", "no idea", "not sure", "whatever", "you choose", "any film"),
    "because": ("because it is funny", "for its ending", "it was so sad", "the acting"),
    "question": ("who?", "what is it about", "and who directed it", "is it good", "tell me the plot", "Could you help"),
}


def test_every_sign_has_examples() -> None:
    assert set(SIGNS) == {name for name in sections_of("signs") if not name.startswith("{")}


@pytest.mark.parametrize(("sign", "text"), [(sign, text) for sign, texts in SIGNS.items() for text in texts])
def test_a_sign_is_seen_in_many_phrasings_and_in_any_case(sign: str, text: str) -> None:
    for written in (text, text.upper(), text.replace("'", "’"), f"  {text}  "):
        assert sign in heard(written).signs, written


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("I don't like it", {"accept", "liked"}),
        ("I haven't seen it", {"seen"}),
        ("tell me more", {"more", "request"}),
        ("no idea", {"no"}),
        ("what other genres has it?", {"other"}),
        ("No Country for Old Men", {"no"}),
        ("The Last Samurai", {"back"}),
        ("it is thrilling", {"greeting", "bye", "restart"}),
        ("Goodbye", {"ok", "liked"}),
        ("thanks for your recommendation", {"request"}),
        ("I want to see it", {"seen"}),
        ("", set(SIGNS)),
        ("?!", set(SIGNS) - {"question"}),
    ],
)
def test_a_sign_is_not_seen_where_there_is_none(text: str, absent: set[str]) -> None:
    assert not heard(text).signs & absent


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("I loved The Matrix", ["the-matrix-1999"]),
        ("matrix", ["the-matrix-1999"]),
        ("I liked heat", ["heat-1995"]),
        ("how about jurassic park?", ["jurassic-park-1993"]),
        ("Titanic, because it made me cry", ["titanic-1997"]),
        ("Jurassic Park or The Matrix", ["jurassic-park-1993", "the-matrix-1999"]),
        ("I want something like Toy Story", ["toy-story-1995"]),
        ("Nope", []),
        ("Nope, tell me more", []),
        ("I LIKED IT", []),
        ("I like it", []),
        ("1", []),
        ("that one", []),
        ("drama", []),
    ],
)
def test_titles_are_found_and_words_of_talk_are_not_taken_for_them(text: str, titles: list[str]) -> None:
    assert [named.item_id for named in heard(text).titles] == titles


def test_a_title_may_be_spoken_against() -> None:
    named = heard("I loved Jurassic Park, but I hated The Matrix").titles
    assert [(one.item_id, one.against) for one in named] == [("jurassic-park-1993", False), ("the-matrix-1999", True)]
    assert heard("Jaws was boring").titles[0].against
    assert heard("anything but Jaws").titles[0].against
    assert not heard("Jaws is not bad").titles[0].against


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("horror", {"Horror"}, set()),
        ("something scary", {"Horror"}, set()),
        ("Sci-Fi", {"Science Fiction"}, set()),
        ("I like scifi and westerns", {"Science Fiction", "Western"}, set()),
        ("a romcom please", {"Romance", "Comedy"}, set()),
        ("funny but no cartoons", {"Comedy"}, {"Animation"}),
        ("No horror, war or westerns", set(), {"Horror", "War", "Western"}),
        ("I don't want a musical", set(), {"Music"}),
        ("no, I like comedies", {"Comedy"}, set()),
        ("I am not into action. Mystery is fine", {"Mystery"}, {"Action"}),
        ("anything with Tom Hanks", {"Tom Hanks"}, set()),
        ("a film by Hitchcock", {"Alfred Hitchcock"}, set()),
        ("I love Maryl Streep", {"Meryl Streep"}, set()),
        ("is it a comedy?", set(), set()),
        ("how about Knight Rider", set(), set()),
        ("The Lion King", set(), set()),
    ],
)
def test_attribute_values_are_heard_in_their_variants(text: str, wanted: set[str], unwanted: set[str]) -> None:
    assert values(heard(text).wanted) == wanted
    assert values(heard(text).unwanted) == unwanted


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("who directed it?", ("director",)),
        ("Director", ("director",)),
        ("who is in it", ("actor",)),
        ("and the cast?", ("actor",)),
        ("when was it released?", ("year",)),
        ("is that an old film?", ("year",)),
        ("what is it about", ("plot",)),
        ("what's the plot", ("plot",)),
        ("give me the overveiw", ("plot",)),
        ("movie genre", ("genre",)),
        ("what other genres has it?", ("genre",)),
        ("is it a comedy?", ("genre",)),
        ("is it any good?", ("rating",)),
        ("IMDB?", ("rating",)),
        ("how long is it?", ("unanswerable",)),
        ("budget", ("unanswerable",)),
        ("who directed it and when was it released?", ("director", "year")),
        ("I love the story and the actors in it", ()),
        ("can you recommend a film with a good plot?", ()),
        ("yes", ()),
    ],
)
def test_questions_about_an_item_are_recognised(text: str, asks: tuple[str, ...]) -> None:
    assert heard(text).asks == asks


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("something from the 80s", (1980, 1989)),
        ("1990s please", (1990, 1999)),
        ("the nineties", (1990, 1999)),
        ("from 2018 or 2019", (2018, 2019)),
        ("a recent one", (2019, 2024)),
        ("old films", (1930, 1984)),
        ("40 year old virgin", None),
        ("it's new and entertaining", None),
    ],
)
def test_years_are_heard(text: str, years: tuple[int, int] | None) -> None:
    assert heard(text).years == years


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        *(
            ("2", 2),
            ("2.", 2),
            ("number two", 2),
            ("option 3 please", 3),
            ("the first one", 1),
            ("I'll take the second", 2),
        ),
        *(
            ("the last one", -1),
            ("two weeks ago", None),
            ("Toy Story 2", None),
            ("", None),
            ("I watched 3 of them", None),
        ),
    ],
)
def test_a_choice_is_heard(text: str, choice: int | None) -> None:
    assert heard(text).choice == choice


@pytest.mark.parametrize(
    ("text", "opinion"),
    [
        *(("8/10", 0.6), ("8", 0.6), ("5", 1.0), ("2 stars", -0.2), ("3 out of 4", 0.5), ("0", -1.0), ("9 / 0", None)),
        *(("great", 1.0), ("I didn't like it", -1.0), ("not bad", 1.0), ("so-so", 0.0), ("average", 0.0), ("hm", None)),
        ("11/10", 1.0),
    ],
)
def test_an_opinion_is_heard_in_words_and_numbers(text: str, opinion: float | None) -> None:
    assert heard(text).opinion == (None if opinion is None else pytest.approx(opinion))


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("on friday evening", "on Friday evening"),
        ("tonight at 8", "tonight at 8"),
        ("6pm", "6pm"),
        ("a boring day", ""),
    ],
)
def test_a_time_is_heard(text: str, when: str) -> None:
    assert heard(text).when == when


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("I loved Heat because of the heist", "Heat"),
        ("can you search for 'Anna Karinina' please?", "Anna Karinina"),
        ("my favorite film is Big Fish, it made me cry", "Big Fish"),
        ("something similar to Rambo", "Rambo"),
        ("Dr. Strangelove", "Dr. Strangelove"),
        ("who directed Heat?", "Heat"),
        ("what is Big Fish about?", "Big Fish"),
        ("the plot of Big Fish", "Big Fish"),
        ("what year is Big Fish from?", "Big Fish"),
        ("Well, hello, ", ""),
    ],
)
def test_what_may_be_a_title_is_left_when_the_words_around_it_are_gone(text: str, query: str) -> None:
    assert heard(text).query == query


def test_only_the_beginning_of_a_very_long_text_is_listened_to() -> None:
    text = "I like Alien. " + "x" * 1_000_000 + " Jaws"
    assert len(heard(text).text) == LONGEST
    assert [named.item_id for named in heard(text).titles] == ["alien-1979"]


def test_a_domain_brings_its_own_words() -> None:
    hear = restaurant_expert().listener.hear
    assert values(hear("something italian and cheap in the harbor").wanted) == {"Italian", "cheap", "Harbor"}
    assert "seen" in hear("I have been to it already").signs
    assert "request" in hear("any good restaurants?").signs
    assert hear("is it expensive?").asks == ("price",)
    assert hear("what about the opening hours?").asks == ("unanswerable",)
    assert [named.item_id for named in hear("the copper wok").titles] == ["r2"]


@given(st.text(max_size=300))
def test_any_text_is_listened_to_and_understood_the_same_twice(text: str) -> None:
    first = film_expert().listener.hear(text)
    assert film_expert().listener.hear(text) == first


@pytest.mark.mirror
def test_what_real_users_said_is_listened_to(mirror: Path) -> None:
    understood = total = 0
    for path in sorted((mirror / "kdd2020").glob("*.json")):
        for rows in json.loads(path.read_text(encoding="utf-8")).values():
            for speaker, text, _ in rows:
                if speaker == "user":
                    found = heard(text)
                    total += 1
                    understood += bool(found.signs or found.titles or found.wanted or found.asks or found.choice)
    assert total == 1107  # user utterances of the three files
    assert understood / total > 0.85  # the rest are mostly titles that the bundled films lack

"""Gates: faults of users are found, what people do is not, and what cannot be known is left open."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.metrics.gates.assistant_role import reads_out_need
from trialogue.metrics.gates.contradicted_needs import _values
from trialogue.metrics.gates.courtesies import is_thanks
from trialogue.metrics.gates.detect import gates_in, vocabulary_of
from trialogue.records import Constraint, Dialogue, Ending, Mention, Need, Utterance
from trialogue.records.kinds.suspicions import Gate

NEED = Need(
    id="n",
    constraints=(Constraint(attribute="genre", values=("Horror",)),),
    targets=("t",),
    acceptable=("t", "a"),
    examples=("k",),
)
WORDS = {"genre": frozenset({"Horror", "Comedy", "Science Fiction"})}


def dialogue(*users: str, need: Need | None = None, ended_by: Ending | None = None) -> Dialogue:
    """What a user says, each answered."""
    said = [
        each
        for text in users
        for each in (Utterance(speaker="user", text=text), Utterance(speaker="system", text="I see."))
    ]
    return Dialogue(id="d", utterances=tuple(said), need=need, ended_by=ended_by)


def fired(found: Dialogue) -> set[Gate]:
    return {gate for gate, fires in gates_in(found, WORDS).items() if fires}


@pytest.mark.parametrize(
    "text",
    [
        "As an AI language model I have no preferences.",
        "How can I help you today?",
        "I'd be happy to assist you!",
        "Let me know if you need anything else.",
        "Recommender: try Alien.",
        "What can I assist you with?",
        "Hey, can I help you?",
        "My pleasure, my friend. I'm here to support you.",
        "I can certainly help you with that.",
        "I'm excited to assist with recommendations.",
        "I'm not able to provide that information.",
        "Would you like to know more about my capabilities?",
        "I am a simulated user.",
    ],
)
def test_an_assistant_is_heard(text: str) -> None:
    assert fired(dialogue("Hi", text)) == {Gate.ASSISTANT_ROLE}


@pytest.mark.parametrize(
    "text",
    [
        "If you liked Alien, you'll love The Thing. Want me to tell you where to stream it?",
        "What kind of films do you usually like? I can suggest a few.",
        "1) Alien - tense 2) Heat - slow, which one would you like to hear more about?",
        "I was told to act like a casual moviegoer, so here goes: something scary please",
        "[Persona: nurse, 34] anything good from the 90s?",
        "Would you like me to recommend something similar?",
    ],
)
def test_recommending_and_speaking_of_one_s_part_are_heard(text: str) -> None:
    assert Gate.ASSISTANT_ROLE in fired(dialogue("Hi", text))


@pytest.mark.parametrize(
    "text",
    ["What kind of movies do you like?", "You should watch it, it's the best!", "I would recommend it to my sister."],
)
def test_people_who_chat_about_films_are_no_assistants(text: str) -> None:
    assert fired(dialogue(text)) == set()


@pytest.mark.parametrize(
    "text", ["Can you help me?", "I like films with AI.", "What would you recommend?", "Are you a bot?"]
)
def test_a_user_who_speaks_of_help_or_bots_is_none(text: str) -> None:
    assert fired(dialogue(text)) == set()


def test_thanks_without_end_are_three_turns_in_a_row() -> None:
    assert fired(dialogue("Hi", "Thanks!", "Thank you, bye!", "You too!")) == {Gate.ENDLESS_THANKS}
    assert fired(dialogue("Hi", "Thanks!", "Bye!")) == set()
    assert fired(dialogue("Thanks!", "Thank you!", "And who directed it?", "Thanks!")) == set()
    assert fired(dialogue("No thanks", "No, thanks", "Bye")) == set()  # they answer offers


@pytest.mark.parametrize(
    "said",
    [
        ("You're very kind, thank you.", "Have a great evening!", "You too, goodbye!"),
        ("thanks", "Right back at you!", "🙏", "bye"),
        ("It was lovely chatting with you.", "The pleasure was all mine!", "Until next time!"),
        ("Will do, thanks!", "Likewise, pal.", "All the best!"),
    ],
)
def test_politeness_has_many_words(said: tuple[str, ...]) -> None:
    assert fired(dialogue("Hi", *said)) == {Gate.ENDLESS_THANKS}


def talk_of(*texts: str) -> Dialogue:
    """A dialogue in which both sides take turns, the user first."""
    said = [Utterance(speaker="system" if place % 2 else "user", text=text) for place, text in enumerate(texts)]
    return Dialogue(id="d", utterances=tuple(said))


IDLE = ("I'm so glad I asked.", "And I'm glad to be of help.", "That makes my day, thank you.", "You make mine.")


def test_courtesies_of_both_sides_in_any_words_are_found_where_nothing_is_asked_or_named() -> None:
    assert fired(talk_of("A film?", "Heat.", *IDLE, "Take care, then!", "Take care!")) == {Gate.ENDLESS_THANKS}


@pytest.mark.parametrize(
    "reply", ["And what else do you like?", "There is also Ronin, by the way.", "It has 2 sequels."]
)
def test_a_reply_that_asks_or_names_something_is_no_courtesy(reply: str) -> None:
    said = ("What a day.", "Indeed, thank you.", "Lovely, thanks.", reply, "Popcorn is ready, cheers!", "Cheers!")
    assert fired(talk_of("A film?", "Heat.", *said)) == set()


@pytest.mark.parametrize(
    "said",
    [
        ("Thanks!", "Thanks, is the sequel better?", "Thanks, bye"),
        ("ok", "yes", "sure", "thanks", "bye"),
        ("Thank you, I will try Alien.", "Thanks, something shorter?", "Perfect, thanks."),
    ],
)
def test_answers_and_wishes_between_thanks_are_content(said: tuple[str, ...]) -> None:
    assert fired(dialogue("Hi", *said)) == set()


def test_several_messages_of_one_turn_are_one() -> None:
    said = [Utterance(speaker="user", text=text) for text in ("Thanks!", "Bye!", "Take care!")]
    assert fired(Dialogue(id="d", utterances=tuple(said))) == set()


@pytest.mark.parametrize(
    ("text", "thanks"), [("Thanks a lot, bye!", True), ("", False), ("ok", False), ("Thanks, next?", False)]
)
def test_thanks_are_nothing_else(text: str, thanks: bool) -> None:
    assert is_thanks(text) is thanks


def test_a_loop_is_nearly_the_same_three_times_wherever() -> None:
    again = (
        "I want a film with whales in it.",
        "yes",
        "i want a film with whales in it",
        "I want a film with whales in it!!",
    )
    assert fired(dialogue(*again)) == {Gate.LOOP}
    assert fired(dialogue(*again[:3])) == set()
    assert fired(dialogue("yes please", "yes please", "yes please")) == set()


def test_the_same_answer_to_the_same_message_is_the_agent_s_loop() -> None:
    answer = "I want a film with whales in it."
    question = "Before I recommend something, which genre do you prefer?"
    asked = [Utterance(speaker="system", text=question), Utterance(speaker="user", text=answer)] * 5
    assert fired(Dialogue(id="d", utterances=tuple(asked))) == set()
    others = [f"How about number {number} on my list of films, which many people have liked?" for number in "abc"]
    others = [
        *others[:1],
        "Would you prefer something that is quiet and slow?",
        "Tell me the actors whom you like best.",
    ]
    moved = [
        each
        for text in others
        for each in (Utterance(speaker="system", text=text), Utterance(speaker="user", text=answer))
    ]
    assert fired(Dialogue(id="d", utterances=tuple(moved))) == {Gate.LOOP}


def test_only_the_last_message_of_a_turn_can_break_off() -> None:
    cut, rest = (Utterance(speaker="user", text=text) for text in ("I want a film that has the", "best music of all."))
    assert fired(Dialogue(id="d", utterances=(cut, rest))) == set()
    assert fired(Dialogue(id="d", utterances=(rest, cut))) == {Gate.TRUNCATED}


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that request.",
        "I cannot continue this conversation.",
        "I must respectfully decline to answer.",
        "This goes against our content policy.",
        '{"message": "Something funny?"}',
        "search_films(genre='horror')",
    ],
)
def test_refusals_of_a_model_and_text_for_programs_are_no_user_s(text: str) -> None:
    assert Gate.ASSISTANT_ROLE in fired(dialogue(text))


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, I can't watch horror, I would not sleep.",
        "I can't answer that, I have not seen it.",
        "I have to decline, I saw it last week.",
        "I can't remember its title.",
    ],
)
def test_people_who_cannot_do_something_are_no_models(text: str) -> None:
    assert Gate.ASSISTANT_ROLE not in fired(dialogue(text))


@pytest.mark.parametrize(
    "said",
    [
        (
            "I'd like a movie about friendship.",
            "I would like a film about friendship.",
            "i'd like movies about friendship",
        ),
        ("nah, not feeling that one tbh", "nah not feelin that one tbh", "nah, not feeling this one tbh"),
        ("What is it about and who is in it", "what's it about and whos in it", "what is it about, and who is in it?"),
    ],
)
def test_a_loop_may_be_contracted_spelt_or_worded_otherwise(said: tuple[str, ...]) -> None:
    assert fired(dialogue(*said)) == {Gate.LOOP}


@pytest.mark.parametrize(
    "said",
    [
        ("I want a scary film from Japan", "I want a funny film from Japan", "I want a sad film from Japan"),
        ("can you tell me the plot", "can you tell me the cast", "can you tell me the year"),
    ],
)
def test_another_wish_in_the_same_words_is_no_loop(said: tuple[str, ...]) -> None:
    assert Gate.LOOP not in fired(dialogue(*said))


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "...", "…", "I am looking for a film that has the"),
        "I want a film with a really strong",
        "We have been looking forward to this and it shoul",
        "Something with a twist, but also (",
        "Yes, I think that would be a great",
        "How do they compare in terms of",
        "the red one, preferably in",
        "i saw them for like £",
    ],
)
def test_an_empty_or_broken_message_is_truncated(text: str) -> None:
    assert fired(dialogue("Hi", text)) == {Gate.TRUNCATED}


def test_what_the_model_said_of_its_end_counts_and_a_question_mark_is_a_message() -> None:
    cut = Utterance(speaker="user", text="A film.", meta={"finish_reason": "length"})
    assert fired(Dialogue(id="d", utterances=(cut,))) == {Gate.TRUNCATED}
    assert fired(dialogue("?", "what is it from", "not that i know of")) == set()


@pytest.mark.parametrize(
    "text",
    [
        "which one is it that you are thinking of",
        "i like the first one better though",
        "tell me more about john wick",
        "I have never heard of it before",
        "yes that is what i was looking for",
        "do you have any other movies like the original",
    ],
)
def test_people_end_without_a_mark_on_any_word(text: str) -> None:
    assert fired(dialogue(text)) == set()


def test_a_target_is_leaked_by_who_names_it_first() -> None:
    def named(speaker: str, item: str) -> Utterance:
        return Utterance(speaker=speaker, text="x y", mentions=(Mention(title=item, item_id=item),))

    def leaks(*said: Utterance) -> bool | None:
        return gates_in(Dialogue(id="d", utterances=said, need=NEED), WORDS)[Gate.TARGET_LEAKED]

    assert leaks(named("user", "k"), named("user", "a")) is True
    assert leaks(named("system", "a"), named("user", "a")) is False
    assert leaks(named("user", "k")) is False
    assert leaks(named("user", "k"), Utterance(speaker="user", text="nobody looked")) is None


@pytest.mark.parametrize(
    "text",
    [
        "No horror, please.",
        "I don't like horror",
        "I want a comedy",
        "Anything but horror!",
        "any good science fiction?",
        "I've had enough of horror, to be honest",
        "Sounds good, but since it's horror, I'll pass.",
        "My favorite genre is comedy.",
        "It has to be a comedy, otherwise I won't watch it.",
        "horror? no thx",
        "comedy please!",
    ],
)
def test_a_need_is_contradicted_by_what_is_turned_down_or_wished(text: str) -> None:
    assert fired(dialogue(text, need=NEED)) == {Gate.NEED_CONTRADICTED}


@pytest.mark.parametrize(
    "text",
    [
        *("I want a horror film", "I don't like comedy", "Why not horror?", "Is it a comedy?", "comedic horrors"),
        "My kids love comedy movies",
        "That one was too much of a comedy for me",
        "I'd like a horror comedy",
        "I don't mind horror at all",
        "Anything but comedy.",
        "That isn't horror. I asked for horror.",
    ],
)
def test_a_need_is_not_contradicted_by_its_own_wishes(text: str) -> None:
    assert fired(dialogue(text, need=NEED)) == set()


RUN = Need(
    id="n",
    constraints=(
        Constraint(attribute="kind", values=("running", "daily news", "puzzles", "Fantasy")),
        Constraint(attribute="decade", values=("1990s",)),
    ),
)
"""A need with values of several words, in the plural, and a decade."""
KINDS = {
    "kind": frozenset({"running shoes", "news", "big", "spicy", "noise", "flat", "war", "cooking", "turn-based"}),
    "decade": frozenset({"1990s", "1980s", "2000s"}),
}


@pytest.mark.parametrize(
    ("text", "contradicts"),
    [
        ("Something from the eighties, please.", True),
        ("I'd prefer the '80s.", True),
        ("Something from the nineties, please.", False),
        ("I don't want anything from the nineties.", True),
        ("Something from the 2000s.", True),
        ("No fantasies, please.", True),
        ("Have you any flats?", True),
        ("A puzzle makes me feel dumb, skip those.", True),
        ("The spicier the better!", True),
        ("Bigger is better.", True),
        ("Could it be a bit bigger?", False),  # than the last one
        ("As noisy as possible.", True),
        ("I want turn based ones.", True),
        ("I'd like running shoes.", False),  # of those words the need is one
        ("I'd like some news.", False),
        ("I was going to ask for a spicy one, but no.", False),
        ("Got any spicy ones? Just curious.", False),
        ("I don't like puzzles. At least that's what I thought until last night.", False),
        ('"Not puzzles again!", my sister says.', False),
        ("I enjoy puzzles, war makes me nervous.", False),
        ("Spicy, please, and hot.", True),
        ("It's so cold, so cooking it is, so spicy please.", True),
        ("Who says puzzles are boring?", False),
        ("Puzzles are so boring, once it's over it's over.", True),
        ("Puzzles, none of that war stuff.", False),
        ("Running shoes, comfy flats, please.", False),  # both
        ("And the noise?", False),
        ("puzzles no big war", False),
        ("As long as there are puzzles and a map I don't care.", False),
    ],
)
def test_values_are_known_in_other_forms_and_by_who_wants_them(text: str, contradicts: bool) -> None:
    found = gates_in(dialogue(text, need=RUN), KINDS)
    assert found[Gate.NEED_CONTRADICTED] is contradicts


def test_who_is_asked_what_to_avoid_wishes_for_nothing() -> None:
    for question, contradicts in (("Anything that you would avoid?", False), ("What would you like?", True)):
        said = (Utterance(speaker="system", text=question), Utterance(speaker="user", text="War."))
        found = gates_in(Dialogue(id="d", need=RUN, utterances=said), KINDS)
        assert found[Gate.NEED_CONTRADICTED] is contradicts


def test_the_words_of_a_title_are_no_values() -> None:
    text = "I'd like Star War."
    mention = Mention(title="Star War", item_id="w", start=text.index("Star"), end=len(text) - 1)
    for mentions, contradicts in (((mention,), False), ((), True)):
        talk = Dialogue(id="d", need=RUN, utterances=(Utterance(speaker="user", text=text, mentions=mentions),))
        assert gates_in(talk, KINDS)[Gate.NEED_CONTRADICTED] is contradicts


@pytest.mark.parametrize(
    ("ended_by", "users", "fires"),
    [
        (Ending.USER_ENDED, ("Hi", "Thanks!"), True),  # nothing that suits was named
        (Ending.USER_ENDED, ("Hi",), True),
        (Ending.USER_GAVE_UP, ("Hi",), False),
        (Ending.AGENDA_EMPTY, ("Hi", "Bye"), False),
        (Ending.TURN_LIMIT, ("Hi",), False),
        (Ending.AGENT_ERROR, ("Hi",), None),
        (None, ("Hi",), None),
    ],
)
def test_who_leaves_content_with_nothing_left_too_soon(
    ended_by: Ending | None, users: tuple[str, ...], fires: bool | None
) -> None:
    assert gates_in(dialogue(*users, need=NEED, ended_by=ended_by), WORDS)[Gate.PREMATURE_STOP] is fires


def test_who_leaves_with_what_suits_did_not() -> None:
    talk = dialogue("Hi", "Thanks!", need=NEED, ended_by=Ending.USER_ENDED)
    named = talk.utterances[1].model_copy(update={"mentions": (Mention(title="A", item_id="a"),)})
    found = talk.model_copy(update={"utterances": (talk.utterances[0], named, *talk.utterances[2:])})
    assert fired(found) == set()


def test_without_need_and_ending_three_gates_are_open() -> None:
    found = gates_in(dialogue("Hi"))
    assert {gate for gate, fires in found.items() if fires is None} == {
        Gate.TARGET_LEAKED,
        Gate.PREMATURE_STOP,
        Gate.NEED_CONTRADICTED,
    }
    assert set(found) == set(Gate)


def test_an_empty_dialogue_shows_nothing() -> None:
    assert fired(Dialogue(id="d", utterances=())) == set()


def test_the_vocabulary_is_what_all_needs_ask_for() -> None:
    other = Need(id="m", constraints=(Constraint(attribute="genre", values=("Comedy", "Drama")),))
    assert vocabulary_of([NEED, other]) == {"genre": frozenset({"Horror", "Comedy", "Drama"})}


@given(st.lists(st.text(max_size=80), max_size=6))
def test_no_text_is_too_odd(users: list[str]) -> None:
    assert set(gates_in(dialogue(*users, need=NEED), WORDS)) == set(Gate)


@pytest.mark.parametrize("gap", ["\n" * 50_000, " " * 50_000, "\n " * 25_000])
def test_long_gaps_take_time_by_their_length(gap: str) -> None:
    """Each character of a gap was once tried with all of the rest: two hours for 200,000, so eight minutes here."""
    assert fired(dialogue(f"I do not like{gap}horror.{gap}", need=NEED)) == {Gate.NEED_CONTRADICTED}
    assert fired(dialogue(f"Hi{gap}\nAssistant: try Alien.")) == {Gate.ASSISTANT_ROLE}


@pytest.mark.parametrize(
    "text", ["I want SCİENCE FİCTİON please", "I want scıence fıction please", "I like § and §x things"]
)
def test_a_value_in_turkish_letters_is_the_need_s_and_a_section_sign_is_no_value(text: str) -> None:
    need = Need(id="n", constraints=(Constraint(attribute="genre", values=("Science Fiction",)),))
    assert Gate.NEED_CONTRADICTED not in fired(dialogue(text, need=need))


def test_long_words_and_texts_take_time_by_their_length() -> None:
    """One word of a million letters once took hours, and 20,000 different words a minute."""
    texts = [" ".join(f"{letter}{n}" for n in range(20_000)) for letter in ("some", "other", "last")]
    assert fired(dialogue(*texts)) == set()
    assert fired(dialogue(*3 * ["Hi " + "a" * 250_000])) == set()


def test_a_blank_value_is_found_nowhere() -> None:
    need = Need(id="n", constraints=(Constraint(attribute="genre", values=("", "Horror")),))
    assert Gate.NEED_CONTRADICTED not in fired(dialogue("No - I said horror, no!", "No, never. ", need=need))


def test_needs_of_one_attribute_share_one_search_for_its_values() -> None:
    """A search for all values per need once took 27 s of CPU time for 3,000 needs."""
    words = {"genre": frozenset(f"Kind {n}" for n in range(50))}
    before = _values.cache_info().misses
    for n in range(50):
        need = Need(id="n", constraints=(Constraint(attribute="genre", values=(f"Kind {n}",)),))
        found = gates_in(dialogue("I want kind 7", need=need), words)
        assert found[Gate.NEED_CONTRADICTED] is (n != 7)
    assert _values.cache_info().misses - before <= 51


def test_a_refusal_between_thanks_neither_counts_nor_breaks_the_row() -> None:
    assert Gate.ENDLESS_THANKS in fired(dialogue("No, thanks.", "Thank you!", "Thanks, bye!", "Goodbye!"))
    assert Gate.ENDLESS_THANKS not in fired(dialogue("No, thanks.", "Thank you!", "Thanks, bye!"))


def test_messages_that_share_just_four_of_five_words_are_the_same() -> None:
    """The bound is .8 of the words: 8 of 10 in common are just the same, 8 of 11 are not."""
    eight = "one two three four five six seven eight"
    assert Gate.LOOP in fired(dialogue(eight, f"{eight} nine ten", eight))
    assert Gate.LOOP not in fired(dialogue(eight, f"{eight} nine ten eleven", f"{eight} twelve more words"))


def test_gates_by_words_are_unknown_in_other_scripts() -> None:
    chinese = dialogue("我想买一份礼物", "谢谢", "谢谢", "谢谢")
    by_words = {Gate.ASSISTANT_ROLE, Gate.ENDLESS_THANKS, Gate.LOOP, Gate.TRUNCATED}
    assert {gate for gate in by_words if gates_in(chinese)[gate] is None} == by_words
    found = gates_in(dialogue(*(3 * ["我想 买 一份 礼物 给 爷爷"])))
    assert found[Gate.LOOP] is None  # a share among dialogues that fire would be 1
    assert gates_in(dialogue("我想买一份礼物, As an AI language model"))[Gate.ASSISTANT_ROLE] is True
    assert gates_in(dialogue("Je cherche un film à voir"))[Gate.ASSISTANT_ROLE] is False
    assert gates_in(dialogue("42", "?"))[Gate.LOOP] is False


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        (Gate.TRUNCATED, ("Something calm, please.", "A modern western, since for me music is half of the film and I")),
        (Gate.TRUNCATED, ("Buddy comedy with crime, I like Shane Black (Lethal Weapon, Kiss Kiss Bang",)),
        (Gate.TRUNCATED, ("Vegetarian food, please. We would arrive at around 7:",)),
        (Gate.ENDLESS_THANKS, ("A floor lamp.", "Wonderful, thanks!", "Much obliged to you!", "👋", "Bye bye!")),
        (Gate.LOOP, ("Who directed it?", "And the year?", "Who directed it?", "From which year?", "Who directed it?")),
        (Gate.ASSISTANT_ROLE, ("Lovely. May I have your name? We look forward to welcoming you at 7 pm.",)),
        (Gate.ASSISTANT_ROLE, ("According to my profile, I like ensembles.",)),
    ],
)
def test_faults_are_found_in_other_words(gate: Gate, said: tuple[str, ...]) -> None:
    need = Need(id="n", targets=("t",), acceptable=("t",))
    found = dialogue(*said, need=need)
    linked = tuple(each.model_copy(update={"mentions": ()}) for each in found.utterances)
    assert gate in fired(found.model_copy(update={"utterances": linked}))


@pytest.mark.parametrize(
    "said",
    [
        ("A sports documentary.", "Is it on Netflix or"),
        ("As an assistant nurse I work nights, so I need something short.",),
        ('The clerk said: "If you liked Heat, you might enjoy Ronin. I would suggest Thief." Is he right?',),
        ("My goal for this evening is to laugh once.",),
    ],
)
def test_near_misses_of_people_are_no_faults(said: tuple[str, ...]) -> None:
    assert not fired(dialogue(*said, need=Need(id="n", targets=("t",), acceptable=("t",))))


def test_a_word_that_the_reply_completes_was_cut_off() -> None:
    user = "More than anything else the shoes should be really cushi"
    said = (Utterance(speaker="user", text=user), Utterance(speaker="system", text="They are well cushioned."))
    assert gates_in(Dialogue(id="d", utterances=said))[Gate.TRUNCATED]


def test_a_title_written_small_among_capitals_names_no_target() -> None:
    need = Need(id="n", targets=("t",), acceptable=("t",))
    for text, is_leak in (("A novel for a dry summer, please.", False), ("A novel such as The Dry, please.", True)):
        start = text.casefold().index("dry") if not is_leak else text.index("The Dry")
        end = start + (7 if is_leak else 3)
        mention = Mention(title="The Dry", item_id="t", start=start, end=end)
        found = Dialogue(id="d", need=need, utterances=(Utterance(speaker="user", text=text, mentions=(mention,)),))
        assert gates_in(found)[Gate.TARGET_LEAKED] is is_leak


@pytest.mark.parametrize(
    "said",
    [
        (
            "A bike for my daughter?",
            "The Spark 20.",
            "How tall is she? The red one is right for you, or shall I show you others?",
        ),
        (
            "A hotel in Porto.",
            "Casa da Rua.",
            "Guests who like quiet will love it, and you can't go wrong with the rooms.",
        ),
        ("Jazz for cooking.", "Kind of Blue.", "*He nods and puts the record on the shelf.*"),
    ],
)
def test_two_moves_of_a_recommender_are_its_part_in_any_trade(said: tuple[str, ...]) -> None:
    assert Gate.ASSISTANT_ROLE in fired(talk_of(*said))


def test_one_move_or_two_in_the_same_words_are_what_people_do() -> None:
    assert fired(talk_of("A bike?", "The Spark.", "What is your favourite one?", "The Spark.", "OK.")) == set()
    assert fired(talk_of("Enjoy your day!", "And you?", "I appreciate your help.")) == set()


def test_echoes_without_thanks_are_courtesies() -> None:
    echoes = ("Splendid, my evening is saved.", "I love saved evenings.", "So saved, so splendid!", "Splendid it is.")
    assert fired(talk_of("A wine?", "Riesling.", *echoes, "Splendid indeed!", "Indeed, saved!", "Saved indeed!")) == {
        Gate.ENDLESS_THANKS
    }


def test_short_words_alone_are_no_courtesies() -> None:
    assert fired(talk_of("A film?", *("Hm.", "No information.") * 6)) == set()


def test_answers_to_questions_are_no_closing() -> None:
    said = ("Shall I send it?", "Yes, that would be great. Thank you.", "And the second?", "Yes please, thanks!")
    assert fired(talk_of("Thanks!", *said, "Anything for the kids?", "Sure, thank you!")) == set()


def test_questions_asked_again_after_their_answer_are_a_loop() -> None:
    told = (
        "is it far from the station",
        "Two minutes from the station.",
        "does it have a garden",
        "A garden with trees.",
    )
    again = ("is it far from the station", "Two minutes, as said.", "does it have a garden", "Yes, a garden.")
    other = ("is it far from the station", "Twenty by bus.", "does it have a garden", "No.")
    assert fired(talk_of("A hotel?", "Alma.", *told, *again)) == {Gate.LOOP}
    assert fired(talk_of("A hotel?", "Alma.", *told, "And another one?", "Try Rio.", *other)) == set()


def test_yes_to_a_choice_is_a_loop_and_to_a_question_an_answer() -> None:
    choices = ("Tea or coffee?", "Sure, please.", "Which of them?", "Sure, please.", "How many cups?", "Sure, please.")
    assert fired(talk_of("Something warm.", *choices)) == {Gate.LOOP}
    assert fired(talk_of("Something warm.", "Tea?", "Sure.", "With milk?", "Sure.", "Now?", "Sure.")) == set()


def test_what_only_answers_questions_is_no_loop() -> None:
    asked = [
        turn for name in ("Alien", "Heat", "Ran") for turn in (f"Did you see {name}?", "I have not seen that movie.")
    ]
    assert fired(talk_of("Hello there", *asked)) == set()


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("1. quiet 2. near the sea 3.", True),
        ("I want a) a garden b) a view c)", True),
        ("After the whole week with the kids all I would like is a room that l", True),
        ("Before I book the room, can you find out whether the garden", True),
        ("Plan B)", False),
        ("I have been there a few times and always liked it with my gf", False),
    ],
)
def test_markers_letters_and_open_clauses_break_off(text: str, cut: bool) -> None:
    assert (Gate.TRUNCATED in fired(talk_of(text, "I see."))) is cut


@pytest.mark.parametrize(
    ("text", "leaks"),
    [
        ("My sister is called Ryan.", False),
        ("I've moved to Ryan last year.", False),
        ("I'd like to see ryan.", True),
        ("It rains, and ryan is late.", False),
    ],
)
def test_titles_are_leaks_and_names_of_others_are_not(text: str, leaks: bool) -> None:
    need = Need(id="n", targets=("ryan",), acceptable=("ryan",))
    place = text.lower().find("ryan")
    mentions = (Mention(title="Ryan", item_id="ryan", start=place, end=place + 4),) if place >= 0 else ()
    said = Utterance(speaker="user", text=text, mentions=mentions)
    assert gates_in(Dialogue(id="d", utterances=(said,), need=need))[Gate.TARGET_LEAKED] is leaks


def replied(*said: str) -> Dialogue:
    """What a user says turn after turn, each answered by another message."""
    replies = ("Rosalía.", "Have you heard Llergo?", "There is a new one from Jerez.", "What of Morente?", "And Paco?")
    return talk_of(*(text for pair in zip(said, replies, strict=False) for text in pair))


@pytest.mark.parametrize(
    "said",
    [
        ("flamenco but modern", "modern flamenco", "modern flamenco please", "flamenco, modern"),
        ("vegan food and parking", "parking and vegan food?", "Somewhere vegan, with food and parking."),
        ("music to sleep", "Music to sleep", "music to sleep", "Music to sleep!"),
    ],
)
def test_turns_in_a_row_about_one_subject_are_a_loop_whatever_their_words(said: tuple[str, ...]) -> None:
    assert fired(replied("I have an evening off.", *said)) == {Gate.LOOP}


@pytest.mark.parametrize(
    "said",
    [
        ("modern flamenco", "modern flamenco please", "is she from Seville?", "flamenco, modern"),  # not in a row
        ("modern flamenco", "older flamenco guitar", "flamenco for dancing at a wedding", "a film on flamenco schools"),
        ("okay", "Sure.", "okay", "No.", "okay"),
        ("No information.", "No information.", "No information.", "No information.", "No idea."),
    ],
)
def test_a_subject_that_goes_on_is_no_loop(said: tuple[str, ...]) -> None:
    assert fired(replied(*said)) == set()


@pytest.mark.parametrize(
    ("said", "is_loop"),
    [
        (
            (
                "Could you tell me a bit more about it?",
                "That sounds interesting. Could you tell me a bit more about it?",
                "That does sound interesting! Could you tell me a little more about it?",
                "Sounds interesting. Could you tell me some more about it?",
            ),
            True,
        ),
        (("What does the white pair of these cost?", "What does the black pair of these cost?"), False),
        (
            (
                "What does the white pair of these cost?",
                "What does the black pair of these cost?",
                "What does the green pair of these cost?",
            ),
            False,
        ),
    ],
)
def test_the_same_letters_in_other_words_are_a_loop_but_not_one_value_after_the_other(
    said: tuple[str, ...], is_loop: bool
) -> None:
    assert (Gate.LOOP in fired(replied("I have an evening off.", *said))) is is_loop


def test_an_agent_that_says_one_thing_is_answered_alike_and_long_talks_take_no_square_of_time() -> None:
    same = ("blue shoes size nine, please", "I see, thank you for that.") * 4000
    assert Gate.LOOP not in fired(talk_of(*same))  # 33 s for 10,000 messages when each was compared with each
    assert not is_thanks("🙏" * 20_000 + "x")


@pytest.mark.parametrize(
    "words", ["Tusind tak!|Tak for hjælpen!|Tak, farvel!", "Merci!|Danke dir.|Ciao, grazie mille!"]
)
def test_courtesies_of_other_languages_are_heard(words: str) -> None:
    one, two, three = words.split("|")
    assert fired(talk_of("A museum?", "Louisiana.", one, "Selv tak!", two, "Gerne!", three)) == {Gate.ENDLESS_THANKS}


def test_declining_an_offer_with_thanks_begins_the_goodbyes() -> None:
    closing = ("No, that's all, thank you.", "Have a good day!", "Thank you, you too!", "Bye!", "Bye, thanks!")
    assert fired(talk_of("A laptop?", "Framework. Anything else?", *closing)) == {Gate.ENDLESS_THANKS}
    assert fired(talk_of("A laptop?", "Framework. Anything else?", *closing[:3])) == set()


@pytest.mark.parametrize(
    "text",
    [
        "She is satisfied with the answer.",
        "He accepts the recommendation since it is short.",
        "Great choice, you won't regret it!",
        "May I ask what you watched, so we can find a good second one for you?",
        "A lot of parents tell us that they find it soothing.",
    ],
)
def test_narration_of_the_user_and_what_is_done_for_the_other_side_are_an_assistants(text: str) -> None:
    assert Gate.ASSISTANT_ROLE in fired(talk_of("A bike?", "A Brompton.", text))
    assert fired(talk_of("A bike?", "A Brompton.", "Can you find one that my wife could lift, too?")) == set()


@pytest.mark.parametrize(
    ("texts", "cut"),
    [
        (("trains and love", "I saw it on the train, and then it rained on the old ladd", "We shall."), True),
        (("i want it for running", "w/o colour screen bc they are ugly and eat the batt"), False),  # a short form
        (("something with more adventu",), True),
        (("my friend went there last week and she sai",), True),
        (("my friend went there last week by bus",), False),  # which "business" begins with
        (("I guess?", "She said no news, no crime and no jokes at all, just giggly"), False),
        (("A red wine.", "One guest says that any red gives her a headache unless it", "Please name them."), True),
        (("A red wine.", "One guest says that any red gives her a headache at night", "Please name them."), False),
    ],
)
def test_half_words_and_unfinished_sentences_break_off(texts: tuple[str, ...], cut: bool) -> None:
    found = fired(talk_of(*(part for text in texts for part in (text, "I see."))))
    assert (Gate.TRUNCATED in found) is cut


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Then this is what I'm in for", False),
        ("We've got towels it'd go with", False),
        ("Then that's all I need to know & where I'll be at", False),
        ("a western under ninety minutes that is nice to look at", False),
        ("that's the one Herzog keeps going on about", False),
        ("thank you, whats that about", False),
        ("the tone the movie is trying to go for", False),
        ("my mother is visiting, so what can I do", False),
        ("My favourite director is Kubrick and I also enjoy films by", True),
        ("What about a film based on a novel by", True),
        ("I'd rather read a small, intimate story about", True),
        ("I liked the one with the man from", True),
        ("short stories w/ ideas, sf or such", False),
    ],
)
def test_a_last_preposition_belongs_to_words_before_it_or_the_sentence_breaks_off(text: str, cut: bool) -> None:
    assert (Gate.TRUNCATED in fired(talk_of(text, "I see.", "Thanks for that."))) is cut


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("My profile says that I hate crowds.", True),
        ("Constraint 1: a garden. Constraint 2: no stairs.", True),
        ("Name: Ada. Age: 31. Request: a hotel.", True),
        ('{"likes": ["sea"], "avoid": ["noise"]}', True),
        ("I'm allowed to reveal now that this was it.", True),
        ("It's exactly my hidden wish.", True),
        ("The likes I've been given are old age and friendship.", True),
        ("Headphones with genre = on-ear and style = retro.", True),
        ("The task is too hard for me.", False),
        ("My sister has hidden talents.", False),
    ],
)
def test_who_reads_out_a_need_or_profile_speaks_of_their_part(text: str, reads: bool) -> None:
    assert reads_out_need(text) is reads
    assert (Gate.ASSISTANT_ROLE in fired(dialogue(text))) is reads

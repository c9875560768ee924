"""Personal writing styles: learned from people, applied to messages, and never a copy of a long one."""

from dataclasses import replace

import numpy as np
import pytest

from trialogue.fingerprints import normalise
from trialogue.records import ActOrigin, Dialogue, DialogueAct, Utterance
from trialogue.simulation.language.phrases import extract
from trialogue.simulation.language.rewording import LONG, is_long, rewordings
from trialogue.simulation.language.styles import PersonalStyle, fit_styles, is_polite, is_question, preference_for
from trialogue.simulation.random_source import RandomSource

ALWAYS = PersonalStyle(1, 1, 1, 1, 0, goodbye=True, answered=5, asks=0, polite=0, verbosity=0)
NEVER = PersonalStyle(0, 0, 0, 0, 0, goodbye=False, answered=5, asks=0, polite=0, verbosity=0)


def rng() -> RandomSource:
    return RandomSource(np.random.default_rng(1))


def dialogue(user: str, *texts: str, label: str = "Disclose", number: int = 0) -> Dialogue:
    acts = (DialogueAct(intent=label),)
    said = [Utterance(speaker="user", text=text, acts=acts, acts_by=ActOrigin.ANNOTATED) for text in texts]
    return Dialogue(id=f"{user}/{number}", user=user, system="a", utterances=tuple(said))


@pytest.mark.parametrize(
    ("text", "always", "never"),
    [
        ("who directed it", "Who directed it?", "who directed it"),
        ("Anything else?", "Anything else?", "anything else"),
        ("I like it.", "I like it.", "i like it"),
        ("wow!", "Wow!", "wow!"),
        ("GO", "GO.", "go"),
        ("Get Started", "Get Started", "Get Started"),
        ("2", "2", "2"),
        ("...", "...", "..."),
    ],
)
def test_a_style_sets_the_first_letter_and_the_end_of_a_message_alone(text: str, always: str, never: str) -> None:
    assert ALWAYS.apply(text, rng()) == always
    assert NEVER.apply(text, rng()) == never


def test_a_person_exclaims_as_often_as_they_did_and_never_in_a_question() -> None:
    loud, calm = replace(ALWAYS, exclaims=1.0), replace(ALWAYS, exclaims=0.0)
    assert [loud.apply(text, rng()) for text in ("thanks", "thanks.", "thanks!!", "who is it")] == [
        "Thanks!",
        "Thanks!",
        "Thanks!!",
        "Who is it?",
    ]
    assert [calm.apply(text, rng()) for text in ("thanks!", "I like it!")] == ["Thanks.", "I like it."]
    lively, flat = fit_styles([dialogue("a", "Wow!", "Great!", "ok!", "bye!"), dialogue("b", "hm", "no", "ok", "bye")])
    assert lively.exclaims is not None
    assert flat.exclaims is not None
    assert lively.exclaims > 0.7 > 0.3 > flat.exclaims


def test_styles_of_earlier_versions_leave_exclamations_as_they_are_worded() -> None:
    earlier = PersonalStyle.from_json([1, 1, 1, 1, 0, True, 5, 0, 0, 0])
    assert earlier.exclaims is None
    assert earlier.apply("thanks!", rng()) == "Thanks!"


def test_what_must_stay_at_the_start_keeps_its_own_marks() -> None:
    assert NEVER.apply("Mother!", rng(), keep=7) == "mother!"
    assert NEVER.apply("I loved Up...", rng(), keep=13) == "i loved Up..."


def test_people_s_habits_are_learned_and_kept_apart() -> None:
    neat = dialogue("neat", "I like it very much.", "Good.", "What is it about?", "Can you please show me more?")
    terse = dialogue("terse", "drama", "rating", "who directed it", "year")
    one, other = fit_styles([neat, terse])
    assert one.capital > 0.8 > 0.4 > other.capital
    assert one.question_mark > other.question_mark
    assert one.stop_short > other.stop_short
    assert one.verbosity > other.verbosity
    assert one.polite > other.polite


@pytest.mark.parametrize("gap", ["\n" * 200_000, "." * 200_000])
def test_long_gaps_in_messages_take_time_by_their_length(gap: str) -> None:
    """Each character of a gap was once tried with all of the rest: an hour for 200,000."""
    styles = fit_styles([dialogue("p", f"hi{gap}there", "well", f"a film{gap}")])
    assert [each.exclaims for each in styles] == [0.0]
    assert ALWAYS.apply(f"hi{gap}there", rng()) == f"Hi{gap}there."


def test_people_of_two_messages_have_no_style_of_their_own() -> None:
    assert fit_styles([dialogue("p", "hello", "bye")]) == ()


def test_repeating_is_counted_within_an_act_of_a_dialogue() -> None:
    same = fit_styles([dialogue("p", "more", "more", "more", "more"), dialogue("q", "a b", "c d", "e f", "g h")])
    assert same[0].again > 0.7 > 0.3 > same[1].again


def test_a_style_is_read_back_as_it_was_written_and_nonsense_is_refused() -> None:
    assert PersonalStyle.from_json(ALWAYS.to_json()) == ALWAYS
    for wrong in ([], [2.0, 0, 0, 0, 0, True, 5, 0, 0, 0], [0, 0, 0, 0, 0, True, 5, 0, 0, 9], "no"):
        with pytest.raises((ValueError, TypeError)):
            PersonalStyle.from_json(wrong)


def test_questions_and_thanks_are_likelier_for_those_who_ask_and_thank_more() -> None:
    assert is_question("which one")
    assert not is_question("this one")
    assert is_polite("pls tell me")
    assert not is_polite("tell me")
    assert preference_for("can you please", (1, 2, 0)) == 8
    assert preference_for("another", (1, 2, 0)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "You took me wrong. That was not what I meant",
        "can you recommend me another {thing}",
        "ok so be it then my friend",
    ],
)
def test_a_long_message_is_never_worded_as_it_was(text: str) -> None:
    found = rewordings(text)
    assert found
    assert normalise(text) not in {normalise(each) for each in found}
    assert all(each.count("{") == text.count("{") for each in found)
    assert is_long(text)
    assert len(text.split()) >= LONG


def test_recurring_texts_are_taken_over_and_unknown_titles_counted_as_titles() -> None:
    corpus = [dialogue(f"p{n}", "No Reminder Needed!", label="Interrupt", number=n) for n in range(3)]
    corpus += [dialogue("q", "zorblax returns")]
    plain, recurring = extract(corpus), extract(corpus, recurring=True)
    assert plain.phrases_of("Interrupt") == ()
    assert [each.text for each in recurring.phrases_of("Interrupt")] == ["No Reminder Needed!"]
    assert [each.text for each in recurring.phrases_of("Disclose")] == ["{item}"]

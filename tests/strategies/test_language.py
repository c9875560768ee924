"""Does the model know the language? Heard from what everybody says, by speaker."""

from dataclasses import dataclass

import pytest

from trialogue.errors import DataError
from trialogue.strategies.base import Example
from trialogue.strategies.sentences import LanguageCheck, languages_in, languages_of
from trialogue.strategies.taxonomy import bundled_examples

GERMAN = "Haben Sie den neuen Film mit der Nummer {} schon gesehen, oder soll ich Ihnen davon erzählen?"  # 16 words
ENGLISH = "Have you seen the new film that is about the number {}, or should I tell you about it?"


@dataclass
class OfEnglish:
    """What the check reads of a labeller."""

    origin: str = "keywords|v1"
    languages: tuple[str, ...] | None = ("en",)


def check(languages: tuple[str, ...] | None = ("en",)) -> LanguageCheck:
    return LanguageCheck(OfEnglish(languages=languages))  # type: ignore[arg-type]


def test_the_bundled_model_is_made_for_english() -> None:
    assert languages_in(bundled_examples()) == ("en",)


def test_a_model_of_german_sentences_is_made_for_german_and_of_both_for_any() -> None:
    german = [Example(text=GERMAN.format(number), label="humor") for number in range(10)]
    english = [Example(text=ENGLISH.format(number), label="humor") for number in range(10)]
    assert languages_in(german) == ("de",)
    assert languages_in([*german, *english]) is None
    assert languages_in(german[:1]) == ("en",)  # too little to tell


def test_a_labeller_that_does_not_say_is_made_for_english() -> None:
    assert languages_of(object()) == ("en",)  # type: ignore[arg-type]


def test_what_is_said_again_and_again_counts_once_and_everybody_is_heard_apart() -> None:
    heard = check()
    for _ in range(100):
        heard.hear("a", ["Haben Sie das schon gesehen?"])  # five words
        heard.hear("b", ["123"])
    for number in range(30):
        heard.hear("a", [ENGLISH.format(number)])
    with pytest.raises(DataError, match=r"^c is in German \(112 words\), and keywords\|v1 is a model for English"):
        heard.hear("c", [GERMAN.format(number) for number in range(7)])  # 7 * 16 = 112
    heard.finish()  # reported once; a and b speak English, or say nothing


def test_who_says_little_is_checked_at_the_end_and_who_says_too_little_is_not() -> None:
    heard = check()
    heard.hear("a", ["Haben Sie das schon gesehen?"])
    heard.finish()
    heard.hear("d", [GERMAN.format(1), GERMAN.format(2)])
    with pytest.raises(DataError, match=r"^d is in German"):
        heard.finish()


def test_a_model_of_any_language_refuses_none() -> None:
    heard = check(None)
    heard.hear(None, [GERMAN.format(number) for number in range(20)])
    heard.finish()


def test_nobody_knows_who_and_two_languages_at_once() -> None:
    with pytest.raises(DataError, match=r"^This text is in several languages"):
        check().hear(None, [each.format(number) for number in range(20) for each in (GERMAN, ENGLISH)])

"""English or not."""

import pytest

from trialogue.errors import DataError
from trialogue.strategies.language import LEAST_SHARE, EnglishOnly, share_of_english
from trialogue.strategies.taxonomy import bundled_examples


def test_chat_about_films_is_english() -> None:
    share, words = share_of_english(example.text for example in bundled_examples())
    assert share is not None
    assert share > 2 * LEAST_SHARE
    assert words > 10_000


@pytest.mark.parametrize(
    "text",
    [
        "Ich suche einen lustigen Film für heute Abend, in dem die Schauspieler wirklich gut sind. Was ist mit dem hier?",
        "Je cherche un film drôle pour ce soir. Avez-vous vu le nouveau film avec Tom Hanks ? Il est vraiment bon.",
        "Busco una película divertida para esta noche. ¿Has visto la nueva de Tom Hanks? Es muy buena.",
        "Ik zoek een grappige film voor vanavond. Heb je de nieuwe film met Tom Hanks gezien? Hij is echt goed.",
        "今晩、面白い映画を探しています。",
    ],
)
def test_other_languages_are_not(text: str) -> None:
    share, _ = share_of_english([text])
    assert share is not None
    assert share < LEAST_SHARE


def test_what_is_said_again_and_again_counts_once_and_everybody_is_heard_apart() -> None:
    english = EnglishOnly()
    for _ in range(100):
        english.hear("a", ["Haben Sie das gesehen?"])  # four words
        english.hear("b", ["123"])
    for number in range(30):
        english.hear("a", [f"Have you seen the one that is about {number}?"])
    with pytest.raises(DataError, match=r"^this does not look like English: 0% of 100 words"):
        english.hear(None, [f"Haben Sie Nummer {number} gesehen?" for number in range(25)])
    english.hear(None, ["Haben Sie das gesehen?"])  # told once


def test_no_words_have_no_share() -> None:
    assert share_of_english(["123 !!", ""]) == (None, 0)

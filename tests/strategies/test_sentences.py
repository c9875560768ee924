"""Utterances as sentences, and sentences as utterances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.strategies.sentences import COMBINE, check_combine, combine_sentences, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n ", []),
        ("!!!", ["!!!"]),
        ("ok", ["ok"]),
        ("Nice. have you seen it? me too", ["Nice.", "have you seen it?", "me too"]),
        ("I liked it.It was good.", ["I liked it.", "It was good."]),
        ("It stars Samuel L. Jackson. Dr. Sleep is scary.", ["It stars Samuel L. Jackson.", "Dr. Sleep is scary."]),
        ("A.I. is old. It got 8.5 on IMDb.", ["A.I. is old.", "It got 8.5 on IMDb."]),
        ("No. I have not.", ["No.", "I have not."]),
        ("So do I. Then go.", ["So do I.", "Then go."]),
        ("Well... maybe. Hm... Yes", ["Well... maybe.", "Hm...", "Yes"]),
        ('He said "wow!" and left.', ['He said "wow!" and left.']),
        ("Great! :) Enjoy 🎬", ["Great! :)", "Enjoy 🎬"]),
        ("Ha! 😂 😂 ok", ["Ha! 😂 😂", "ok"]),
        ("nice\n😂", ["nice 😂"]),
        ("One.\nTwo\n\n- three words here.", ["One.", "Two", "three words here."]),
        ("# Films\n1. Up is fun.\n2. Coco is sad.", ["Films", "Up is fun.", "Coco is sad."]),
        ("Try these:\n1: Up (2009)\n2: Coco\n\nEnjoy!", ["Try these: Up (2009), Coco", "Enjoy!"]),
        ("- Up\n- Coco", ["Up, Coco"]),
        ("2 Fast 2 Furious", ["2 Fast 2 Furious"]),
    ],
)
def test_chat_is_split_where_a_reader_would(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet=st.sampled_from("ab1 .!?…\n-:)\"'🎬"), max_size=60))
def test_no_letter_is_lost_and_no_sentence_is_blank(text: str) -> None:
    found = sentences(text)
    letters = [character for character in text if character in "ab"]
    assert [character for character in "".join(found) if character in "ab"] == letters
    assert all(piece == piece.strip() and piece for piece in found)
    assert bool(found) == bool(text.strip()) or not letters


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("." * 200_000 + "x", 1),
        ("!?" * 100_000 + "x", 1),
        ("A1" * 100_000 + " b. And so on.", 2),
        ("Mr. " * 50_000, 1),
        ("a b. " * 50_000, 50_000),
    ],
    ids=["dots", "marks", "a word of 200,000 letters", "abbreviations", "sentences"],
)
def test_what_a_model_says_that_has_lost_its_way_is_read_once(text: str, count: int) -> None:
    """Where every mark is tried from every place, the first of these takes a quarter of an hour."""
    assert len(sentences(text)) == count


@pytest.mark.parametrize(("combine", "expected"), [("mean", 0.4), ("first", 0.2), ("last", 0.1), ("longest", 0.9)])
def test_sentences_combine_as_declared(combine: str, expected: float) -> None:
    rows = np.array([[0.2, 0.8], [0.9, 0.1], [0.1, 0.9]])
    check_combine(combine)
    found = combine_sentences(rows, ["one", "one two three", "one two three"], combine)  # type: ignore[arg-type]
    assert found.tolist() == pytest.approx([expected, 1 - expected])
    assert combine in COMBINE


def test_an_unknown_way_to_combine_is_refused() -> None:
    with pytest.raises(UsageError, match="combine must be mean, first, last, longest"):
        check_combine("median")

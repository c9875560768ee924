"""Texts split by bytes: the pieces of ``str.split``, whatever the texts hold."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.metrics.pieces import MAX_BITS, MIN_BITS, PieceNumbers, hash_order

SPACES = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
CHARACTERS = st.sampled_from([*SPACES, *" " * 20, *"ab,.", "\x00", "é", "漢", "😀", "\ud800"])


def split(numbers: PieceNumbers, texts: list[str]) -> list[list[str]]:
    pieces = numbers.cut(texts)
    names = [numbers.names[number] for number in pieces.ids]
    return [names[start:end] for start, end in zip(pieces.ends[:-1], pieces.ends[1:], strict=True)]


@given(st.lists(st.lists(st.text(CHARACTERS, max_size=30), max_size=5), max_size=3))
def test_pieces_are_those_of_str_split(batches: list[list[str]]) -> None:
    numbers = PieceNumbers()
    for texts in batches:
        assert split(numbers, texts) == [text.split() for text in texts]


def test_every_character_that_python_splits_at_splits() -> None:
    texts = [f"a{space}b" for space in SPACES]
    assert split(PieceNumbers(), texts) == [["a", "b"]] * len(SPACES)


@pytest.mark.parametrize("length", range(1, 26))
def test_long_pieces_that_differ_in_one_byte_have_different_numbers(length: int) -> None:
    texts = ["x" * place + "y" + "x" * (length - place - 1) for place in range(length)] + [
        "x" * length,
        "x" * (length + 1),
    ]
    assert len(set(PieceNumbers().cut(texts).ids.tolist())) == length + 2


def test_numbers_stay_as_the_table_grows_and_slots_are_shared() -> None:
    """More pieces than slots at most: some are looked up again, and get the number that they had."""
    numbers, count = PieceNumbers(), 3 << (MAX_BITS - 2)
    words = [f"w{number}" for number in range(count)]
    first = numbers.cut([" ".join(words)]).ids
    assert first.tolist() == list(range(count))
    again = numbers.cut([" ".join(words[::-1])]).ids
    assert again.tolist() == list(range(count))[::-1]
    assert count > 1 << MIN_BITS


@given(st.integers(0, 400), st.integers(1, 64), st.integers(0, 63), st.integers(0, 2**32))
def test_hashes_are_ordered_as_by_argsort(count: int, bits: int, shift: int, seed: int) -> None:
    """Also where they differ in few bits, high or low ones, so that places take those that differ."""
    drawn = np.random.default_rng(seed).integers(0, (1 << bits) - 1, count, dtype=np.uint64, endpoint=True)
    hashes = drawn << np.uint64(shift)
    assert hash_order(hashes).tolist() == np.argsort(hashes, kind="stable").tolist()

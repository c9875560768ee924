"""Character n-grams (2 to 4, within words) of texts, counted.

Equivalent to scikit-learn's ``CountVectorizer(analyzer="char_wb", ngram_range=(2, 4))``, but cheaper: repeated texts are
cached (agents repeat themselves, and cross-validation reads the same texts in each fold), and no import is needed.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SIZES = (2, 3, 4)
REMEMBERED_WORDS = 20_000
REMEMBERED_TEXTS = 2_000  # texts of the annotated files have 60 letters and 150 pieces on average


@dataclass(frozen=True)
class NGramCounts:
    """Sparse count matrix of character n-grams, shape (n_texts, n_pieces), by rows."""

    vocabulary: dict[str, int]
    """Columns by piece, in the order of the alphabet."""
    counts: NDArray[np.int64]
    """Non-zero counts."""
    columns: NDArray[np.int32]
    """Column of each count; within a row in order of first occurrence, as in scikit-learn, so that sums over a row are
    bit-identical."""
    starts: NDArray[np.int32]
    """Start of each row, and the end; shape (n_texts + 1,)."""


def pieces(text: str) -> list[str]:
    """Character n-grams of a text, word by word with repetitions; words are padded with a space on either side.

    >>> pieces("Oh no")
    [' o', 'oh', 'h ', ' oh', 'oh ', ' oh ', ' n', 'no', 'o ', ' no', 'no ', ' no ']
    """
    return [piece for word in text.lower().split() for piece in _of_word(word)]


def table(texts: Sequence[str]) -> NGramCounts:
    """Count the n-grams of texts; a text may occur more than once."""
    counted = {text: _count_pieces(text) for text in texts}
    # Columns are in alphabetical order, entries of a row in order of first occurrence over all texts: the layout of
    # scikit-learn's CountVectorizer, on which the last bit of later sums depends.
    first = {piece: at for at, piece in enumerate(dict.fromkeys(piece for each in counted.values() for piece in each))}
    vocabulary = {piece: at for at, piece in enumerate(sorted(first))}
    column = np.fromiter((vocabulary[piece] for piece in first), dtype=np.int32, count=len(first))
    rows: dict[str, tuple[NDArray[np.int32], NDArray[np.int64]]] = {}
    for text, counts in counted.items():
        places = np.fromiter((first[piece] for piece in counts), dtype=np.int32, count=len(counts))
        order = np.argsort(places)
        numbers = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
        rows[text] = column[places[order]], numbers[order]
    starts = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum([len(counted[text]) for text in texts], out=starts[1:])
    return NGramCounts(
        vocabulary,
        counts=np.concatenate([rows[text][1] for text in texts]),
        columns=np.concatenate([rows[text][0] for text in texts]),
        starts=starts,
    )


@lru_cache(REMEMBERED_TEXTS)
def _count_pieces(text: str) -> Counter[str]:
    """Counts of the n-grams; shared, never changed."""
    return Counter(pieces(text))


@lru_cache(REMEMBERED_WORDS)
def _of_word(word: str) -> tuple[str, ...]:
    """The pieces of a word with its blanks, the short ones first."""
    word = f" {word} "
    return tuple(word[start : start + size] for size in SIZES for start in range(len(word) - size + 1))

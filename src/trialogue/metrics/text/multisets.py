"""Vectorised multiset operations over batches of texts, the batch kernels of ``overlap``.

The text's index is stored in the lowest bits of each key, so that one integer sort serves all texts.
"""

import numpy as np
from numpy.typing import NDArray

from trialogue.metrics.pieces import Hashes, Ints
from trialogue.metrics.text.word_hashes import Encoded, NGrams

LONGEST = 64  # words of a text whose columns fit the bits of one number
CELLS = 1 << 20  # of the table of equal words that is held at a time; 8 MB


def distinct(grams: NGrams, texts: int) -> Ints:
    """Number of distinct n-grams in each text, shape (texts,)."""
    keys, bits = _hash_keys(grams, texts)
    keys.sort()
    first = keys[_starts(keys)]
    return np.bincount(_owner(first, bits), minlength=texts).astype(np.int64)


def common(left: NGrams, right: NGrams, texts: int) -> Ints:
    """Multiset intersection size of each text with its counterpart, shape (texts,).

    The clipped counts of Papineni et al. (2002), sec. 2.1.
    """
    ours, bits = _hash_keys(left, texts, spare=1)
    theirs, _ = _hash_keys(right, texts, spare=1)
    one = np.uint64(1)
    keys = np.concatenate([ours, theirs | one])
    keys.sort()
    starts = _starts(keys)
    values, times = keys[starts], np.diff(np.append(starts, len(keys)))
    pairs = np.flatnonzero(values[1:] == values[:-1] | one) if len(values) else starts
    pairs = pairs[(values[pairs] & one) == 0]
    hits = np.minimum(times[pairs], times[pairs + 1])
    owner = _owner(values[pairs] >> one, bits)
    return np.bincount(owner, weights=hits, minlength=texts).astype(np.int64)


def longest_common_subsequences(left: Encoded, right: Encoded) -> tuple[Ints, NDArray[np.bool_]]:
    """Lengths of the longest common subsequences of texts and their counterparts, shape (texts,), and where they are known.

    They are unknown where a text has more than 64 words. The columns of the usual table are the bits of one number, as in
    ``overlap.longest_common_subsequence``, and all texts take a step at a time.
    """
    fits = (left.lengths <= LONGEST) & (right.lengths <= LONGEST)
    found = np.zeros(len(left.lengths), dtype=np.int64)
    places = np.flatnonzero(fits & (left.lengths > 0) & (right.lengths > 0))
    places = places[np.argsort(left.lengths[places], kind="stable")]  # texts of one length take equally many steps
    starts = np.cumsum(left.lengths) - left.lengths, np.cumsum(right.lengths) - right.lengths
    step = max(CELLS // LONGEST**2, 1)
    for first in range(0, len(places), step):
        chosen = places[first : first + step]
        found[chosen] = _subsequences(
            _pad_rows(left, starts[0], chosen, np.uint64(0)), _pad_rows(right, starts[1], chosen, np.uint64(1))
        )
    return found, fits


def _subsequences(ours: Hashes, theirs: Hashes) -> Ints:
    """Longest common subsequences of texts with shapes (texts, n) and (texts, m), padded by words that equal none."""
    bits = np.uint64(1) << np.arange(theirs.shape[1], dtype=np.uint64)
    row = np.full(len(ours), ~np.uint64(0))
    for column in range(ours.shape[1]):
        here = ((ours[:, column, None] == theirs) * bits).sum(axis=1, dtype=np.uint64)
        hits = row & here
        row = (row + hits) | (row - hits)
    return np.bitwise_count(~row).astype(np.int64)


def _pad_rows(texts: Encoded, starts: Ints, chosen: Ints, filling: np.uint64) -> Hashes:
    """The words of some texts as rows of equal length; the filling, 0 or 1, equals no word, since these get the bit 2."""
    lengths = texts.lengths[chosen]
    columns = np.arange(int(lengths.max()))
    places = np.minimum(starts[chosen, None] + columns, len(texts.hashes) - 1)
    own = texts.hashes[places] | np.uint64(2)
    return np.where(columns < lengths[:, None], own, filling)


def _hash_keys(grams: NGrams, texts: int, *, spare: int = 0) -> tuple[Hashes, np.uint64]:
    """Hashes with the number of the text in the lowest bits but some, and how many bits that takes."""
    bits = max(int(texts).bit_length(), 1)
    keys = (grams.hashes << np.uint64(bits + spare)) | (grams.owner.astype(np.uint64) << np.uint64(spare))
    return keys, np.uint64(bits)


def _owner(keys: Hashes, bits: np.uint64) -> Ints:
    return (keys & ((np.uint64(1) << bits) - np.uint64(1))).astype(np.int64)


def _starts(keys: Hashes) -> Ints:
    """Start index of each run of equal sorted keys."""
    return np.flatnonzero(np.concatenate([[len(keys) > 0], keys[1:] != keys[:-1]]))

"""Character n-grams that texts have in common, of all lengths by one sort.

A window of characters is one number, its first character in the highest bits, so that sorted windows are sorted by their
first one, two, and more characters, too: what the longest n-grams are counted by is summed for the shorter ones.
"""

from collections.abc import Sequence

import numpy as np

from trialogue.metrics.pieces import Hashes, Ints
from trialogue.metrics.text.word_hashes import characters, common

AT_ONCE = 256  # texts, of about equal length: their windows stay in the cache
_BITS = 63  # of a number, beside the one for the side


def common_characters(left: Sequence[str], right: Sequence[str], longest: int) -> Ints:
    """Multiset intersection sizes of the character n-grams of texts and their counterparts.

    Args:
        left: the texts.
        right: the counterpart of each.
        longest: greatest length of the n-grams.

    Returns:
        Shape (longest, texts): by n - 1 and text.
    """
    found = np.zeros((longest, len(left)), dtype=np.int64)
    order = sorted(range(len(left)), key=lambda place: len(left[place]) + len(right[place]))
    for first in range(0, len(order), AT_ONCE):
        places = order[first : first + AT_ONCE]
        sides = [left[place] for place in places], [right[place] for place in places]
        found[:, places] = _common_of_lengths(*sides, longest)
    return found


def _common_of_lengths(left: Sequence[str], right: Sequence[str], longest: int) -> Ints:
    """``common_characters`` of few texts."""
    codes, (ours, theirs) = _number_characters(left, right)
    bits = codes.bit_length()
    packed = min(longest, _BITS // max(bits, 1))
    found = np.zeros((longest, len(left)), dtype=np.int64)
    windows = [_windows(side, packed, bits) << np.uint64(1) for side in (ours, theirs)]
    rows = np.concatenate([windows[0], windows[1] | np.uint64(1)], axis=1)
    rows.sort(axis=1)
    width = rows.shape[1]
    values, row = rows.ravel() >> np.uint64(1), np.repeat(np.arange(len(left)), width)
    of_theirs = (rows.ravel() & np.uint64(1)).astype(np.int64)
    of_ours = 1 - of_theirs
    last = np.uint64((1 << bits) - 1)
    for n in range(packed, 0, -1):
        starts = np.flatnonzero(np.concatenate([[width > 0], (values[1:] != values[:-1]) | (row[1:] != row[:-1])]))
        if not len(starts):
            break
        values, row = values[starts], row[starts]
        of_ours, of_theirs = np.add.reduceat(of_ours, starts), np.add.reduceat(of_theirs, starts)
        is_whole = (values & last) > 0  # a window at the end of a text has fewer characters, and zeros behind them
        hits = np.where(is_whole, np.minimum(of_ours, of_theirs), 0)
        found[n - 1] = np.bincount(row, weights=hits, minlength=len(left))
        values = values >> np.uint64(bits)
    for n in range(packed + 1, longest + 1):  # of an alphabet of very many characters
        found[n - 1] = common(characters(left).grams(n), characters(right).grams(n), len(left))
    return found


def _number_characters(left: Sequence[str], right: Sequence[str]) -> tuple[int, tuple[Hashes, Hashes]]:
    """How many different characters there are, and rows of their numbers from 1, one for each text, 0 behind them."""
    sides = [_codes(texts) for texts in (left, right)]
    is_there = np.zeros(max(int(each.max(initial=0)) for each in sides) + 1, dtype=bool)
    for each in sides:
        is_there[each] = True
    numbers = np.cumsum(is_there)
    rows = [_rows(texts, numbers[codes]) for texts, codes in zip((left, right), sides, strict=True)]
    return int(numbers[-1]), (rows[0], rows[1])


def _codes(texts: Sequence[str]) -> Ints:
    return np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)


def _rows(texts: Sequence[str], numbers: Ints) -> Hashes:
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    rows = np.zeros((len(texts), int(lengths.max(initial=0))), dtype=np.uint64)
    rows[np.arange(rows.shape[1]) < lengths[:, None]] = numbers
    return rows


def _windows(rows: Hashes, size: int, bits: int) -> Hashes:
    """Of each place in each text, the characters from there as one number, ``bits`` for each."""
    found = rows << np.uint64(bits * (size - 1))
    for place in range(1, size):
        found[:, :-place] |= rows[:, place:] << np.uint64(bits * (size - 1 - place))
    return found

"""Texts as arrays of 64-bit word hashes, so that numpy counts n-grams of thousands of replies at once.

The hash of a word is BLAKE2b's, or that of its piece where a rule leaves pieces as they are: the same in every process and
on every machine. That of an n-gram mixes those of its words.
Two different n-grams collide with a probability of 2^-64 per pair, so that among N different ones the probability of any
collision is about N^2 / 2^65: 3e-8 for a million, 3e-6 for ten million, and a collision makes a count wrong by one. Where
n-grams are compared within one reply and its reference, a bit says whose they are.

A text is split at white space once, whatever the rules that ask for its words, and a repeated piece is processed by a
rule once (``tokens.Rule``).

Multiset operations over batches of texts are the batch kernels of ``overlap``: each text is a row of hashes, and numpy
sorts all rows.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from trialogue.metrics.pieces import Hashes, Ints, PieceNumbers, Pieces, mix_bits
from trialogue.metrics.text.tokens import Rule

MAX_PIECES = (
    1 << 18
)  # different pieces that are remembered, about 60 MB; then they are forgotten, and hashes stay the same
NumberT = TypeVar("NumberT", np.int64, np.uint64)

_ODD = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64


def word_hash(word: str) -> int:
    """64-bit BLAKE2b hash, identical on all machines."""
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def object_hash(thing: Hashable) -> int:
    """64-bit hash of a word, of a tuple of hashables, or of a ``repr``."""
    if isinstance(thing, str):
        return word_hash(thing)
    if isinstance(thing, tuple):
        return word_hash("\x1f".join(f"{object_hash(part):x}" for part in thing) + "\x1e")
    return word_hash(f"\x1d{thing!r}")


@dataclass(frozen=True)
class NGrams:
    """n-grams of several texts, in order, with repetitions."""

    hashes: Hashes
    """Shape (grams,)."""
    owner: Ints
    """Shape (grams,): place of the text; ascending."""


@dataclass(eq=False)
class Encoded:
    """Words, or characters, of several texts, as hashes."""

    hashes: Hashes
    """Shape (words,): of all texts, one after the other."""
    lengths: Ints
    """Shape (texts,): words of each."""
    _rolled: list[Hashes] = field(default_factory=list)

    @cached_property
    def owner(self) -> Ints:
        """Index of each word's text, shape (words,)."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @cached_property
    def _words_left(self) -> Ints:
        """Shape (words,): words from here to the end of the text, this one included."""
        return np.repeat(np.cumsum(self.lengths), self.lengths) - np.arange(len(self.hashes))

    def grams(self, n: int) -> NGrams:
        """n-grams that do not cross text boundaries."""
        if n == 1:
            return NGrams(self.hashes, self.owner)
        if not self._rolled:
            self._rolled.append(self.hashes)
        while len(self._rolled) < n:
            longer = self.hashes[len(self._rolled) :]
            self._rolled.append(mix_bits(self._rolled[-1][: len(longer)] * _ODD + longer))
        rolled = self._rolled[n - 1]
        whole = self._words_left[: len(rolled)] >= n
        return NGrams(rolled[whole], self.owner[: len(rolled)][whole])

    def totals(self, n: int) -> Ints:
        """Number of n-grams in each text, shape (texts,)."""
        return np.maximum(self.lengths - (n - 1), 0)

    def where(self, keep: NDArray[np.bool_]) -> "Encoded":
        """Keep only some words, by a mask of shape (words,)."""
        lengths = np.bincount(self.owner[keep], minlength=len(self.lengths))
        return Encoded(self.hashes[keep], lengths.astype(np.int64))

    def drop_first_words(self) -> "Encoded":
        """Each text without its first word."""
        return self.where(self._words_left < np.repeat(self.lengths, self.lengths))


def characters(texts: Sequence[str]) -> Encoded:
    """Encode the characters of texts."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    return Encoded(mix_bits((codes + np.uint64(1)) * _ODD), np.fromiter(map(len, texts), np.int64, len(texts)))


class Vocabulary:
    """Cache of pieces, and of the words that each rule makes of them."""

    def __init__(self) -> None:
        self._pieces = PieceNumbers()
        self._words: dict[Rule, _Table] = {}

    def forget_if_full(self) -> None:
        """Clear the cache if it is very large; not while texts split before are still to be encoded."""
        if len(self._pieces.names) > MAX_PIECES:
            self._pieces, self._words = PieceNumbers(), {}

    def cut(self, texts: Sequence[str]) -> Pieces:
        """Split texts at white space."""
        return self._pieces.cut(texts)

    def encode(self, pieces: Pieces, rule: Rule) -> Encoded:
        """Tokenise and encode texts by a rule."""
        if rule.keeps_pieces:
            return Encoded(pieces.hashes, np.diff(pieces.ends))
        ids = pieces.ids  # first, as it gives new pieces their numbers
        table = self._words.setdefault(rule, _Table())
        counts, starts, hashes = table.look_up(self._pieces.names, rule)
        own = counts[ids]
        cumulated = np.concatenate([[0], np.cumsum(own)])
        lengths = np.diff(cumulated[pieces.ends])
        places = np.repeat(starts[ids] - cumulated[:-1], own) + np.arange(cumulated[-1])
        found = Encoded(hashes[places], lengths)
        if rule.drops_first:
            found = found.drop_first_words()
        other = np.flatnonzero(lengths == 0).tolist()
        if rule.by_piece is not None:
            other = [place for place, text in enumerate(pieces.texts) if not (lengths[place] and rule.by_piece(text))]
        recut = {place: words for place in other if (words := rule.cut(pieces.texts[place])) or lengths[place]}
        return _replace_words(found, recut) if recut else found


def _replace_words(found: Encoded, recut: Mapping[int, Sequence[str]]) -> Encoded:
    """The words of texts, those of some texts, by place, cut anew as a whole."""
    parts = np.split(found.hashes, np.cumsum(found.lengths)[:-1])
    for place, own in recut.items():
        parts[place] = np.fromiter(map(word_hash, own), np.uint64, len(own))
    return Encoded(np.concatenate(parts), np.fromiter(map(len, parts), np.int64, len(parts)))


class _Table:
    """The words that a rule makes of each piece; arrays have room for more, and are doubled when they are full."""

    def __init__(self) -> None:
        self._counts, self._starts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        self._hashes = np.zeros(0, dtype=np.uint64)
        self._pieces = self._size = 0

    def look_up(self, pieces: Sequence[str], rule: Rule) -> tuple[Ints, Ints, Hashes]:
        """By piece: how many words, and where they begin; and the hashes of the words."""
        if self._pieces < len(pieces):
            own = [rule.piece(piece) for piece in pieces[self._pieces :]]
            hashes = np.array([word_hash(word) for words in own for word in words], dtype=np.uint64)
            counts = np.fromiter(map(len, own), np.int64, len(own))
            self._counts = _append(self._counts, self._pieces, counts)
            self._starts = _append(self._starts, self._pieces, np.cumsum(counts) - counts + self._size)
            self._hashes = _append(self._hashes, self._size, hashes)
            self._pieces, self._size = len(pieces), self._size + len(hashes)
        return self._counts, self._starts, self._hashes


def _append(values: NDArray[NumberT], size: int, more: NDArray[NumberT]) -> NDArray[NumberT]:
    """The first ``size`` values with more behind them, in place where there is room."""
    if size + len(more) > len(values):
        larger = np.zeros(2 * (size + len(more)), dtype=values.dtype)
        larger[:size] = values[:size]
        values = larger
    values[size : size + len(more)] = more
    return values


LONGEST = 64  # words of a text whose columns fit the bits of one number
CELLS = 1 << 20  # of the table of equal words that is held at a time; 8 MB


PADDING = np.uint64((1 << 64) - 1)  # behind the n-grams of a text in its row; the hash of none, but for one in 2^63
MOST_PADDED = 3  # times the room of the n-grams that rows of equal length may take


def distinct_ngrams(grams: NGrams, texts: int) -> NGrams:
    """The n-grams of each text, each once, by ascending hash."""
    owners, hashes = [grams.owner[:0]], [grams.hashes[:0]]
    for places, rows in _sorted_rows([grams], texts):
        is_new = rows != PADDING
        is_new[:, 1:] &= rows[:, 1:] != rows[:, :-1]
        hashes.append(rows[is_new])
        owners.append(np.repeat(places, is_new.sum(axis=1)))
    owner, found = np.concatenate(owners), np.concatenate(hashes)
    order = np.argsort(owner, kind="stable") if len(owners) > 2 else slice(None)
    return NGrams(found[order], owner[order])


def distinct(grams: NGrams, texts: int) -> Ints:
    """Number of distinct n-grams in each text, shape (texts,)."""
    return np.bincount(distinct_ngrams(grams, texts).owner, minlength=texts).astype(np.int64)


def common(left: NGrams, right: NGrams, texts: int) -> Ints:
    """Multiset intersection size of each text with its counterpart, shape (texts,).

    The clipped counts of Papineni et al. (2002), sec. 2.1.
    """
    theirs = np.uint64(1)
    sides = [NGrams(left.hashes & ~theirs, left.owner), NGrams(right.hashes | theirs, right.owner)]
    found = np.zeros(texts, dtype=np.int64)
    for places, rows in _sorted_rows(sides, texts):
        is_new = np.ones(rows.shape, dtype=bool)
        is_new[:, 1:] = rows[:, 1:] != rows[:, :-1]
        starts = np.flatnonzero(is_new)
        values, times, row = rows.ravel()[starts], np.diff(starts, append=rows.size), starts // max(rows.shape[1], 1)
        is_pair = (values[1:] == values[:-1] | theirs) & (values[:-1] & theirs == 0) & (row[1:] == row[:-1])
        pairs = np.flatnonzero(is_pair)
        hits = np.minimum(times[pairs], times[pairs + 1])
        found[places] = np.bincount(row[pairs], weights=hits, minlength=len(places))
    return found


def _sorted_rows(parts: Sequence[NGrams], texts: int) -> Iterator[tuple[Ints, Hashes]]:
    """Texts and, as a row for each, the hashes of all parts in ascending order, ``PADDING`` behind them.

    Many short rows are sorted three times as fast as one long one. Texts of very different lengths come in several groups.
    """
    sizes = [np.bincount(each.owner, minlength=texts) for each in parts]
    whole = np.sum(sizes, axis=0)
    is_even = int(whole.max(initial=0)) * texts <= MOST_PADDED * int(whole.sum())
    kinds = np.zeros(texts, dtype=np.int64) if is_even else np.frexp(whole)[1]  # powers of two
    for kind in np.unique(kinds):
        chosen = kinds == kind
        own = [size[chosen, None] for size in sizes]
        widths = [int(size.max(initial=0)) for size in own]
        rows = np.full((len(own[0]), sum(widths)), PADDING)
        for part, size, width, end in zip(parts, own, widths, accumulate(widths), strict=True):
            hashes = part.hashes if is_even else part.hashes[chosen[part.owner]]
            rows[:, end - width : end][np.arange(width) < size] = hashes
        rows.sort(axis=1)
        yield np.flatnonzero(chosen), rows


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

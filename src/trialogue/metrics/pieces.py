"""Split many texts at white space at once, and number the pieces.

Bytes of all texts are one array. White space is found by a table, and a piece is identified by a 64-bit hash of its bytes,
mixed from eight at a time; a table of slots gives the number of a hash that was seen before. Only new pieces become strings,
and only where a rule makes words of them.
Two pieces of one hash would be taken for one another, with a probability of 2^-64 per pair, as in ``word_hashes``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]

_ODD, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)  # of splitmix64 and of Evensen's mixers
_HALF = np.uint64(32)

MIN_BITS, MAX_BITS = 12, 18
"""Of slots of the table, 16 bytes each; it grows while there is more than a piece for every four."""
STEP = 8  # bytes of a piece that are mixed at a time
_KEPT = np.array([(1 << 8 * count) - 1 for count in range(STEP + 1)], dtype=np.uint64)
_SPACES = "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f "
_OTHER_SPACES = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
"""White space that is not ASCII; with the former, what ``str.split`` splits at."""
_IS_SPACE = bytes(chr(byte) in _SPACES for byte in range(256))


def mix_bits(values: Hashes) -> Hashes:
    """Mix the bits of 64-bit numbers bijectively."""
    values = (values ^ (values >> _HALF)) * _MIX
    return values ^ (values >> _HALF)


def hash_order(hashes: Hashes) -> Ints:
    """Order in which hashes ascend, equal ones by place; shape (hashes,), as of ``np.argsort``.

    numpy orders numbers of two bytes by counting, ten times as fast as longer ones, so that the upper half of the bits takes
    two steps. The few hashes that differ in the lower half alone are ordered afterwards.
    """
    order = np.argsort((hashes >> _HALF).astype(np.uint16), kind="stable")
    upper = (hashes >> np.uint64(48)).astype(np.uint16)
    order = order[np.argsort(upper[order], kind="stable")]
    ordered = hashes[order]
    wrong = np.flatnonzero(ordered[1:] < ordered[:-1])
    if len(wrong):
        prefixes = ordered >> _HALF
        is_wrong = np.zeros(len(order), dtype=bool)
        starts = np.searchsorted(prefixes, prefixes[wrong], "left")
        ends = np.searchsorted(prefixes, prefixes[wrong], "right")
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            is_wrong[start:end] = True
        places = np.flatnonzero(is_wrong)
        order[places] = order[places][np.argsort(ordered[places], kind="stable")]
    return order


@dataclass(eq=False)
class Pieces:
    """Texts split at white space."""

    texts: Sequence[str]
    hashes: Hashes
    """Shape (pieces,): equal for equal pieces; those of all texts one after the other."""
    ends: Ints
    """Shape (texts + 1,): where the pieces of a text begin, and the next one's."""
    _data: bytes
    _starts: Ints
    _sizes: Ints
    _numbers: "PieceNumbers"

    @cached_property
    def ids(self) -> Ints:
        """Shape (pieces,): the number of each piece."""
        return self._numbers.look_up(self.hashes, self._data, self._starts, self._starts + self._sizes)


class PieceNumbers:
    """Numbers of pieces, from 0 in the order in which they are first looked up."""

    def __init__(self) -> None:
        self.names: list[str] = []
        """The pieces, by number."""
        self._numbers: dict[bytes, int] = {}
        self._bits = MIN_BITS
        self._keys = np.zeros(1 << MIN_BITS, dtype=np.uint64)
        self._next = np.zeros(1 << MIN_BITS, dtype=np.int64)  # number + 1; 0: the slot is empty

    def cut(self, texts: Sequence[str]) -> Pieces:
        """Split texts as ``str.split`` does."""
        data, bounds = _join_texts(texts)
        is_space = np.frombuffer(data.translate(_IS_SPACE), dtype=bool)[: len(data) - STEP]
        edges = np.flatnonzero(is_space[1:] != is_space[:-1]) + 1
        if not is_space[0]:
            edges = np.concatenate([[0], edges])
        starts, ends = edges[::2], edges[1::2]  # a space is at the end, so each piece has both
        sizes = ends - starts
        hashes = _hashes(data, starts, sizes)
        return Pieces(texts, hashes, np.searchsorted(starts, bounds), data, starts, sizes, self)

    def look_up(self, hashes: Hashes, data: bytes, starts: Ints, ends: Ints) -> Ints:
        """Numbers of parts of the data, shape (parts,)."""
        slots = self._slots(hashes)
        ids = self._next[slots] - 1
        missing = np.flatnonzero((self._keys[slots] != hashes) | (ids < 0))
        if len(missing):
            parts = [data[start:end] for start, end in zip(starts[missing], ends[missing], strict=True)]
            ids[missing] = [self._number(part) for part in parts]
            # Of two pieces in one slot the later one stays, and the other is looked up again.
            self._keys[slots[missing]], self._next[slots[missing]] = hashes[missing], ids[missing] + 1
            self._grow()
        return ids

    def _slots(self, hashes: Hashes) -> Ints:
        return (hashes >> np.uint64(64 - self._bits)).astype(np.int64)

    def _grow(self) -> None:
        while len(self.names) > len(self._keys) // 4 and self._bits < MAX_BITS:
            taken = np.flatnonzero(self._next)
            keys, following = self._keys[taken], self._next[taken]
            self._bits += 2
            self._keys = np.zeros(1 << self._bits, dtype=np.uint64)
            self._next = np.zeros(1 << self._bits, dtype=np.int64)
            slots = self._slots(keys)
            self._keys[slots], self._next[slots] = keys, following

    def _number(self, piece: bytes) -> int:
        number = self._numbers.setdefault(piece, len(self.names))
        if number == len(self.names):
            self.names.append(piece.decode("utf-8", "surrogatepass"))
        return number


def _join_texts(texts: Sequence[str]) -> tuple[bytes, Ints]:
    """UTF-8 of the texts, a space behind each and room for a step at the end; and where each begins and the last ends."""
    joined = " ".join(texts) + " "
    bounds = np.concatenate([[0], np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)])
    if joined.isascii():
        return joined.encode() + bytes(STEP), bounds
    data = _OTHER_SPACES.sub(" ", joined).encode("utf-8", "surrogatepass")
    characters = np.flatnonzero((np.frombuffer(data, dtype=np.uint8) & 0xC0) != 0x80)  # first bytes of characters
    return data + bytes(STEP), np.append(characters, len(data))[bounds]


def _hashes(data: bytes, starts: Ints, sizes: Ints) -> Hashes:
    """Hashes of parts of the data, shape (parts,); eight bytes may be read behind each."""
    words = np.ndarray((len(data) - STEP + 1,), dtype="<u8", buffer=data, strides=(1,))
    own = words[starts] & _KEPT[np.minimum(sizes, STEP)]
    hashes = mix_bits(own ^ (sizes.astype(np.uint64) * _ODD))
    done, left = STEP, np.flatnonzero(sizes > STEP)
    while len(left):
        own = words[starts[left] + done] & _KEPT[np.minimum(sizes[left] - done, STEP)]
        hashes[left] = mix_bits(hashes[left] * _ODD + own)
        done += STEP
        left = left[sizes[left] > done]
    return hashes

"""Find texts that are copies of each other: equal ones, and ones in which up to a word in ten was changed.

Texts are compared by their windows of 12 bytes, letters and digits alone. Of each text, about 48 windows with the smallest
hashes are kept: equal windows of two texts are kept in both, or in neither. Two texts are near copies if they share 38% of
their windows, and 38% of the weight of those that occur in any other text. Windows that many texts share are templates, such
as openings, and weigh little: one that occurs in n of N texts weighs log(N / n), at most 2. At one changed word in ten, two
texts share about 70%. What people wrote must be alike on its own: a system may say the same to everybody.

Broder (1997), "On the resemblance and containment of documents".
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Groups = tuple[tuple[int, ...], ...]
"""Places of texts that are copies, in order; at least two in each group."""

SHORTEST = 30  # words of a text that two people do not write alike by chance
SHORT = 6  # bytes of a window of a short text
WINDOW = 12  # bytes, two words: shorter ones are shared by chance, longer ones lost with each changed word
KEPT = 48  # windows of a text: the share that two texts have in common is known within .07
MOST_WEIGHT = 2.0  # of a window: that of one in 13% of texts
SHARED = 0.38
CANDIDATE = 0.15  # of the weight: pairs that are looked at, by the windows in which they are next to each other
BATCH = 2_000_000  # bytes hashed at a time
_ALL = float(1 << 64)
_DELETED = bytes(each for each in range(128) if not chr(each).isalnum())
_MIX = tuple(np.uint64(each) for each in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F))
Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]


@dataclass
class CopyFinder:
    """Texts added one after another, by place."""

    _own: dict[int, bytes] = field(default_factory=dict)
    _exact: dict[bytes, list[int]] = field(default_factory=dict)
    _waiting: list[bytes] = field(default_factory=list)
    _waiting_places: list[int] = field(default_factory=list)
    _size: int = 0
    _hashes: list[Hashes] = field(default_factory=list)
    _owners: list[Places] = field(default_factory=list)

    def add(self, place: int, text: str, own: str = "") -> None:
        """Add a text; one of fewer than 30 words is no copy of any.

        Args:
            place: its number.
            text: the whole.
            own: the part of it that people wrote, and no system; "": all of it.
        """
        if text.count(" ") + text.count("\n") + 1 < SHORTEST and len(text) < SHORTEST * 2:
            return
        encoded = text.lower().encode("utf-8", "surrogatepass")
        plain = _plain(encoded)
        others = len(encoded) - len(
            text
        )  # bytes of letters that are not ASCII: words of Chinese have two of three each
        if max(text.count(" ") + text.count("\n") + 1, others // 4) < SHORTEST or len(plain) < WINDOW:
            return
        self._exact.setdefault(hashlib.blake2b(plain, digest_size=16).digest(), []).append(place)
        if own:
            self._own[place] = _plain(own.lower().encode("utf-8", "surrogatepass"))
        self._waiting.append(plain)
        self._waiting_places.append(place)
        self._size += len(plain)
        if self._size >= BATCH:
            self._hash()

    def _hash(self) -> None:
        """Hash the windows of the waiting texts, and keep the smallest of each."""
        if not self._waiting:
            return
        sizes = np.array([len(each) for each in self._waiting], dtype=np.int64)
        ends = np.cumsum(sizes)
        joined = np.frombuffer(b"".join(self._waiting) + bytes(8), dtype=np.uint8)
        count = int(ends[-1]) - WINDOW + 1
        # Eight bytes from every place on, unaligned: a window is the mixture of two that overlap by four.
        eights = np.lib.stride_tricks.as_strided(joined[:8].view(np.uint64), (len(joined) - 7,), (1,))
        hashes = eights[:count] * _MIX[0]
        hashes ^= hashes >> np.uint64(29)
        hashes ^= eights[WINDOW - 8 : WINDOW - 8 + count] * _MIX[1]
        hashes *= _MIX[0]
        hashes ^= hashes >> np.uint64(32)
        windows = np.maximum(sizes - WINDOW + 1, 1)
        limits = np.minimum(KEPT / windows, 1.0) * (_ALL - 2048)
        kept = np.flatnonzero(hashes < np.repeat(limits.astype(np.uint64), sizes)[:count])
        owners = np.searchsorted(ends, kept, side="right")
        inside = kept + WINDOW <= ends[owners]
        self._hashes.append(hashes[kept[inside]])
        self._owners.append(np.array(self._waiting_places, dtype=np.int64)[owners[inside]])
        self._waiting, self._waiting_places, self._size = [], [], 0

    def by_text(self) -> Mapping[bytes, Sequence[int]]:
        """Places of the texts, by a hash of each."""
        return self._exact

    def exact(self) -> Groups:
        """Texts that are equal but for case, spaces and punctuation."""
        return tuple(tuple(group) for group in self._exact.values() if len(group) > 1)

    def near(self) -> Groups:
        """Texts that are nearly equal, those that are equal among them."""
        self._hash()
        links = [(group[0], other) for group in self.exact() for other in group[1:]]
        if self._hashes:
            pairs = _near_pairs(np.concatenate(self._hashes), np.concatenate(self._owners))
            links += [pair for pair in pairs if _are_alike(*(self._own.get(each, b"") for each in pair))]
        return joined_groups(links)


def _plain(encoded: bytes) -> bytes:
    """Letters and digits alone."""
    return encoded.translate(None, _DELETED)


def _are_alike(one: bytes, other: bytes) -> bool:
    """Whether two short texts share half of their windows of six bytes."""
    parts = [{text[at : at + SHORT] for at in range(len(text) - SHORT + 1)} or {text} for text in (one, other)]
    return 2 * len(parts[0] & parts[1]) >= max(map(len, parts))


def _near_pairs(hashes: Hashes, owners: Places) -> list[tuple[int, int]]:
    order = np.argsort(hashes, kind="stable")  # owners came in order, and stay so
    hashes, owners = hashes[order], owners[order]
    first = np.concatenate([[True], (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1])])
    hashes, owners = hashes[first], owners[first]  # a window that a text repeats counts once
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    counts = np.diff(np.concatenate([starts, [len(hashes)]]))
    texts = len(np.unique(owners))
    weights = np.repeat(np.where(counts > 1, np.minimum(np.log(texts / counts), MOST_WEIGHT) + 1e-9, 0.0), counts)
    size = int(owners.max()) + 1
    whole = np.bincount(owners, weights, size), np.bincount(owners, minlength=size)
    # Of the texts that share a window, each is linked with the first, and with the one before it.
    at = np.flatnonzero(np.arange(len(hashes)) != np.repeat(starts, counts))
    heads = owners[np.repeat(starts, counts)[at]]
    before = at[heads != owners[at - 1]]
    one = np.concatenate([heads, owners[before - 1]])
    other = np.concatenate([owners[at], owners[before]])
    codes, back = np.unique(one * size + other, return_inverse=True)
    weight = np.bincount(back, np.concatenate([weights[at], weights[before]]))
    a, b = codes // size, codes % size
    candidates = np.flatnonzero(weight >= CANDIDATE * np.maximum(whole[0][a], whole[0][b]))
    by_owner = np.argsort(owners, kind="stable")
    ends = np.cumsum(whole[1])
    pairs = zip(a[candidates].tolist(), b[candidates].tolist(), strict=True)
    windows = _Windows(hashes, weights, by_owner, ends - whole[1], ends)
    return [pair for pair in pairs if windows.are_alike(*pair)]


@dataclass(frozen=True, eq=False)
class _Windows:
    """The windows of all texts."""

    hashes: Hashes
    weights: NDArray[np.float64]
    by_owner: Places
    """Places of the windows, text by text."""
    starts: Places
    ends: Places

    def are_alike(self, a: int, b: int) -> bool:
        """Whether two texts are near copies."""
        one, other = (self.by_owner[self.starts[each] : self.ends[each]] for each in (a, b))
        shared = one[np.isin(self.hashes[one], self.hashes[other], assume_unique=True)]
        whole = max(self.weights[one].sum(), self.weights[other].sum())
        is_most = len(shared) >= SHARED * max(len(one), len(other))
        return bool(is_most and self.weights[shared].sum() >= SHARED * whole)


def joined_groups(links: Iterable[tuple[int, int]]) -> Groups:
    """Groups of what links join, directly or through others.

    >>> joined_groups([(1, 2), (5, 4), (2, 7)])
    ((1, 2, 7), (4, 5))
    """
    parent: dict[int, int] = {}

    def root(one: int) -> int:
        while parent.setdefault(one, one) != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    for one, other in links:
        low, high = sorted((root(one), root(other)))
        parent[high] = low
    groups: dict[int, list[int]] = {}
    for one in sorted(parent):
        groups.setdefault(root(one), []).append(one)
    return tuple(tuple(group) for group in groups.values())

"""Find texts that are copies of each other: equal ones, and ones in which up to a word in four was changed.

Of each text, about 48 windows of 12 bytes, letters and digits alone, are kept: those with the smallest hashes, so that
equal windows of two texts are kept in both, or in neither. Two texts that share a fifth of the weight of their windows are
read against each other, word by word: they are near copies if three words in five are the same in the same order. Windows
that many texts share are templates, such as openings, and weigh little: one that is in n of N texts weighs log(N / n), at
most 2. What people wrote must be alike on its own, too: a system may say the same to everybody.

A reply may also repeat a reference: the whole of it, perhaps with words changed, or with others around it.

Broder (1997), "On the resemblance and containment of documents"; Hyyrö (2004), "Bit-parallel LCS-length computation
revisited".
"""

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TypeVar
from unicodedata import normalize
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", int, str)
Groups = tuple[tuple[int, ...], ...]
"""Places of texts that are copies, in order; at least two in each group."""

SHORTEST = 30  # words of a text that two people do not write alike by chance
LONGEST_WORD = 20  # characters, on average: a text of longer ones has no spaces between words
WINDOW = 8  # bytes, two short words: shorter ones are shared by chance, longer ones lost with each changed word
LINKED = 16  # texts before one, of those that share a rare window, with which it is linked
RARE = 40  # texts with a window, up to which it is rare
KEPT = 48  # windows of a text: the share that two texts have in common is known within .07
CANDIDATE = 0.08  # of the weight: pairs that are read, by the windows that link them
ALIKE = 0.82  # sum of the shares of weight and of words: 1.2 with a word in four changed
BY_CHANCE = 8.0  # words: the shorter two texts are, the more they are alike by chance
COMMON = 0.8  # of the texts: words that more have are those of a template
RARELY = 0.35  # of the other words, where they are at least a quarter
OWN = 0.5  # of the words of the people, who say less
PIECE = 5  # letters and digits of a piece
SHARED = 0.75  # of a reference's pieces: with a word in ten changed, four fifths are left
SHORTEST_REFERENCE = (
    25  # letters and digits of a reference; a shorter one must be equal, as two people may say it alike
)
MOST_WORDS = 0.7  # of a reference's words, in any order
PROBES, PROBE = 5, 10  # parts of a reference and their length: a reply that has none of them does not repeat it
BATCH = 2_000_000  # bytes hashed at a time
_ALL = float(1 << 64)
_DELETED = bytes(each for each in range(128) if not chr(each).isalnum())
_MIX = tuple(np.uint64(each) for each in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F))
Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]


@dataclass
class CopyFinder:
    """Texts added one after another, by place."""

    system: str = ""
    """Name of the system, which may be all that tells a dialogue from its copy under another name."""
    is_near: bool = True
    """Whether ``near`` will be asked for, and not only which texts are equal."""
    _words: dict[int, tuple[Sequence[int], Sequence[int]]] = field(default_factory=dict)
    """By place: numbers of its words, and of those that people wrote."""
    _exact: dict[bytes, list[int]] = field(default_factory=dict)
    _unnamed: dict[int, bytes] = field(default_factory=dict)
    _waiting: list[bytes] = field(default_factory=list)
    _waiting_places: list[int] = field(default_factory=list)
    _size: int = 0
    _name: bytes = field(init=False)
    _hashes: list[Hashes] = field(default_factory=list)
    _owners: list[Places] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._name = _plain(self.system)

    def add(self, place: int, text: str, own: str = "") -> bool:
        """Add a text, and return whether it may be a copy: one of fewer than 30 words is none of any.

        Args:
            place: its number.
            text: the whole.
            own: the part of it that people wrote, and no system; "": all of it.
        """
        words = text.count(" ") + text.count("\n") + 1
        if words < SHORTEST and len(text) >= SHORTEST * 2 and not text.isascii():
            # Bytes of letters that are not ASCII: words of Chinese have two of three each.
            words = (len(text.lower().encode("utf-8", "surrogatepass")) - len(text)) // 4
        plain = _plain(text) if words >= SHORTEST else b""
        if len(plain) < WINDOW:
            return False
        self._exact.setdefault(_hash_of(plain), []).append(place)
        if self._name and self._name in plain:
            self._unnamed[place] = _hash_of(plain.replace(self._name, b""))
        if not self.is_near:
            return True
        self._words[place] = _words(text), _words(own)
        self._waiting.append(plain)
        self._waiting_places.append(place)
        self._size += len(plain)
        if self._size >= BATCH:
            self._hash()
        return True

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

    def without_name(self) -> Mapping[int, bytes]:
        """By place of each text that has the system's name in it: a hash of the text without it."""
        return self._unnamed

    def exact(self) -> Groups:
        """Texts that are equal but for case, spaces and punctuation."""
        return tuple(tuple(group) for group in self._exact.values() if len(group) > 1)

    def near(self) -> Groups:
        """Texts that are nearly equal, those that are equal among them."""
        self._hash()
        links = [(group[0], other) for group in self.exact() for other in group[1:]]
        if self._hashes:
            common = _common_words([whole for whole, _ in self._words.values()])
            for one, other, share in _near_pairs(np.concatenate(self._hashes), np.concatenate(self._owners)):
                if self._are_alike(one, other, share, common):
                    links.append((one, other))
        return joined_groups(links)

    def _are_alike(self, one: int, other: int, share: float, common: Set[int]) -> bool:
        """Whether two texts that share windows also have most words in common, in the same order."""
        (whole, own), (others_whole, others_own) = self._words[one], self._words[other]
        least = ALIKE + BY_CHANCE / max(len(whole), len(others_whole))
        if share + same_words(whole, others_whole) < least or same_words(own, others_own) < OWN:
            return False
        one_rare, other_rare = ([each for each in words if each not in common] for words in (whole, others_whole))
        has_others = 4 * min(len(one_rare), len(other_rare)) >= min(len(whole), len(others_whole))
        return not has_others or same_words(one_rare, other_rare) >= RARELY


def _common_words(texts: Sequence[Sequence[int]]) -> Set[int]:
    """Words that most texts have, as those of an opening: of a thousand texts, evenly drawn."""
    drawn = texts[:: len(texts) // 1000 + 1]
    counts = Counter(word for text in drawn for word in set(text))
    return {word for word, times in counts.items() if times > COMMON * len(drawn)}


def _plain(text: str) -> bytes:
    """Letters and digits alone, in lower case."""
    if not text.isascii():
        text = normalize("NFKC", text)  # wide letters
        for sign in set(text):
            if not sign.isalnum() and sign != "_":  # spaces, curly quotes, characters of no width
                text = text.replace(sign, "")
    return text.lower().encode("utf-8", "surrogatepass").translate(None, _DELETED)


def _hash_of(plain: bytes) -> bytes:
    return hashlib.blake2b(plain, digest_size=16).digest()


def _words(text: str) -> Sequence[int]:
    """A number of 16 bits for each word, or for each character of a text that has few spaces."""
    words = text.lower().encode("utf-8", "surrogatepass").split()
    if len(text) > LONGEST_WORD * len(words):
        return array("H", [ord(each) & 0xFFFF for each in text])
    return array("H", np.fromiter(map(crc32, words), np.uint32, len(words)).astype(np.uint16).tobytes())


def same_words(one: Sequence[int], other: Sequence[int]) -> float:
    """Length of the longest common subsequence, as a share of the longer sequence; 1 for two empty ones.

    >>> same_words([1, 2, 3, 4], [1, 9, 3, 4]), same_words([1, 2], [2, 1])
    (0.75, 0.5)
    """
    longest = max(len(one), len(other))
    masks: dict[int, int] = {}
    for place, word in enumerate(one):
        masks[word] = masks.get(word, 0) | 1 << place
    whole = left = (1 << len(one)) - 1
    for mask in map(masks.get, other):
        if mask is not None:
            taken = left & mask
            left = (left + taken | left - taken) & whole
    return (len(one) - left.bit_count()) / longest if longest else 1.0


def _near_pairs(hashes: Hashes, owners: Places) -> Iterator[tuple[int, int, float]]:
    """Pairs of texts that share windows, with the share of the weight of all."""
    order = np.argsort(hashes, kind="stable")  # owners came in order, and stay so
    hashes, owners = hashes[order], owners[order]
    first = np.concatenate([[True], (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1])])
    hashes, owners = hashes[first], owners[first]  # a window that a text repeats counts once
    starts = np.flatnonzero(np.concatenate([[True], hashes[1:] != hashes[:-1]]))
    counts = np.diff(np.concatenate([starts, [len(hashes)]]))
    weights = np.repeat(np.log(len(np.unique(owners)) / counts) + 1e-9, counts)
    size = int(owners.max()) + 1
    whole = np.bincount(owners, weights, size)
    one, other = _links(starts, counts)
    codes, back = np.unique(owners[one] * size + owners[other], return_inverse=True)
    a, b = codes // size, codes % size
    candidates = np.flatnonzero(np.bincount(back, weights[one]) >= CANDIDATE * np.maximum(whole[a], whole[b]))
    by_owner = np.argsort(owners, kind="stable")
    own = np.split(by_owner, np.cumsum(np.bincount(owners, minlength=size))[:-1])
    for pair in zip(a[candidates].tolist(), b[candidates].tolist(), strict=True):
        shared = own[pair[0]][np.isin(hashes[own[pair[0]]], hashes[own[pair[1]]], assume_unique=True)]
        yield *pair, float(weights[shared].sum() / max(whole[list(pair)]))


def _links(starts: Places, counts: Places) -> tuple[Places, Places]:
    """Places of equal windows: each with the first one and the one before it; of rare ones, also with more before it."""
    at = np.arange(int(counts.sum()))
    behind = at - np.repeat(starts, counts)
    reach = np.minimum(behind, np.where(np.repeat(counts, counts) <= RARE, LINKED, 1))
    far = at[behind > reach]
    near = [at[reach >= back] for back in range(1, LINKED + 1)]
    before = [each - back for back, each in enumerate(near, 1)]
    return np.concatenate([far - behind[far], *before]), np.concatenate([far, *near])


def count_copies(groups: Iterable[Sequence[str]]) -> int:
    """Units that are copies of another one, in groups that may overlap.

    >>> count_copies([("a", "b", "c"), ("b", "d")]), count_copies([("a",), ()])
    (3, 0)
    """
    return sum(len(group) - 1 for group in joined_groups((own[0], each) for own in groups for each in own))


def joined_groups(links: Iterable[tuple[T, T]]) -> tuple[tuple[T, ...], ...]:
    """Groups of what links join, directly or through others.

    >>> joined_groups([(1, 2), (5, 4), (2, 7)])
    ((1, 2, 7), (4, 5))
    """
    parent: dict[T, T] = {}

    def root(one: T) -> T:
        while parent.setdefault(one, one) != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    for one, other in links:
        low, high = sorted((root(one), root(other)))
        parent[high] = low
    groups: dict[T, list[T]] = {}
    for one in sorted(parent):
        groups.setdefault(root(one), []).append(one)
    return tuple(tuple(group) for group in groups.values())


def repeats_any(reply: str, references: Iterable[str]) -> bool:
    """Whether a reply repeats one of the references.

    >>> said = "You should really see Heat, it is a tense and quiet film about a thief."
    >>> repeats_any(said + " Enjoy!", [said]), repeats_any("You should really see Ronin.", [said])
    (True, False)
    """
    own = _letters(reply)
    return bool(own) and any(_repeats(own, _letters(each)) for each in references)


def resembles_any(reply: str, references: Iterable[str]) -> bool:
    """Whether a reply has most words of a reference, in any order, or all of a short one: two people may say as much.

    Of a system that repeats references, such a reply is one more.

    >>> resembles_any("No problem. Enjoy!", ["No problem."]), resembles_any("Try Heat or Ronin.", ["Try Alien or Dune."])
    (True, False)
    """
    own = Counter(_words_of(reply))
    given = [Counter(_words_of(each)) for each in references]
    return any((own & words).total() >= MOST_WORDS * words.total() > 0 for words in given)


def _words_of(text: str) -> list[str]:
    return "".join(each if each.isalnum() else " " for each in text.casefold()).split()


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _repeats(own: str, other: str) -> bool:
    if len(other) < SHORTEST_REFERENCE:
        return own == other
    if other in own:
        return True
    step = (len(other) - PROBE) // (PROBES - 1)
    if not any(other[at * step : at * step + PROBE] in own for at in range(PROBES)):
        return False
    pieces = {other[at : at + PIECE] for at in range(len(other) - PIECE + 1)}
    return sum(piece in own for piece in pieces) >= SHARED * len(pieces)

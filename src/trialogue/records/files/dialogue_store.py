"""Dialogues of an evaluation as columns: every different utterance once, and of each dialogue the numbers of its own.

What is said is stored in blocks of utterances, in order of their first appearance, and dialogues in blocks of what else
is recorded of them with the numbers of their utterances. The first blocks stay in memory, until they take as much of it as
they may; all others lie in a temporary file, and those used last are held besides. So no number of dialogues makes a
run suddenly slower: whatever does not fit is read again by each pass, and nothing else. Programs repeat themselves, and
what is said often was said early, in blocks that stay.

A ``Dialogue`` is made anew by each pass, in 5 microseconds, of utterances that are the same objects as long as their
block is in memory: what is found in one need not be looked for again.
"""

import os
import pickle
import sys
import tempfile
import weakref
from array import array
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from operator import eq
from pathlib import Path
from threading import RLock
from typing import IO, Generic, TypeVar, overload

from trialogue.errors import UsageError
from trialogue.records.base import Record
from trialogue.records.dialogue import MENTIONS, Dialogue, Utterance
from trialogue.records.kinds.origins import Role

T = TypeVar("T")

LEAST_MEMORY = 256_000_000  # bytes
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
BLOCK = 256  # utterances, or dialogues, that are written and read together
MOST_KNOWN = 1 << 15  # different utterances that are known again
HELD_LATELY = 0.25  # of the memory for blocks that stay, for those that do not
DECODED = 8  # bytes of a record in memory for a byte of it in the file, about

# Bytes of records, fitted to those of four corpora.
OF_UTTERANCE, OF_PART, OF_RANKED, OF_NEED, OF_DIALOGUE = 900, 550, 75, 75, 1_500


def memory_for_dialogues() -> int:
    """Bytes that dialogues may take: a sixteenth of the memory; their scores and pages take more."""
    memory = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")] if hasattr(os, "sysconf") else [0]
    for limit in LIMITS:  # of a container
        with suppress(OSError, ValueError):
            memory.append(int(Path(limit).read_text("ascii")))
    return max(LEAST_MEMORY, min(memory) // 16)


class _Room:
    """Memory for blocks, and the file of those that find none."""

    def __init__(self, most: int) -> None:
        self._left, self._lately = most, int(most * HELD_LATELY)
        self._most_lately, self._written, self._size = self._lately, 0, 0
        self._file: IO[bytes] | None = None
        self.lock = RLock()
        """Held by who reads or makes a block: two passes in threads share one file and its position."""
        self._held: OrderedDict[tuple[int, int], tuple[int, list[object]]] = OrderedDict()  # by place; those used last

    def take(self, size: int) -> bool:
        """Whether there is memory for a block; once there is none, there is none for a smaller one either."""
        self._left = self._left - size if size <= self._left else -1
        return self._left >= 0

    def write(self, block: Sequence[object]) -> tuple[int, int]:
        """Where a block is from now on.

        Raises:
            UsageError: no folder of temporary files can be written, or the disk is full.
        """
        # Not as JSON: pickled, parts that are the same object are stored once, and nothing is validated twice. Nobody else
        # can write the file, which has no name where the system allows that, and which goes with the last reference.
        content = pickle.dumps(block, pickle.HIGHEST_PROTOCOL)
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(prefix="trialogue-")  # noqa: SIM115  # closed by the next line
                weakref.finalize(self, _close, self._file)
            place = self._file.seek(0, os.SEEK_END), len(content)
            self._file.write(content)
            self._file.flush()  # here, not by whoever reads next
        except OSError as error:
            raise UsageError(
                f"dialogues that do not fit into memory cannot be written to a temporary file: {error.strerror}. Free some "
                "space, or name another folder with the environment variable TMPDIR."
            ) from error
        self._written, self._size = self._written + 1, self._size + DECODED * len(content)
        return place

    @property
    def window(self) -> int:
        """About how many of the blocks that were written last are held by a pass over all of them."""
        return self._most_lately * self._written // self._size // 2 if self._written else 0

    def read(self, place: tuple[int, int]) -> list[object]:
        """The block at a place."""
        if place in self._held:
            self._held.move_to_end(place)
            return self._held[place][1]
        assert self._file is not None, "a block was written"
        start, size = place
        self._file.seek(start)
        found: list[object] = pickle.loads(self._file.read(size))
        self._held[place] = DECODED * size, found
        self._lately -= DECODED * size
        while self._lately < 0:
            _, (freed, _) = self._held.popitem(last=False)
            self._lately += freed
        return found


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # of a full disk, where the rest is tried to be written again
        file.close()


class _Column(Generic[T]):
    """Things by number, in blocks."""

    def __init__(self, room: _Room, size_of: Callable[[T], int]) -> None:
        self._room, self._size_of = room, size_of
        self._blocks: list[list[T] | tuple[int, int] | None] = []  # themselves, or their places in the file
        self._given: tuple[_Column[T], Callable[[T], T]] | None = None  # of what blocks are made that are neither yet
        self._last: list[T] = []
        self._size = 0  # of the last block, in bytes

    def __len__(self) -> int:
        return BLOCK * len(self._blocks) + len(self._last)

    def append(self, one: T) -> int:
        """The number of something at the end."""
        number = len(self)
        self._last.append(one)
        self._size += self._size_of(one)
        if len(self._last) == BLOCK:
            self._blocks.append(self._keep(self._last, self._size))
            self._last, self._size = [], 0
        return number

    def is_near(self, number: int) -> bool:
        """Whether a pass that has come to the end has something in memory yet."""
        block = number // BLOCK
        if block == len(self._blocks) or isinstance(self._blocks[block], list):
            return True
        return len(self._blocks) - block <= self._room.window

    def _keep(self, block: list[T], size: int) -> list[T] | tuple[int, int]:
        return block if self._room.take(size) else self._room.write(block)

    def copy(self) -> "_Column[T]":
        """The same things, to which others can be added."""
        found = _Column(self._room, self._size_of)
        found._blocks, found._last, found._size = [*self._blocks], [*self._last], self._size
        found._given = self._given
        return found

    def with_change(self, change: Callable[[T], T], room: _Room) -> "_Column[T]":
        """The things after a change, which is made of a block when it is first asked for."""
        found = _Column(room, self._size_of)
        found._blocks, found._given = [None] * len(self._blocks), (self.copy(), change)
        for each in map(change, self._last):
            found.append(each)
        return found

    def block(self, number: int) -> list[T]:
        """One block; the last may be short, and grows."""
        if number == len(self._blocks):
            return self._last
        found = self._blocks[number]
        if isinstance(found, list):
            return found
        with self._room.lock:
            return self._fetch(number)

    def _fetch(self, number: int) -> list[T]:
        found = self._blocks[number]
        if found is None:
            assert self._given is not None, "blocks that are not there are made of given ones"
            given, change = self._given
            made = [change(each) for each in given.block(number)]
            self._blocks[number] = self._keep(made, sum(map(self._size_of, made)))
            if None not in self._blocks:
                self._given = None  # whose file is not needed any more
            return made
        return found if isinstance(found, list) else self._room.read(found)  # type: ignore[return-value]  # what was written

    def blocks(self) -> Iterator[list[T]]:
        """All blocks, in order."""
        return map(self.block, range(-(-len(self) // BLOCK)))


_Part = tuple[Dialogue, "array[int]"]
"""A dialogue without its utterances, and their numbers."""
Name = tuple[str, str]
"""System ("" where unknown) and id of a dialogue."""


class StoredDialogues(Sequence[Dialogue]):
    """Dialogues as columns, in memory as far as they fit."""

    def __init__(self, dialogues: Iterable[Dialogue] = (), *, most: int | None = None) -> None:
        """Take dialogues.

        Args:
            dialogues: the first ones.
            most: bytes of memory for them; None: as many as the machine allows.
        """
        self._most = memory_for_dialogues() if most is None else most
        self._room = _Room(self._most)
        self._said, self._parts = _Column(self._room, _bytes_of_utterance), _Column(self._room, _bytes_of_part)
        self._known: dict[int, tuple[Utterance, int]] = {}  # by identity, which is theirs while they are kept here
        self._roles_of_blocks: list[set[Role]] = []
        self._names = array("q")  # hashes
        self.roles: dict[tuple[str | None, Role], int] = {}
        """Number of dialogues by system and role."""
        self.are_rated = False
        """Whether any of them, or of their utterances, has a rating."""
        for dialogue in dialogues:
            self.append(dialogue)

    def append(self, dialogue: Dialogue) -> None:
        """Add a dialogue at the end."""
        if len(self._parts) % BLOCK == 0:
            self._roles_of_blocks.append(set())
        head = dialogue.model_copy(update={"utterances": ()})
        _share(head)
        self._parts.append((head, array("L", map(self._number_of, dialogue.utterances))))
        self._roles_of_blocks[-1].add(dialogue.role)
        self._names.append(hash(_name_of(dialogue)))
        key = (dialogue.system, dialogue.role)
        self.roles[key] = self.roles.get(key, 0) + 1
        self.are_rated = self.are_rated or is_rated(dialogue)

    def _number_of(self, said: Utterance) -> int:
        """The number of an utterance, which is stored again if it would have to be looked for far back."""
        known = self._known.get(id(said))
        if known is None or not self._said.is_near(known[1]):
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            known = self._known[id(said)] = said, self._said.append(_share_utterance(said))
        return known[1]

    def with_change(self, change: Callable[[Dialogue], Dialogue]) -> "StoredDialogues":
        """The dialogues after a change, in one pass."""
        return StoredDialogues(map(change, self), most=self._most)

    def with_utterances(self, change: Callable[[Utterance], Utterance]) -> "StoredDialogues":
        """The dialogues after a change of every different utterance, which is made when a pass first comes to it.

        Args:
            change: of an utterance; leaves its ratings as they are.
        """
        found = StoredDialogues(most=self._most)
        found._said = self._said.with_change(lambda said: _share_utterance(change(said)), found._room)
        found._parts = self._parts.copy()
        found._roles_of_blocks, found._names = [set(each) for each in self._roles_of_blocks], self._names[:]
        found.roles, found.are_rated = {**self.roles}, self.are_rated
        return found

    @property
    def utterances(self) -> Iterator[Utterance]:
        """Every different utterance, as far as that is known: those that are equal may be several."""
        for block in self._said.blocks():
            yield from block

    @property
    def different(self) -> int:
        """Number of ``utterances``."""
        return len(self._said)

    def names_among(self, names: Iterable[Name]) -> list[Name]:
        """Those names that are of dialogues, in the given order; none of these is made."""
        hashes = frozenset(self._names)
        return [each for each in names if hash(each) in hashes]

    def with_names(self, names: Collection[Name]) -> list[Dialogue]:
        """Those with some names, in order; no others are made."""
        hashes = frozenset(map(hash, names))
        parts = (self._part(place) for place, name in enumerate(self._names) if name in hashes)
        return self._make([part for part in parts if _name_of(part[0]) in names])

    def __len__(self) -> int:
        return len(self._parts)

    def __eq__(self, other: object) -> bool:
        """Whether it holds the dialogues of another sequence, in its order."""
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def __reduce__(self) -> "tuple[type[StoredDialogues], tuple[list[Dialogue]]]":
        """Pickled and copied as the dialogues alone: a file, identities and hashes mean nothing elsewhere."""
        return StoredDialogues, ([*self],)

    def __repr__(self) -> str:
        return f"<StoredDialogues: {len(self)} dialogues>"

    def __iter__(self) -> Iterator[Dialogue]:
        return self.of_roles(*Role)

    def of_roles(self, *roles: Role) -> Iterator[Dialogue]:
        """Those of systems in some roles; blocks without any are not read."""
        self._known.clear()  # which keeps utterances in memory
        for number, held in enumerate(tuple(self._roles_of_blocks)):
            if not held.isdisjoint(roles):
                yield from self._make([part for part in self._parts.block(number) if part[0].role in roles])

    @overload
    def __getitem__(self, place: int) -> Dialogue: ...

    @overload
    def __getitem__(self, place: slice) -> list[Dialogue]: ...

    def __getitem__(self, place: int | slice) -> Dialogue | list[Dialogue]:
        """One dialogue, or a slice."""
        if isinstance(place, slice):
            return self._make([*map(self._part, range(*place.indices(len(self))))])
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._make([self._part(place % len(self))])[0]

    def _part(self, place: int) -> _Part:
        return self._parts.block(place // BLOCK)[place % BLOCK]

    def _make(self, parts: Sequence[_Part]) -> list[Dialogue]:
        """Dialogues of their parts."""
        blocks = {block: self._said.block(block) for block in {place // BLOCK for _, said in parts for place in said}}
        return [
            head.model_copy(update={"utterances": tuple([blocks[place // BLOCK][place % BLOCK] for place in said])})
            for head, said in parts
        ]


def as_stored(dialogues: Sequence[Dialogue]) -> StoredDialogues:
    """Dialogues as columns; those in memory stay there."""
    return dialogues if isinstance(dialogues, StoredDialogues) else StoredDialogues(dialogues, most=sys.maxsize)


def _name_of(dialogue: Dialogue) -> Name:
    return (dialogue.system or "", dialogue.id)


def is_rated(dialogue: Dialogue) -> bool:
    """Whether a dialogue or any of its utterances has a rating."""
    return bool(dialogue.ratings) or any(said.ratings for said in dialogue.utterances)


def _bytes_of_utterance(said: Utterance) -> int:
    acts = sum(1 + len(act.slots) for act in said.acts or ())
    others = (said.strategies, said.mentions, said.unrecognised, said.outside, said.claims, said.ratings)
    kept = len(repr(said.meta)) if said.meta else 0
    kept += 0 if said.trace is None else len(said.trace.model_dump_json())
    parts = acts + sum(len(each) for each in others if each)
    texts = len(said.text) + len(said.thought or "") + DECODED * kept
    return OF_UTTERANCE + texts + OF_PART * parts + OF_RANKED * len(said.ranking or ())


def _bytes_of_part(part: _Part) -> int:
    head, said = part
    need, parts = head.need, len(head.ratings) + len(head.opinions or ())
    items = () if need is None else (need.acceptable, need.targets, need.examples, need.known, need.disliked)
    kept = len(repr(head.meta)) if head.meta else 0
    kept += 0 if head.trace is None else len(head.trace.model_dump_json())
    return OF_DIALOGUE + OF_PART * parts + OF_NEED * sum(map(len, items)) + DECODED * kept + said.itemsize * len(said)


_SETS: dict[frozenset[str], set[str]] = {}
_SHARED: set[int] = set()  # identities of its values


def _share_utterance(said: Utterance) -> Utterance:
    """An utterance that shares pydantic's bookkeeping of set fields with other records, to save memory.

    That is a set for each record, 216 to 728 bytes, and as large as what an act or a mention says itself. Frozen records
    never change theirs, and a copy gets one of its own.
    """
    if id(said.__pydantic_fields_set__) in _SHARED:
        return said
    _share(said)
    for act in said.acts or ():
        _share(act)
        for slot in act.slots:
            _share(slot)
    for name in MENTIONS:
        for mention in getattr(said, name) or ():
            _share(mention)
    return said


def _share(record: Record) -> None:
    given = record.__pydantic_fields_set__
    shared = _SETS.setdefault(frozenset(given), given)
    _SHARED.add(id(shared))
    object.__setattr__(record, "__pydantic_fields_set__", shared)

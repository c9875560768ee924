"""Dialogues of large inputs: the first in memory, and the others in a temporary file, read again for each pass.

A run keeps its dialogues, since facts, examples and the explorer are made of them after they are measured. In memory a
dialogue of two utterances takes 2.5 KB, so a million would take 2.5 GB. In the file it takes 0.4 KB and is decoded anew by
each pass, in 7 microseconds (reading and validating the input takes 33); one of 36 utterances in 250.
"""

import os
import pickle
import tempfile
import weakref
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import overload

from trialogue.records.base import Record
from trialogue.records.dialogue import MENTIONS, Dialogue, Utterance
from trialogue.records.kinds.origins import Role

FEWEST_IN_MEMORY = 400_000  # dialogues and utterances; up to 1 KB each
LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
CHUNK = 256  # dialogues that are written and read together


def most_in_memory() -> int:
    """Dialogues and utterances that are kept in memory, in an eighth of it: their scores and pages take more.

    Those beyond are decoded anew by each pass; results are the same.
    """
    memory = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")] if hasattr(os, "sysconf") else [0]
    for limit in LIMITS:  # of a container
        with suppress(OSError, ValueError):
            memory.append(int(Path(limit).read_text("ascii")))
    return max(FEWEST_IN_MEMORY, min(memory) // 8 // 1_000)


class StoredDialogues(Sequence[Dialogue]):
    """Dialogues in a temporary file of this process, which the operating system removes with the last reference to it."""

    def __init__(self, dialogues: Iterable[Dialogue] = (), *, most: int = 0) -> None:
        """Take dialogues; the first stay in memory, until they and their utterances are as many as ``most``."""
        # Not as JSON: pickled, texts that are equal within a chunk are stored once, and nothing is validated twice. Nobody
        # else can write the file, which has no name where the system allows that.
        self._file = tempfile.TemporaryFile(prefix="trialogue-")  # noqa: SIM115  # closed by the next line
        weakref.finalize(self, self._file.close)
        self._places: dict[int, tuple[int, int]] = {}  # of chunks in the file, and their sizes
        self._chunk_roles: list[frozenset[Role]] = []
        self._names = array("q")  # hashes of the (system, id) of the dialogues in chunks
        self._given: tuple[StoredDialogues, Callable[[Dialogue], Dialogue]] | None = None
        """Of what chunks that are not in the file are made."""
        self._held: list[Dialogue] = []
        self._room = most
        self._rest: list[Dialogue] = []
        self.roles: dict[tuple[str | None, Role], int] = {}
        """Number of dialogues by system and role."""
        self.are_rated = False
        """Whether any of them, or of their utterances, has a rating."""
        for dialogue in dialogues:
            self.append(dialogue)

    def append(self, dialogue: Dialogue) -> None:
        """Add a dialogue at the end."""
        key = (dialogue.system, dialogue.role)
        self.roles[key] = self.roles.get(key, 0) + 1
        self.are_rated = self.are_rated or is_rated(dialogue)
        self._room -= 1 + len(dialogue.utterances)
        if self._room >= 0:
            self._held.append(dialogue)
            return
        self._room = -1  # order: none stays in memory behind one in the file
        self._rest.append(dialogue)
        if len(self._rest) == CHUNK:
            self._write(len(self._chunk_roles), self._rest)
            self._chunk_roles.append(frozenset(each.role for each in self._rest))
            self._names.extend(map(_hash_of_name, self._rest))
            self._rest = []

    def with_change(self, change: Callable[[Dialogue], Dialogue]) -> "StoredDialogues":
        """The dialogues after a change, which is made when they are first decoded; as ``change_later`` has it."""
        found = StoredDialogues()
        found._held, found._rest = ([compact(change(each)) for each in some] for some in (self._held, self._rest))
        found._chunk_roles, found._names, found._given = [*self._chunk_roles], self._names[:], (self, change)
        found._room, found.roles, found.are_rated = self._room, {**self.roles}, self.are_rated
        return found

    def with_names(self, names: Collection[tuple[str | None, str]]) -> Iterator[Dialogue]:
        """Those with some (system, id), in order; only chunks that hold any are decoded."""
        hashes = frozenset(map(hash, names))
        places = (place // CHUNK for place, name in enumerate(self._names) if name in hashes)
        chunks = map(self._chunk, dict.fromkeys(places))
        for each in chain(self._held, chain.from_iterable(chunks), self._rest):
            if (each.system, each.id) in names:
                yield each

    def __len__(self) -> int:
        return len(self._held) + CHUNK * len(self._chunk_roles) + len(self._rest)

    def __iter__(self) -> Iterator[Dialogue]:
        return self.of_roles(*Role)

    def of_roles(self, *roles: Role) -> Iterator[Dialogue]:
        """Those of systems in some roles; chunks without any are not decoded."""
        yield from (each for each in self._held if each.role in roles)
        for number, held in enumerate(self._chunk_roles):
            if not held.isdisjoint(roles):
                yield from (each for each in self._chunk(number) if each.role in roles)
        yield from (each for each in self._rest if each.role in roles)

    @overload
    def __getitem__(self, place: int) -> Dialogue: ...

    @overload
    def __getitem__(self, place: slice) -> list[Dialogue]: ...

    def __getitem__(self, place: int | slice) -> Dialogue | list[Dialogue]:
        """One dialogue, or a slice; each decodes the chunks that it lies in."""
        if isinstance(place, slice):
            chunk = lru_cache(1)(self._chunk)  # neighbours lie in one
            return [self._at(each, chunk) for each in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        return self._at(place % len(self), self._chunk)

    def _at(self, place: int, chunk: Callable[[int], list[Dialogue]]) -> Dialogue:
        if place < len(self._held):
            return self._held[place]
        number, inside = divmod(place - len(self._held), CHUNK)
        return self._rest[inside] if number == len(self._chunk_roles) else chunk(number)[inside]

    def _chunk(self, number: int) -> list[Dialogue]:
        if number in self._places or self._given is None:
            return self._decode(number)
        given, change = self._given
        found = [compact(change(each)) for each in given._chunk(number)]
        self._write(number, found)
        if len(self._places) == len(self._chunk_roles):
            self._given = None  # its file is not needed any more
        return found

    def _decode(self, number: int) -> list[Dialogue]:
        start, size = self._places[number]
        self._file.seek(start)
        found: list[Dialogue] = pickle.loads(self._file.read(size))
        return found

    def _write(self, number: int, dialogues: Sequence[Dialogue]) -> None:
        content = pickle.dumps(dialogues, pickle.HIGHEST_PROTOCOL)
        self._places[number] = self._file.seek(0, os.SEEK_END), len(content)
        self._file.write(content)


class DialogueKeeper:
    """Collects dialogues: a list while they are few, and a temporary file for the others once they are many."""

    def __init__(self) -> None:
        self._records, self._most = 0, most_in_memory()
        self.dialogues: list[Dialogue] | StoredDialogues = []
        """Those that were added."""

    def add(self, dialogue: Dialogue) -> None:
        """Add a dialogue at the end."""
        self._records += 1 + len(dialogue.utterances)
        if self._records > self._most and isinstance(self.dialogues, list):
            self.dialogues = StoredDialogues(self.dialogues, most=self._most)
        self.dialogues.append(compact(dialogue))


def of_roles(dialogues: Sequence[Dialogue], *roles: Role) -> Iterator[Dialogue]:
    """Dialogues of systems in some roles."""
    if isinstance(dialogues, StoredDialogues):
        return dialogues.of_roles(*roles)
    return (each for each in dialogues if each.role in roles)


def is_rated(dialogue: Dialogue) -> bool:
    """Whether a dialogue or any of its utterances has a rating."""
    return bool(dialogue.ratings) or any(said.ratings for said in dialogue.utterances)


def map_dialogues(change: Callable[[Dialogue], Dialogue], dialogues: Sequence[Dialogue]) -> Sequence[Dialogue]:
    """Changed dialogues, stored as the given ones are."""
    if not isinstance(dialogues, StoredDialogues):
        return [*map(change, dialogues)]
    return StoredDialogues(map(compact, map(change, dialogues)), most=most_in_memory())


def change_later(change: Callable[[Dialogue], Dialogue], dialogues: Sequence[Dialogue]) -> Sequence[Dialogue]:
    """Changed dialogues; those that are in a file are changed by the first pass over them, and need none of their own.

    Args:
        change: of a dialogue; leaves id, system, role and ratings as they are.
        dialogues: any.
    """
    return dialogues.with_change(change) if isinstance(dialogues, StoredDialogues) else [*map(change, dialogues)]


def _hash_of_name(dialogue: Dialogue) -> int:
    return hash((dialogue.system, dialogue.id))


_SETS: dict[frozenset[str], set[str]] = {}
_SHARED: set[int] = set()  # identities of its values


def compact(dialogue: Dialogue) -> Dialogue:
    """Copy of a dialogue that shares pydantic's bookkeeping of set fields with other records, to save memory.

    That is a set for each record, 216 to 728 bytes, and as large as what an act or a mention says itself. Frozen records
    never change theirs, and a copy gets one of its own.
    """
    _share(dialogue)
    for said in dialogue.utterances:
        if id(said.__pydantic_fields_set__) not in _SHARED:
            _share_utterance(said)
    return dialogue


def _share_utterance(said: Utterance) -> None:
    _share(said)
    for act in said.acts or ():
        _share(act)
        for slot in act.slots:
            _share(slot)
    for name in MENTIONS:
        for mention in getattr(said, name) or ():
            _share(mention)


def _share(record: Record) -> None:
    given = record.__pydantic_fields_set__
    shared = _SETS.setdefault(frozenset(given), given)
    _SHARED.add(id(shared))
    object.__setattr__(record, "__pydantic_fields_set__", shared)

"""Frozen test sets: the needs of simulated users in a file, so that later versions meet the same ones.

One line per user: kind of users, case, and the need or a sentence that describes it. The file has a version and a hash of
its content, which is stored in the manifest of every simulation that uses it. Without such a file, needs are drawn by the
seed from catalogue and ratings, and change when these do.
"""

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records import Need, NeedSource, Record, read_records, write_records
from trialogue.records.files.jsonl import to_line

VERSION = 1
HASH_DIGITS = 12


class NeedSetHead(Record):
    """First line of a test set."""

    kind: ClassVar[str] = "need_set"

    version: int = Field(default=VERSION, ge=1, le=VERSION)
    """Version of the format."""
    catalogue: str | None = None
    """Fingerprint of the catalogue that the needs are about; None: unknown."""
    hash: str | None = None
    """Hash of the lines below; None: not checked, as in a file that somebody wrote by hand."""


class NeedCase(Record):
    """Need of one simulated user."""

    kind: ClassVar[str] = "need_case"

    case: str
    """Number of the user, from 1, as in the ids of dialogues."""
    users: str = ""
    """Name of the kind of users; "": any."""
    need: Need | None = None
    """The need; None: only a sentence describes it, which only a language model understands."""
    scenario: str = ""
    """The need in a sentence."""

    @property
    def user_need(self) -> Need:
        """The need, with its sentence; one that is not typed has no constraints, and nothing counts as meeting it."""
        if self.need is not None:
            return self.need.model_copy(update={"scenario": self.scenario}) if self.scenario else self.need
        digest = hashlib.sha256(self.scenario.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]
        return Need(id=digest, scenario=self.scenario, source=NeedSource.IMPORTED)


@dataclass(frozen=True)
class NeedSet:
    """Needs by kind of users and case."""

    hash: str
    """Twelve hexadecimal digits that change with any of the needs."""
    catalogue: str | None
    """Fingerprint of the catalogue; None: unknown."""
    cases: Mapping[str, Mapping[str, NeedCase]]
    """By name of the users ("": any), then by case."""

    def of_users(self, users: str) -> Mapping[str, NeedCase]:
        """Needs of one kind of users by case: their own, or those of the only kind in the set.

        Raises:
            UsageError: the set has several kinds, and not these.
        """
        if users in self.cases:
            return self.cases[users]
        if len(self.cases) == 1:
            return next(iter(self.cases.values()))
        raise UsageError(f"the test set has needs for {', '.join(self.cases)}, but not for {users}.")

    def unknown_items(self, known: Container[str]) -> Iterator[str]:
        """For each case whose need holds items that are not known: which, in a line."""
        for case in (case for own in self.cases.values() for case in own.values()):
            ids = () if case.need is None else (*case.need.targets, *case.need.acceptable, *case.need.known)
            missing = dict.fromkeys(item for item in ids if item not in known)
            if missing:
                yield f"case {case.case}: {', '.join(missing)}"

    def check(self, users: Iterable[str], n: int) -> None:
        """Raise UsageError if the set has too few needs for a simulation."""
        for name in users:
            missing = [str(number) for number in range(1, n + 1) if str(number) not in self.of_users(name)]
            if missing:
                found = n - len(missing)
                raise UsageError(f"the test set has {found:,} of the {n:,} needs of {name}; use -n {found} or fewer.")


def need_set(cases: Iterable[NeedCase], *, catalogue: str | None = None) -> NeedSet:
    """Collect cases into a set."""
    given = list(cases)
    by_users: dict[str, dict[str, NeedCase]] = {}
    for case in given:
        by_users.setdefault(case.users, {})[case.case] = case
    return NeedSet(_hash(given), catalogue, by_users)


def write_need_set(path: Path | str, found: NeedSet) -> None:
    """Write a test set."""
    cases = [case for own in found.cases.values() for case in own.values()]
    write_records(path, [NeedSetHead(catalogue=found.catalogue, hash=found.hash), *cases])


def read_need_set(path: Path | str) -> NeedSet:
    """Read a test set; the first line may be left out of one that is written by hand.

    Raises:
        DataError: it cannot be read, is empty, was edited after it was written, or has a case twice or without content.
    """
    records = list(read_records(Path(path), NeedSetHead, NeedCase))
    heads = [each for each in records if isinstance(each, NeedSetHead)]
    cases = [each for each in records if isinstance(each, NeedCase)]
    problems = []
    keys = [(each.users, each.case) for each in cases]
    twice = sorted({key for key in keys if keys.count(key) > 1}) if len(set(keys)) < len(keys) else []
    problems += [f"case {case} of {users or 'any users'} occurs twice." for users, case in twice]
    empty = [each.case for each in cases if each.need is None and not each.scenario.strip()]
    if empty:
        problems.append(f"case {', '.join(empty[:5])} has neither a need nor a scenario.")
    if not cases:
        problems.append("this test set has no needs.")
    head = heads[0] if heads else NeedSetHead()
    if head.hash is not None and head.hash != _hash(cases):
        problems.append(f"the needs were changed after this file was written: their hash is not {head.hash}.")
    if problems:
        hint = "Write it again with: trialogue simulate --set save_needs=FILE"
        raise DataError([Problem(what, str(path), hint=hint) for what in problems])
    return need_set(cases, catalogue=head.catalogue)


def _hash(cases: Iterable[NeedCase]) -> str:
    lines = "\n".join(sorted(map(to_line, cases)))
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]

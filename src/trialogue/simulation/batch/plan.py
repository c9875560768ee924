"""Plan of a batch: its dialogues, their order and their seeds. Pure: nothing is opened or sampled.

A dialogue is named ``{agent}/{users}/{number}``, numbers from 1, or ``{agent}/{users}/{dialogue}@{turn}/{number}`` if it
continues another one. Seeds are derived from the name without the agent, so that every agent meets the same users, and a
batch can be run in any order, anywhere, in parts, and extended later: the first dialogues stay the same.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import overload

from trialogue.errors import UsageError
from trialogue.records import JsonValue, Utterance
from trialogue.records.files.jsonl import to_line
from trialogue.seeds import seed_for

GUESSABLE = 2**32
"""Seeds below can be tried one by one: the seed of an agent's session and the words of a few users tell which it is."""
MAX_DIALOGUES = 100_000_000  # dialogues of a plan; more is a slip of the finger


@dataclass(frozen=True)
class Opening:
    """Dialogue to be continued, up to a turn."""

    dialogue: str
    """Id of the dialogue."""
    turn: int
    """The user utterance that it ends on, from 1: the agent has yet to answer it."""
    utterances: tuple[Utterance, ...]

    @property
    def name(self) -> str:
        """Its part of a dialogue's name."""
        return f"{self.dialogue}@{self.turn}"


@dataclass(frozen=True)
class Task:
    """One dialogue to run."""

    id: str
    agent: str
    """Name of the agent."""
    users: str
    """Name of the users of whom one takes part."""
    number: int
    """Number of the dialogue, from 1."""
    run_seed: int
    """Seed of the run."""
    opening: Opening | None = None
    """History to continue; None: a new dialogue."""

    @property
    def case(self) -> str:
        """Identity of the user, independent of agent and user kind: the number, after the continued dialogue."""
        return str(self.number) if self.opening is None else f"{self.opening.name}/{self.number}"

    @property
    def person(self) -> str:
        """Code of the user, who meets every agent."""
        return f"{self.users}/{self.case}"

    @property
    def agent_seed(self) -> int:
        """Seed of the agent's session, equal for all agents, so that two versions differ only by their behavior."""
        return seed_for(self.run_seed, self.users, self.case, "agent")

    @property
    def history(self) -> tuple[Utterance, ...]:
        """Utterances of the continued dialogue."""
        return self.opening.utterances if self.opening else ()


Pair = tuple[str, str]
"""Names of an agent and of its users."""
Cell = tuple[str, str, Opening | None]


@dataclass(frozen=True)
class Plan(Sequence[Task]):
    """Agents × users × openings × numbers, in this order; tasks are created on access, so that a plan takes no memory."""

    agents: tuple[str, ...]
    """Names of the agents."""
    users: tuple[str, ...]
    """Names of the users."""
    n: int
    """Dialogues of each agent with each kind of users (from each opening)."""
    seed: int = 0
    openings: tuple[Opening, ...] = field(default=(), repr=False)
    """Histories to continue; (): new dialogues."""

    def __post_init__(self) -> None:
        problems = [*_names("agent", self.agents), *_names("user", self.users)]
        if self.n < 1:
            problems.append(
                f"n, the number of dialogues of each agent with each kind of user, must be at least 1; given: {self.n}."
            )
        if not problems and len(set(self._prefixes)) < len(self._prefixes):
            problems.append(
                "Two dialogues would have the same id: two openings are equal, or names that contain / form the "
                "same path."
            )
        if not problems and len(self._prefixes) * self.n > MAX_DIALOGUES:
            problems.append(f"That is {len(self._prefixes) * self.n:,} dialogues; the limit is {MAX_DIALOGUES:,}.")
        if problems:
            raise UsageError("\n".join(problems))

    @cached_property
    def _cells(self) -> list[Cell]:
        return list(product(self.agents, self.users, self.openings or (None,)))

    @cached_property
    def _prefixes(self) -> list[str]:
        return ["/".join([agent, users, *([start.name] if start else [])]) for agent, users, start in self._cells]

    def __len__(self) -> int:
        return len(self._cells) * self.n

    @overload
    def __getitem__(self, place: int) -> Task: ...
    @overload
    def __getitem__(self, place: slice) -> list[Task]: ...
    def __getitem__(self, place: int | slice) -> Task | list[Task]:
        """The task at an index, or those of a slice."""
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        cell, number = divmod(range(len(self))[place], self.n)
        agent, users, opening = self._cells[cell]
        name = f"{self._prefixes[cell]}/{number + 1}"
        return Task(name, agent, users, number + 1, self.seed, opening)

    def pair_at(self, place: int) -> Pair:
        """Agent and users of the task at an index."""
        return self._cells[place // self.n][:2]

    def __iter__(self) -> Iterator[Task]:
        return map(self.__getitem__, range(len(self)))

    def ids(self) -> Iterator[str]:
        """Iterate over the ids without computing seeds."""
        return (f"{prefix}/{number}" for prefix in self._prefixes for number in range(1, self.n + 1))

    def to_json(self) -> dict[str, JsonValue]:
        """Settings that determine its dialogues, as plain JSON values: everything but ``n``, so that it can grow."""
        whole: dict[str, JsonValue] = {"agents": list(self.agents), "users": list(self.users), "seed": self.seed}
        if self.openings:
            whole["openings"] = {start.name: _digest(start.utterances) for start in self.openings}
        return whole


def _names(what: str, names: Sequence[str]) -> list[str]:
    if not names:
        return [f"A plan needs at least one {what} name; given: none."]
    twice = sorted({name for name in names if names.count(name) > 1})
    problems = [f"The {what} name {name!r} is given twice; every dialogue needs its own id." for name in twice]
    return problems + [f"One {what} name is empty or blank." for name in names if not name.strip()]


def _digest(utterances: Sequence[Utterance]) -> str:
    """Short hash of the history."""
    lines = "\n".join(map(to_line, utterances))
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:12]

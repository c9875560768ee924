"""Workers that run dialogues, in this process or in others; each creates its agents and users once.

A ``Workshop`` runs tasks one after another, or several at once in threads if an agent is waited for. ``Workers`` take
chunks of tasks and return futures of ledger lines, so that the single writer only writes.
"""

import contextlib
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, cast

from trialogue.agents.base import Agent
from trialogue.records import Dialogue, Ending, Need, Role
from trialogue.simulation.batch.ledger import line_of
from trialogue.simulation.batch.plan import Task
from trialogue.simulation.dialogue import MAX_TURNS, Talk, converse
from trialogue.simulation.source import source_of_users
from trialogue.simulation.users.kinds import World
from trialogue.simulation.users.needs import resolve_mentions

SIGNATURE = "user_signature"
"""Where the ``meta`` of a dialogue holds the signature of users that have one (``kinds.Signed``)."""


class Ended(NamedTuple):
    """One dialogue that is over."""

    id: str
    """Its id."""
    ended_by: Ending | None
    """Why it ended."""
    line: bytes
    """Its line in ledger and export."""


class Chunk(NamedTuple):
    """What came out of some tasks."""

    ended: list[Ended]
    """The dialogues, in the order of the tasks."""
    seconds: float
    """What they took together."""


@dataclass(frozen=True)
class Conversing:
    """How a task becomes a dialogue: a new user of those that were made talks to the agent (``talk.converse``)."""

    max_turns: int = MAX_TURNS
    """User utterances after which it is over."""
    timed: bool = False
    """Whether to write down how long the agent takes; then no two runs are the same."""
    role: Role = Role.SYSTEM
    """Whether the agents are evaluated, or baselines."""

    def __call__(self, agent: Agent, users: Any, task: Task) -> Dialogue:
        """The dialogue of a task. Its user is the same person with every agent; its source is the users' name."""
        user = users.new(task.case, seed=task.run_seed)
        talk = converse(
            agent,
            user,
            task.id,
            seed=task.agent_seed,
            max_turns=self.max_turns,
            history=task.history,
            timed=self.timed,
        )
        talk, need = with_need(talk, user, users)
        signature = getattr(users, "signature", None)
        return talk.as_dialogue(
            task.id,
            system=task.agent,
            user=task.person,
            source=source_of_users(task.users),
            role=self.role,
            need=need,
            meta={} if signature is None else {SIGNATURE: str(signature)},
        )


def with_need(talk: Talk, user: object, users: object) -> tuple[Talk, Need | None]:
    """What was said, with the items of the catalogue that were named in it; and what the user was after.

    Users without a need of their own leave it as it is; users without a world leave out which items were named.
    """
    need, world = getattr(user, "need", None), getattr(users, "world", None)  # a protocol's isinstance takes 50 µs
    if not isinstance(need, Need):
        return talk, None
    if not isinstance(world, World):
        return talk, need
    said, need = resolve_mentions(talk.utterances, need, world.catalogue, world.linker)
    return replace(talk, utterances=said), need


Talking = Callable[[Agent, Any, Task], Dialogue]
"""(agent, users, task) to a dialogue, whose id is the task's."""


@dataclass(frozen=True)
class Recipe:
    """What a process needs in order to hold dialogues; goes to other processes by pickling."""

    make_agent: Callable[[str], Agent]
    """An agent by its name in the plan."""
    make_users: Callable[[str], Any]
    """Users by their name in the plan: whatever ``talk`` makes one user of."""
    talk: Talking
    """How a task becomes a dialogue."""

    def pickle(self) -> bytes:
        """As bytes, functions of a notebook or a script included (by cloudpickle), and where its modules are found."""
        import cloudpickle

        return pickle.dumps((sys.path, cloudpickle.dumps(self)))

    @staticmethod
    def unpickle(data: bytes) -> "Recipe":
        """From bytes that ``pickle`` gave, in a process that then finds the same modules."""
        path, recipe = pickle.loads(data)
        sys.path.extend(folder for folder in path if folder not in sys.path)
        return cast("Recipe", pickle.loads(recipe))


class Workshop:
    """Agents and users of one process, made when first needed, or before, and kept; threads may share it."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._agents: dict[str, Agent] = {}
        self._users: dict[str, Any] = {}
        self._lock = threading.Lock()

    def agent(self, name: str) -> Agent:
        """The agent of that name."""
        with self._lock:
            if name not in self._agents:
                self._agents[name] = self._recipe.make_agent(name)
            return self._agents[name]

    def prepare(self, tasks: Iterable[Task]) -> None:
        """Make the agents and users of tasks, so that one that cannot be made is reported before hours of dialogues."""
        for task in tasks:
            self.agent(task.agent)
            self._users_of(task.users)

    def hold(self, task: Task) -> Ended:
        """Hold one dialogue."""
        agent = self._agents.get(task.agent) or self.agent(task.agent)
        users = self._users.get(task.users) or self._users_of(task.users)
        dialogue = self._recipe.talk(agent, users, task)
        if dialogue.id != task.id:
            raise ValueError(f"the dialogue of task {task.id} has the id {dialogue.id}")
        return Ended(task.id, dialogue.ended_by, line_of(dialogue))

    def hold_all(self, tasks: Sequence[Task], *, threads: int = 1) -> Chunk:
        """Hold some dialogues, as many at the same time as there are to be threads."""
        start = time.perf_counter()
        if min(threads, len(tasks)) <= 1:
            ended = [self.hold(task) for task in tasks]
        else:
            with ThreadPoolExecutor(max_workers=min(threads, len(tasks))) as pool:
                ended = list(pool.map(self.hold, tasks))
        return Chunk(ended, time.perf_counter() - start)

    def close(self) -> None:
        """Close the agents, and those users that hold something."""
        for agent in self._agents.values():
            agent.close()
        for users in self._users.values():
            if callable(close := getattr(users, "close", None)):
                close()
        self._agents.clear()
        self._users.clear()

    def _users_of(self, name: str) -> Any:
        with self._lock:
            if name not in self._users:
                self._users[name] = self._recipe.make_users(name)
            return self._users[name]


class Workers(Protocol):
    """Some processes, or this one."""

    threads: int
    """Dialogues that one chunk holds at the same time, where the agent bears so many."""

    def width(self) -> int:
        """How many chunks can be held at the same time."""
        ...

    def submit(self, tasks: Sequence[Task], *, threads: int) -> "Future[Chunk]":
        """Begin to hold a chunk. A future that fails with what ``is_lost`` knows died with its process."""
        ...

    def sessions_at_once(self, agent: str) -> int | None:
        """How many sessions the agent bears; makes it, in a worker."""
        ...

    def is_lost(self, error: BaseException) -> bool:
        """Whether an error of a future or of ``submit`` means that a process was lost, and not that something is wrong."""
        ...

    def restore(self) -> None:
        """Have new processes for those that were lost."""
        ...

    def close(self, *, at_once: bool = False) -> None:
        """End; ``at_once`` without waiting for what is being held."""
        ...


class Here:
    """Threads of this process, each with a chunk of its own, which they hold one by one."""

    threads = 1

    def __init__(self, recipe: Recipe, *, at_once: int) -> None:
        self._workshop = Workshop(recipe)
        self._at_once = at_once
        self._pool = ThreadPoolExecutor(max_workers=at_once)

    def width(self) -> int:
        """The number of threads."""
        return self._at_once

    def submit(self, tasks: Sequence[Task], *, threads: int) -> "Future[Chunk]":
        """Begin to hold a chunk."""
        return self._pool.submit(self._workshop.hold_all, tasks, threads=threads)

    def sessions_at_once(self, agent: str) -> int | None:
        """How many sessions the agent bears."""
        return self._workshop.agent(agent).sessions_at_once

    def is_lost(self, error: BaseException) -> bool:
        """Never: this process is the one that asks."""
        return False

    def restore(self) -> None:
        """Nothing is ever lost."""

    def close(self, *, at_once: bool = False) -> None:
        """End, and close the agents."""
        self._pool.shutdown(wait=not at_once, cancel_futures=True)
        self._workshop.close()


@contextlib.contextmanager
def closing_workers(workers: Workers) -> Iterator[Workers]:
    """The workers, ended when the block ends; at once if it ends badly."""
    try:
        yield workers
    except BaseException:
        workers.close(at_once=True)
        raise
    workers.close()

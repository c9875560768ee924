"""Workers that run dialogues, in this process or in others; each creates its agents and users once.

A ``WorkerContext`` runs tasks one after another, or several at once in threads if an agent is waited for. ``Workers`` take
chunks of tasks and return futures of ledger lines, so that the single writer only writes.

Circuit breaker of a batch: when dialogues fail one after another for one cause, no more of their kind are started.

An agent that cannot be reached, a refused key or a rate limit that persists fails every dialogue alike. The remaining
dialogues of that agent with those users are not started, so that the same command can run them later.
"""

import contextlib
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast

from trialogue.agents.base import Agent
from trialogue.errors import TrialogueError
from trialogue.llm.usage import DialogueSpend, LimitReached, dialogue_spend
from trialogue.records import Dialogue, Ending, Fault, Need, Role
from trialogue.records.files.jsonl import line_of, parse_line
from trialogue.records.kinds.endings import FAILURES
from trialogue.simulation.batch.plan import Pair, Task
from trialogue.simulation.dialogue import MAX_TURNS, Transcript, converse
from trialogue.simulation.source import source_of_users
from trialogue.simulation.users.needs import resolve_mentions
from trialogue.simulation.users.world import World

SIGNATURE = "user_signature"
"""Key in a dialogue's ``meta`` for the users' signature (``kinds.HasSignature``)."""


class FinishedDialogue(NamedTuple):
    """One finished dialogue."""

    id: str
    ended_by: Ending | None
    """Why it ended."""
    line: bytes
    """Its line in ledger and export."""
    agent: str
    """Name of the agent."""
    users: str
    """Name of the users."""
    spend: DialogueSpend
    """What it took of language models."""
    halt: LimitReached | None = None
    """Why it did not end: a limit on language models was reached. It is run again later."""


class Chunk(NamedTuple):
    """Results of several tasks."""

    ended: list[FinishedDialogue]
    """The dialogues, in the order of the tasks."""
    seconds: float
    """Total duration in seconds."""


@dataclass(frozen=True)
class DialogueRunner:
    """Runs a task: a new user talks to the agent (``dialogue.converse``)."""

    max_turns: int = MAX_TURNS
    """User utterances after which it is over."""
    timed: bool = False
    """Whether to write down how long the agent takes; then no two runs are the same."""
    role: Role = Role.SYSTEM
    """Whether the agents are evaluated, or baselines."""

    def __call__(self, agent: Agent, users: Any, task: Task) -> Dialogue:
        """Run a task. Its user is the same person with every agent; its source is the users' name."""
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


def with_need(talk: Transcript, user: object, users: object) -> tuple[Transcript, Need | None]:
    """Utterances with mentions resolved to catalogue items, and the user's need.

    Users without a need of their own leave it as it is; users without a world leave out which items were named.
    """
    need, world = getattr(user, "need", None), getattr(users, "world", None)  # a protocol's isinstance takes 50 µs
    if not isinstance(need, Need):
        return talk, None
    if not isinstance(world, World):
        return talk, need
    said, need = resolve_mentions(talk.utterances, need, world.catalogue, world.linker)
    return Transcript(said, talk.ended_by, talk.detail, talk.retries, talk.trace), need


Talking = Callable[[Agent, Any, Task], Dialogue]
"""(agent, users, task) to a dialogue, whose id is the task's."""


@dataclass(frozen=True)
class WorkerSpec:
    """Everything a process needs to run dialogues; sent to other processes by pickling."""

    make_agent: Callable[[str], Agent]
    """An agent by its name in the plan."""
    make_users: Callable[[str], Any]
    """Users by their name in the plan: whatever ``talk`` makes one user of."""
    talk: Talking
    """Function that runs a task."""

    def pickle(self) -> bytes:
        """Serialise, including functions of a notebook or a script (by cloudpickle) and the module search path."""
        import cloudpickle

        return pickle.dumps((sys.path, cloudpickle.dumps(self)))

    @staticmethod
    def unpickle(data: bytes) -> "WorkerSpec":
        """Inverse of ``pickle``, in a process that then finds the same modules."""
        path, spec = pickle.loads(data)
        sys.path.extend(folder for folder in path if folder not in sys.path)
        return cast("WorkerSpec", pickle.loads(spec))


class WorkerContext:
    """Agents and users of one process, created on demand or in advance and kept; thread-safe."""

    def __init__(self, spec: WorkerSpec) -> None:
        self._spec = spec
        self._agents: dict[str, Agent] = {}
        self._users: dict[str, Any] = {}
        self._lock = threading.Lock()

    def agent(self, name: str) -> Agent:
        """Get or create an agent by name."""
        with self._lock:
            if name not in self._agents:
                self._agents[name] = self._spec.make_agent(name)
            return self._agents[name]

    def prepare(self, tasks: Iterable[Task]) -> None:
        """Create the agents and users of tasks, so that failures are reported before hours of dialogues."""
        for task in tasks:
            self.agent(task.agent)
            self._users_of(task.users)

    def run(self, task: Task) -> FinishedDialogue:
        """Run one dialogue."""
        # Looked up without the lock first: they exist for all tasks but the first, and threads need not wait.
        agent = self._agents.get(task.agent) or self.agent(task.agent)
        users = self._users.get(task.users) or self._users_of(task.users)
        with dialogue_spend() as spend:
            try:
                dialogue = self._spec.talk(agent, users, task)
            except LimitReached as limit:
                return FinishedDialogue(task.id, None, b"", task.agent, task.users, spend, halt=limit)
        if dialogue.id != task.id:
            raise ValueError(f"the dialogue of task {task.id} has the id {dialogue.id}")
        return FinishedDialogue(task.id, dialogue.ended_by, line_of(dialogue), task.agent, task.users, spend)

    def run_all(self, tasks: Sequence[Task], *, threads: int = 1) -> Chunk:
        """Run dialogues, concurrently in the given number of threads."""
        start = time.perf_counter()
        if min(threads, len(tasks)) <= 1:
            ended = [self.run(task) for task in tasks]
        else:
            with ThreadPoolExecutor(max_workers=min(threads, len(tasks))) as pool:
                ended = list(pool.map(self.run, tasks))
        return Chunk(ended, time.perf_counter() - start)

    def close(self) -> None:
        """Close the agents, and users with resources."""
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
                self._users[name] = self._spec.make_users(name)
            return self._users[name]


class Workers(Protocol):
    """Interface of workers: several processes, or this one."""

    threads: int
    """Dialogues that one chunk holds at the same time, where the agent bears so many."""

    def capacity(self) -> int:
        """Number of chunks that can run concurrently, at least 1."""
        ...

    def submit(self, tasks: Sequence[Task], *, threads: int) -> "Future[Chunk]":
        """Start a chunk. If its future fails, ``raise_unless_lost`` tells whether its process died."""
        ...

    def max_sessions(self, agent: str) -> int | None:
        """Maximum number of the agent's concurrent sessions; creates the agent in a worker."""
        ...

    def raise_unless_lost(self, error: Exception) -> None:
        """Raise an error of a future or of ``submit``, unless it means that a process was lost."""
        ...

    def restore(self) -> None:
        """Replace lost processes."""
        ...

    def close(self, *, force: bool = False) -> None:
        """Shut down; with ``force``, without waiting for running tasks."""
        ...


class LocalWorkers:
    """Threads of this process, each running one chunk sequentially."""

    threads = 1

    def __init__(self, spec: WorkerSpec, *, at_once: int) -> None:
        self._context = WorkerContext(spec)
        self._at_once = at_once
        self._pool = ThreadPoolExecutor(max_workers=at_once)

    def capacity(self) -> int:
        """Number of threads."""
        return self._at_once

    def submit(self, tasks: Sequence[Task], *, threads: int) -> "Future[Chunk]":
        """Start a chunk."""
        return self._pool.submit(self._context.run_all, tasks, threads=threads)

    def max_sessions(self, agent: str) -> int | None:
        """Maximum number of the agent's concurrent sessions."""
        return self._context.agent(agent).sessions_at_once

    def raise_unless_lost(self, error: Exception) -> None:
        """Raise the error: this process cannot be lost."""
        raise error

    def restore(self) -> None:
        """Do nothing."""

    def close(self, *, force: bool = False) -> None:
        """Shut down, and close the agents."""
        self._pool.shutdown(wait=not force, cancel_futures=True)
        self._context.close()


@contextlib.contextmanager
def closing_workers(workers: Workers) -> Iterator[Workers]:
    """Context manager that shuts the workers down, immediately after an error."""
    try:
        yield workers
    except BaseException:
        workers.close(force=True)
        raise
    workers.close()


STOP_AFTER = (
    10  # by chance, ten in a row happen once in 10^10 with one failure in ten, once in a thousand with every second
)

EXTERNAL = frozenset({Ending.AGENT_UNREACHABLE, *(ending for ending in FAILURES if ending.fault is not Fault.AGENT)})
"""Failures that say nothing about the agent's replies. On request they are run again; a row of them opens the breaker."""


@dataclass(frozen=True)
class Outage:
    """An agent whose dialogues with some users all failed for one cause, in a row."""

    agent: str
    users: str
    """Name of the users."""
    ending: Ending
    """How the dialogues ended."""
    count: int
    """How many in a row."""
    detail: str
    """Cause, in the last of them."""

    def __str__(self) -> str:
        """In one line, such as ``agent 'mine' with cir6-pkg: 10 dialogues in a row ended by a rate limit (...)``."""
        detail = f" ({' '.join(self.detail.split())[:300]})" if self.detail else ""
        what = f"{self.count} dialogues in a row ended by {self.ending.words}{detail}"
        return f"agent {self.agent!r} with {self.users}: {what}"


class Halted(TrialogueError):  # noqa: N818 - a state of the batch, which the user resumes
    """Dialogues were not started because those before them failed in a row."""

    def __init__(self, outages: Sequence[Outage], *, kept: int, total: int, ledger: str) -> None:
        self.outages, self.kept, self.total, self.ledger = tuple(outages), kept, total, ledger
        causes = "; ".join(map(str, outages))
        super().__init__(
            f"Stopped early: {causes}. {kept:,} of {total:,} dialogues are kept in {ledger}. Remove the cause, then run the "
            "same command again with --retry-failed (retry_failed: true) to resume and to repeat the failed dialogues."
        )


class Breaker:
    """Watches dialogues as they end, and says which agents and users are to start no more.

    Only ``EXTERNAL`` failures open it: an agent that fails by itself in every dialogue is a result.
    """

    def __init__(self, stop_after: int) -> None:
        """``stop_after``: failures in a row; 0: never."""
        self._stop_after = stop_after
        self._rows: dict[Pair, tuple[Ending, int]] = {}
        self._outages: dict[Pair, Outage] = {}

    def take(self, ended: FinishedDialogue) -> None:
        """One dialogue is over."""
        pair, ending = (ended.agent, ended.users), ended.ended_by
        if ending is None or not ending.is_failure:
            self._rows.pop(pair, None)
            return
        before, count = self._rows.get(pair, (ending, 0))
        count = count + 1 if before is ending else 1
        self._rows[pair] = (ending, count)
        if self._stop_after and ending in EXTERNAL and count >= self._stop_after and pair not in self._outages:
            detail = parse_line(ended.line.decode("utf-8", "surrogatepass"), {Dialogue.kind: Dialogue}).ending_detail
            self._outages[pair] = Outage(*pair, ending, count, detail or "")

    def is_open(self, pair: Pair) -> bool:
        """Whether no more dialogues of this agent with these users are to be started."""
        return pair in self._outages

    @property
    def outages(self) -> tuple[Outage, ...]:
        """What opened it, in order."""
        return tuple(self._outages.values())

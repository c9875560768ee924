"""Dispatch the tasks of a plan to workers in chunks, collect the results, and retry tasks lost with a process.

A chunk holds tasks of one agent, to respect its limit of open sessions, and about a quarter of a second of work.
Tasks of a process that died are repeated; a task that this happens to twice is run alone, to identify the cause.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from math import ceil
from queue import SimpleQueue

from trialogue.errors import TrialogueError
from trialogue.llm.usage import DialogueSpend
from trialogue.records import Dialogue, Ending
from trialogue.records.files.jsonl import line_of
from trialogue.simulation.batch.plan import Pair, Plan, Task
from trialogue.simulation.batch.workers import Chunk, FinishedDialogue, Workers
from trialogue.simulation.source import source_of_users

SUSPECT = 2  # so often lost among others, a task is done alone: once is an accident, which must not slow down the rest
TRIES = 3  # so often lost while alone, it is recorded as lost
FRUITLESS = 10  # so often started anew without a dialogue coming out, processes are given up
CHUNK_S = 0.25  # short enough to lose, long enough that handing it over costs nothing
LONGEST_CHUNK = 200  # dialogues
IN_HAND = 2  # chunks for each process: one it works at, and one so that it need not wait
EACH_THREAD = 4  # the least dialogues for each thread of a chunk, so that few of them wait for the slowest

Take = Callable[[FinishedDialogue], None]


@dataclass(frozen=True)
class _RunningChunk:
    """A chunk that workers have."""

    agent: str
    places: Sequence[int]
    sessions: int
    alone: bool


class Dispatch:
    """Runs the missing tasks of a plan."""

    def __init__(
        self, plan: Plan, missing: Sequence[int], workers: Workers, take: Take, *, skips: Callable[[Pair], bool]
    ) -> None:
        """Prepare to run.

        Args:
            plan: the plan.
            missing: places in it that are to be done.
            workers: who does them.
            take: given each dialogue that ended, in this thread.
            skips: whether no more dialogues of an agent with its users are to be started.
        """
        self._plan, self._workers, self._take, self._skips = plan, workers, take, skips
        self._queues: dict[str, deque[int]] = {}
        self._agent_of = [agent for agent in plan.agents for _ in range(len(plan) // len(plan.agents))]
        for place in missing:
            self._queues.setdefault(self._agent_of[place], deque()).append(place)
        self._limits: dict[str, int | None] = {}
        self._pace: dict[str, float] = {}
        self._flights: dict[Future[Chunk], _RunningChunk] = {}
        self._landed: SimpleQueue[Future[Chunk]] = SimpleQueue()
        self._losses: Counter[int] = Counter()
        self._suspects: deque[int] = deque()
        self._broken, self._fruitless = False, 0

    def run(self) -> None:
        """Run until every task has ended.

        Raises:
            TrialogueError: processes die however often they are started.
            Exception: what agents' or users' code raises.
        """
        self._limits = {agent: self._limit(agent) for agent in self._queues}
        while True:
            self._fill()
            if not self._flights:
                return
            self._settle(self._landed.get())

    def _limit(self, agent: str) -> int | None:
        while True:
            try:
                return self._workers.max_sessions(agent)
            except Exception as error:  # noqa: BLE001 - raised again unless it is the loss of a process
                self._workers.raise_unless_lost(error)
                self._restore(f" It was creating the agent {agent!r}.")

    def _fill(self) -> None:
        """Submit tasks while there are tasks and the workers have capacity."""
        if self._broken and not self._flights:
            self._restore()
        if self._suspects:
            if not self._flights:
                self._submit([self._suspects.popleft()], alone=True)
            return
        while not self._broken and len(self._flights) < IN_HAND * self._workers.capacity():
            places = self._next_chunk()
            if not places:
                break
            self._submit(places)
        if self._broken and not self._flights:
            self._fill()

    def _next_chunk(self) -> list[int]:
        """The places of the next chunk: of the agent with the fewest sessions open among those that bear more."""
        self._drop_skipped()
        open_now: Counter[str] = Counter()
        for flight in self._flights.values():
            open_now[flight.agent] += flight.sessions
        free = [agent for agent, queue in self._queues.items() if queue and self._bears_more(agent, open_now[agent])]
        if not free:
            return []
        agent = min(free, key=lambda name: open_now[name])
        queue = self._queues[agent]
        return [queue.popleft() for _ in range(min(self._size(agent), len(queue)))]

    def _drop_skipped(self) -> None:
        """Remove the next places of which no more are to be started; those behind them are looked at in their turn."""
        for queue in self._queues.values():
            while queue and self._skips(self._plan.pair_at(queue[0])):
                queue.popleft()

    def _sessions(self, agent: str) -> int:
        """Sessions that one chunk has open."""
        return min(self._workers.threads, self._limits[agent] or self._workers.threads)

    def _bears_more(self, agent: str, open_now: int) -> bool:
        limit = self._limits[agent]
        return limit is None or open_now + self._sessions(agent) <= limit or open_now == 0

    def _size(self, agent: str) -> int:
        """Tasks of the next chunk: by the pace of the last ones; fewer towards the end, so that all finish together."""
        sessions = self._sessions(agent)
        least = 1 if sessions == 1 else EACH_THREAD * sessions
        if agent not in self._pace:
            return least
        share = ceil(len(self._queues[agent]) / (IN_HAND * self._workers.capacity()))
        return max(least, min(int(CHUNK_S / self._pace[agent]), share, LONGEST_CHUNK))

    def _submit(self, places: Sequence[int], *, alone: bool = False) -> None:
        agent = self._agent_of[places[0]]
        tasks = [self._plan[place] for place in places]
        sessions = self._sessions(agent)
        try:
            future = self._workers.submit(tasks, threads=sessions)
        except Exception as error:  # noqa: BLE001 - raised again unless it is the loss of a process
            self._workers.raise_unless_lost(error)
            self._broken = True
            if alone:
                self._suspects.appendleft(places[0])
            else:
                # Back to the front and in order: what comes out does not depend on which process was lost when.
                self._queues[agent].extendleft(reversed(places))
            return
        self._flights[future] = _RunningChunk(agent, places, sessions, alone)
        future.add_done_callback(self._landed.put)

    def _settle(self, future: Future[Chunk]) -> None:
        """Record the results of a chunk."""
        flight = self._flights.pop(future)
        try:
            chunk = future.result()
        except Exception as error:  # noqa: BLE001 - raised again unless it is the loss of a process
            self._workers.raise_unless_lost(error)
            self._retry(flight)
            return
        self._fruitless = 0
        # Not zero: the pace is divided by, and a clock may not move during a chunk of replayed dialogues.
        pace = max(chunk.seconds / len(flight.places), 1e-6)
        self._pace[flight.agent] = (self._pace.get(flight.agent, pace) + pace) / 2
        for ended in chunk.ended:
            self._take(ended)

    def _retry(self, flight: _RunningChunk) -> None:
        """Resubmit lost tasks, or record them as lost."""
        self._broken = True
        self._losses.update(flight.places)
        if flight.alone:
            self._fruitless = 0  # a culprit is found, or about to be
            (place,) = flight.places
            if self._losses[place] >= SUSPECT + TRIES:
                self._take(_lost_record(self._plan[place]))
            else:
                self._suspects.appendleft(place)
            return
        # A process takes its whole chunk with it. What was in several that died runs alone from now on, so that the culprit
        # is found without costing the others their turns.
        suspects = [place for place in flight.places if self._losses[place] >= SUSPECT]
        self._suspects.extend(suspects)
        rest = [place for place in flight.places if self._losses[place] < SUSPECT]
        self._queues[flight.agent].extendleft(reversed(rest))

    def _restore(self, doing: str = "") -> None:
        self._fruitless += 1
        if self._fruitless > FRUITLESS:
            raise TrialogueError(
                f"Worker processes died {FRUITLESS} times in a row before a dialogue finished.{doing} Is there "
                "enough memory? Does it work with one process? All finished dialogues are in the ledger; run the "
                "same command again to resume."
            )
        self._workers.restore()
        self._broken = False


def _lost_record(task: Task) -> FinishedDialogue:
    """Record of a dialogue whose workers all died."""
    why = f"its process died in each of {TRIES} attempts, while running nothing else"
    dialogue = Dialogue(
        id=task.id,
        utterances=task.history,
        system=task.agent,
        user=task.person,
        source=source_of_users(task.users),
        ended_by=Ending.LOST,
        ending_detail=why,
    )
    return FinishedDialogue(task.id, Ending.LOST, line_of(dialogue), task.agent, task.users, DialogueSpend())

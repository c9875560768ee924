"""Worker processes on this machine (loky's), reusable by several batches in succession.

A process takes a second to start and to import what dialogues need, so a simulation and its baselines share them. Each
process makes the agents and users of a batch when it gets the first task of it.
"""

import multiprocessing.util
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, cast

from trialogue.simulation.batch.plan import Task
from trialogue.simulation.batch.workers import Chunk, Recipe, WorkerContext

PARENT_CHECK_S = 1.0  # how soon a worker notices that the process it works for is gone


class ProcessPool:
    """Processes that start with the first task, and know what the batches need; a context manager, which ends them."""

    def __init__(self, recipes: Sequence[Recipe], *, jobs: int) -> None:
        """Create the pool; processes start later.

        Args:
            recipes: of the batches that will use it.
            jobs: how many processes.
        """
        self.jobs = jobs
        self._recipes = list(recipes)
        self._pickled = [recipe.pickle() for recipe in recipes]
        self._executor: Any = None

    def __enter__(self) -> "ProcessPool":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(at_once=kind is not None)

    def place_of(self, recipe: Recipe) -> int:
        """Index of a recipe; ValueError if the pool does not know it."""
        return self._recipes.index(recipe)

    def submit(self, function: Any, *arguments: Any) -> "Future[Any]":
        """Have a process call a function."""
        if self._executor is None:
            self._executor = self._start()
        return cast("Future[Any]", self._executor.submit(function, *arguments))

    def close(self, *, at_once: bool = False) -> None:
        """End the processes; others start with the next task."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=at_once)

    def _start(self) -> Any:
        from loky import ProcessPoolExecutor

        # One thread of numerics each: the processes are as many as somebody wants to be busy.
        env = {name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        return ProcessPoolExecutor(self.jobs, initializer=_begin, initargs=(self._pickled, os.getpid()), env=env)


class Processes:
    """Processes on this machine (loky's), started by spawning, so that the same code works on every platform."""

    def __init__(self, pool: ProcessPool, recipe: Recipe, *, at_once: int = 1) -> None:
        self._pool, self._place, self.threads = pool, pool.place_of(recipe), at_once

    def width(self) -> int:
        """Number of processes."""
        return self._pool.jobs

    def submit(self, tasks: Sequence[Task], *, threads: int) -> "Future[Chunk]":
        """Start a chunk."""
        return self._pool.submit(_hold_all, self._place, tasks, threads)

    def sessions_at_once(self, agent: str) -> int | None:
        """Maximum number of the agent's concurrent sessions; creates the agent in a worker."""
        return cast("int | None", self._pool.submit(_sessions_at_once, self._place, agent).result())

    def is_lost(self, error: BaseException) -> bool:
        """Whether a process died."""
        from loky.process_executor import BrokenProcessPool, ShutdownExecutorError

        return isinstance(error, BrokenProcessPool | ShutdownExecutorError)

    def restore(self) -> None:
        """Restart all processes."""
        self._pool.close(at_once=True)

    def close(self, *, at_once: bool = False) -> None:
        """Shut down."""
        if at_once:
            self._pool.close(at_once=True)


_workshops: dict[int, WorkerContext] = {}
"""Workshops of a worker process by the place of their recipe in ``_recipes``, filled when they are needed."""
_recipes: list[bytes] = []
_making = threading.Lock()


def _begin(recipes: list[bytes], parent: int) -> None:
    """Initialise a worker process. It cannot fail: foreign code is loaded at the first task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; the parent decides
    _recipes[:] = recipes
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    """End with the parent, which may be killed without a word."""
    alone = threading.Event()
    while os.getppid() == parent:
        alone.wait(PARENT_CHECK_S)
    os._exit(1)


def _workshop(place: int) -> WorkerContext:
    with _making:
        if place not in _workshops:
            _workshops[place] = WorkerContext(Recipe.unpickle(_recipes[place]))
            multiprocessing.util.Finalize(None, _workshops[place].close, exitpriority=10)
        return _workshops[place]


def _hold_all(place: int, tasks: Sequence[Task], threads: int) -> Chunk:
    return _workshop(place).hold_all(tasks, threads=threads)


def _sessions_at_once(place: int, agent: str) -> int | None:
    return _workshop(place).agent(agent).sessions_at_once

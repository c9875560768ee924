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
from trialogue.simulation.batch.workers import Chunk, WorkerContext, WorkerSpec

PARENT_CHECK_S = 1.0  # how soon a worker notices that the process it works for is gone


class ProcessPool:
    """Processes that start with the first task, and know what the batches need; a context manager, which ends them."""

    def __init__(self, specs: Sequence[WorkerSpec], *, jobs: int) -> None:
        """Create the pool; processes start later.

        Args:
            specs: what each batch needs that will use the pool.
            jobs: how many processes.
        """
        self.jobs = jobs
        self._specs = list(specs)
        self._pickled = [spec.pickle() for spec in specs]
        self._executor: Any = None

    def __enter__(self) -> "ProcessPool":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(force=kind is not None)

    def place_of(self, spec: WorkerSpec) -> int:
        """Index of a batch's spec; ValueError if the pool does not know it."""
        return self._specs.index(spec)

    def submit(self, function: Any, *arguments: Any) -> "Future[Any]":
        """Have a process call a function."""
        if self._executor is None:
            self._executor = self._start()
        return cast("Future[Any]", self._executor.submit(function, *arguments))

    def close(self, *, force: bool = False) -> None:
        """End the processes; others start with the next task."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, kill_workers=force)

    def _start(self) -> Any:
        from loky import ProcessPoolExecutor

        # One thread of numerics each: the processes are as many as somebody wants to be busy.
        env = {name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        return ProcessPoolExecutor(self.jobs, initializer=_initialise, initargs=(self._pickled, os.getpid()), env=env)


class Processes:
    """Processes on this machine (loky's), started by spawning, so that the same code works on every platform."""

    def __init__(self, pool: ProcessPool, spec: WorkerSpec, *, at_once: int = 1) -> None:
        self._pool, self._place, self.threads = pool, pool.place_of(spec), at_once

    def capacity(self) -> int:
        """Number of processes."""
        return self._pool.jobs

    def submit(self, tasks: Sequence[Task], *, threads: int) -> "Future[Chunk]":
        """Start a chunk."""
        return self._pool.submit(_run_all, self._place, tasks, threads)

    def max_sessions(self, agent: str) -> int | None:
        """Maximum number of the agent's concurrent sessions; creates the agent in a worker."""
        return cast("int | None", self._pool.submit(_max_sessions, self._place, agent).result())

    def raise_unless_lost(self, error: Exception) -> None:
        """Raise an error, unless it means that a process died."""
        from loky.process_executor import BrokenProcessPool, ShutdownExecutorError

        if not isinstance(error, BrokenProcessPool | ShutdownExecutorError):
            raise error

    def restore(self) -> None:
        """Restart all processes."""
        self._pool.close(force=True)

    def close(self, *, force: bool = False) -> None:
        """Shut down, with ``force`` immediately; otherwise the pool is left to the next batch."""
        if force:
            self._pool.close(force=True)


_contexts: dict[int, WorkerContext] = {}
"""In a worker process: the context of each batch by the place of its spec in ``_specs``, made at its first task."""
_specs: list[bytes] = []
_contexts_lock = threading.Lock()


def _initialise(specs: list[bytes], parent: int) -> None:
    """Initialise a worker process. It cannot fail: foreign code is loaded at the first task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; the parent decides
    _specs[:] = specs
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    """End with the parent, which may be killed without a word."""
    alone = threading.Event()
    while os.getppid() == parent:
        alone.wait(PARENT_CHECK_S)
    os._exit(1)


def _context(place: int) -> WorkerContext:
    with _contexts_lock:
        if place not in _contexts:
            _contexts[place] = WorkerContext(WorkerSpec.unpickle(_specs[place]))
            multiprocessing.util.Finalize(None, _contexts[place].close, exitpriority=10)
        return _contexts[place]


def _run_all(place: int, tasks: Sequence[Task], threads: int) -> Chunk:
    return _context(place).run_all(tasks, threads=threads)


def _max_sessions(place: int, agent: str) -> int | None:
    return _context(place).agent(agent).sessions_at_once

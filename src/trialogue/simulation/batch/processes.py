"""Workers in other processes: on this machine (loky's), reusable by several batches, or on a Dask cluster.

A process takes a second to start and to import what dialogues need, so a simulation and its baselines share them. Each
process makes the agents and users of a batch when it gets the first task of it, by the batch's token. The packages of agents
and users must be installed on the workers of a cluster, where only tasks that repeatedly kill their workers are returned,
and are handled as in any batch.
"""

import multiprocessing.util
import os
import signal
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any, cast
from uuid import uuid4

from trialogue.dask_cluster import CONNECT_TIMEOUT_S, LOCAL, DaskCluster
from trialogue.simulation.batch.plan import Task
from trialogue.simulation.batch.workers import Chunk, WorkerContext, WorkerSpec

PARENT_CHECK_S = 1.0  # how soon a worker notices that the process it works for is gone
RESUME = "All finished dialogues are in the ledger; start the cluster, then run the same command again to resume."

_specs: dict[str, bytes] = {}
"""In a worker: the pickled spec of each batch, by token."""
_contexts: dict[str, WorkerContext] = {}
"""In a worker: the context of each batch, by token, made at its first task."""
_contexts_lock = threading.Lock()


def _register(specs: Mapping[str, bytes]) -> None:
    _specs.update(specs)


def _unregister(token: str) -> None:
    _specs.pop(token, None)
    context = _contexts.pop(token, None)
    if context is not None:
        context.close()


def _context(token: str) -> WorkerContext:
    with _contexts_lock:
        if token not in _contexts:
            _contexts[token] = WorkerContext(WorkerSpec.unpickle(_specs[token]))
            multiprocessing.util.Finalize(None, _contexts[token].close, exitpriority=10)
        return _contexts[token]


def _run_all(token: str, tasks: Sequence[Task], threads: int) -> Chunk:
    return _context(token).run_all(tasks, threads=threads)


def _max_sessions(token: str, agent: str) -> int | None:
    return _context(token).agent(agent).sessions_at_once


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
        self._pickled = {str(place): spec.pickle() for place, spec in enumerate(specs)}
        self._executor: Any = None

    def __enter__(self) -> "ProcessPool":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(force=kind is not None)

    def token_of(self, spec: WorkerSpec) -> str:
        """Token of a batch's spec; ValueError if the pool does not know it."""
        return str(self._specs.index(spec))

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


def _initialise(specs: Mapping[str, bytes], parent: int) -> None:
    """Initialise a worker process. It cannot fail: foreign code is loaded at the first task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all processes of a terminal; the parent decides
    _register(specs)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: int) -> None:
    """End with the parent, which may be killed without a word."""
    alone = threading.Event()
    while os.getppid() == parent:
        alone.wait(PARENT_CHECK_S)
    os._exit(1)


class _Elsewhere:
    """Workers in other processes, which know a batch by its token."""

    def __init__(self, executor: ProcessPool | DaskCluster, token: str, at_once: int) -> None:
        self._executor, self._token, self.threads = executor, token, at_once

    def submit(self, tasks: Sequence[Task], *, threads: int) -> "Future[Chunk]":
        """Start a chunk."""
        return cast("Future[Chunk]", self._executor.submit(_run_all, self._token, list(tasks), threads))

    def max_sessions(self, agent: str) -> int | None:
        """Maximum number of the agent's concurrent sessions; creates the agent in a worker."""
        return cast("int | None", self._executor.submit(_max_sessions, self._token, agent).result())


class Processes(_Elsewhere):
    """Processes on this machine (loky's), started by spawning, so that the same code works on every platform."""

    def __init__(self, pool: ProcessPool, spec: WorkerSpec, *, at_once: int = 1) -> None:
        super().__init__(pool, pool.token_of(spec), at_once)
        self._pool = pool

    def capacity(self) -> int:
        """Number of processes."""
        return self._pool.jobs

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


class Cluster(_Elsewhere):
    """Workers on a Dask cluster."""

    def __init__(
        self,
        spec: WorkerSpec,
        *,
        address: str = LOCAL,
        jobs: int = 1,
        at_once: int = 1,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
    ) -> None:
        """Connect to a cluster, or start one.

        Args:
            spec: what the workers need.
            address: address of the scheduler, or ``local``.
            jobs: processes of a local cluster.
            at_once: dialogues that one chunk runs concurrently.
            connect_timeout_s: seconds to wait for the scheduler and a first worker.

        Raises:
            MissingExtraError: Dask is not installed.
            UsageError: no scheduler answers there, or it has no workers.
        """
        self._cluster = DaskCluster(
            address, jobs=jobs, purpose="run dialogues on a Dask cluster", connect_timeout_s=connect_timeout_s
        )
        super().__init__(self._cluster, uuid4().hex, at_once)
        try:
            self._cluster.client.register_plugin(_plugin(self._cluster.dask, spec.pickle(), self._token))
        except BaseException:
            self._cluster.close()
            raise

    def capacity(self) -> int:
        """Number of threads of all workers, at least 1."""
        return self._cluster.capacity()

    def raise_unless_lost(self, error: Exception) -> None:
        """Raise an error, unless a worker died more often than Dask tolerates.

        Raises:
            UsageError: the scheduler is gone.
        """
        if not self._cluster.has_killed_workers(error, kept=RESUME):
            raise error

    def restore(self) -> None:
        """Do nothing: nannies and the cluster's manager restart workers."""

    def close(self, *, force: bool = False) -> None:
        """Disconnect, and stop the cluster if it was started here; with ``force``, without closing the agents first."""
        if not force:  # the teardown of the plug-in closes the agents of this batch
            self._cluster.client.unregister_worker_plugin(_name(self._token))
        self._cluster.close()


def _name(token: str) -> str:
    return f"trialogue-{token}"


def _plugin(dask: Any, spec: bytes, token: str) -> Any:
    """Plugin that gives the spec to every worker, including later ones.

    Dask pickles the class by value, with copies of the globals that it names: it may call functions of this module, but a
    dictionary named here would be a copy of its own.
    """

    class Batch(dask.WorkerPlugin):  # type: ignore[misc] # Dask is optional, and its plugins are classes of its own
        name = _name(token)

        def setup(self, worker: Any) -> None:
            _register({token: spec})

        def teardown(self, worker: Any) -> None:
            _unregister(token)

    return Batch()

"""Workers on a Dask cluster (``trialogue.dask_cluster``).

Each worker process creates its agents and users once. Only tasks that repeatedly kill their workers are returned, and are
handled as in any batch. The packages of agents and users must be installed on the workers.
"""

import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, cast
from uuid import uuid4

from trialogue.dask_cluster import CONNECT_TIMEOUT_S, LOCAL, DaskCluster
from trialogue.simulation.batch.plan import Task
from trialogue.simulation.batch.workers import Chunk, WorkerContext, WorkerSpec

RESUME = "All finished dialogues are in the ledger; start the cluster, then run the same command again to resume."


class Cluster:
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
        self.threads = at_once
        self._token = uuid4().hex
        self._cluster = DaskCluster(
            address, jobs=jobs, purpose="run dialogues on a Dask cluster", connect_timeout_s=connect_timeout_s
        )
        try:
            self._cluster.client.register_plugin(_plugin(self._cluster.dask, spec.pickle(), self._token))
        except BaseException:
            self._cluster.close()
            raise

    def capacity(self) -> int:
        """Number of threads of all workers, at least 1."""
        return self._cluster.capacity()

    def submit(self, tasks: Sequence[Task], *, threads: int) -> "Future[Chunk]":
        """Start a chunk."""
        return cast("Future[Chunk]", self._cluster.submit(_run_all, self._token, list(tasks), threads))

    def max_sessions(self, agent: str) -> int | None:
        """Maximum number of the agent's concurrent sessions; creates the agent in a worker."""
        return cast("int | None", self._cluster.submit(_max_sessions, self._token, agent).result())

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
            _register_batch(token, spec)

        def teardown(self, worker: Any) -> None:
            _unregister_batch(token)

    return Batch()


_specs: dict[str, bytes] = {}
"""In a worker: the pickled spec of each running batch, by token."""
_contexts: dict[str, WorkerContext] = {}
"""In a worker: the context of each running batch, by token, made at its first task."""
_contexts_lock = threading.Lock()


def _register_batch(token: str, spec: bytes) -> None:
    _specs[token] = spec


def _unregister_batch(token: str) -> None:
    _specs.pop(token, None)
    context = _contexts.pop(token, None)
    if context is not None:
        context.close()


def _context(token: str) -> WorkerContext:
    with _contexts_lock:
        if token not in _contexts:
            _contexts[token] = WorkerContext(WorkerSpec.unpickle(_specs[token]))
        return _contexts[token]


def _run_all(token: str, tasks: Sequence[Task], threads: int) -> Chunk:
    return _context(token).run_all(tasks, threads=threads)


def _max_sessions(token: str, agent: str) -> int | None:
    return _context(token).agent(agent).sessions_at_once

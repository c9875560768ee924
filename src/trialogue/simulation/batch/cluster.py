"""Workers on a Dask cluster: an existing one (``tcp://host:8786``) or one started on this machine (``local``).

Each worker process creates its agents and users once. A killed worker is restarted by its nanny, and Dask repeats its
tasks; only tasks that repeatedly kill their workers are returned, and are handled as in any batch. Trialogue, in the same
version, and the packages of agents and users must be installed on the workers.
"""

import contextlib
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, cast
from uuid import uuid4

from trialogue.errors import UsageError
from trialogue.extras import need
from trialogue.simulation.batch.plan import Task
from trialogue.simulation.batch.workers import Chunk, WorkerContext, WorkerSpec

LOCAL = "local"
CONNECT_TIMEOUT_S = 60.0  # for the scheduler to answer, and again for a first worker to be there
WORKER_COUNT_TTL_S = 2.0  # clusters grow and shrink, but counting their workers before every chunk takes a request each
CLOSE_TIMEOUT_S = 10.0


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
        """Connect to a cluster, or start one whose sockets are all on the loopback interface.

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
        self._dask = need("distributed", extra="cluster", purpose="run dialogues on a Dask cluster")
        self._token = uuid4().hex
        self._capacity, self._counted_at_s = 1, float("-inf")
        with contextlib.ExitStack() as undo:
            self._local = self._start(jobs) if address == LOCAL else None
            undo.callback(self._close_local)
            self._client = self._connect(address if self._local is None else self._local, connect_timeout_s)
            undo.callback(self._client.close)
            self._client.register_plugin(_plugin(self._dask, spec.pickle(), self._token))
            undo.pop_all()  # nothing failed: the caller closes them

    def capacity(self) -> int:
        """Number of threads of all workers, at least 1."""
        if time.monotonic() - self._counted_at_s > WORKER_COUNT_TTL_S:
            self._capacity = max(1, sum(self._client.ncores().values()))
            self._counted_at_s = time.monotonic()
        return self._capacity

    def submit(self, tasks: Sequence[Task], *, threads: int) -> "Future[Chunk]":
        """Start a chunk. (Dask's futures behave like Python's as far as they are used here.)"""
        return cast("Future[Chunk]", self._client.submit(_run_all, self._token, list(tasks), threads, pure=False))

    def max_sessions(self, agent: str) -> int | None:
        """Maximum number of the agent's concurrent sessions; creates the agent in a worker."""
        return cast("int | None", self._client.submit(_max_sessions, self._token, agent, pure=False).result())

    def raise_unless_lost(self, error: Exception) -> None:
        """Raise an error, unless a worker died more often than Dask tolerates.

        Raises:
            UsageError: the scheduler is gone.
        """
        if isinstance(error, self._dask.client.FutureCancelledError | self._dask.comm.CommClosedError):
            raise UsageError(
                f"The cluster's scheduler is gone, or has dropped this batch ({error}). All finished dialogues "
                "are in the ledger; start the cluster, then run the same command again to resume."
            ) from error
        if not isinstance(error, self._dask.KilledWorker):
            raise error

    def restore(self) -> None:
        """Do nothing: nannies and the cluster's manager restart workers."""

    def close(self, *, force: bool = False) -> None:
        """Disconnect, and stop the cluster if it was started here; with ``force``, without closing the agents first."""
        if not force:  # the teardown of the plug-in closes the agents of this batch
            self._client.unregister_worker_plugin(_name(self._token))
        self._client.close(timeout=CLOSE_TIMEOUT_S)
        self._close_local()

    def _close_local(self) -> None:
        if self._local is not None:
            self._local.close()

    def _start(self, jobs: int) -> Any:
        return self._dask.LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        )

    def _connect(self, address: Any, connect_timeout_s: float) -> Any:
        hint = "It is an address such as tcp://host:8786, as 'dask scheduler' prints it; or 'local'."
        try:
            client = self._dask.Client(address, timeout=connect_timeout_s, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(f"No Dask scheduler answers at {address!r} ({error}). {hint}") from error
        try:
            client.wait_for_workers(1, timeout=connect_timeout_s)
        except TimeoutError as error:
            client.close()
            raise UsageError(
                f"The cluster at {address!r} has no workers. Start some with: dask worker ADDRESS"
            ) from error
        return client


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

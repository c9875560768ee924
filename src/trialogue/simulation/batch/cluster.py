"""Workers on a Dask cluster: an existing one (``tcp://host:8786``) or one started on this machine (``local``).

Each worker process creates its agents and users once. A killed worker is restarted by its nanny, and Dask repeats its
tasks; only tasks that repeatedly kill their workers are returned, and are handled as in any batch. Trialogue, in the same
version, and the packages of agents and users must be installed on the workers.
"""

import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, cast
from uuid import uuid4

from trialogue.errors import UsageError
from trialogue.extras import need
from trialogue.simulation.batch.plan import Task
from trialogue.simulation.batch.workers import Chunk, Recipe, WorkerContext

LOCAL = "local"
PATIENCE_S = 60.0  # how long to wait for a scheduler to answer and for a first worker to be there
COUNT_S = 2.0  # how often workers are counted, as clusters grow and shrink


class Cluster:
    """Workers on a Dask cluster."""

    def __init__(
        self, recipe: Recipe, *, address: str = LOCAL, jobs: int = 1, at_once: int = 1, patience_s: float = PATIENCE_S
    ) -> None:
        """Connect to a cluster, or start one whose sockets are all on the loopback interface.

        Args:
            recipe: what the workers need.
            address: of the scheduler, or ``local``.
            jobs: processes of a local cluster.
            at_once: dialogues that one chunk holds at the same time.
            patience_s: seconds to wait for the scheduler and a first worker.

        Raises:
            MissingExtraError: Dask is not installed.
            UsageError: no scheduler answers there, or it has no workers.
        """
        self.threads = at_once
        self._dask = need("distributed", extra="cluster", purpose="run dialogues on a Dask cluster")
        self._local = self._start(jobs) if address == LOCAL else None
        try:
            self._client = self._connect(address if self._local is None else self._local, patience_s)
        except BaseException:
            self._close_local()
            raise
        self._token = uuid4().hex
        self._width, self._counted_at = 1, float("-inf")
        self._client.register_plugin(_plugin(self._dask, recipe.pickle(), self._token))

    def width(self) -> int:
        """Number of threads of all workers, at least 1."""
        if time.monotonic() - self._counted_at > COUNT_S:
            self._width = max(1, sum(self._client.ncores().values()))
            self._counted_at = time.monotonic()
        return self._width

    def submit(self, tasks: Sequence[Task], *, threads: int) -> "Future[Chunk]":
        """Start a chunk. (Dask's futures behave like Python's as far as they are used here.)"""
        return cast("Future[Chunk]", self._client.submit(_hold_all, self._token, list(tasks), threads, pure=False))

    def sessions_at_once(self, agent: str) -> int | None:
        """Maximum number of the agent's concurrent sessions; creates the agent in a worker."""
        return cast("int | None", self._client.submit(_sessions_at_once, self._token, agent, pure=False).result())

    def is_lost(self, error: BaseException) -> bool:
        """Whether a worker died more often than Dask tolerates.

        Raises:
            UsageError: it is the scheduler that is gone.
        """
        if isinstance(error, self._dask.client.FutureCancelledError | self._dask.comm.CommClosedError):
            raise UsageError(
                f"The cluster's scheduler is gone, or has dropped this batch ({error}). All finished dialogues "
                "are in the ledger; start the cluster, then run the same command again to resume."
            ) from error
        return isinstance(error, self._dask.KilledWorker)

    def restore(self) -> None:
        """Do nothing: nannies and the cluster's manager restart workers."""

    def close(self, *, at_once: bool = False) -> None:
        """Disconnect, and stop the cluster if it was started here."""
        if not at_once:
            self._client.unregister_worker_plugin(_name(self._token))
        self._client.close(timeout=10)
        self._close_local()

    def _close_local(self) -> None:
        if self._local is not None:
            self._local.close()

    def _start(self, jobs: int) -> Any:
        return self._dask.LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        )

    def _connect(self, address: Any, patience_s: float) -> Any:
        hint = "It is an address such as tcp://host:8786, as 'dask scheduler' prints it; or 'local'."
        try:
            client = self._dask.Client(address, timeout=patience_s, set_as_default=False)
        except (OSError, ValueError) as error:
            raise UsageError(f"No Dask scheduler answers at {address!r} ({error}). {hint}") from error
        try:
            client.wait_for_workers(1, timeout=patience_s)
        except TimeoutError as error:
            client.close()
            raise UsageError(
                f"The cluster at {address!r} has no workers. Start some with: dask worker ADDRESS"
            ) from error
        return client


def _name(token: str) -> str:
    return f"trialogue-{token}"


def _plugin(dask: Any, recipe: bytes, token: str) -> Any:
    """Plugin that gives every worker, including later ones, the recipe. It is pickled by value, so it only calls
    functions."""

    class Batch(dask.WorkerPlugin):  # type: ignore[misc] # Dask is optional, and its plugins are classes of its own
        name = _name(token)

        def setup(self, worker: Any) -> None:
            _begin(token, recipe)

        def teardown(self, worker: Any) -> None:
            _end(token)

    return Batch()


_recipes: dict[str, bytes] = {}
"""In a worker: the recipe of each batch that is going on."""
_workshops: dict[str, WorkerContext] = {}
_making = threading.Lock()


def _begin(token: str, recipe: bytes) -> None:
    _recipes[token] = recipe


def _end(token: str) -> None:
    _recipes.pop(token, None)
    workshop = _workshops.pop(token, None)
    if workshop is not None:
        workshop.close()


def _workshop(token: str) -> WorkerContext:
    with _making:
        if token not in _workshops:
            _workshops[token] = WorkerContext(Recipe.unpickle(_recipes[token]))
        return _workshops[token]


def _hold_all(token: str, tasks: Sequence[Task], threads: int) -> Chunk:
    return _workshop(token).hold_all(tasks, threads=threads)


def _sessions_at_once(token: str, agent: str) -> int | None:
    return _workshop(token).agent(agent).sessions_at_once

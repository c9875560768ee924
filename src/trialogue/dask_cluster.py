"""A Dask cluster: an existing one (``tcp://host:8786``), or one started on this machine (``local``).

A killed worker is restarted by its nanny, and Dask repeats its tasks. Trialogue must be installed on the workers, in the
same version.
"""

import contextlib
import time
from typing import Any

from trialogue.errors import UsageError
from trialogue.extras import need

LOCAL = "local"
CONNECT_TIMEOUT_S = 60.0  # for the scheduler to answer, and again for a first worker to be there
WORKER_COUNT_TTL_S = 2.0  # clusters grow and shrink, but counting their workers before every task takes a request each
CLOSE_TIMEOUT_S = 10.0


class DaskCluster:
    """Connection to a cluster."""

    def __init__(
        self, address: str, *, jobs: int = 1, purpose: str, connect_timeout_s: float = CONNECT_TIMEOUT_S
    ) -> None:
        """Connect to a cluster, or start one whose sockets are all on the loopback interface.

        Args:
            address: address of the scheduler, or ``local``.
            jobs: processes of a local cluster.
            purpose: what it is for, if Dask is not installed.
            connect_timeout_s: seconds to wait for the scheduler and a first worker.

        Raises:
            MissingExtraError: Dask is not installed.
            UsageError: no scheduler answers there, or it has no workers.
        """
        self.dask = need("distributed", extra="cluster", purpose=purpose)
        self._capacity, self._counted_at_s = 1, float("-inf")
        self._local = self._start(jobs) if address == LOCAL else None
        with contextlib.ExitStack() as undo:
            undo.callback(self._close_local)
            self.client = self._connect(address if self._local is None else self._local, connect_timeout_s)
            undo.pop_all()

    def capacity(self) -> int:
        """Number of threads of all workers, at least 1."""
        if time.monotonic() - self._counted_at_s > WORKER_COUNT_TTL_S:
            self._capacity = max(1, sum(self.client.ncores().values()))
            self._counted_at_s = time.monotonic()
        return self._capacity

    def submit(self, function: Any, *arguments: Any, retries: int = 0) -> Any:
        """Future of a call; Dask's futures behave like Python's as far as they are used here."""
        return self.client.submit(function, *arguments, pure=False, retries=retries)

    def has_killed_workers(self, error: Exception, *, kept: str) -> bool:
        """Whether an error of a future means that its workers died more often than Dask tolerates.

        Args:
            error: the error.
            kept: what becomes of the work if the scheduler itself is gone, and how to go on.

        Raises:
            UsageError: the scheduler is gone.
        """
        if isinstance(error, self.dask.client.FutureCancelledError | self.dask.comm.CommClosedError):
            raise UsageError(f"The cluster's scheduler is gone, or has dropped this batch ({error}). {kept}") from error
        return isinstance(error, self.dask.KilledWorker)

    def close(self) -> None:
        """Disconnect, and stop the cluster if it was started here."""
        self.client.close(timeout=CLOSE_TIMEOUT_S)
        self._close_local()

    def _close_local(self) -> None:
        if self._local is not None:
            self._local.close()

    def _start(self, jobs: int) -> Any:
        return self.dask.LocalCluster(
            n_workers=jobs, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        )

    def _connect(self, address: Any, connect_timeout_s: float) -> Any:
        hint = "It is an address such as tcp://host:8786, as 'dask scheduler' prints it; or 'local'."
        try:
            client = self.dask.Client(address, timeout=connect_timeout_s, set_as_default=False)
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

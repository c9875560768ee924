"""Several processes, or a Dask cluster: an existing one (``tcp://host:8786``), or one on this machine (``local``).

A killed worker is restarted by its nanny, and Dask repeats its tasks. Trialogue must be installed on the workers, in the
same version.
"""

import contextlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, Protocol, TypeVar, cast

from trialogue.errors import Problem, UsageError
from trialogue.extras import need

LOCAL = "local"
CONNECT_TIMEOUT_S = 60.0  # for the scheduler to answer, and again for a first worker to be there
WORKER_COUNT_TTL_S = 2.0  # clusters grow and shrink, but counting their workers before every task takes a request each
CLOSE_TIMEOUT_S = 10.0
WAITING = 2  # pieces for each thread of a cluster that its scheduler holds, whatever their number
AHEAD = 4  # pieces for each process that are handed out or wait: those that wait this process may take itself
RETRIES = 2  # of a piece whose file or memory failed a worker
GONE = "Nothing was written; start the cluster, then run the same command again."


class Named(Protocol):
    """A piece of work."""

    @property
    def given(self) -> str:
        """What it is, for messages."""
        ...


P = TypeVar("P", bound=Named)
T = TypeVar("T")
R = TypeVar("R")


class Map(Protocol):
    """Does pieces of work somewhere: ``Workers.map``."""

    def __call__(
        self, function: Callable[[P, T], R | list[Problem]], pieces: Iterable[P], task: T, /
    ) -> Iterator[tuple[P, R | list[Problem]]]:
        """Every piece with its result, or its mistakes, in the order of the pieces."""
        ...


@dataclass(frozen=True)
class Workers:
    """Where pieces of work are done: in processes of this machine, or on a Dask cluster; this process alone by default."""

    jobs: int = 1
    """Processes, this one included; of a cluster that is started here, its workers."""
    cluster: str | None = None
    """Address of a scheduler, or ``local``; None: no cluster."""

    def __bool__(self) -> bool:
        """Whether anything but this process works."""
        return self.jobs > 1 or self.cluster is not None

    @property
    def count(self) -> int | None:
        """Workers, this process included where it works, too; None: those of a cluster that exists already."""
        return self.jobs if self.cluster in (None, LOCAL) else None

    def map(
        self, function: Callable[[P, T], R | list[Problem]], pieces: Iterable[P], task: T, *, purpose: str
    ) -> Iterator[tuple[P, R | list[Problem]]]:
        """Every piece and the result of a function of it and the task, or its mistakes, in the order of the pieces.

        Few pieces are taken from the iterable before their results are. A piece that no worker could do, after three
        attempts, gives a problem that names it.

        Args:
            function: of a module; called wherever the work is done. Its own mistakes it returns as a list.
            pieces: of work.
            task: what is the same for all pieces.
            purpose: what a cluster is for, if Dask is not installed.

        Raises:
            UsageError: no scheduler answers, or it has no workers.
        """
        with self.start(purpose=purpose) as do:
            yield from do(function, pieces, task)

    @contextlib.contextmanager
    def start(self, *, purpose: str) -> Iterator["Map"]:
        """``map`` without its purpose, for several kinds of work: processes and connections are made once.

        Raises:
            UsageError: no scheduler answers, or it has no workers.
        """
        if self.cluster is not None:
            cluster = DaskCluster(self.cluster, jobs=self.jobs, purpose=purpose)
            try:
                yield partial(_on_cluster, cluster)
            finally:
                cluster.close()
        elif self.jobs > 1:
            with _executor(self.jobs - 1) as executor:
                yield partial(_in_processes, executor, self.jobs)
        else:
            yield lambda function, pieces, task: ((piece, function(piece, task)) for piece in pieces)


ALONE = Workers()
"""This process."""


@dataclass
class _HandedOut:
    """A piece of work at a process, or taken back from it and done here."""

    piece: Any
    future: Any
    own: list[Any] = field(default_factory=list)
    """Its result, if it was done here."""


def _executor(count: int) -> Any:
    from loky import ProcessPoolExecutor

    env = {name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    return ProcessPoolExecutor(count, env=env)


def _in_processes(
    executor: Any, jobs: int, function: Callable[[P, T], R | list[Problem]], pieces: Iterable[P], task: T
) -> Iterator[tuple[P, R | list[Problem]]]:
    """Results in order; while it waits for one, this process does the last of those that no other has begun."""
    from loky.process_executor import BrokenProcessPool

    rest, out, is_broken = iter(pieces), deque[_HandedOut](), False
    try:
        while True:
            while not is_broken and len(out) < AHEAD * jobs and (piece := next(rest, None)) is not None:
                try:
                    out.append(_HandedOut(piece, executor.submit(function, piece, task)))
                except BrokenProcessPool:
                    is_broken, rest = True, chain((piece,), rest)
            if not out:
                break
            head = out.popleft()
            for mine in (head, *reversed(out)):
                if head.own or head.future.done():
                    break
                if not mine.own and mine.future.cancel():
                    mine.own.append(function(mine.piece, task))
            try:
                yield head.piece, head.own[0] if head.own else head.future.result()
            except BrokenProcessPool:  # which of the pieces it was, shows when each has a process of its own
                is_broken = True
                yield head.piece, _result_of_own_process(function, head.piece, task)
    finally:  # the reader of the results may stop before the last one
        for each in out:
            each.future.cancel()
    for piece in rest:
        yield piece, _result_of_own_process(function, piece, task)


def _result_of_own_process(function: Callable[[P, T], R | list[Problem]], piece: P, task: T) -> R | list[Problem]:
    """The result of a piece in a process of its own, since one that did it with others was killed."""
    from loky.process_executor import BrokenProcessPool

    for _ in range(RETRIES):
        with contextlib.suppress(BrokenProcessPool), _executor(1) as executor:
            return cast("R | list[Problem]", executor.submit(function, piece, task).result())
    return [_failure(piece, f"every process that worked on it was killed, in {RETRIES + 1} attempts")]


def _on_cluster(
    cluster: "DaskCluster", function: Callable[[P, T], R | list[Problem]], pieces: Iterable[P], task: T
) -> Iterator[tuple[P, R | list[Problem]]]:
    """Results in order, from the workers of a cluster."""
    rest, waiting = iter(pieces), deque[tuple[P, Any]]()
    while True:
        while len(waiting) < WAITING * cluster.capacity() and (piece := next(rest, None)) is not None:
            waiting.append((piece, cluster.submit(function, piece, task, retries=RETRIES)))
        if not waiting:
            return
        piece, future = waiting.popleft()
        yield piece, _result_of(future, piece, cluster)


def _result_of(future: Any, piece: Named, cluster: "DaskCluster") -> Any:
    try:
        return future.result()
    except (OSError, MemoryError) as error:
        return [
            _failure(piece, f"no worker could read it, after {RETRIES + 1} attempts ({type(error).__name__}: {error})")
        ]
    except Exception as error:
        if not cluster.has_killed_workers(error, kept=GONE):
            raise
        return [_failure(piece, "every worker that measured it was killed")]


def _failure(piece: Named, what: str) -> Problem:
    hint = "If memory ran out, cut it into smaller files: trialogue data shard FILE FOLDER."
    return Problem(f"{what}.", file=piece.given, hint=hint)


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

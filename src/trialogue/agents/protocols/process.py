"""A subprocess that answers requests line by line over stdin and stdout, with a timeout."""

import contextlib
import io
import os
import queue
import select
import shlex
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, cast

from trialogue.transport.failures import AgentFailure, UnreadableAnswer

TAIL = 4_000  # characters of stderr that are kept: the end of a traceback
GRACE_S = 1.0  # for a process to end by itself once its stdin is closed


class LineProcess:
    """Running command; its stderr is drained continuously, so that it never blocks, and its tail is kept."""

    def __init__(
        self, command: Sequence[str], *, folder: Path | None, env: Mapping[str, str], longest_line: int
    ) -> None:
        """Start the command in its own process group, so that its children are terminated with it.

        Raises:
            AgentFailure: (unreachable) there is no such command, or it may not be run.
        """
        self._shown, self._longest = shlex.join(command), longest_line
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env={**os.environ, **env},
                start_new_session=True,
                bufsize=0,  # what is written goes at once; stdout gets a buffer of its own below
            )
        except OSError as error:
            raise AgentFailure(
                "unreachable", f"the command {self._shown!r} cannot be started ({error.strerror or error})."
            ) from error
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._tail: deque[str] = deque(maxlen=TAIL)
        self._readers = (
            _start_reader(self._read_lines, self._process.stdout),
            _start_reader(self._read_tail, self._process.stderr),
        )

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def tell(self, line: bytes, *, timeout_s: float) -> None:
        """Send a line, in chunks that a pipe accepts without blocking, however little the process reads.

        Raises:
            AgentFailure: it has ended, or does not read.
        """
        stdin = self._process.stdin
        assert stdin is not None
        try:
            writable = select.poll()
            writable.register(stdin, select.POLLOUT)
            for start in range(0, len(line), select.PIPE_BUF):
                if not writable.poll(timeout_s * 1000):
                    raise AgentFailure("timeout", f"the command {self._shown!r} does not read its stdin.")
                stdin.write(line[start : start + select.PIPE_BUF])
        except (OSError, ValueError) as error:  # ValueError: it was closed
            raise self._ending_failure() from error

    def ask(self, line: bytes, *, timeout_s: float) -> bytes:
        """Send a line and wait for the answer line.

        Raises:
            AgentFailure: timeout; error or closed, if it ends; malformed, if its line is too long.
        """
        if not self._lines.empty():
            stray = self._lines.get().decode(errors="backslashreplace")
            if not stray:
                raise self._ending_failure()
            raise UnreadableAnswer("it printed a line without being asked; logs belong on stderr.", stray)
        self.tell(line, timeout_s=timeout_s)
        try:
            answer = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            raise AgentFailure(
                "timeout", f"the command {self._shown!r} did not answer within {timeout_s:g} s.{self._last_words()}"
            ) from None
        if not answer:
            raise self._ending_failure()
        if len(answer) > self._longest:
            raise UnreadableAnswer(
                f"it printed a line of more than {self._longest:,} bytes.", answer.decode(errors="backslashreplace")
            )
        return answer

    def end(self) -> None:
        """Close its stdin, and terminate it if it does not exit within a second. Never raises."""
        stdin = self._process.stdin
        assert stdin is not None
        with contextlib.suppress(OSError, ValueError):
            stdin.close()
        if not self._gone_within(GRACE_S):
            self._signal(signal.SIGTERM)
            if not self._gone_within(GRACE_S):
                self._signal(signal.SIGKILL)
                self._process.wait()
        self._close_pipes()

    def kill(self) -> None:
        """Terminate it immediately, after a failure. Never raises."""
        self._signal(signal.SIGKILL)
        self._process.wait()
        self._close_pipes()

    def _close_pipes(self) -> None:
        for reader in self._readers:
            reader.join(GRACE_S)  # a grandchild may hold the pipe open; do not wait for it
        for pipe, reader in zip((self._process.stdout, self._process.stderr), self._readers, strict=True):
            if pipe is not None and not reader.is_alive():
                pipe.close()
        if self._process.stdin is not None:
            with contextlib.suppress(OSError, ValueError):
                self._process.stdin.close()

    def _gone_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _signal(self, number: int) -> None:
        if self._process.poll() is not None:
            return  # its number may be another's by now
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _ending_failure(self) -> AgentFailure:
        """Failure of a process that has ended."""
        if not self._gone_within(GRACE_S):
            return AgentFailure("closed", f"the command {self._shown!r} closed its stdout.{self._last_words()}")
        code = self._process.returncode
        if code == 0:
            return AgentFailure("closed", f"the command {self._shown!r} ended (exit code 0) during a dialogue.")
        how = f"was terminated by signal {-code}" if code < 0 else f"ended with exit code {code}"
        return AgentFailure("error", f"the command {self._shown!r} {how}.{self._last_words()}")

    def _last_words(self) -> str:
        if self._process.poll() is not None:
            self._readers[1].join(GRACE_S)
        words = "".join(self._tail).strip()
        return f" The end of its stderr:\n{words}" if words else " It wrote nothing to stderr."

    def _read_lines(self, stdout: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError), io.BufferedReader(cast("io.RawIOBase", stdout)) as buffered:
            while line := buffered.readline(self._longest + 1):
                self._lines.put(line)
        self._lines.put(b"")

    def _read_tail(self, stderr: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while words := os.read(stderr.fileno(), TAIL):
                self._tail.extend(words.decode(errors="replace"))


def _start_reader(read: Callable[[IO[bytes]], None], pipe: IO[bytes] | None) -> threading.Thread:
    assert pipe is not None
    thread = threading.Thread(target=read, args=(pipe,), daemon=True)
    thread.start()
    return thread

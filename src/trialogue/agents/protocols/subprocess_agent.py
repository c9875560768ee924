"""A command as an agent, speaking JSON Lines over stdin and stdout (``trialogue.agents.protocols.protocol``).

A process serves one dialogue after another: it gets ``open``, one ``turn`` per turn, and ``close``, and must exit at the end
of its stdin. There is one process per open dialogue. A process that failed is terminated and replaced.
"""

import contextlib
import io
import os
import queue
import select
import shlex
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, ClassVar, cast

from pydantic import Field

from trialogue.agents.base import SimpleSession, Turn
from trialogue.agents.protocols.protocol import (
    close_message,
    line_of,
    object_of,
    open_message,
    parse_answer,
    parse_turn,
    turn_message,
)
from trialogue.agents.spec import AgentSpec, LongestText
from trialogue.errors import UsageError
from trialogue.records import Utterance
from trialogue.transport.answers import LONGEST_TEXT
from trialogue.transport.failures import AgentFailure, UnreadableAnswer
from trialogue.transport.retry import AtOnce, Seconds

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


BYTES_A_CHARACTER = 12  # "\\ud83d\\ude00": the most that one character takes in JSON
ROOM = 1 << 20  # bytes of a line beside its text: acts, rankings
LOGS = "Only answers may be printed on stdout; logs belong on stderr."


class SubprocessAgent:
    """Agent that runs as processes of a command."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        name: str | None = None,
        folder: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 30,
        start_timeout_s: float = 120,
        longest_text: int = LONGEST_TEXT,
        sessions_at_once: int | None = 1,
    ) -> None:
        """Store the options; nothing is started before the first dialogue.

        Args:
            command: the program and its arguments.
            name: the system's name; None: the program's.
            folder: where it runs; None: here.
            env: environment variables beside those of this process.
            timeout_s: seconds a turn may take.
            start_timeout_s: seconds the first answer of a new process may take, which may have a model to load.
            longest_text: characters a message may have.
            sessions_at_once: dialogues, and so processes, at the same time.
        """
        self.name = name or Path(command[0]).stem
        self.sessions_at_once = sessions_at_once
        self._command, self._folder, self._env = tuple(command), folder, dict(env or {})
        self.timeout_s, self._start_timeout_s, self.longest_text = timeout_s, start_timeout_s, longest_text
        self._idle: list[LineProcess] = []
        self._all: set[LineProcess] = set()
        self._lock = threading.Lock()

    def open(self, dialogue_id: str, *, seed: int) -> "SubprocessSession":
        """Start a process or reuse an idle one, and open the dialogue.

        Raises:
            AgentFailure: it does not start, or does not answer.
        """
        line = line_of(open_message(dialogue_id, seed))
        with self._lock:
            process = self._idle.pop() if self._idle else None
        if process is not None:
            timeout_s = self.timeout_s
        else:
            process, timeout_s = self._start(), self._start_timeout_s
        try:
            start = time.perf_counter()
            answer = object_of(process.ask(line, timeout_s=timeout_s), hint=LOGS)
            greeting = parse_answer(answer, longest=self.longest_text, latency_s=time.perf_counter() - start)
        except AgentFailure:
            self.discard(process)
            raise
        return SubprocessSession(self, process, dialogue_id, greeting)

    def _start(self) -> LineProcess:
        longest = self.longest_text * BYTES_A_CHARACTER + ROOM
        process = LineProcess(self._command, folder=self._folder, env=self._env, longest_line=longest)
        with self._lock:
            self._all.add(process)
        return process

    def keep(self, process: LineProcess) -> None:
        """Keep an idle process for the next dialogue."""
        with self._lock:
            if process in self._all:
                self._idle.append(process)
                return
        process.end()  # the agent was closed meanwhile

    def discard(self, process: LineProcess) -> None:
        """Terminate a process that failed."""
        with self._lock:
            self._all.discard(process)
        process.kill()

    def close(self) -> None:
        """Terminate all processes."""
        with self._lock:
            processes, self._all, self._idle = self._all, set(), []
        for process in processes:
            process.end()


class SubprocessSession(SimpleSession):
    """Dialogue with one process."""

    def __init__(self, agent: SubprocessAgent, process: LineProcess, dialogue_id: str, greeting: Turn | None) -> None:
        self._agent, self._id, self._greeting = agent, dialogue_id, greeting
        self._process: LineProcess | None = process

    def greet(self) -> Turn | None:
        """The process's answer to ``open``."""
        return self._greeting

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The process's answer; a failure ends the process and the dialogue."""
        if self._process is None:
            raise AgentFailure("closed", "its process was stopped after an earlier failure.")
        line = line_of(turn_message(self._id, history))
        start = time.perf_counter()
        try:
            answer = object_of(self._process.ask(line, timeout_s=self._agent.timeout_s), hint=LOGS)
            latency_s = time.perf_counter() - start
            return parse_turn(answer, longest=self._agent.longest_text, latency_s=latency_s)
        except AgentFailure:
            process, self._process = self._process, None
            self._agent.discard(process)
            raise

    def close(self) -> None:
        """Send ``close`` and release the process for the next dialogue."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(AgentFailure):
            process.tell(line_of(close_message(self._id)), timeout_s=self._agent.timeout_s)
            self._agent.keep(process)
            return
        self._agent.discard(process)


class SubprocessSpec(AgentSpec):
    """``subprocess``: a command that speaks JSON lines on its stdin and stdout."""

    argument: ClassVar[str] = "command"

    command: str | tuple[str, ...] = Field(min_length=1)
    """The program and its arguments, as a list or as one would write them in a shell; no shell is started."""
    folder: Path | None = None
    """Working directory; None: the current one."""
    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables beside those it inherits; secrets are inherited, not written here."""
    timeout_s: Seconds = 30
    """Seconds a turn may take."""
    start_timeout_s: Seconds = 120
    """Seconds the first answer of a process may take, which may have a model to load."""
    longest_text: LongestText = LONGEST_TEXT
    """Characters a message may have."""
    sessions_at_once: AtOnce | None = 1
    """Dialogues, and so processes, at the same time."""

    def make(self) -> SubprocessAgent:
        """Create the agent."""
        if os.name != "posix":
            raise UsageError("Agents run as commands need a POSIX system. Serve yours over HTTP (protocol trialogue).")
        command = shlex.split(self.command) if isinstance(self.command, str) else list(self.command)
        if not command:
            raise UsageError(
                "The command is empty; a program and its arguments are needed, such as 'python my_bot.py'."
            )
        options = self.model_dump(exclude={"name", "command"})
        return SubprocessAgent(command, name=self.name, **options)

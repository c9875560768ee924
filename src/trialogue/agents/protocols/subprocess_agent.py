"""A command as an agent, speaking JSON Lines over stdin and stdout (``trialogue.agents.protocols.protocol``).

A process serves one dialogue after another: it gets ``open``, one ``turn`` per turn, and ``close``, and must exit at the end
of its stdin. There is one process per open dialogue. A process that failed is terminated and replaced.
"""

import contextlib
import os
import shlex
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from trialogue.agents.base import Turn
from trialogue.agents.protocols.process import LineProcess
from trialogue.agents.protocols.protocol import (
    close_message,
    line_of,
    object_of,
    open_message,
    parse_answer,
    parse_turn,
    turn_message,
)
from trialogue.agents.session import SimpleSession
from trialogue.agents.spec import AgentSpec, LongestText
from trialogue.errors import UsageError
from trialogue.records import Utterance
from trialogue.transport.answers import LONGEST_TEXT
from trialogue.transport.failures import AgentFailure
from trialogue.transport.retry import AtOnce, Seconds

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

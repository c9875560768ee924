"""A tiny agent, tiny users and plans for tests of batches: quick, random by seed, and strange where a test wants it."""

import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from trialogue.agents.base import Agent, SimpleSession, Turn
from trialogue.records import DialogueAct, Utterance
from trialogue.seeds import rng_for
from trialogue.simulation.users.user import Stop
from trialogue.transport.failures import AgentFailure

ROOT = str(Path(__file__).parents[2])
if ROOT not in sys.path:
    sys.path.append(ROOT)  # pytest finds this module without it; worker processes, which are given our path, do not

WORDS = ["heat", "alien", "fargo", "brazil", "ran", "stalker", "gattaca", "memento"]


class Talker:
    """Suggests random films; its sessions draw from their seed alone."""

    def __init__(self, name: str = "talker", *, sessions_at_once: int | None = None, slow_s: float = 0.0) -> None:
        self.name, self.sessions_at_once, self.slow_s = name, sessions_at_once, slow_s
        self.open_now, self.most_open, self._lock = 0, 0, threading.Lock()

    def open(self, dialogue_id: str, *, seed: int) -> "TalkerSession":
        if self.name == "unreachable":
            raise AgentFailure("unreachable", "nobody there")
        with self._lock:
            self.open_now += 1
            self.most_open = max(self.most_open, self.open_now)
        return TalkerSession(self, seed)

    def close(self) -> None:
        pass


class TalkerSession(SimpleSession):
    def __init__(self, agent: Talker, seed: int) -> None:
        self.agent, self.rng = agent, rng_for(seed, "talker")

    def reply(self, history: Sequence[Utterance]) -> Turn:
        if self.agent.slow_s:
            time.sleep(self.agent.slow_s)
        film = WORDS[int(self.rng.integers(len(WORDS)))]
        act = DialogueAct(intent="List" if self.rng.random() < 0.7 else "Fail")
        return Turn((Utterance(speaker="system", text=f"How about {film}? ({len(history)})", acts=(act,)),))

    def close(self) -> None:
        with self.agent._lock:
            self.agent.open_now -= 1


class TinyUser:
    def __init__(self, dialogue_id: str, seed: int) -> None:
        self.rng = rng_for(seed, dialogue_id, "user")
        self.left = int(self.rng.integers(2, 7))

    def start(self, greeting: Turn | None = None) -> Utterance | Stop:
        return self._say()

    def answer(self, turn: Turn) -> Utterance | Stop:
        self.left -= 1
        return self._say() if self.left else Stop("agenda_empty")

    def resume(self, history: Sequence[Utterance]) -> None:
        self.left += 1

    def _say(self) -> Utterance:
        text = f"I like {WORDS[int(self.rng.integers(len(WORDS)))]} and café {self.rng.random():.3f}"
        return Utterance(speaker="user", text=text, acts=(DialogueAct(intent="Disclose"),))


class TinyUsers:
    def new(self, dialogue_id: str, *, seed: int) -> TinyUser:
        return TinyUser(dialogue_id, seed)


def make_agent(name: str) -> Agent:
    return Talker(name)


def make_users(name: str) -> TinyUsers:
    return TinyUsers()


class Counted:
    """Makes agents, and a file for each process that made one."""

    def __init__(self, folder: Path, *, sessions_at_once: int | None = None) -> None:
        self.folder, self.sessions_at_once = folder, sessions_at_once

    def __call__(self, name: str) -> Agent:
        made = self.folder / f"{name}-{os.getpid()}"
        made.write_text(made.read_text() + "x" if made.exists() else "x")
        return Talker(name, sessions_at_once=self.sessions_at_once)


class Fatal(TinyUsers):
    """Users of whom some kill their process: each of ``numbers`` does so the first ``times`` times."""

    def __init__(self, folder: Path, numbers: Sequence[int], times: int) -> None:
        self.folder, self.numbers, self.times = folder, numbers, times

    def __call__(self, name: str) -> "Fatal":
        return self

    def new(self, dialogue_id: str, *, seed: int) -> TinyUser:
        number = int(dialogue_id.rpartition("/")[2])
        if number in self.numbers:
            marks = len(list(self.folder.glob(f"{number}-*")))
            if marks < self.times:
                (self.folder / f"{number}-{marks}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return super().new(dialogue_id, seed=seed)

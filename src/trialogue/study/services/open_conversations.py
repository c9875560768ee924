"""Open agent sessions of chats, held in memory; the conversations themselves are in the database.

A session stays open in the process that opened it. Another process, or this one after a restart, opens a new one and
passes it the whole history: agents whose state is the history do not notice. Agents with internal memory do, so a
study with such an agent is served by one process (with any number of threads).
"""

import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from trialogue.agents import Agent, AgentFailure, Session, Turn, make_agent
from trialogue.records import JsonValue, Utterance

Spec: TypeAlias = Mapping[str, JsonValue]
"""Arguments of ``make_agent``: the agent and its options."""
MAX_OPEN = 500  # sessions; the one that was silent longest is closed first


@dataclass
class _Open:
    session: Session
    agent: str
    lock: threading.Lock = field(default_factory=threading.Lock)


class OpenConversations:
    """The conversations of one process."""

    def __init__(self, make: Callable[[Spec], Agent] = make_agent, *, most: int = MAX_OPEN) -> None:
        self._make, self._most = make, most
        self._agents: dict[str, Agent] = {}
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._lock = threading.Lock()

    def greet(self, key: str, agent: Spec, *, seed: int) -> Turn | None:
        """Greeting of an agent; None if it waits for the user.

        Raises:
            AgentFailure: it cannot be reached, or is busy with others.
        """
        with self._talk(key, agent, seed) as session:
            return session.greet()

    def reply(self, key: str, agent: Spec, history: Sequence[Utterance], *, seed: int) -> Turn:
        """An agent's turn after a history that ends on the user.

        Args:
            key: key of the conversation.
            agent: what ``make_agent`` takes.
            history: everything said so far.
            seed: seed of the conversation, for agents that draw at random.

        Raises:
            AgentFailure: there is no usable reply; the conversation's session is closed, and a new one opened next time.
        """
        with self._talk(key, agent, seed) as session:
            return session.reply(history)

    def close(self, key: str) -> None:
        """The conversation is over."""
        with self._lock:
            talk = self._open.pop(key, None)
        if talk:
            talk.session.close()

    @contextmanager
    def _talk(self, key: str, agent: Spec, seed: int) -> Iterator[Session]:
        talk = self._open_session(key, agent, seed)
        try:
            with talk.lock:
                yield talk.session
        except AgentFailure:
            self.close(key)
            raise

    def _open_session(self, key: str, agent: Spec, seed: int) -> _Open:
        with self._lock:
            if key in self._open:
                self._open.move_to_end(key)
                return self._open[key]
            name = json.dumps(agent, sort_keys=True)
            made = self._agents.get(name)
            if made is None:
                made = self._agents[name] = self._make(agent)
            limit = made.sessions_at_once
            if limit is not None and sum(each.agent == name for each in self._open.values()) >= limit:
                raise AgentFailure("unreachable", "it has reached its limit of concurrent conversations.")
        # Opened outside the lock: an agent that is slow to open would keep all other conversations waiting. Of two threads
        # that open the same one the first stays.
        talk = _Open(made.open(key, seed=seed), name)
        with self._lock:
            earlier = self._open.setdefault(key, talk)
            silent = self._open.popitem(last=False)[1] if len(self._open) > self._most else None
        for left in [talk] if earlier is not talk else [silent] if silent else []:
            left.session.close()
        return earlier


TALKS = OpenConversations()
"""Conversations of this process."""

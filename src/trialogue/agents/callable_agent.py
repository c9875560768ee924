"""Wrap a Python function or class as an agent.

A function is called for every turn as ``reply(message)`` or ``reply(message, history)``: the user's text, and all utterances
so far including the user's last one. It has no state between turns except the history.

A class is instantiated once per dialogue, so it may keep state; its method ``reply`` is called like the function. Optional
methods: ``greet()`` returns the opening message (None: no greeting), ``close()`` is called at the end.

Functions and the ``__init__`` of classes receive ``seed``, ``dialogue_id`` and ``tools`` if they have parameters of these
names. ``tools.call("search_catalogue", {"query": "owls"})`` calls a tool that the agent is offered (``tools.toolbox``).
``reply`` and ``greet`` may return a text, a list of texts (a burst), an ``Utterance`` with acts and mentions, an object with
``text`` or ``messages`` and ``ends``, or a ``Turn``; see ``trialogue.agents.replies``.
"""

import inspect
import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from trialogue.agents.base import SimpleSession, Turn
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.spec import LongestText
from trialogue.agents.tools.options import ToolOptions
from trialogue.agents.tools.toolbox import Toolbox, TurnTools, with_calls
from trialogue.errors import UsageError
from trialogue.plugins import load
from trialogue.records import Utterance
from trialogue.records.trace import Trace
from trialogue.transport.answers import LONGEST_TEXT
from trialogue.transport.failures import AgentFailure, call_foreign, call_quietly
from trialogue.transport.retry import AtOnce, Seconds

EXPECTED = "Expected a function reply(message) or reply(message, history), or a class with such a method 'reply'."
OPTIONAL_ARGUMENTS = ("seed", "dialogue_id", "tools")


class CallableAgent:
    """Agent made from a function or a class; see the module for the calling convention."""

    def __init__(
        self,
        target: Any,
        *,
        name: str | None = None,
        timeout_s: float | None = None,
        longest_text: int = LONGEST_TEXT,
        sessions_at_once: int | None = None,
        toolbox: Toolbox | None = None,
    ) -> None:
        """Inspect the signatures, so that an invalid one fails before the first dialogue.

        Args:
            target: the function or class.
            name: the system's name; None: that of the function or class.
            timeout_s: seconds a turn may take; None: any, and no thread is needed to watch it.
            longest_text: characters a message may have.
            sessions_at_once: dialogues at the same time; None: any number.
            toolbox: tools that it is offered; None: none.

        Raises:
            UsageError: it cannot be called as described.
        """
        if not callable(target):
            hint = " Give its class, so that every dialogue gets its own object." if hasattr(target, "reply") else ""
            raise UsageError(f"{target!r} is not a function or class.{hint} {EXPECTED}")
        self.name = name or str(getattr(target, "__name__", type(target).__name__))
        self.sessions_at_once = sessions_at_once
        self._target, self._is_class = target, inspect.isclass(target)
        self._optional_names = _parameter_names(target)
        self._takes_history = _takes_history(target, is_class=self._is_class, name=self.name)
        self._timeout_s, self.longest_text = timeout_s, longest_text
        self.toolbox = toolbox
        if toolbox is not None and "tools" not in self._optional_names:
            where = "__init__" if self._is_class else self.name
            raise UsageError(f"{self.name} is offered tools, but {where} has no parameter 'tools' to take them.")

    def open(self, dialogue_id: str, *, seed: int) -> "CallableSession":
        """Open a session, with its own instance if the agent is a class.

        Raises:
            AgentFailure: making the object raised or took too long.
        """
        tools = (self.toolbox or Toolbox(())).turn()
        values = {"seed": seed, "dialogue_id": dialogue_id, "tools": tools}
        options = {name: values[name] for name in self._optional_names}
        if not self._is_class:
            return CallableSession(self, None, lambda *arguments: self._target(*arguments, **options), tools)
        instance = self.call(lambda: self._target(**options), "()")
        return CallableSession(self, instance, instance.reply, tools)

    def call(self, call: Callable[[], Any], what: str) -> Any:
        """Call third-party code with the timeout; exceptions become failures."""
        return call_foreign(call, what=f"{self.name}{what}", timeout_s=self._timeout_s)

    def turn(self, call: Callable[[], Any], what: str) -> Turn:
        """Call third-party code and convert the result to a turn."""
        start = time.perf_counter()
        answer = self.call(call, what)
        return turn_of(answer, longest=self.longest_text, latency_s=time.perf_counter() - start)

    def reply_arguments(self, history: Sequence[Utterance]) -> tuple[Any, ...]:
        """Arguments for ``reply``."""
        return (last_message(history), tuple(history)) if self._takes_history else (last_message(history),)

    def close(self) -> None:
        """Do nothing: resources belong to sessions."""


class CallableSession(SimpleSession):
    """One dialogue with a function or with an object of a class."""

    def __init__(self, agent: CallableAgent, instance: Any, reply: Callable[..., Any], tools: TurnTools) -> None:
        """``instance``: of the class, which may greet and close; None: the agent is a function."""
        self._agent, self._reply, self._tools = agent, reply, tools
        self._greet = getattr(instance, "greet", None)
        self._close = getattr(instance, "close", None)

    def greet(self) -> Turn | None:
        """The object's greeting; None if it has none."""
        if self._greet is None:
            return None
        greeting = self._agent.call(self._greet, ".greet()")
        return None if greeting is None else turn_of(greeting, longest=self._agent.longest_text)

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The return value of the code, as a turn."""
        arguments = self._agent.reply_arguments(history)
        self._tools.begin()
        try:
            turn = self._agent.turn(lambda: self._reply(*arguments), ".reply()")
        except AgentFailure as failure:
            failure.trace = Trace(calls=tuple(self._tools.calls)) if self._agent.toolbox else None
            raise
        return turn if self._agent.toolbox is None else with_calls(turn, self._tools.calls)

    def close(self) -> None:
        """Call the object's ``close``; exceptions are ignored."""
        if self._close is not None:
            close, self._close = self._close, None
            call_quietly(lambda: self._agent.call(close, ".close()"))


class CallableSpec(ToolOptions):
    """``callable``: a Python function or class, as ``module:Name``."""

    argument: ClassVar[str] = "code"

    code: str
    """Import path, such as ``my_package.bot:reply``."""
    timeout_s: Seconds | None = None
    """Seconds a turn may take; None: any."""
    longest_text: LongestText = LONGEST_TEXT
    """Characters a message may have."""
    sessions_at_once: AtOnce | None = None
    """Dialogues at the same time; None: any number."""

    def make(self) -> CallableAgent:
        """Import the module and create the agent."""
        if ":" not in self.code:
            raise UsageError(
                f"{self.code!r} does not name a Python object. Write it as module:Name, such as my_bot:reply."
            )
        target = load("trialogue.agents", self.code, kind="agent")
        return self.wrap(target)

    def wrap(self, target: Any) -> CallableAgent:
        """The agent around a function or class."""
        own = self.model_dump(exclude={"name", "code", *ToolOptions.model_fields})
        return CallableAgent(target, name=self.name, toolbox=self.toolbox(), **own)


def _parameter_names(target: Callable[..., Any]) -> tuple[str, ...]:
    try:
        parameters = inspect.signature(target).parameters
    except (TypeError, ValueError):  # written in C, without a signature
        return ()
    return tuple(name for name in OPTIONAL_ARGUMENTS if name in parameters)


def _takes_history(target: Callable[..., Any], *, is_class: bool, name: str) -> bool:
    """Whether ``reply`` takes the history; a UsageError if it takes neither one nor two values."""
    reply = getattr(target, "reply", None) if is_class else target
    if reply is None:
        raise UsageError(f"The class {name} has no method 'reply'. {EXPECTED}")
    try:
        signature = inspect.signature(reply)
    except (TypeError, ValueError):
        return False
    # The signature of a method of a class has ``self``, but not that of a static or class method.
    is_plain_method = is_class and not isinstance(inspect.getattr_static(target, "reply"), staticmethod | classmethod)
    instance = ("self",) if is_plain_method else ()
    options = {} if is_class else dict.fromkeys(_parameter_names(target))
    for arguments in (("message", "history"), ("message",)):
        try:
            signature.bind(*instance, *arguments, **options)
        except TypeError:
            continue
        return len(arguments) == 2
    raise UsageError(f"{name} cannot be called with a message: its signature is {signature}. {EXPECTED}")

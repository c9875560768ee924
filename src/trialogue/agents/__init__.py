"""Conversational recommenders behind one interface: open a session, ask for replies, close it.

``make_agent`` builds an agent from a name, a URL with its protocol, ``module:Name`` or a YAML file; ``check_agent`` tests
one with a few conversations; ``AgentServer`` serves one over HTTP.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from trialogue.agents.base import Agent, Session, SimpleSession, Turn
from trialogue.agents.check import AgentCheck, check_agent
from trialogue.agents.registry import make_agent, spec_of
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.spec import AgentSpec, CatalogueSpec, Workload
from trialogue.transport.failures import AgentFailure, FailureKind

if TYPE_CHECKING:
    from trialogue.agents.llm.prompt import ZERO_SHOT as ZERO_SHOT
    from trialogue.agents.serving.http_server import AgentServer as AgentServer

_LAZY = {"AgentServer": "trialogue.agents.serving.http_server", "ZERO_SHOT": "trialogue.agents.llm.prompt"}
__all__ = [
    "ZERO_SHOT",
    "Agent",
    "AgentCheck",
    "AgentFailure",
    "AgentServer",
    "AgentSpec",
    "CatalogueSpec",
    "FailureKind",
    "Session",
    "SimpleSession",
    "Turn",
    "Workload",
    "check_agent",
    "last_message",
    "make_agent",
    "spec_of",
    "turn_of",
]


def __getattr__(name: str) -> Any:
    """Import a public name lazily: importing the server takes 60 ms."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)

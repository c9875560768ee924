"""Conversational recommenders behind one interface: open a session, ask for replies, close it.

``make_agent`` builds an agent from a name, a URL with its protocol, ``module:Name`` or a YAML file; ``check_agent`` tests
one with a few conversations; ``AgentServer`` serves one over HTTP.
"""

from typing import TYPE_CHECKING

from trialogue.agents.base import Agent, Session, SimpleSession, Turn
from trialogue.agents.check import AgentCheck, check_agent
from trialogue.agents.registry import make_agent, spec_of
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.spec import AgentSpec, CatalogueSpec, Workload
from trialogue.extras import importer
from trialogue.transport.failures import AgentFailure, FailureKind

if TYPE_CHECKING:
    from trialogue.agents.llm.prompt import ZERO_SHOT as ZERO_SHOT
    from trialogue.agents.serving.http_server import AgentServer as AgentServer

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

__getattr__ = importer(
    __name__,
    {
        "trialogue.agents.llm.prompt": "ZERO_SHOT",
        "trialogue.agents.serving.http_server": "AgentServer",
    },
)

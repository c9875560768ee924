"""A conversational recommender as a black box: whatever it is made of, it is opened, replies, and is closed.

``make_agent`` makes one from a name, a URL with its protocol, ``module:Name`` or a YAML file; ``check_agent`` says what
it is like to talk to; ``AgentServer`` (in ``trialogue.agents.serving.http_server``) puts one behind a port.
"""

from trialogue.agents.base import Agent, Session, Turn
from trialogue.agents.check import AgentCheck, check_agent
from trialogue.agents.registry import make_agent, spec_of
from trialogue.agents.replies import last_message, turn_of
from trialogue.agents.session import SimpleSession
from trialogue.agents.spec import AgentSpec, CatalogueSpec, Workload
from trialogue.transport.failures import AgentFailure, FailureKind

__all__ = [
    "Agent",
    "AgentCheck",
    "AgentFailure",
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

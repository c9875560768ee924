"""A conversational recommender as a black box: whatever it is made of, it is opened, replies, and is closed."""

from trialogue.agents.base import Agent, AgentFailure, Session, Turn

__all__ = ["Agent", "AgentFailure", "Session", "Turn"]

"""The chat endpoint that tests of agents use."""

from tests.agents.conftest import endpoint, start

__all__ = ["endpoint", "start"]

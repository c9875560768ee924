"""A large language model as a recommender: prompt, chat endpoint, cache, and what it cost."""

from trialogue.agents.llm.agent import LlmAgent, LlmSpec
from trialogue.agents.llm.cache import Cache, CacheStats
from trialogue.agents.llm.chat import ChatClient, ChatOptions, Completion
from trialogue.agents.llm.usage import Ledger, Price, Usage

__all__ = [
    "Cache",
    "CacheStats",
    "ChatClient",
    "ChatOptions",
    "Completion",
    "Ledger",
    "LlmAgent",
    "LlmSpec",
    "Price",
    "Usage",
]

"""Language models behind an OpenAI-compatible endpoint: completions, their cache, and what they cost.

For agents, simulated users, labellers and judges alike, which do not know each other.
"""

from trialogue.llm.cache import Cache, CacheStats
from trialogue.llm.chat import ChatClient, ChatOptions, Completion
from trialogue.llm.choosing import Chosen, choose
from trialogue.llm.usage import Ledger, Price, Usage

__all__ = [
    "Cache",
    "CacheStats",
    "ChatClient",
    "ChatOptions",
    "Chosen",
    "Completion",
    "Ledger",
    "Price",
    "Usage",
    "choose",
]

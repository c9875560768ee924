"""Language models behind an OpenAI-compatible endpoint or in this process: completions, cache and cost accounting.

Shared by agents, simulated users, labellers and judges, which do not depend on each other.
"""

from typing import TYPE_CHECKING

from trialogue.extras import importer

if TYPE_CHECKING:
    from trialogue.llm.cache import Cache
    from trialogue.llm.chat import ChatClient, ChatOptions, Completion
    from trialogue.llm.choosing import Choice, choose
    from trialogue.llm.local import LocalModel, LocalOptions
    from trialogue.llm.models import ModelOptions, open_model
    from trialogue.llm.usage import Budget, Ledger, LimitReached, Limits, Price, Usage, use_budget

__all__ = [
    "Budget",
    "Cache",
    "ChatClient",
    "ChatOptions",
    "Choice",
    "Completion",
    "Ledger",
    "LimitReached",
    "Limits",
    "LocalModel",
    "LocalOptions",
    "ModelOptions",
    "Price",
    "Usage",
    "choose",
    "open_model",
    "use_budget",
]

__getattr__ = importer(
    __name__,
    {
        "trialogue.llm.cache": "Cache",
        "trialogue.llm.chat": "ChatClient ChatOptions Completion",
        "trialogue.llm.choosing": "Choice choose",
        "trialogue.llm.local": "LocalModel LocalOptions",
        "trialogue.llm.models": "ModelOptions open_model",
        "trialogue.llm.usage": "Budget Ledger LimitReached Limits Price Usage use_budget",
    },
)

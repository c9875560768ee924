"""Large language models as recommenders: prompts and sessions. Requests go through ``trialogue.llm``."""

from trialogue.agents.llm.agent import LlmAgent, LlmSpec

__all__ = ["LlmAgent", "LlmSpec"]

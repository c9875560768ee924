"""A large language model as a recommender: the prompt and the conversation; the model is asked through ``trialogue.llm``."""

from trialogue.agents.llm.agent import LlmAgent, LlmSpec

__all__ = ["LlmAgent", "LlmSpec"]

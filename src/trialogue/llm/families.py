"""Families of language models: a judge or a user of the family of a system may favour it."""

import re
from collections.abc import Mapping
from enum import StrEnum


class ModelFamily(StrEnum):
    """Models that share their makers' data or weights."""

    GPT = "GPT"
    CLAUDE = "Claude"
    GEMINI = "Gemini"
    LLAMA = "Llama"
    MISTRAL = "Mistral"
    QWEN = "Qwen"
    DEEPSEEK = "DeepSeek"
    PHI = "Phi"
    COMMAND = "Command"
    GROK = "Grok"
    SMOLLM = "SmolLM"
    GLM = "GLM"
    OLMO = "OLMo"


_NAMES: Mapping[ModelFamily, str] = {
    ModelFamily.GPT: r"gpt|chatgpt|text-davinci|davinci|o[1-9](?![a-z])",
    ModelFamily.CLAUDE: r"claude",
    ModelFamily.GEMINI: r"gemini|gemma|palm",
    ModelFamily.LLAMA: r"(?:meta-)?llama|codellama|vicuna|alpaca|tulu",
    ModelFamily.MISTRAL: r"mistral|mixtral|ministral|magistral|codestral|open-mi[sx]tral",
    ModelFamily.QWEN: r"qwen|qwq",
    ModelFamily.DEEPSEEK: r"deepseek",
    ModelFamily.PHI: r"phi(?![a-z])",
    ModelFamily.COMMAND: r"command|c4ai|aya",
    ModelFamily.GROK: r"grok",
    ModelFamily.SMOLLM: r"smollm",
    ModelFamily.GLM: r"glm|chatglm",
    ModelFamily.OLMO: r"olmo",
}


def family_of(model: str) -> ModelFamily | None:
    """Family of a model by its id, which may have its maker before it; None if none is recognised.

    >>> family_of("openai/gpt-4o-mini-2024-07-18").value, family_of("Llama-3.1-8B-Instruct").value, family_of("tiny")
    ('GPT', 'Llama', None)
    """
    name = model.rsplit("/", 1)[-1].casefold()
    return next((family for family, pattern in _NAMES.items() if re.match(pattern, name)), None)

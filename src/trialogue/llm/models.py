"""One door to language models: behind an endpoint or in this process, with the same interface, cache and accounting."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

from trialogue.llm.cache import key_of
from trialogue.llm.chat import ChatClient, ChatOptions
from trialogue.llm.local import HASH_DIGITS, LOCAL, LocalModel, LocalOptions, hash_model
from trialogue.transport.retry import RetryPolicy


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
_PATTERNS = {family: re.compile(pattern) for family, pattern in _NAMES.items()}


def family_of(model: str) -> ModelFamily | None:
    """Family of a model by its id, which may have its maker before it; None if none is recognised.

    >>> family_of("openai/gpt-4o-mini-2024-07-18").value, family_of("Llama-3.1-8B-Instruct").value, family_of("tiny")
    ('GPT', 'Llama', None)
    """
    name = model.rsplit("/", 1)[-1].casefold()
    return next((family for family, pattern in _PATTERNS.items() if pattern.match(name)), None)


ModelOptions = ChatOptions | LocalOptions
"""Where a model is, and how it answers."""
AnyModel = ChatClient | LocalModel
"""What answers."""
Options = TypeVar("Options", ChatOptions, LocalOptions)


def open_model(options: ModelOptions, *, retry_policy: RetryPolicy | None = None) -> AnyModel:
    """Create the client of an endpoint, or a model in this process; no request is made and no weights are loaded yet.

    Args:
        options: options of the model; records that have further fields will do.
        retry_policy: retry policy for requests; a model in this process is asked once.

    Raises:
        UsageError: the key's environment variable is not set, the address is none, or a folder holds no model.
    """
    if isinstance(options, ChatOptions):
        return ChatClient(_part(options, ChatOptions), retry_policy=retry_policy)
    return LocalModel(_part(options, LocalOptions))


def model_identity(options: ModelOptions) -> str:
    """Name and content hash of a model in a folder; "" behind an endpoint, where only the answers say what gave them.

    Raises:
        UsageError: the folder holds no model.
    """
    if isinstance(options, ChatOptions):
        return ""
    return f"{options.model}@sha256:{hash_model(options.folder)[:HASH_DIGITS]}"


def cache_key(options: ModelOptions, body: Mapping[str, Any], trial: str) -> str:
    """Key under which the cache has the answer to a request, as the models of ``open_model`` write it.

    Args:
        options: options of the model.
        body: of the request, see ``options.body``.
        trial: names the repetition.

    Raises:
        UsageError: the folder holds no model.
    """
    place = options.url if isinstance(options, ChatOptions) else f"{LOCAL}{hash_model(options.folder)}"
    return key_of(place, body, trial)


def _part(options: Options, record: type[Options]) -> Options:
    """The fields of a record, without those that a subclass adds."""
    return record(**{field: getattr(options, field) for field in record.model_fields})

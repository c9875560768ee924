"""One door to language models: behind an endpoint or in this process, with the same interface, cache and accounting."""

from collections.abc import Mapping
from typing import Any, TypeVar

from trialogue.llm.cache import key_of
from trialogue.llm.chat import ChatClient, ChatOptions
from trialogue.llm.local import HASH_DIGITS, LOCAL, LocalModel, LocalOptions, hash_model
from trialogue.transport.retry import RetryPolicy

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

"""Options of a language model that recognises the acts of an agent's messages: ``understanding: {llm: {...}}``."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import ConfigDict, Field, ValidationError

from trialogue.agents.registry import without_secrets
from trialogue.errors import UsageError
from trialogue.llm.choosing import EndpointLetterOptions, LocalLetterOptions
from trialogue.llm.models import model_identity
from trialogue.records import JsonValue, Record
from trialogue.records.files.validation import dotted_path, mistakes_of

LLM = "llm"
"""Key under which the options of the model stand."""

Definition = Annotated[str, Field(min_length=1, max_length=500)]


class ReadingOptions(Record):
    """Options of how the acts are put to the model, for an endpoint and for a local model."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    definitions: dict[str, Definition] = Field(default_factory=dict)
    """Definitions of agent labels in the prompt, in place of ours or beside them; labels without any are only named."""


class EndpointUnderstanding(EndpointLetterOptions, ReadingOptions):
    """A model behind an endpoint."""


class LocalUnderstanding(LocalLetterOptions, ReadingOptions):
    """A model in this process, asked ``samples`` times for each message."""


AnyUnderstanding = EndpointUnderstanding | LocalUnderstanding
"""Options of understanding by a language model, wherever it runs."""


def understanding_options(given: object) -> AnyUnderstanding:
    """Options in ``{"llm": {...}}``; a record of options is returned as it is.

    Raises:
        UsageError: anything else, or wrong options, all of them at once; or a folder that holds no model.
    """
    if isinstance(given, EndpointUnderstanding | LocalUnderstanding):
        return given
    fields = given.get(LLM) if isinstance(given, Mapping) and set(given) == {LLM} else None
    if not isinstance(fields, Mapping):
        raise UsageError(
            "A language model that understands agents is given as {llm: {url: ..., model: ...}} or {llm: {folder: ...}}, "
            f"got {_kind_of(given)}."
        )
    named = {str(name): value for name, value in fields.items()}
    record = LocalUnderstanding if "folder" in named else EndpointUnderstanding
    try:
        options = record.model_validate(named)
    except ValidationError as error:
        found = [without_secrets(mistake, record) for mistake in mistakes_of(error, named, record)]
        raise UsageError(
            "\n".join(f"{_place(each.place)}{each.what} {each.hint or ''}".rstrip() for each in found)
        ) from error
    model_identity(options)  # refuses a folder without a model
    return options


def understanding_json(options: AnyUnderstanding) -> JsonValue:
    """Inverse of ``understanding_options``: plain JSON values."""
    fields: JsonValue = options.model_dump(mode="json", exclude_defaults=True)
    return {LLM: fields}


def _place(place: tuple[str | int, ...]) -> str:
    return f"{LLM}.{dotted_path(place)}: " if place else ""


def _kind_of(given: object) -> str:
    """What was given, without values: one of them may be a key."""
    if isinstance(given, Mapping):
        return f"the fields {', '.join(map(str, given)) or '(none)'}" if set(given) != {LLM} else "no options below llm"
    return f"{given!r:.60}"

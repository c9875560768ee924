"""Options of language models that label strategies."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, ValidationError

from trialogue.errors import DataError, UsageError
from trialogue.llm.choosing import EndpointLetterOptions, LocalLetterOptions
from trialogue.records import Record
from trialogue.records.files.validation import mistakes_of
from trialogue.records.files.yaml_file import lines_of, problems_of_fields, read_fields
from trialogue.strategies.base import MAX_CONTEXT

PREFIX = "llm:"
OPENAI, HUGGINGFACE = "openai", "huggingface"
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
ENDINGS = (".yaml", ".yml")


class LabellingOptions(Record):
    """What a labelling model sees, wherever it runs."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    context: Annotated[int, Field(ge=0, le=MAX_CONTEXT)] = 3
    """Utterances before the sentence that the model sees."""
    examples: Annotated[int, Field(ge=0, le=10)] = 3
    """Bundled examples of each strategy in the prompt."""


class LabellerOptions(EndpointLetterOptions, LabellingOptions):
    """Endpoint and model, and how probabilities are obtained."""


class LocalLabellerOptions(LocalLetterOptions, LabellingOptions):
    """A model in this process: probabilities are shares of its answers."""


AnyLabellerOptions = LabellerOptions | LocalLabellerOptions
"""Options of a labeller, wherever its model runs."""


def labeller_record(given: Collection[str]) -> type[LabellerOptions] | type[LocalLabellerOptions]:
    """Record that describes some options: a model in a ``folder``, or else behind an endpoint."""
    return LocalLabellerOptions if "folder" in given else LabellerOptions


def is_language_model(given: str | None) -> bool:
    """Whether a labeller is given as a language model, as in ``llm:FILE.yaml``."""
    return given is not None and given.startswith(PREFIX)


def named_path(given: str) -> Path:
    """File or folder in ``llm:PATH``."""
    return Path(given.removeprefix(PREFIX))


def labeller_options(given: str) -> AnyLabellerOptions:
    """Options of a labelling model.

    Args:
        given: ``llm:FILE.yaml``, ``llm:openai:MODEL`` (OpenAI's endpoint, with the key in OPENAI_API_KEY) or
            ``llm:huggingface:FOLDER`` (in this process: a folder as ``save_pretrained`` writes it, or a GGUF file).

    Raises:
        UsageError: none of these, or impossible options.
        DataError: the file has mistakes; all are listed.
    """
    what = given.removeprefix(PREFIX)
    if what.endswith(ENDINGS):
        fields = read_fields(Path(what), hint="It needs the fields url and model, or folder.")
        record = labeller_record(fields)
        try:
            return record.model_validate(fields)
        except ValidationError as error:
            found = problems_of_fields(error, fields, record, file=what, lines=lines_of(Path(what)))
            raise DataError(found) from error
    kind, _, model = what.partition(":")
    if kind not in (OPENAI, HUGGINGFACE) or not model:
        raise UsageError(
            "A language model that labels is given as llm:FILE.yaml (with url and model, or folder), llm:openai:MODEL or "
            f"llm:huggingface:FOLDER, got {given!r}."
        )
    endpoint: dict[str, Any] = {"url": OPENAI_URL, "model": model, "api_key_env": OPENAI_KEY}
    fields = endpoint if kind == OPENAI else {"folder": model}
    record = labeller_record(fields)
    try:
        return record.model_validate(fields)
    except ValidationError as error:
        wrong = "; ".join(each.what for each in mistakes_of(error, fields, record))
        raise UsageError(f"{given}: {wrong}") from error

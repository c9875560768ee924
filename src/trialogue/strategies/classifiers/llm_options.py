"""Options of language models that label strategies."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError, model_validator

from trialogue.errors import DataError, UsageError
from trialogue.llm.chat import ChatOptions
from trialogue.llm.local import LocalOptions
from trialogue.records import Record
from trialogue.records.files.validation import mistakes_of
from trialogue.records.files.yaml_file import lines_of, problems_of_fields, read_fields
from trialogue.strategies.base import MOST_CONTEXT

PREFIX = "llm:"
OPENAI, HUGGINGFACE = "openai", "huggingface"
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
ENDINGS = (".yaml", ".yml")
LONGEST_ANSWER = 16  # tokens
ONE_ANSWER = "samples above 1 need a temperature above 0: at 0 they are one answer several times"


class LabellingOptions(Record):
    """What a labelling model sees, wherever it runs."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    context: Annotated[int, Field(ge=0, le=MOST_CONTEXT)] = 3
    """Utterances before the sentence that the model sees."""
    examples: Annotated[int, Field(ge=0, le=10)] = 3
    """Bundled examples of each strategy in the prompt."""


class LabellerOptions(ChatOptions, LabellingOptions):
    """Endpoint and model, and how probabilities are obtained."""

    max_tokens: Annotated[int, Field(ge=1)] | None = LONGEST_ANSWER
    """Tokens that an answer may have: a letter, and what some models write around it. Reasoning models need more."""
    temperature: Annotated[float, Field(ge=0, le=10)] | None = 0.0
    """0: the likeliest answer; several samples need a higher one. None: the server's default."""
    log_probabilities: bool = True
    """Whether probabilities are those of the answer's token (``logprobs``), for servers that give them; else they are the
    shares of ``samples`` answers."""
    samples: Annotated[int, Field(ge=1, le=100)] = 1
    """Answers to each question; each sees the options in another order."""

    @model_validator(mode="after")
    def _can_be_asked(self) -> "LabellerOptions":
        wrong = []
        if self.samples > 1 and self.temperature == 0:
            wrong.append(ONE_ANSWER)
        if not self.log_probabilities and self.samples == 1:
            wrong.append("one answer without log_probabilities has no probabilities: set samples to 5 or more")
        reserved = sorted({"logprobs", "top_logprobs", "n"} & set(self.more))
        if reserved:
            wrong.append(f"more cannot hold {', '.join(reserved)}: use log_probabilities and samples")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


class LocalLabellerOptions(LocalOptions, LabellingOptions):
    """A model in this process: probabilities are shares of its answers."""

    max_tokens: Annotated[int, Field(ge=1)] = LONGEST_ANSWER
    """Tokens that an answer may have: a letter, and what some models write around it. Reasoning models need more."""
    temperature: Annotated[float, Field(gt=0, le=10)] = 1.0
    """Above 0, since ``samples`` would otherwise be one answer several times."""
    log_probabilities: Literal[False] = False
    """False: probabilities of tokens are read from endpoints only."""
    samples: Annotated[int, Field(ge=2, le=100)] = 5
    """Answers to each question; each sees the options in another order."""


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

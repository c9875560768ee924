"""Options of judges: endpoint and sampling as of language-model agents, and how a judge is asked."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from trialogue.errors import DataError, Problem, UsageError
from trialogue.llm.chat import ChatOptions
from trialogue.llm.local import LocalOptions
from trialogue.records import Record
from trialogue.records.files.validation import mistakes_of
from trialogue.records.files.yaml_file import lines_of, problems_of_fields, read_fields

OPENAI, HUGGINGFACE = "openai", "huggingface"
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
ENDINGS = (".yaml", ".yml")
ONE_ANSWER = "samples above 1 need a temperature above 0: at 0, all of them are the same answer"
LONGEST_ANSWER = 400  # tokens: a sentence and a point for each of fourteen aspects take half of it


class JudgingOptions(Record):
    """How a judge is asked, wherever its model runs."""

    samples: Annotated[int, Field(ge=1, le=100)] = 1
    """Answers to each question, of which the score is the mean."""
    reasons: bool = True
    """Whether the judge writes a sentence before its points."""
    instruction_role: Literal["system", "developer", "user"] = "system"
    """Whose words the instruction is; ``user`` for models whose chat template knows no other."""
    mask: bool = True
    """Whether e-mail addresses, phone numbers and platform ids are masked."""


class JudgeOptions(ChatOptions, JudgingOptions):
    """Options of a judge whose model is behind an endpoint."""

    max_tokens: Annotated[int, Field(ge=1)] | None = LONGEST_ANSWER
    """Tokens that an answer may have; one that needs more is cut, and its score is missing."""
    temperature: Annotated[float, Field(ge=0, le=10)] | None = 0.0
    """0: the likeliest answer; several samples need a higher one. None: the server's default."""
    expected: bool = False
    """Whether the score is the mean point under the probabilities of the answer's token (``logprobs``), for servers that
    give them; an answer without them is then missing."""
    structured: bool = True
    """Whether to ask for answers by a JSON schema; a server that refuses it is asked without."""

    @model_validator(mode="after")
    def _can_be_asked(self) -> "JudgeOptions":
        wrong = []
        if self.samples > 1 and self.temperature == 0:
            wrong.append(ONE_ANSWER)
        reserved = sorted({"logprobs", "top_logprobs", "response_format", "n"} & set(self.more))
        if reserved:
            wrong.append(
                f"'more' cannot contain {', '.join(reserved)}: use the options expected, structured and samples"
            )
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


class LocalJudgeOptions(LocalOptions, JudgingOptions):
    """Options of a judge whose model runs in this process: without a schema and without probabilities of tokens."""

    max_tokens: Annotated[int, Field(ge=1)] = LONGEST_ANSWER
    """Tokens that an answer may have; one that needs more is cut, and its score is missing."""
    expected: Literal[False] = False
    """False: probabilities of tokens are read from endpoints only."""
    structured: Literal[False] = False
    """False: a model in this process takes no JSON schema."""

    @model_validator(mode="after")
    def _can_be_asked(self) -> "LocalJudgeOptions":
        if self.samples > 1 and self.temperature == 0:
            raise ValueError(ONE_ANSWER)
        return self


AnyJudgeOptions = JudgeOptions | LocalJudgeOptions
"""Options of a judge, wherever its model runs."""


def judge_record(given: Collection[str]) -> type[JudgeOptions] | type[LocalJudgeOptions]:
    """Record that describes some options: a model in a ``folder``, or else behind an endpoint."""
    return LocalJudgeOptions if "folder" in given else JudgeOptions


def judge_options(given: str | Path, options: Mapping[str, Any] | None = None) -> AnyJudgeOptions:
    """Options from ``openai:MODEL``, ``huggingface:FOLDER`` or a YAML file, with some of them overridden.

    Args:
        given: ``openai:MODEL`` for any OpenAI-compatible endpoint (option ``url``; by default OpenAI's own, with the key in
            ``OPENAI_API_KEY``), ``huggingface:FOLDER`` for a model in this process (a folder as ``save_pretrained`` writes
            it, or a GGUF file), or a YAML file of options.
        options: options by name.

    Raises:
        UsageError: none of these, or impossible options; all are listed.
        DataError: the file has mistakes; all are listed.
    """
    more = dict(options or {})
    if str(given).endswith(ENDINGS):
        path = Path(given)
        fields = {**read_fields(path, hint="It needs the fields url and model, or folder."), **more}
        record = judge_record(fields)
        try:
            return record.model_validate(fields)
        except ValidationError as error:
            found = problems_of_fields(error, fields, record, file=str(path), lines=lines_of(path))
            raise DataError(found) from error
    kind, colon, model = str(given).partition(":")
    if kind not in (OPENAI, HUGGINGFACE) or not colon or not model:
        raise UsageError(
            "A judge is given as openai:MODEL (any OpenAI-compatible endpoint, see the option url), huggingface:FOLDER "
            f"(a model on this machine) or a YAML file of options, got {str(given)!r}."
        )
    if kind == OPENAI and "url" not in more:
        more |= {"url": OPENAI_URL, "api_key_env": more.get("api_key_env", OPENAI_KEY)}
    fields = {"model" if kind == OPENAI else "folder": model, **more}
    record = judge_record(fields)
    try:
        return record.model_validate(fields)
    except ValidationError as error:
        wrong = [
            Problem(each.what, field=".".join(map(str, each.place)), hint=each.hint)
            for each in mistakes_of(error, fields, record)
        ]
        raise UsageError("\n".join(f"The judge {given}: {each}" for each in wrong)) from error

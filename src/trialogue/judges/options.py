"""Options of judges: endpoint and sampling as of language-model agents, and how a judge is asked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError, model_validator

from trialogue.errors import DataError, Problem, UsageError
from trialogue.llm.chat import ChatOptions
from trialogue.records.files.validation import mistakes_of
from trialogue.records.files.yaml_file import lines_of, problems_of_fields, read_fields

OPENAI = "openai"
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_KEY = "OPENAI_API_KEY"
ENDINGS = (".yaml", ".yml")
LONGEST_ANSWER = 400  # tokens: a sentence and a point for each of fourteen aspects take half of it


class JudgeOptions(ChatOptions):
    """Options of a language-model judge."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    max_tokens: Annotated[int, Field(ge=1)] | None = LONGEST_ANSWER
    """Tokens that an answer may have; one that needs more is cut, and its score is missing."""
    temperature: Annotated[float, Field(ge=0, le=10)] | None = 0.0
    """0: the likeliest answer; several samples need a higher one. None: the server's default."""
    samples: Annotated[int, Field(ge=1, le=100)] = 1
    """Answers to each question, of which the score is the mean."""
    expected: bool = False
    """Whether the score is the mean point under the probabilities of the answer's token (``logprobs``), for servers that
    give them; an answer without them is then missing."""
    structured: bool = True
    """Whether to ask for answers by a JSON schema; a server that refuses it is asked without."""
    reasons: bool = True
    """Whether the judge writes a sentence before its points."""
    instruction_role: Literal["system", "developer", "user"] = "system"
    """Whose words the instruction is; ``user`` for models whose chat template knows no other."""
    mask: bool = True
    """Whether e-mail addresses, phone numbers and platform ids are masked."""

    @model_validator(mode="after")
    def _can_be_asked(self) -> "JudgeOptions":
        wrong = []
        if self.samples > 1 and self.temperature == 0:
            wrong.append("samples above 1 need a temperature above 0: at 0 they are one answer several times")
        reserved = sorted({"logprobs", "top_logprobs", "response_format", "n"} & set(self.more))
        if reserved:
            wrong.append(f"more cannot hold {', '.join(reserved)}: use expected, structured and samples")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


def judge_options(given: str | Path, options: Mapping[str, Any] | None = None) -> JudgeOptions:
    """Options from ``openai:MODEL``, or from a YAML file, with some of them overridden.

    Args:
        given: ``openai:MODEL`` for any OpenAI-compatible endpoint (option ``url``; by default OpenAI's own, with the key in
            ``OPENAI_API_KEY``), or a YAML file of options.
        options: by name.

    Raises:
        UsageError: neither of both, or impossible options; all are listed.
        DataError: the file has mistakes; all are listed.
    """
    more = dict(options or {})
    if str(given).endswith(ENDINGS):
        path = Path(given)
        fields = {**read_fields(path, hint="It needs the fields url and model."), **more}
        try:
            return JudgeOptions.model_validate(fields)
        except ValidationError as error:
            found = problems_of_fields(error, fields, JudgeOptions, file=str(path), lines=lines_of(path))
            raise DataError(found) from error
    kind, colon, model = str(given).partition(":")
    if kind != OPENAI or not colon or not model:
        raise UsageError(
            f"A judge is given as openai:MODEL (any OpenAI-compatible endpoint, see the option url) or as a YAML file of "
            f"options, got {str(given)!r}."
        )
    if "url" not in more:
        more |= {"url": OPENAI_URL, "api_key_env": more.get("api_key_env", OPENAI_KEY)}
    fields = {"model": model, **more}
    try:
        return JudgeOptions.model_validate(fields)
    except ValidationError as error:
        wrong = [
            Problem(each.what, field=".".join(map(str, each.place)), hint=each.hint)
            for each in mistakes_of(error, fields, JudgeOptions)
        ]
        raise UsageError("\n".join(f"The judge {given}: {each}" for each in wrong)) from error

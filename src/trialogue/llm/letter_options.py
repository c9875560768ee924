"""Options of a model that answers with one letter, and how the probability of its answer is obtained."""

from collections.abc import Collection
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, model_validator

from trialogue.llm.chat import ChatOptions
from trialogue.llm.local import LocalOptions

LONGEST_ANSWER = 16  # tokens
ONE_ANSWER = "samples above 1 need a temperature above 0: at 0, all of them are the same answer"


class EndpointLetterOptions(ChatOptions):
    """Endpoint and model, and how probabilities are obtained."""

    model_config = ConfigDict(use_attribute_docstrings=True)

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
    def _can_be_asked(self) -> "EndpointLetterOptions":
        wrong = []
        if self.samples > 1 and self.temperature == 0:
            wrong.append(ONE_ANSWER)
        if not self.log_probabilities and self.samples == 1:
            wrong.append("a single answer without log_probabilities gives no probabilities: set samples to 5 or more")
        reserved = sorted({"logprobs", "top_logprobs", "n"} & set(self.more))
        if reserved:
            wrong.append(f"'more' cannot contain {', '.join(reserved)}: use the options log_probabilities and samples")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


class LocalLetterOptions(LocalOptions):
    """A model in this process: probabilities are shares of its answers."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    max_tokens: Annotated[int, Field(ge=1)] = LONGEST_ANSWER
    """Tokens that an answer may have: a letter, and what some models write around it. Reasoning models need more."""
    temperature: Annotated[float, Field(gt=0, le=10)] = 1.0
    """Above 0, since ``samples`` would otherwise be one answer several times."""
    log_probabilities: Literal[False] = False
    """False: probabilities of tokens are read from endpoints only."""
    samples: Annotated[int, Field(ge=2, le=100)] = 5
    """Answers to each question; each sees the options in another order."""


LetterOptions = EndpointLetterOptions | LocalLetterOptions
"""Options wherever the model runs."""


def letter_options_class(given: Collection[str]) -> type[EndpointLetterOptions] | type[LocalLetterOptions]:
    """Record that describes some options: a model in a ``folder``, or else behind an endpoint."""
    return LocalLetterOptions if "folder" in given else EndpointLetterOptions

"""Options of language-model users, for simulation files, the command line and Python."""

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from trialogue.errors import UsageError
from trialogue.llm.chat import ChatOptions
from trialogue.llm.local import LocalOptions
from trialogue.records import Record
from trialogue.simulation.language.nlu_llm import AnyUnderstanding, understanding_options
from trialogue.simulation.llm.prompts import check_prompt
from trialogue.transport.answers import LONGEST_TEXT

USUAL_WORDS = 12
LONGEST_ANSWER = 300  # tokens; people write some ten a turn, and a model that writes thirty times that is no user


def _check_prompt(prompt: str) -> str:
    try:
        return check_prompt(prompt)
    except UsageError as error:
        raise ValueError(str(error)) from error


def _read_understanding(given: object) -> object:
    try:
        return None if given is None else understanding_options(given)
    except UsageError as error:
        raise ValueError(str(error)) from error


class UserOptions(Record):
    """Who the users are and how they write, wherever their model runs."""

    persona: str = ""
    """Description of the users; "": none."""
    traits: dict[Literal["emotion", "engagement", "patience"], Literal["low", "high"]] = Field(default_factory=dict)
    """Traits of the users: how much emotion they show, how long they go on, how soon they give up; {}: the model decides."""
    personas: Path | None = None
    """A text file with a persona on each line, of which every case draws one; None: ``persona`` for all."""
    style: Path | None = None
    """How people write, as ``trialogue users fit --method style`` measures it: ``words``, ``typos``, and messages of one
    person as examples for every case; None: no examples."""
    words: Annotated[int, Field(ge=1)] | None = None
    """Limit on the words of most messages, stated in the prompt; people in CRSArena-Dial write 6.5 to 8.1 a turn. None:
    that of ``style``, else 12."""
    typos: Annotated[float, Field(ge=0, le=1)] | None = None
    """Share of words of four letters or more with a slip, put in after the model has written; titles are spared. None: that
    of ``style``, else 0."""
    domain: str | None = None
    """Kind of items, in the plural."""
    attributes: tuple[str, ...] | None = None
    """Attributes that needs are about; None: ``genre``, or else the one whose values most items share."""
    prompt: Annotated[str, AfterValidator(_check_prompt)] | None = None
    """Custom prompt for messages, with ``{domain}``, ``{who}`` and ``{need}``; None: ours."""
    turns: Annotated[int, Field(ge=1)] | None = None
    """User messages after which a dialogue is over; None: 5 for ``llm:target-item``, as in iEvaLM, else the study's."""
    agenda: str = "cir6-pkg"
    """The agenda-based users that ``llm:worded`` words: a name or a folder of fitted users."""
    understanding: Annotated[AnyUnderstanding | None, BeforeValidator(_read_understanding)] = None
    """How ``llm:worded`` understands the agent: a language model, as ``{"llm": {...}}``; None: as its agenda does."""
    instruction_role: Literal["system", "developer", "user"] = "system"
    """Role under which the prompt is sent; ``user`` for models whose chat template has no other."""
    longest_text: Annotated[int, Field(ge=1)] = LONGEST_TEXT
    """Characters that a message may have."""


class LlmUserOptions(ChatOptions, UserOptions):
    """Options of users whose model is behind an endpoint."""

    max_tokens: Annotated[int, Field(ge=1)] | None = LONGEST_ANSWER
    """Tokens that an answer may have; one that needs more is cut, and ends the dialogue as the user's failure."""


class LocalUserOptions(LocalOptions, UserOptions):
    """Options of users whose model runs in this process."""

    max_tokens: Annotated[int, Field(ge=1)] = LONGEST_ANSWER
    """Tokens that an answer may have; one that needs more is cut, and ends the dialogue as the user's failure."""


def options_class(given: Collection[str]) -> type[LlmUserOptions] | type[LocalUserOptions]:
    """Record that describes some options: a model in a ``folder``, or else behind an endpoint."""
    return LocalUserOptions if "folder" in given else LlmUserOptions

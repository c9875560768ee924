"""Mappings of tables and nested JSON, from YAML or a dictionary: which column is what, and who a speaker is."""

import difflib
import re
from collections.abc import Iterable
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Self, TypeAlias

from pydantic import ConfigDict, Field, ValidationError, field_validator, model_validator

from trialogue.datasets.door.feedback import kind_of_rater
from trialogue.datasets.door.values import names_of
from trialogue.datasets.json_documents import ParseReport
from trialogue.errors import DataError, Problem
from trialogue.records import Labeller, Raters, Speaker
from trialogue.records.base import Record
from trialogue.records.files.validation import Mistake, mistakes_of
from trialogue.records.files.yaml_file import Lines, lines_of, read_fields

COSTS = names_of("costs")
"""Headings of what a reply took, which is kept on its record."""
OF_UTTERANCES = (
    "speaker",
    "text",
    "user_text",
    "system_text",
    "order",
    "user",
    "utterance_id",
    "dialogue_ratings",
    "utterance_ratings",
    "speakers",
    "trial",
    "messages",
    "first_speaker",
)
OF_RESPONSES = ("situation", "context", "context_separator", "reference", "response", "responses", "targets")
_TEXT_WORDS = (
    "speaker order utterance_id utterance_ratings speakers messages first_speaker situation context context_separator "
    "reference targets strategies mentions ranking error thought"
)
OF_TEXTS = tuple(_TEXT_WORDS.split())
"""Fields of tables with texts alone."""
EXAMPLE = "For example: dialogue: conversation_id"
TEXT, RESPONSES = frozenset({"text", "system_text"}), frozenset({"response", "responses"})


class Mapping(Record):
    """Column mapping of a table with one row per utterance (``text``) or per response (``response``, ``responses``), or of
    answers about a system, without texts (``ratings`` alone).

    A value is the name of a column where nothing else is said, or a path into nested JSON (``turns.0.text``, see
    ``records.files.json_paths``). Lists within a cell are JSON lists or parted by ``list_separator``.
    """

    model_config = ConfigDict(coerce_numbers_to_str=True)

    records: str | None = None
    """Path of the list of records in a JSON document (not a column). ``*`` stands for every value of an object; its key is
    then the column ``*``."""
    messages: str | None = None
    """Path of the list of messages in a record (not a column). Columns that begin with it (``turns.text``) are of each
    message, others of the whole record. Where messages are plain strings, it is the path of their text, too."""
    first_speaker: Speaker | None = None
    """Whose the first message is, where they alternate and do not say whose they are (not a column)."""

    dialogue: str | None = None
    """Id of the dialogue; of a response: of the dialogue that its situation is cut from."""
    system: str | None = None
    """Name of the recommender."""
    system_name: str | None = None
    """Name of the recommender itself, where no column holds it."""
    ratings: dict[str, str] = Field(default_factory=dict)
    """Ratings: column by name, or a list of columns that are named so. They are of the whole dialogue where no dialogue has
    two values, else of the utterance of the row; in a table of responses, of the response."""
    scale: tuple[float, float] | None = None
    """Lowest and highest value of all these ratings."""
    missing: tuple[float, ...] = ()
    """Numbers in these columns that mean that there is no rating, such as -1 (not a column)."""
    rater: str | None = None
    """Code of the person who gave a row's ratings. Rows of one response may then repeat, one for each rater."""
    raters: Raters | None = None
    """Kind of rater of all these ratings: people, scripted, invented, model, program or unknown (not a column). Default:
    people for feedback fields (thumbs, feedback, rating, satisfaction, ...), else unknown."""
    origin: str | None = None
    """Kind of rater of a row's ratings, such as person, model or program, where a column says it."""
    strategies: str | None = None
    """Strategies of the utterance or response: one or a list."""
    strategy_origin: str = "annotated"
    """Name of who labelled them (not a column)."""
    strategy_by: Labeller | None = None
    """Kind of labeller: person, model, llm or scripted (not a column)."""
    mentions: str | None = None
    """Titles of the items named in the text."""
    ranking: str | None = None
    """Ids of the items recommended, best first."""
    error: str | None = None
    """Error of a system that failed to reply; empty cells mean no error."""
    thought: str | None = None
    """Reasoning of the system that was not said; what stands in the text between marks such as <think> is found there."""
    meta: tuple[str, ...] = ()
    """Further columns to keep, under their own names: with the utterance or response; those of a whole record that holds
    messages, with the dialogue."""

    speaker: str | None = None
    """Who speaks in the row: user, system, or a name that ``speakers`` explains."""
    text: str | None = None
    """Text of the utterance, where a row or message is one."""
    user_text: str | None = None
    """Text of the user, where a row is an exchange; with ``system_text`` in place of ``speaker`` and ``text``."""
    system_text: str | None = None
    """The system's reply to it."""
    order: str | None = None
    """A number or a time to sort a dialogue's rows by; rows with the same number stay in the order of the file."""
    trial: str | None = None
    """Number or name of the trial, where the same dialogue id is a task that was attempted several times."""
    user: str | None = None
    """Code of the person or simulated user."""
    utterance_id: str | None = None
    """Id of the utterance."""
    dialogue_ratings: dict[str, str] = Field(default_factory=dict)
    """As ``ratings``, certainly of the whole dialogue; given in one row of it or the same in all."""
    utterance_ratings: dict[str, str] = Field(default_factory=dict)
    """As ``ratings``, certainly of the utterance of the row."""
    speakers: dict[str, Speaker] = Field(default_factory=dict)
    """Whose a value of ``speaker`` is, where it is not an obvious one: ``{Alice: user, R2: system}``; ``*``
    stands for all others."""

    situation: str | None = None
    """Id of the situation; without it, equal contexts are one situation."""
    context: str | None = None
    """Dialogue history: a list of texts or of {speaker, text}, or a text with one utterance per line."""
    context_separator: str | None = None
    """Separator of the utterances of such a text (not a column); default: line break."""
    reference: str | None = None
    """The human recommender's reply."""
    response: str | None = None
    """The system's reply to the situation, where a row holds one."""
    responses: dict[str, str] = Field(default_factory=dict)
    """Column by system, where a row holds the responses of several."""
    targets: str | None = None
    """Ids of the items that the reference recommends."""

    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    """Delimiter of cells, if not detected."""
    list_separator: str = Field(default=";", min_length=1)
    """Separator within a cell."""

    @field_validator("ratings", "dialogue_ratings", "utterance_ratings", mode="before")
    @classmethod
    def _named_by_their_columns(cls, given: object) -> object:
        given = [given] if isinstance(given, str) else given
        return {name: name for name in given} if isinstance(given, list | tuple) else given

    @field_validator("raters", mode="before")
    @classmethod
    def _in_anybodys_words(cls, given: object) -> object:
        return kind_of_rater(given) or given if isinstance(given, str) else given

    @field_validator("scale")
    @classmethod
    def _rises(cls, given: tuple[float, float] | None) -> tuple[float, float] | None:
        if given and given[0] >= given[1]:
            raise ValueError("the lowest value must come first and be below the highest")
        return given

    @field_validator("meta", "missing", mode="before")
    @classmethod
    def _one_is_a_list(cls, given: object) -> object:
        return [given] if isinstance(given, str | int | float) else given

    @field_validator("speakers", "responses", mode="before")
    @classmethod
    def _names_are_text(cls, given: object) -> object:
        return {str(name): value for name, value in given.items()} if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _describes_a_table(self) -> Self:
        if mistakes := shape_mistakes(name for name in self.model_fields_set if getattr(self, name)):
            raise ValueError("; ".join(mistakes))
        if mistakes := _speaker_mistakes({"messages": self.messages, "text": self.text, "speaker": self.speaker,
                                          "first_speaker": self.first_speaker}):  # fmt: skip
            raise ValueError("; ".join(mistakes))
        return self

    @property
    def is_of_responses(self) -> bool:
        """Whether a row is a response (otherwise an utterance, or answers)."""
        return self.response is not None or bool(self.responses)

    @property
    def is_of_answers(self) -> bool:
        """Whether a row is people's answers about a system, without texts."""
        return self.text is None and self.system_text is None and not self.is_of_responses

    @property
    def meta_of_rows(self) -> tuple[str, ...]:
        """Further columns to keep with each utterance or response."""
        return tuple(name for name in self.meta if self.messages is None or self.is_of_messages(name))

    @property
    def meta_of_records(self) -> tuple[str, ...]:
        """Further columns to keep with the dialogue."""
        return tuple(name for name in self.meta if name not in self.meta_of_rows)

    @property
    def message_prefix(self) -> str:
        """What paths of each message begin with; "" if records hold no messages."""
        if self.messages is None:
            return ""
        return f"{self.messages}/" if self.messages.startswith("/") else f"{self.messages}."

    def is_of_messages(self, column: str) -> bool:
        """Whether a column is of each message."""
        return self.messages is not None and column.startswith(self.message_prefix)

    @property
    def is_nested(self) -> bool:
        """Whether it holds paths, or columns whose names look like paths."""
        names = self.columns().values()
        return bool(self.records or self.messages) or any("." in name or name.startswith("/") for name in names)

    def columns(self) -> dict[str, str]:
        """Columns by the field that maps them, such as ``{"ratings.fluency": "flu"}``."""
        single = (
            "records",
            "messages",
            "first_speaker",
            "raters",
            "strategy_origin",
            "strategy_by",
            "system_name",
            "context_separator",
            "delimiter",
            "list_separator",
        )
        found: dict[str, str] = {}
        for name in type(self).model_fields:
            value = getattr(self, name)
            if isinstance(value, str) and name not in single:
                found[name] = value
            elif isinstance(value, dict) and name != "speakers":
                found |= {f"{name}.{key}": column for key, column in value.items()}
        return found | {f"meta.{column}": column for column in self.meta}


def shape_mistakes(given: Iterable[str]) -> list[str]:
    """Fields that are missing or superfluous for one of the two table shapes."""
    names = set(given)
    of_text, of_responses = names & TEXT, names & RESPONSES
    if not of_text and not of_responses and names & {"ratings", "dialogue_ratings"}:
        return [f"{name} requires text or response" for name in OF_TEXTS if name in names]
    if not of_text and not of_responses:
        return [
            "expected text (a row is an utterance), response (a row is a response of a system) or ratings (a row is a "
            "person's answers about a system)"
        ]
    if of_text and of_responses:
        return [
            f"text and {' and '.join(sorted(of_responses))} exclude each other: a row is an utterance or a response"
        ]
    mistakes = []
    if of_text:
        mistakes += _utterance_mistakes(names)
        mistakes += [f"{name} is not allowed where a row is an utterance" for name in OF_RESPONSES if name in names]
    else:
        mistakes += [f"{name} is not allowed where a row is a response" for name in OF_UTTERANCES if name in names]
        if not names & {"situation", "context"}:
            mistakes.append("situation or context is required where a row is a response")
        mistakes += _system_mistakes(names)
    return mistakes


def _utterance_mistakes(names: set[str]) -> list[str]:
    if "system_text" in names:
        wrong = [f"{name} is not allowed where a row is an exchange" for name in ("speaker", "text") if name in names]
        return wrong + ([] if "user_text" in names else ["user_text is required where a row is an exchange"])
    if "messages" not in names:
        needed = [
            f"{name} is required where a row is an utterance" for name in ("dialogue", "speaker") if name not in names
        ]
        return [*needed, *(["first_speaker requires messages"] if "first_speaker" in names else [])]
    return ["speaker and first_speaker exclude each other"] if {"speaker", "first_speaker"} <= names else []


def _speaker_mistakes(fields: Dictionary[str, Any]) -> list[str]:
    """Messages that are objects say whose they are, or alternate; plain strings may begin with it."""
    are_objects = fields.get("messages") and fields.get("text") not in (None, fields["messages"])
    if not are_objects or fields.get("speaker") or fields.get("first_speaker"):
        return []
    return ["speaker (a path) or first_speaker (user or system) is required"]


def _system_mistakes(names: set[str]) -> list[str]:
    if {"response", "responses"} <= names:
        return ["response and responses exclude each other"]
    if "response" in names and not names & {"system", "system_name"}:
        return ["system (a column) or system_name (the name itself) is required"]
    of_one = sorted(names & {"ratings", "rater", "strategies", "mentions", "ranking", "system", "system_name", "error"})
    return [f"{name} requires one response per row, not several (responses)" for name in of_one if "responses" in names]


Columns: TypeAlias = Mapping | Path | str | Dictionary[str, Any]
"""A mapping however it is given: as a record, as a dictionary of its fields, or as a YAML file that holds them."""


def load_mapping(source: Columns) -> Mapping:
    """Load a mapping from a YAML file or a dictionary; a Mapping is returned unchanged.

    Raises:
        DataError: no such file, not YAML, or every field that is unknown, wrong, missing or too much.
    """
    if isinstance(source, Mapping):
        return source
    if isinstance(source, Path | str):
        path = Path(source)
        fields = read_fields(path, hint=EXAMPLE)
        return _validate(fields, str(path), lines_of(path))
    if not isinstance(source, Dictionary):
        raise DataError(Problem("expected a mapping of fields to columns.", "mapping", hint=EXAMPLE))
    return _validate(source, "mapping", Lines())


def _validate(given: Dictionary[str, Any], file: str, lines: Lines) -> Mapping:
    mistakes = mapping_mistakes(given)
    if mistakes:
        raise DataError([mistake.problem(file, lines) for mistake in mistakes])
    return Mapping.model_validate(_drop_empty(given))


def _drop_empty(given: Dictionary[str, Any]) -> dict[str, Any]:
    """Non-empty fields; an empty field is equivalent to a missing one."""
    return {str(name): value for name, value in given.items() if value not in (None, "", [], {})}


def mapping_mistakes(given: Dictionary[str, Any]) -> list[Mistake]:
    """All mistakes in the fields of a mapping; [] if it is valid."""
    fields = _drop_empty(given)
    known = {name: value for name, value in fields.items() if name in Mapping.model_fields}
    mistakes = [_unknown(name) for name in fields if name not in known]
    mistakes += [Mistake((), f"{mistake}.") for mistake in (*shape_mistakes(known), *_speaker_mistakes(known))]
    try:
        Mapping.model_validate(known)
    except ValidationError as error:
        mistakes += [mistake for mistake in mistakes_of(error, known, Mapping) if mistake.place]
    return mistakes


def _unknown(name: str) -> Mistake:
    near = nearest(name, Mapping.model_fields)
    return Mistake((name,), "unknown field.", near or f"Known: {', '.join(Mapping.model_fields)}.")


def nearest(name: str, known: Iterable[str]) -> str:
    """``"Did you mean 'x'?"``, or "" if no name is similar."""
    found = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"Did you mean {' or '.join(repr(match) for match in found)}?" if found else ""


_USER = "user usr seeker initiator human customer client person participant searcher"
_SYSTEM = "system sys recommender respondent assistant asst agent bot chatbot crs recommendersystem ai model wizard rec"
PREFIXED = re.compile(r"\s*([^\s:][^:\n]{0,24}?)\s*:\s+(.*)$", re.DOTALL)
"""A text that says whose it is: ``User: hello``."""
OBVIOUS: dict[str, Speaker] = {
    **dict.fromkeys(_USER.split(), "user"),
    **dict.fromkeys(_SYSTEM.split(), "system"),
}


@dataclass
class Speakers:
    """Known speaker names, and unknown ones with their counts and first lines."""

    explained: Dictionary[str, Speaker]
    unknown: dict[str, tuple[int, int]] = field(default_factory=dict)

    def resolve(self, name: str, line: int) -> Speaker | None:
        """The speaker of a name; None, and recorded, if unknown.

        >>> speakers = Speakers({"Alice": "user"})
        >>> speakers.resolve("Alice", 1), speakers.resolve("CHAT-BOT:", 2), speakers.resolve("Bob", 3)
        ('user', 'system', None)
        >>> list(speakers.unknown)
        ['Bob']
        """
        known = self.peek(name)
        if known is None:
            times, first = self.unknown.get(name, (0, line))
            self.unknown[name] = (times + 1, first)
        return known

    def peek(self, name: str) -> Speaker | None:
        """The speaker of a name; None if unknown, which is not recorded. ``*`` explains all other names."""
        return self.explained.get(name) or self.explained.get(name.strip()) or obvious(name) or self.explained.get("*")

    def settle(self, column: str, report: ParseReport) -> None:
        """Report all unknown names at once."""
        if self.unknown:
            seen = ", ".join(f"{name!r} ({times}×)" for name, (times, _) in list(self.unknown.items())[:10])
            example = ", ".join(f"{name}: user" for name in list(self.unknown)[:2])
            hint = f"Map them to roles, for example: speakers: {{{example}}}"
            line = min(first for _, first in self.unknown.values())
            report.wrong(f"unknown speakers, neither user nor system: {seen}.", column, line=line, hint=hint)


@lru_cache(maxsize=1024)  # a table has few names and many rows
def obvious(name: str) -> Speaker | None:
    """The speaker of a well-known name, ignoring case and punctuation; None for any other."""
    return OBVIOUS.get(re.sub(r"[\W_]+", "", name).lower())

"""A study in a file: everything about it but its items. Checked whole, every mistake told at once."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from trialogue.errors import DataError, Problem
from trialogue.records import JsonValue
from trialogue.records.yaml_file import problem_of
from trialogue.study.design.flow import PHASES, Phase
from trialogue.study.design.labels import LabelSet, label_set
from trialogue.study.design.parts import (
    Attention,
    ChatOptions,
    Comprehension,
    Consent,
    Described,
    ExclusionRule,
    Platform,
    Questionnaires,
    Rejection,
    ScreeningQuestion,
    Training,
)
from trialogue.study.design.presets import all_filled, filled
from trialogue.study.design.questions import Question, Words

StudyType: TypeAlias = Literal["rating", "preference", "realism", "chat", "labelling"]


def _pages_filled(given: Any) -> Any:
    """Presets within ``before`` and ``after`` and within the questions of their pages."""
    if not isinstance(given, dict):
        return given
    return {when: _each_filled(pages) for when, pages in given.items()}


def _each_filled(pages: Any) -> Any:
    filled_pages = all_filled(pages)
    if not isinstance(filled_pages, list):
        return filled_pages
    return [
        {**page, "questions": all_filled(page["questions"])} if isinstance(page, dict) and "questions" in page else page
        for page in filled_pages
    ]


Questions: TypeAlias = Annotated[tuple[Question, ...], BeforeValidator(all_filled)]


class StudyFile(Described):
    """One study."""

    study: str = Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")
    """Its short name, in addresses: small letters, digits, hyphens."""
    title: Words
    """What people read at the top."""
    type: StudyType
    """rating, preference, realism, chat or labelling."""
    languages: tuple[str, ...] = Field(default=("en",), min_length=1, max_length=40)
    """Languages of its texts; the first is spoken to people who read none of them."""
    items: str = "items.jsonl"
    """The items file, within the folder."""
    raters_per_item: int = Field(default=3, ge=1, le=1_000)
    """k: how many people judge each item, exactly."""
    items_per_participant: int = Field(default=9, ge=1, le=500)
    """How many each person gets."""
    one_item_per_dialogue: bool | None = None
    """Whether nobody sees two items of one dialogue; null: yes, except for labelling."""
    minutes: int | None = Field(default=None, ge=1, le=600)
    """How long it takes, as people are told."""
    welcome: Words = ""
    """Above the button that begins."""
    contact: str = Field(default="", max_length=300)
    """Whom to ask, at the foot of every page."""
    criteria: Questions = ()
    """Rating: asked about each reply. Others: asked about the pair, the conversation or the message, beside the type's own."""
    overall: Questions = ()
    """Rating: asked once, below all replies."""
    labels: Annotated[LabelSet | None, BeforeValidator(label_set)] = None
    """Labelling: the labels, or ``strategies`` for the thirteen and no_strategy."""
    chat: ChatOptions = ChatOptions()
    """Chat: lengths and limits."""
    agents: dict[str, str | dict[str, JsonValue]] = Field(default_factory=dict)
    """Chat: what the systems are, by the names that items use, as ``trialogue chat`` takes them."""
    phases: tuple[Phase, ...] = ("consent", "instructions", "tasks", "exit")
    """Which there are; the order is given."""
    consent: Consent | None = None
    """The phase ``consent``."""
    screening: Annotated[tuple[ScreeningQuestion, ...], BeforeValidator(all_filled)] = ()
    """The phase ``screening``."""
    questionnaires: Annotated[Questionnaires, BeforeValidator(_pages_filled)] = Questionnaires()
    """The phases ``before`` and ``after``."""
    instructions: Words = ""
    """The phase ``instructions``; repeated after a failed comprehension check."""
    task_heading: Words = ""
    """Heading of each task; "" for the page's own."""
    task_text: Words = ""
    """A line below it."""
    training: Training | None = None
    """The phase ``training``."""
    comprehension: Comprehension | None = None
    """The phase ``comprehension``."""
    thanks: Words = ""
    """On the last page."""
    debriefing: Words = ""
    """Below it: what the study was about."""
    attention: Attention = Attention()
    """Checks, and thresholds of evidence."""
    exclusion: tuple[ExclusionRule, ...] = ()
    """Rules by which people are left out of the analysis: fixed before launch."""
    rejection: Rejection = Rejection()
    """When the lists suggest to refuse payment."""
    replace_excluded: bool = False
    """Whether slots of people who hit an exclusion rule are given out again."""
    platform: Platform = Platform()
    """Where people come from."""
    lease_minutes: int = Field(default=60, ge=5, le=14 * 24 * 60)
    """How long somebody may be silent before what they have not done is given to others."""
    events: bool = True
    """Whether focus, paste and times are recorded as evidence."""
    seed: int = 1
    """Seed of everything random."""

    @property
    def one_dialogue_once(self) -> bool:
        """Whether nobody sees two items of one dialogue."""
        return self.type != "labelling" if self.one_item_per_dialogue is None else self.one_item_per_dialogue

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        from trialogue.study.design.consistency import inconsistencies

        if found := inconsistencies(self):
            raise ValueError("\n".join(found))
        return self


def study_of(data: Mapping[str, Any], *, file: str = "", lines: Mapping[str, int] | None = None) -> StudyFile:
    """The study that fields describe.

    Args:
        data: the fields.
        file: named in mistakes.
        lines: the line of each field in it.

    Raises:
        DataError: with every mistake in it at once.
    """
    try:
        return StudyFile.model_validate({key: _plain(value) for key, value in data.items()})
    except ValidationError as error:
        problems: dict[Problem, None] = {}
        for detail in error.errors(include_url=False):
            for problem in _problems(detail, file, lines or {}):
                problems[problem] = None
        raise DataError(list(problems)) from None


def _problems(detail: Any, file: str, lines: Mapping[str, int]) -> list[Problem]:
    """One mistake; or those that several fields make together, one a line, each with the field that it begins with."""
    if detail["loc"]:
        return [problem_of(_readable(detail), StudyFile, file, lines)]
    found = []
    for line in str(detail["msg"]).removeprefix("Value error, ").splitlines():
        field, _, what = line.partition(": ")
        found.append(Problem(what, file, lines.get(field.split(".")[0]), field))
    return found


def _readable(detail: Any) -> Any:
    """Without the names of classes that pydantic puts among the places of a union."""
    places = tuple(part for part in detail["loc"] if not (isinstance(part, str) and re.match(r"[A-Z]\w+$|.*\[", part)))
    return {**detail, "loc": places or detail["loc"][:1]}


def _plain(value: Any) -> Any:
    """YAML's dates, as the texts that were written: a version such as 2026-01-31 is one."""
    import datetime

    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else value


__all__ = ["PHASES", "StudyFile", "StudyType", "filled", "study_of"]

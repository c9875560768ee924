"""Study files (``study.yaml``) as one closed record, fixed before launch.

Every mistake is reported at once, with its line.
"""

import hashlib
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter

from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import JsonValue, Record
from trialogue.records.kinds.uses import Use
from trialogue.study.design.launch import Launch, Payment, Stratum
from trialogue.study.design.pages import Phase
from trialogue.study.design.questions import Option, Question, TextLimits, Words, own_texts
from trialogue.study.design.validity import Attention, Rejection, Rule, Validity

StudyType: TypeAlias = Literal["rating", "preference", "realism", "chat", "labelling"]
PlatformKind: TypeAlias = Literal["none", "prolific", "mturk", "connect", "sona", "generic"]
FILE = "study.yaml"
HINT = "Create one with: trialogue study new FILES --template rating --out FOLDER"
_question: TypeAdapter[Question] = TypeAdapter(Question)


class ChangedError(UsageError):
    """A study has participants, but its file or items have changed."""


def preset_names() -> list[str]:
    """Questionnaires that come with Trialogue."""
    return sorted(entry.name.removesuffix(".yaml") for entry in _presets().iterdir() if entry.name.endswith(".yaml"))


def _presets() -> Any:
    return files("trialogue.study.design") / "presets"


def preset(name: str) -> list[Question]:
    """The questions of a bundled questionnaire.

    Raises:
        ValueError: there is no questionnaire of this name.
    """
    import yaml

    if name not in preset_names():
        raise ValueError(str(UnknownNameError("questionnaire", name, preset_names())))
    rows = yaml.safe_load((_presets() / f"{name}.yaml").read_text(encoding="utf-8"))
    return [_question.validate_python(row) for row in rows]


def _with_presets(given: object) -> object:
    """Questions, with ``preset: NAME`` replaced by the bundled questionnaire's."""
    if not isinstance(given, list | tuple):
        return given
    found: list[object] = []
    for row in given:
        if isinstance(row, dict) and set(row) == {"preset"}:
            found.extend(preset(str(row["preset"])))
        else:
            found.append(row)
    return found


Questions: TypeAlias = Annotated[tuple[Question, ...], BeforeValidator(_with_presets), Field(max_length=200)]

ImageAddress: TypeAlias = Annotated[str, Field(pattern=r"^https://[A-Za-z0-9.-]+(:\d+)?/([A-Za-z0-9._~/-]*/)?$")]


class Consent(Record):
    """Consent form."""

    version: str = Field(default="1", min_length=1, max_length=64)
    """Stored with each consent; raise it when the text changes."""
    text: Words
    """Text of the form, one for everybody or by language code."""
    allows: tuple[Use, ...] = ()
    """Uses of the conversations of a live chat for which it asks consent: ``language_models`` (others' servers, which judge
    the systems). The page then says so below the text, and the export records it with each conversation."""


class Screening(Record):
    """Screening criteria."""

    questions: Questions
    """The questions that decide who is eligible."""
    admit: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Eligible answers by question; questions without an entry admit everybody."""


class Page(Record):
    """One page of a questionnaire."""

    heading: Words = ""
    """Heading of the page; "": none."""
    text: Words = ""
    """Text above the questions."""
    questions: Questions
    """Questions of the page."""


class Comprehension(Record):
    """Questions about the instructions. Two attempts; never a reason to refuse payment for completed work."""

    questions: Questions
    """Questions about the instructions; ``right`` holds their answers."""
    right: dict[str, str | tuple[str, ...]]
    """The right answer by question."""
    attempts: int = Field(default=2, ge=1, le=5)
    """Maximum number of attempts."""


class Training(Record):
    """An item with right answers, which are shown afterwards."""

    item: dict[str, JsonValue]
    """An item, as in the items file."""
    right: dict[str, JsonValue]
    """Right answers by field: ``meaningfulness`` of every reply, or ``r2-meaningfulness`` of the second system by name."""
    explanation: Words = ""
    """Why these answers are right, shown with them; "": nothing is shown."""


class Platform(Record):
    """Recruitment platform and return of participants."""

    name: PlatformKind = "none"
    """Name of the platform; ``none``: participants come without one."""
    codes: dict[str, str] = Field(default_factory=dict)
    """Completion code by outcome, as set there; outcomes without one get a code of their own for each person."""
    actions: dict[str, Literal["AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW"]] = Field(default_factory=dict)
    """``prolific``: what happens there to participants with an outcome's code; by default, manual review."""
    id_parameter: str = Field(default="participant", pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")
    """``generic``: the parameter of a link that names the person."""
    return_url: str | None = Field(default=None, pattern=r"^https://[^\s<>\"']+$")
    """``generic``, ``sona``: where to go back; ``{code}`` and ``{id}`` are replaced."""
    signed: bool = False
    """Whether only signed links admit participants: ours (see trialogue study recruit links), or those of Prolific."""
    token_parameter: str = Field(default="prolific_token", pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")
    """``prolific``: the parameter of a secured address that holds the token."""
    study_id: str = Field(default="", max_length=64)
    """``prolific``: the study's id at Prolific; tokens of other studies are refused."""


class Chatting(Record):
    """Settings of conversations with systems."""

    turns: int = Field(default=15, ge=1, le=100)
    """Number of participant messages after which a conversation ends."""
    at_least: int = Field(default=3, ge=1)
    """Minimum number of messages before the participant may end it."""
    each_turn: Questions = ()
    """Asked with each message, about the reply before it."""


SIDES = ("1", "same", "2")
PAIRS = ("preference", "realism")


class StudyFile(Record):
    """A study."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    study: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")
    """Its short name, in addresses: small letters, digits and hyphens."""
    title: Words
    """Title that participants see."""
    type: StudyType
    """Instructions of the task."""
    items: str = "items.jsonl"
    """File of the items, relative to this file."""
    raters_per_item: int = Field(default=3, ge=1, le=1000)
    """Exact number of participants per item."""
    items_per_participant: int = Field(default=9, ge=1, le=500)
    """Number of items per participant."""
    criteria: Questions = ()
    """Questions about each reply (rating) or each conversation (chat)."""
    questions: Questions = ()
    """Questions asked once per item."""
    labels: tuple[Option, ...] | None = None
    """Labelling: the labels; by default the 13 strategies and no_strategy, with guidelines."""
    reason: Literal["required", "optional", "none"] = "optional"
    """Preference: whether a reason is asked for. Realism always requires one."""
    agents: dict[str, str | dict[str, JsonValue]] = Field(default_factory=dict)
    """Chat: the systems by name, as for trialogue simulate."""
    chat: Chatting = Chatting()
    """Chat: settings of the conversations."""
    phases: tuple[Phase, ...] = ("consent", "tasks", "exit")
    """Steps of the study, in order."""
    consent: Consent | None = None
    """Required by the phase consent."""
    screening: Screening | None = None
    """Required by the phase screening."""
    before: tuple[Page, ...] = ()
    """Questionnaire before the tasks."""
    after: tuple[Page, ...] = ()
    """Questionnaire after the tasks."""
    instructions: Words = ""
    """Shown in the phase instructions."""
    task_heading: Words = ""
    """Heading of the pages on which items are judged; empty: one for the study's type."""
    comprehension: Comprehension | None = None
    """Required by the phase comprehension."""
    training: tuple[Training, ...] = ()
    """Required by the phase training."""
    attention: Attention = Attention()
    """Attention checks among the tasks, and what counts as careless."""
    exclusion: tuple[Rule, ...] = ("failed_checks",)
    """Rules that exclude from the analysis; fixed before launch."""
    validity: Validity | None = None
    """Signs of language models to look for: exploratory flags in the export, never an exclusion. None: none is flagged."""
    rejection: Rejection = Rejection()
    """When payment may be refused."""
    replace_excluded: bool = True
    """Whether items of excluded participants are assigned again, so that every item has its ratings after exclusion, too."""
    replace_at_most: int | None = Field(default=None, ge=0)
    """Maximum number of replaced participants; default: a quarter of those required. Replaced participants are paid."""
    strata: Annotated[tuple[Stratum, ...], Field(max_length=50)] = ()
    """Groups of participants with an exact number of ratings per item each; empty: everybody is one group."""
    launch: Launch = Launch()
    """Soft launch, and when the study pauses by itself."""
    payment: Payment | None = None
    """Payment per participant; shown and confirmed before launch."""
    platform: Platform = Platform()
    """Where participants come from, and how they return there."""
    minutes: float = Field(default=20, gt=0, le=600)
    """Stated duration, shown to participants and used in platform rules."""
    lease_minutes: int = Field(default=60, ge=5, le=10_000)
    """Period of inactivity after which a participant's unanswered items are released."""
    one_per_dialogue: bool = True
    """Whether each participant sees at most one item of a dialogue."""
    language: str = Field(default="en", pattern=r"^[a-z]{2,3}(-[a-z0-9]{2,8})?$")
    """Language of the pages."""
    languages: tuple[str, ...] = ()
    """Further languages to choose from."""
    images: tuple[ImageAddress, ...] = ()
    """Beginnings of addresses, such as ``https://images.example.org/posters/``, from which images in replies are shown;
    other images are links. The participant's browser loads them from there, so that server sees its address."""
    contact: str = Field(default="", max_length=300)
    """Contact for participants' questions."""
    thanks: Words = ""
    """Shown at the end."""
    seed: int = 0
    """Seed of the orders and of the positions of checks."""

    @property
    def raters_by_stratum(self) -> dict[str, int]:
        """Exact number of participants per item by stratum; ``""`` is everybody, if there are no strata."""
        return {each.name: each.raters for each in self.strata} or {"": self.raters_per_item}

    @property
    def tasks_per_participant(self) -> int:
        """Items that a participant sees, with the attention checks among them."""
        return self.items_per_participant + (self.attention.checks if self.type != "chat" else 0)

    def every_language(self) -> tuple[str, ...]:
        """The languages of the pages, the author's first."""
        return tuple(dict.fromkeys((self.language, *self.languages)))

    def item_questions(self) -> tuple[Question, ...]:
        """Questions asked once per item: the type's own question first."""
        if self.type in PAIRS:
            return (*self._choice(), *self.questions)
        if self.type == "labelling":
            return (self._label(), *self.questions)
        return self.questions

    def _choice(self) -> tuple[Question, ...]:
        choice = preference_question(self.type)
        if self.type == "preference" and self.reason == "none":
            return (choice,)
        required = self.type == "realism" or self.reason == "required"
        limits = TextLimits(lines=3, at_least=3 if required else 0)
        return (choice, Question(name="reason", question=own_texts()["reason"], text=limits, required=required))

    def _label(self) -> Question:
        return Question(name="label", question=own_texts()["label"], choice=self.labels or strategy_labels())


def preference_question(kind: str = "preference") -> Question:
    """Question for the preferred side: ``1`` is the one shown first, ``2`` the other, ``same`` neither."""
    words = own_texts()[kind]
    options = tuple(Option(value=side, label=words[side]) for side in SIDES)
    return Question(name="choice", question=words["question"], choice=options)


@cache
def strategy_labels() -> tuple[Option, ...]:
    """The strategies of Behavior Alignment and ``no_strategy`` as options with their guidelines, in every language."""
    from trialogue.study.design.guidelines import guidelines, in_every_language

    return tuple(
        Option(
            value=name,
            label=in_every_language(name, "title"),
            help=in_every_language(name, "definition"),
            use=in_every_language(name, "use"),
            avoid=in_every_language(name, "avoid"),
        )
        for name in guidelines()
    )


def sha256_of_study(study: StudyFile, items: bytes) -> str:
    """Hash of a study file and its items, as launched.

    Settings that the file omits are not part of it: releases with further settings, or other defaults, find the study
    unchanged (it continues with the settings with which it was launched, which are in the database).
    """
    digest = hashlib.sha256(study.model_dump_json(exclude_unset=True).encode("utf-8"))
    digest.update(items)
    return digest.hexdigest()

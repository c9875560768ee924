"""Items to be judged: one closed record per study type, read from a study's items file.

An item names systems and their texts; a page receives only (``show``) texts in an order, and no names.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, StringConstraints, model_validator

from trialogue.records import JsonValue, Need, Record, Speaker
from trialogue.study.design.pages import ConversationShown, LabelShown, Line, PairShown, RatingShown, Shown
from trialogue.study.design.questions import Words

LONGEST_TEXT = 20_000  # characters of a message; more is not read by anybody
MAX_LINES = 500  # messages of a dialogue on a page
HUMAN, SIMULATED = "human", "simulated"

Key: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text: TypeAlias = Annotated[str, StringConstraints(max_length=LONGEST_TEXT)]


class Message(Record):
    """One message of a dialogue."""

    speaker: Speaker
    """Whose message it is."""
    text: Text
    """Text of the message."""


Messages: TypeAlias = Annotated[tuple[Message, ...], Field(max_length=MAX_LINES)]


class ShownDialogue(Record):
    """A whole dialogue."""

    id: str = Field(min_length=1, max_length=300)
    """Its id, for the export."""
    messages: Annotated[tuple[Message, ...], Field(min_length=1, max_length=MAX_LINES)]
    """Messages of the dialogue."""


class _Item(Record):
    key: Key
    """Unique in the study."""
    dialogue_id: str | None = Field(default=None, max_length=300)
    """Source dialogue; a study may show each participant at most one item of it."""
    meta: dict[str, JsonValue] = Field(default_factory=dict)
    """Other data to keep with the item; never shown."""

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems (or sides) whose display order is randomised; empty if there are none."""
        return ()

    @property
    def dialogue(self) -> str:
        """Key of items that one participant never sees twice; "" if there is none."""
        return self.dialogue_id or ""


class RatingItem(_Item):
    """A situation with replies of several systems, each of which is rated; or a conversation with one system."""

    kind: ClassVar[str] = "rating_item"

    context: Messages = ()
    """Dialogue history; empty for a conversation."""
    responses: Annotated[dict[Key, Text], Field(max_length=12)] = Field(default_factory=dict)
    """Reply by name of the system; empty for a conversation."""
    conversation: Annotated[dict[Key, ShownDialogue], Field(max_length=1)] = Field(default_factory=dict)
    """Conversation by name of its system, in place of context and replies."""
    utterance: Annotated[int, Field(ge=0)] | None = None
    """Index of the message of the conversation that is rated; None: the whole conversation is."""

    @model_validator(mode="after")
    def _rates_replies_or_a_conversation(self) -> Self:
        if bool(self.responses) == bool(self.conversation):
            raise ValueError("a rating needs either 'responses' to a 'context' or a 'conversation' with one system")
        if self.responses and not self.context:
            raise ValueError("replies require their 'context'")
        if self.conversation and self.context:
            raise ValueError("a 'conversation' takes no 'context': its messages are the context")
        if self.utterance is not None:
            lengths = [len(each.messages) for each in self.conversation.values()]
            if not lengths or self.utterance >= lengths[0]:
                raise ValueError(
                    f"utterance {self.utterance} is not among the messages of the conversation (numbered from 0)"
                )
        return self

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order of their names."""
        return tuple(sorted(self.responses or self.conversation))

    @property
    def level(self) -> Literal["response", "utterance", "dialogue"]:
        """What is rated: a reply to a situation, a message of a conversation, or a whole one."""
        if not self.conversation:
            return "response"
        return "dialogue" if self.utterance is None else "utterance"

    @property
    def subject(self) -> dict[str, str | int | None]:
        """What is rated, by the names of a score's fields; without the system."""
        if not self.conversation:
            return {"dialogue_id": self.dialogue_id, "situation_id": self.key, "utterance": None}
        talk = next(iter(self.conversation.values()))
        return {"dialogue_id": talk.id, "situation_id": None, "utterance": self.utterance}

    def show(self, order: Sequence[str]) -> RatingShown | ConversationShown:
        """Context and replies in an order, or the conversation."""
        if not self.conversation:
            return RatingShown(lines_of(self.context), tuple(self.responses[name] for name in order))
        lines = lines_of(self.conversation[order[0]].messages)
        if self.utterance is None:
            return ConversationShown(lines)
        return RatingShown(lines[: self.utterance], (lines[self.utterance].text,))


class PreferenceItem(_Item):
    """Two replies to a situation, or two dialogues, to choose between."""

    kind: ClassVar[str] = "preference_item"

    context: Messages = ()
    """History before the replies; empty if dialogues are compared."""
    responses: dict[Key, Text] | None = None
    """Reply by name of the system: two."""
    dialogues: dict[Key, ShownDialogue] | None = None
    """Dialogue by name of the system: two."""

    @model_validator(mode="after")
    def _compares_two(self) -> Self:
        given = [each for each in (self.responses, self.dialogues) if each is not None]
        if len(given) != 1 or len(given[0]) != 2:
            raise ValueError("a preference compares two sides: give 'responses' or 'dialogues' of two systems")
        if self.responses is not None and not self.context:
            raise ValueError("replies require their 'context'")
        return self

    @property
    def systems(self) -> tuple[str, ...]:
        """The two systems, in the order of their names."""
        return tuple(sorted(self.responses or self.dialogues or ()))

    @property
    def dialogue(self) -> str:
        """The dialogue it is cut from."""
        return self.dialogue_id or ""

    def show(self, order: Sequence[str]) -> PairShown:
        """Both sides in an order."""
        if self.responses is not None:
            return PairShown(lines_of(self.context), tuple(self.responses[name] for name in order))
        talks = self.dialogues or {}
        return PairShown((), tuple(lines_of(talks[name].messages) for name in order))


class RealismItem(_Item):
    """Two dialogues with the same agent: one by a person, one by a simulated user. Which is which is hidden."""

    kind: ClassVar[str] = "realism_item"

    agent: str = Field(default="", max_length=200)
    """The agent that both talked to."""
    simulator: str = Field(min_length=1, max_length=200)
    """Name of the user simulator."""
    human: ShownDialogue
    """The dialogue with a person as the user."""
    simulated: ShownDialogue
    """The simulated user's dialogue."""

    @property
    def systems(self) -> tuple[str, ...]:
        """``human`` and ``simulated``."""
        return (HUMAN, SIMULATED)

    def show(self, order: Sequence[str]) -> PairShown:
        """Both dialogues in an order."""
        talks = {HUMAN: self.human, SIMULATED: self.simulated}
        return PairShown((), tuple(lines_of(talks[name].messages) for name in order))


class LabellingItem(_Item):
    """A message of a dialogue that gets a label."""

    kind: ClassVar[str] = "labelling_item"

    messages: Annotated[tuple[Message, ...], Field(min_length=1, max_length=MAX_LINES)]
    """The dialogue, from its beginning; it may end with the message or go on."""
    utterance: int = Field(ge=0)
    """Index of the message that is labelled."""

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        if self.utterance >= len(self.messages):
            raise ValueError(
                f"utterance {self.utterance} is not among the {len(self.messages)} messages (numbered from 0)"
            )
        return self

    def show(self, order: Sequence[str]) -> LabelShown:
        """The dialogue and the place."""
        return LabelShown(lines_of(self.messages), self.utterance)


class ChatItem(_Item):
    """A conversation with one system, or with two, one after the other, that are compared."""

    kind: ClassVar[str] = "chat_item"

    agents: Annotated[tuple[Key, ...], Field(min_length=1, max_length=2)]
    """Names of systems in the study file's ``agents``."""
    task: Words = ""
    """The participant's task in the conversation, such as a film to look for."""
    need: Need | None = None
    """The need that the task states, kept with the conversation for outcomes by needs (``lift``); never shown."""

    @model_validator(mode="after")
    def _are_different(self) -> Self:
        if len(set(self.agents)) < len(self.agents):
            raise ValueError("a comparison requires two different systems")
        return self

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems."""
        return tuple(sorted(self.agents))

    def show(self, order: Sequence[str]) -> None:
        """Empty: the content of a chat item is the conversation itself (``services.chats``)."""


AnyItem: TypeAlias = RatingItem | PreferenceItem | RealismItem | LabellingItem | ChatItem
BY_TYPE: dict[str, type[AnyItem]] = {
    "rating": RatingItem,
    "preference": PreferenceItem,
    "realism": RealismItem,
    "chat": ChatItem,
    "labelling": LabellingItem,
}
BY_KIND: dict[str, type[AnyItem]] = {made.kind: made for made in BY_TYPE.values()}


def lines_of(messages: Sequence[Message]) -> tuple[Line, ...]:
    """Messages as a page shows them."""
    return tuple(Line(message.speaker, message.text) for message in messages)


def to_stored(item: AnyItem) -> dict[str, JsonValue]:
    """An item as JSON with its kind; ``from_stored`` reads it."""
    return {"kind": item.kind, **item.to_json()}


def from_stored(content: dict[str, JsonValue]) -> AnyItem:
    """The item that ``to_stored`` wrote."""
    fields = dict(content)
    return BY_KIND[str(fields.pop("kind"))].model_validate(fields)


__all__ = [
    "BY_KIND",
    "BY_TYPE",
    "HUMAN",
    "SIMULATED",
    "AnyItem",
    "ChatItem",
    "LabellingItem",
    "Message",
    "PreferenceItem",
    "RatingItem",
    "RealismItem",
    "Shown",
    "ShownDialogue",
    "from_stored",
    "lines_of",
    "to_stored",
]

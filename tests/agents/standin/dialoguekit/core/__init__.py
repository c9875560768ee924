"""What is said, and what it does."""

from dataclasses import dataclass, field
from typing import Any


class Intent:
    def __init__(self, label: str) -> None:
        self.label = label


@dataclass
class SlotValueAnnotation:
    slot: str
    value: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass
class DialogueAct:
    intent: Intent | None = None
    annotations: list[SlotValueAnnotation] = field(default_factory=list)


@dataclass
class Utterance:
    text: str
    participant: Any
    utterance_id: str | None = None


@dataclass
class AnnotatedUtterance(Utterance):
    dialogue_acts: list[DialogueAct] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)

    def get_intents(self) -> list[Intent | None]:
        return [act.intent for act in self.dialogue_acts]


class Dialogue:
    def __init__(self, agent_id: str, user_id: str, conversation_id: str) -> None:
        self.conversation_id = conversation_id
        self.utterances: list[Utterance] = []

    def add_utterance(self, utterance: Utterance) -> None:
        self.utterances.append(utterance)

"""Who speaks."""

from enum import Enum
from typing import Any

from dialoguekit.core import Intent  # type: ignore[import-not-found]


class DialogueParticipant(Enum):
    AGENT = 0
    USER = 1


class Agent:
    def __init__(self, id: str, stop_intent: Intent | None = None) -> None:  # noqa: A002 - DialogueKit's name
        self._id = id
        self._stop_intent = stop_intent or Intent("EXIT")
        self._dialogue_connector: Any = None

    @property
    def id(self) -> str:
        return self._id

    @property
    def stop_intent(self) -> Intent:
        return self._stop_intent

    def connect_dialogue_connector(self, dialogue_connector: Any) -> None:
        self._dialogue_connector = dialogue_connector

"""What a package of somebody else could register: an agent of its own class, and a function."""

from collections.abc import Sequence

from trialogue.agents import Turn
from trialogue.agents.base import SimpleSession
from trialogue.records import Utterance


class Shouter(SimpleSession):
    """Agent and session in one."""

    def __init__(self, *, name: str = "shouter", mark: str = "!") -> None:
        self.name, self.mark = name, mark
        self.sessions_at_once: int | None = None

    def open(self, dialogue_id: str, *, seed: int) -> "Shouter":
        return self

    def reply(self, history: Sequence[Utterance]) -> Turn:
        return Turn((Utterance(speaker="system", text=history[-1].text.upper() + self.mark),))


READY = Shouter(name="ready")


def reply(message: str) -> str:
    return f"You said: {message}"

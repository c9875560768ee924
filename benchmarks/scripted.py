"""A recommender without thought, so that what is measured is the simulation: asks for a genre, names three films, ends.

It declares no dialogue acts: users have to understand its words and find the titles in them. With the user's five messages a
dialogue has about ten utterances.
"""

from collections.abc import Sequence

from trialogue.agents.base import SimpleSession, Turn
from trialogue.inputs.knowledge import load_catalogue
from trialogue.records import Utterance

TURNS = 5
STEP = 7  # from one film to the next, so that dialogues differ


class ScriptedAgent:
    """Says the same kind of thing in every dialogue, about other films."""

    name = "scripted"
    sessions_at_once: int | None = None

    def __init__(self) -> None:
        self._titles = [item.title_with_year for item in load_catalogue().catalogue.values()]

    def open(self, dialogue_id: str, *, seed: int) -> "ScriptedSession":
        """A session that begins with a film of its own."""
        return ScriptedSession(self._titles, seed)

    def close(self) -> None:
        """Nothing is held."""


class ScriptedSession(SimpleSession):
    """One dialogue."""

    def __init__(self, titles: list[str], seed: int) -> None:
        self._titles, self._film, self._turn = titles, seed % len(titles), 0

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The next line."""
        self._turn += 1
        if self._turn == TURNS:
            return Turn((Utterance(speaker="system", text="Goodbye!"),), ends=True)
        if self._turn == 1:
            return Turn((Utterance(speaker="system", text="What genre do you like?"),))
        self._film = (self._film + STEP) % len(self._titles)
        return Turn((Utterance(speaker="system", text=f"How about {self._titles[self._film]}?"),))


def scripted(_name: str) -> ScriptedAgent:
    """The agent, in whichever process."""
    return ScriptedAgent()

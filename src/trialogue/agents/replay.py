"""Replay recorded dialogues as an agent: the recorded system turns in order, whatever the user says.

A dialogue with the same id is replayed if there is one, otherwise one drawn by the seed. Consecutive system utterances form
a burst; the last one ends the dialogue.
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import ClassVar

from trialogue.agents.base import SimpleSession, Turn
from trialogue.agents.replies import last_message
from trialogue.agents.spec import AgentSpec
from trialogue.errors import UsageError
from trialogue.records import Dialogue, Utterance, read_records
from trialogue.records.files.validation import Mistake
from trialogue.seeds import rng_for


class ReplayAgent:
    """Agent that replays recorded dialogues."""

    def __init__(self, dialogues: Sequence[Dialogue], *, name: str = "replay") -> None:
        """Store the dialogues that contain system utterances.

        Raises:
            UsageError: there are none.
        """
        self.name = name
        self.sessions_at_once: int | None = None
        scripts = {dialogue.id: script for dialogue in dialogues if (script := _script(dialogue)) != ((), ())}
        if not scripts:
            raise UsageError(
                f"None of the {len(dialogues)} dialogues contains a system utterance, so there is nothing to replay."
            )
        self._scripts, self._ids = scripts, sorted(scripts)

    def open(self, dialogue_id: str, *, seed: int) -> "ReplaySession":
        """Open the recording with that id, else one drawn by the seed."""
        if dialogue_id not in self._scripts:
            dialogue_id = self._ids[int(rng_for(seed, "replay").integers(len(self._ids)))]
        greeting, turns = self._scripts[dialogue_id]
        return ReplaySession(greeting, turns)

    def close(self) -> None:
        """Do nothing: there are no resources."""


Burst = tuple[Utterance, ...]


def _script(dialogue: Dialogue) -> tuple[Burst, tuple[Burst, ...]]:
    """(what the system says first, what it says after each turn of the user)."""
    runs = [(who, tuple(run)) for who, run in groupby(dialogue.utterances, key=lambda said: said.speaker)]
    greeting = _words(runs.pop(0)[1]) if runs and runs[0][0] == "system" else ()
    return greeting, tuple(words for who, run in runs if who == "system" and (words := _words(run)))


def _words(run: Burst) -> Burst:
    """Texts of the turns, without the recording's ids and ratings."""
    return tuple(said.model_copy(update={"id": None, "ratings": ()}) for said in run if said.text.strip())


class ReplaySession(SimpleSession):
    """Replay of one recording."""

    def __init__(self, greeting: Burst, turns: tuple[Burst, ...]) -> None:
        self._greeting, self._turns = greeting, turns

    def greet(self) -> Turn | None:
        """The system's utterances before the user's first one."""
        return Turn(self._greeting) if self._greeting else None

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The system's recorded turn; after the last one, an empty turn that ends the dialogue."""
        last_message(history)
        runs = [who for who, _ in groupby(history, key=lambda said: said.speaker)]
        place = runs.count("user") - 1
        if place >= len(self._turns):
            return Turn((), ends=True)
        return Turn(self._turns[place], ends=place == len(self._turns) - 1)


class ReplaySpec(AgentSpec):
    """``replay``: dialogues from a file of Trialogue's JSON Lines (``trialogue data convert`` writes them)."""

    argument: ClassVar[str] = "file"

    file: Path
    """Path of the JSON Lines file with the dialogues to replay."""
    system: str | None = None
    """Only dialogues of this system; None: of all."""

    def mistakes(self) -> list[Mistake]:
        """A missing file."""
        return [] if self.file.is_file() else [Mistake(("file",), f"there is no file {str(self.file)!r}.")]

    def make(self) -> ReplayAgent:
        """Read the file and create the agent."""
        dialogues = [said for said in read_records(self.file, Dialogue) if self.system in (None, said.system)]
        return ReplayAgent(dialogues, name=self.name or self.system or "replay")

"""Replayed agents: sample an agent's replies from an annotated corpus of its dialogues with real people.

Of the three agents of Zhang and Balog (KDD 2020) two are no longer available, and none can be shipped; what
is left is 25 conversations with each. A replayed agent answers a user's act with a burst of messages that followed such
an act in the corpus. It has no understanding or memory and never ends a dialogue, so that it can reproduce dialogue
lengths and responses to user acts, but nothing about the recommended items.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from trialogue.agents.base import Turn
from trialogue.agents.session import SimpleSession
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Utterance
from trialogue.seeds import rng_for
from trialogue.simulation.language.nlu import Example, RetrievalClassifier
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.counting import labels_of
from trialogue.simulation.users.options import UserOptions, method

LETTERS = {"and-chill": "A", "kelly": "B", "jmrs1": "C"}
"""The paper's letter of each system of the annotated corpus."""

RELEASED: Mapping[str, UserOptions] = MappingProxyType(
    {
        "qrfa-single": replace(method("qrfa-single"), seen="agenda", wants="profile"),
        "cir6-single": replace(method("cir6-single"), seen="agenda", wants="profile"),
        "cir6-pkg": replace(method("cir6-pkg"), unseen="sum", profile_variant="released", wants="profile"),
    }
)
"""The paper's three simulators with preferences as in the released code, and agendas that agree with its tables."""


class ReplayAgent:
    """Agent that answers with bursts that followed the same user label in a corpus. Stateless."""

    reads_acts = True
    """It answers labels: ``talk`` lets it see the user's acts. Without any, it goes by the nearest text of a real user."""

    def __init__(self, dialogues: Iterable[Dialogue], *, name: str, declares: bool = True) -> None:
        """Collect the agent's bursts by user label.

        Args:
            dialogues: annotated conversations with one agent.
            name: the system's name.
            declares: whether its messages carry the labels of the corpus.

        Raises:
            DataError: no annotated user utterance was answered.
        """
        self.name = name
        self.sessions_at_once: int | None = None
        recorded = list(dialogues)
        self._bursts = _bursts(recorded, declares=declares)
        if not self._bursts:
            hint = "A replayed agent needs dialogues with an act on every utterance."
            raise DataError(Problem("no labelled user utterance of these dialogues is answered.", hint=hint))
        self._all = [turn for turns in self._bursts.values() for turn in turns]
        self._texts = RetrievalClassifier(_user_examples(recorded))

    def open(self, dialogue_id: str, *, seed: int) -> "ReplaySession":
        """Open a session."""
        return ReplaySession(self, RandomSource(rng_for(seed, "replay")))

    def close(self) -> None:
        """Do nothing: there are no resources."""

    def answer(self, said: Utterance, rng: RandomSource) -> Turn:
        """Sample a burst for an utterance; for a label without answers, any burst."""
        label = next((act.intent for act in said.acts or () if act.intent), None)
        if label is None:
            label = self._texts.read(said.text).label
        return rng.pick(self._bursts.get(label or "", self._all))


class ReplaySession(SimpleSession):
    """Session that only considers the last utterance."""

    def __init__(self, agent: ReplayAgent, rng: RandomSource) -> None:
        self._agent, self._rng = agent, rng

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """Sample a burst for the user's last utterance."""
        return self._agent.answer(history[-1], self._rng)


def replay_agents(dialogues: Iterable[Dialogue]) -> dict[str, ReplayAgent]:
    """One replayed agent per system of a corpus, by name, in order of appearance."""
    by_system: defaultdict[str, list[Dialogue]] = defaultdict(list)
    for dialogue in dialogues:
        by_system[dialogue.system or "unknown"].append(dialogue)
    return {system: ReplayAgent(recorded, name=f"replay:{system}") for system, recorded in by_system.items()}


def _bursts(dialogues: Iterable[Dialogue], *, declares: bool) -> dict[str, list[Turn]]:
    """The agent's bursts by the label of the user utterance directly before."""
    found: defaultdict[str, list[Turn]] = defaultdict(list)
    for dialogue in dialogues:
        label, burst = "", list[Utterance]()
        for utterance in (*dialogue.utterances, Utterance(speaker="user", text="")):
            if utterance.speaker == "system":
                acts = utterance.acts if declares else None
                origin = utterance.acts_by if declares else None
                burst.append(Utterance(speaker="system", text=utterance.text, acts=acts, acts_by=origin))
                continue
            if label and burst:
                found[label].append(Turn(tuple(burst)))
            label = next((act.intent for act in utterance.acts or () if act.intent), "")
            burst = []
    return dict(found)


def _user_examples(dialogues: Iterable[Dialogue]) -> list[Example]:
    """Annotated user utterances, to be read like an agent's."""
    return [
        Example(utterance.text, act.intent)
        for dialogue in dialogues
        if labels_of(dialogue)
        for utterance in dialogue.utterances
        if utterance.speaker == "user"
        for act in (utterance.acts or ())[:1]
        if act.intent
    ]

"""Replayed agents: sample an agent's replies from an annotated corpus of its dialogues with real people.

Of the three agents of Zhang and Balog (KDD 2020) two are no longer available, and none can be shipped; what
is left is 25 conversations with each. A replayed agent answers a user's act with a burst of messages that followed such
an act in the corpus. It never ends a dialogue, so that it can reproduce dialogue lengths and responses to user acts, but
nothing about the recommended items. Where the dialogues are read by people, it can choose bursts that fit the user's words.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from types import MappingProxyType

from trialogue.agents.base import SimpleSession, Turn
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Utterance
from trialogue.records.kinds.acts import replay_of
from trialogue.seeds import rng_for
from trialogue.simulation.language.nlu import Example, RetrievalClassifier
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.interaction import labels_of
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

    def __init__(
        self, dialogues: Iterable[Dialogue], *, name: str, declares: bool = True, fits: Linker | None = None
    ) -> None:
        """Collect the agent's bursts by user label.

        Args:
            dialogues: annotated conversations with one agent.
            name: the system's name.
            declares: whether its messages carry the labels of the corpus.
            fits: finds titles, to choose bursts that fit the user's words: best those that answered a message about the same
                item, then such an act, in the same dialogue as the last burst, then similar words. None: among those that
                answered such an act, at random.

        Raises:
            DataError: no annotated user utterance was answered.
        """
        self.name = name
        self.sessions_at_once: int | None = None
        recorded = list(dialogues)
        self._bursts = _bursts(recorded, declares=declares, linker=fits)
        if not self._bursts:
            hint = "A replayed agent needs dialogues with an act on every utterance."
            raise DataError(Problem("no labelled user utterance of these dialogues is answered.", hint=hint))
        self._all = [burst for bursts in self._bursts.values() for burst in bursts]
        self._linker, self._weights = fits, _idf(self._all)
        self._texts = RetrievalClassifier(_user_examples(recorded))

    def open(self, dialogue_id: str, *, seed: int) -> "ReplaySession":
        """Open a session."""
        return ReplaySession(self, RandomSource(rng_for(seed, "replay")))

    def close(self) -> None:
        """Do nothing: there are no resources."""

    def answer(self, said: Utterance, rng: RandomSource, *, after: "Burst | None" = None) -> "Burst":
        """Choose a burst for an utterance; for a label without answers, among all.

        Args:
            said: the user's utterance.
            rng: what is drawn from.
            after: the burst before.
        """
        label = next((act.intent for act in said.acts or () if act.intent), None)
        if label is None:
            label = self._texts.read(said.text).label
        bursts = self._bursts.get(label or "", self._all)
        if self._linker is None:
            return rng.pick(bursts)
        words, items = _words(said.text), _items(said.text, self._linker)
        same = {id(burst) for burst in bursts}
        scores = [
            _similarity(words, burst.words, self._weights)
            + SAME_ACT * (id(burst) in same)
            + SAME_ITEM * (not items.isdisjoint(burst.items))
            + SAME_DIALOGUE * (after is not None and burst.dialogue == after.dialogue)
            for burst in self._all
        ]
        best = max(scores)
        return rng.pick([burst for burst, score in zip(self._all, scores, strict=True) if score == best])


# what makes a burst fit, in units of the similarity of words, which is at most 1: an answer about another film is the worst
SAME_ITEM, SAME_ACT, SAME_DIALOGUE = 4.0, 1.5, 1.2


@dataclass(frozen=True, eq=False)
class Burst:
    """Messages of the agent in a row, and what they answered."""

    turn: Turn
    words: frozenset[str]
    """Words of the user's message before."""
    items: frozenset[str]
    """Items that it names, if they were looked for."""
    dialogue: int
    """Number of the recorded dialogue."""


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def _items(text: str, linker: Linker | None) -> frozenset[str]:
    found = () if linker is None else linker.find(text)
    return frozenset(mention.item_id for mention in found if mention.item_id is not None)


def _idf(bursts: Sequence[Burst]) -> dict[str, float]:
    """Weight of each word: rare ones, such as those of titles, say most."""
    counts = Counter(word for burst in bursts for word in burst.words)
    return {word: log((len(bursts) + 1) / (count + 1)) + 1 for word, count in counts.items()}


def _similarity(one: frozenset[str], other: frozenset[str], weights: Mapping[str, float]) -> float:
    """Weighted share of common words among the words of both; 0 without words."""
    union = sum(weights.get(word, 1.0) for word in sorted(one | other))
    return sum(weights[word] for word in sorted(one & other)) / union if union else 0.0


class ReplaySession(SimpleSession):
    """Session that considers the last utterance, and knows which dialogue its last burst was from."""

    def __init__(self, agent: ReplayAgent, rng: RandomSource) -> None:
        self._agent, self._rng = agent, rng
        self._last: Burst | None = None

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """Choose a burst for the user's last utterance."""
        self._last = self._agent.answer(history[-1], self._rng, after=self._last)
        return self._last.turn


def replay_agents(dialogues: Iterable[Dialogue]) -> dict[str, ReplayAgent]:
    """One replayed agent per system of a corpus, by name, in order of appearance."""
    by_system: defaultdict[str, list[Dialogue]] = defaultdict(list)
    for dialogue in dialogues:
        by_system[dialogue.system or "unknown"].append(dialogue)
    return {system: ReplayAgent(recorded, name=replay_of(system)) for system, recorded in by_system.items()}


def _bursts(dialogues: Iterable[Dialogue], *, declares: bool, linker: Linker | None) -> dict[str, list[Burst]]:
    """The agent's bursts by the label of the user utterance directly before."""
    found: defaultdict[str, list[Burst]] = defaultdict(list)
    for number, dialogue in enumerate(dialogues):
        label, text, said = "", "", list[Utterance]()
        for utterance in (*dialogue.utterances, Utterance(speaker="user", text="")):
            if utterance.speaker == "system":
                acts = utterance.acts if declares else None
                origin = utterance.acts_by if declares else None
                said.append(Utterance(speaker="system", text=utterance.text, acts=acts, acts_by=origin))
                continue
            if label and said:
                found[label].append(Burst(Turn(tuple(said)), _words(text), _items(text, linker), number))
            label = next((act.intent for act in utterance.acts or () if act.intent), "")
            text, said = utterance.text, []
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

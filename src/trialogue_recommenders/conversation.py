"""Sessions of the reference agents: process the new part of the history, then answer.

The state of a session is a function of the history. A session that receives the beginning of a dialogue it did not take part
in, for example to continue it from there, processes it first; if the system's words are its own, for the same seed, it
continues exactly as the original session did.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import ClassVar, Protocol

import numpy as np

from trialogue.agents import SimpleSession, Turn, last_message
from trialogue.catalogue import Catalogue, Ratings
from trialogue.records import Utterance
from trialogue.seeds import rng_for
from trialogue_recommenders.expert import Expert, Wish
from trialogue_recommenders.user_text import ParsedText
from trialogue_recommenders.vocabulary import AnyOf
from trialogue_recommenders.wording import FILMS, Wording

MAX_TOPICS = 3  # remarks in the user's own words that count; older ones are past
MAX_OPINIONS = 50  # items liked (disliked) that count; a user who names more has changed the subject


@dataclass
class Memory:
    """State of the conversation; items are in order of appearance."""

    liked: dict[str, None] = field(default_factory=dict)
    disliked: dict[str, None] = field(default_factory=dict)
    offered: dict[str, None] = field(default_factory=dict)
    wanted: frozenset[AnyOf] = frozenset()
    unwanted: frozenset[AnyOf] = frozenset()
    years: tuple[int, int] | None = None
    topics: tuple[str, ...] = ()

    def judge(self, item_id: str, *, liked: bool) -> None:
        """Record an opinion of an item, replacing an earlier one."""
        ours, others = (self.liked, self.disliked) if liked else (self.disliked, self.liked)
        others.pop(item_id, None)
        ours.pop(item_id, None)  # so that it is the latest
        ours[item_id] = None

    def offer(self, item_ids: Iterable[str]) -> None:
        """Record offered items, which are not offered again unless requested."""
        self.offered.update(dict.fromkeys(item_ids))

    def want(self, heard: ParsedText) -> None:
        """Record wishes, replacing those for the same attribute unless "also" is said."""
        if heard.wanted:
            replaced = set() if " also " in f" {heard.text.casefold()} " else _attributes(heard.wanted)
            kept = frozenset(one for one in self.wanted if not _attributes([one]) & replaced)
            self.wanted = kept | heard.wanted
            self.unwanted -= heard.wanted
        if heard.unwanted:
            self.wanted -= heard.unwanted
            self.unwanted |= heard.unwanted
        if heard.years:
            self.years = heard.years

    def note(self, remark: str) -> None:
        """Record a remark in the user's own words."""
        self.topics = (*self.topics, remark)[-MAX_TOPICS:]

    def known_items(self) -> tuple[str, ...]:
        """Items not to be offered: already offered, or named by the user."""
        return (*self.offered, *self.liked, *self.disliked)

    def wish(self) -> Wish:
        """All wishes combined."""
        return Wish(
            liked=tuple(self.liked)[-MAX_OPINIONS:],
            disliked=tuple(self.disliked)[-MAX_OPINIONS:],
            wanted=self.wanted,
            unwanted=self.unwanted,
            years=self.years,
            topics=self.topics,
        )

    def forget_wanted(self) -> None:
        """Drop positive wishes when the user changes direction; rejections are kept."""
        self.wanted, self.years, self.topics = frozenset(), None, ()

    def forget_wishes(self) -> None:
        """Drop all wishes when the user starts over; opinions and offered items are kept."""
        self.forget_wanted()
        self.unwanted = frozenset()


def _attributes(wanted: Iterable[AnyOf]) -> set[str]:
    return {feature.attribute for one in wanted for feature in one}


class Policy(Protocol):
    """Dialogue policy of an agent in one conversation."""

    def answer(self, text: str) -> Turn:
        """The turn in response to the user's text (consecutive messages are lines of one text)."""
        ...

    def adopt(self, item_ids: Sequence[str]) -> None:
        """Record items named by the system in a history that this policy did not produce."""
        ...


class Conversation(SimpleSession):
    """Session that answers by its policy."""

    def __init__(self, begin: Callable[[], Policy]) -> None:
        """Start a session.

        Args:
            begin: gives a policy in its first state, the same every time.
        """
        self._begin = begin
        self._restart()

    def _restart(self) -> None:
        self._policy = self._begin()
        self._heard = 0  # utterances of the history
        self._own: frozenset[str] = frozenset()  # texts of the last turn

    def reply(self, history: Sequence[Utterance]) -> Turn:
        """The turn after a history; a shorter history than before restarts the conversation.

        Raises:
            ValueError: the history does not end on a user utterance, which is a mistake of the caller.
        """
        last_message(history)
        if len(history) <= self._heard:
            self._restart()
        turn = Turn(())
        for speaker, run in groupby(history[self._heard :], key=lambda utterance: utterance.speaker):
            if speaker == "user":
                turn = self._policy.answer("\n".join(utterance.text for utterance in run))
            else:
                self._overhear(run)
            self._own = frozenset(utterance.text for utterance in turn.utterances)
        self._heard = len(history)
        return turn

    def _overhear(self, run: Iterable[Utterance]) -> None:
        """Record the system's messages; our own are known already."""
        foreign = [
            mention for utterance in run if utterance.text not in self._own for mention in utterance.mentions or ()
        ]
        if foreign:
            self._policy.adopt([mention.item_id for mention in foreign if mention.item_id is not None])


class LocalAgent(ABC):
    """Agent in this process with any number of conversations."""

    default_name: ClassVar[str]
    """The system's name, unless another is given."""
    labels: ClassVar[frozenset[str]]
    """Intents of its dialogue acts."""

    def __init__(self, name: str | None) -> None:
        self.name = name or self.default_name
        self.sessions_at_once: int | None = None

    def open(self, dialogue_id: str, *, seed: int) -> Conversation:
        """Open a session; its randomness depends on the seed alone."""
        return Conversation(lambda: self.policy(rng_for(seed, "reference agent")))

    @abstractmethod
    def policy(self, rng: np.random.Generator) -> Policy:
        """Create the policy of a conversation."""

    def close(self) -> None:  # noqa: B027 - most agents have something to close, these have not
        """Do nothing: there are no resources."""


class ReferenceAgent(LocalAgent):
    """Base class of the recommenders over one catalogue and its ratings. The seed only chooses their words."""

    def __init__(
        self,
        catalogue: Catalogue,
        ratings: Ratings | None = None,
        *,
        name: str | None = None,
        wording: Wording = FILMS,
        expert: Expert | None = None,
        skip: int = 0,
    ) -> None:
        """Index the catalogue.

        Args:
            catalogue: what can be recommended; it may be empty, if not useful.
            ratings: who liked what; None: only what the items are about counts.
            name: the system's name in dialogues; None: the kind's own.
            wording: the words of the domain.
            expert: what another agent has already learnt of the same catalogue, ratings and wording, to share.
            skip: best items that every ranking leaves out.
        """
        super().__init__(name)
        self.expert = expert or Expert(catalogue, ratings, wording=wording, skip=skip)

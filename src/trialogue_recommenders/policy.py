"""Base class of the three recommenders: memory, the last items shown, and answers to questions about an item."""

from collections.abc import Collection, Iterable, Sequence
from typing import ClassVar

from trialogue.catalogue import Item
from trialogue.records import Utterance
from trialogue_recommenders.conversation import Memory
from trialogue_recommenders.expert import Expert, Ranking, Wish
from trialogue_recommenders.user_text import ParsedText
from trialogue_recommenders.voice import Fact, Voice

Reply = tuple[Utterance, ...]
"""The messages of one turn; () where a step of a policy has nothing to say to what it heard."""
TAKEN_FOR = 0.8  # likeness to a title from which a misspelt one is taken for it
MAX_ANSWERS = 2  # questions of one message that are answered
SHOWN_LENGTH = 40  # characters of the user's own words that are repeated to them


class ListeningPolicy:
    """Policy with memory, the base class of the recommenders."""

    repeat_section: ClassVar[str]
    """Intent of giving a fact about an item."""
    unanswerable_as: ClassVar[str]
    """Intent of not knowing it."""

    def __init__(self, expert: Expert, voice: Voice) -> None:
        self.expert, self.say, self.facts = expert, voice.say, expert.facts
        self.memory = Memory()
        self.shown: tuple[str, ...] = ()
        """Ids of the items shown last, in order, to which numbers and "it" refer."""
        self.topic: str | None = None
        """Id of the item that is spoken of; None where several are, or none."""
        self._mentioned: dict[str, set[str]] = {}

    def adopt(self, item_ids: Sequence[str]) -> None:
        """Record items shown in the history; those not in the catalogue are skipped."""
        if known := [item_id for item_id in item_ids if item_id in self.expert.catalogue]:
            self.show(known)

    def show(self, item_ids: Sequence[str]) -> None:
        """Record the items shown now."""
        self.shown = tuple(item_ids)
        self.topic = self.shown[0] if len(self.shown) == 1 else None
        self.memory.offer(self.shown)

    def item(self, item_id: str) -> Item:
        """Item by id."""
        return self.expert.catalogue[item_id]

    def items(self, item_ids: Iterable[str]) -> list[Item]:
        """Items by id."""
        return [self.expert.catalogue[item_id] for item_id in item_ids]

    def ranking(self, *, like: str | None = None) -> Ranking:
        """Recommendations for now, without items shown or named before.

        Args:
            like: what it should be like, whatever else they like; None: all they like counts.
        """
        wish = self.memory.wish()
        if like is not None:
            wish = Wish(liked=(like,), disliked=wish.disliked, unwanted=wish.unwanted)
        known = (*self.memory.known_items(), like) if like is not None else self.memory.known_items()
        return self.expert.rank(wish, without=known, like_one=like is not None)

    def item_meant(self, heard: ParsedText) -> str | None:
        """Id of the item under discussion: the one named, the one chosen, the topic, or the last one shown."""
        if heard.titles:
            return heard.titles[0].item_id
        chosen = self.item_chosen(heard)
        if chosen:
            return chosen
        return self.topic or (self.shown[-1] if self.shown else None)

    def item_chosen(self, heard: ParsedText) -> str | None:
        """Id of the shown item chosen by a number or "the last one"; None if there is none."""
        return item_at_number(self.shown, heard.choice)

    def item_guessed(self, heard: ParsedText) -> str | None:
        """Id of the item whose title nearly matches the user's text; None if there is none."""
        found = self.expert.content.search(heard.query, n=1, at_least=TAKEN_FOR) if heard.query else ()
        return found[0][0] if found else None

    def answers(self, item_id: str, asks: Sequence[str]) -> Reply:
        """Answers to questions about an item; without a specific question, the next unmentioned fact."""
        item = self.item(item_id)
        self.topic = item_id
        if asks:
            return tuple(self._answer(item, ask) for ask in asks[:MAX_ANSWERS])
        fact = self.next_fact(item)
        return (self.tell("fact", item, fact),) if fact else (self._no_more(item),)

    def _answer(self, item: Item, ask: str) -> Utterance:
        fact = self.facts.fact_of(item, ask)
        return self.tell("fact", item, fact) if fact else self._no_more(item)

    def _no_more(self, item: Item) -> Utterance:
        if known := self.known_of(item):
            return self.say("not known", self.unanswerable_as, title=item, known=known)
        return self.say("nothing known", self.unanswerable_as, title=item)

    def known_of(self, item: Item, *, without: Collection[str] = ()) -> str:
        """Facts that can be asked about an item: "the cast, the year or the plot"; "" if there are none."""
        words = self.expert.wording.names
        facts = [fact.name for fact in self.facts.all_of(item) if fact.name not in without]
        names = [words.get(name, f"the {name}") for name in facts]
        return " or ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)

    def next_fact(self, item: Item) -> Fact | None:
        """Next unmentioned fact about an item, its plot first; None if all were mentioned."""
        mentioned = self._mentioned.get(item.id, set())
        facts = [fact for fact in self.facts.all_of(item) if fact.name not in mentioned]
        return next((fact for fact in facts if fact.name == "plot"), facts[0] if facts else None)

    def known_facts(self, item_id: str) -> frozenset[str]:
        """Names of the mentioned facts about an item."""
        return frozenset(self._mentioned.get(item_id, ()))

    def remember_fact(self, item_id: str, name: str) -> None:
        """Record that a fact was mentioned."""
        self._mentioned.setdefault(item_id, set()).add(name)

    def tell(self, section: str, item: Item, fact: Fact) -> Utterance:
        """Mention a fact, and record it."""
        self.remember_fact(item.id, fact.name)
        return self.say(section, self.repeat_section, title=item, fact=fact)

    def own_words(self, heard: ParsedText) -> str:
        """The title that the user seems to have named, short enough to repeat; "" if there is none."""
        return heard.query if len(heard.query) <= SHOWN_LENGTH and "\n" not in heard.query else ""


def item_at_number(item_ids: Sequence[str], choice: int | None) -> str | None:
    """Id at a number, counted from 1, or the last one for -1; None if there is no such number.

    >>> item_at_number(("a", "b"), 2), item_at_number(("a", "b"), -1), item_at_number(("a", "b"), 3), item_at_number((), -1)
    ('b', 'b', None, None)
    """
    if choice is None or not (choice == -1 or 0 < choice <= len(item_ids)) or not item_ids:
        return None
    return item_ids[choice - 1 if choice > 0 else -1]

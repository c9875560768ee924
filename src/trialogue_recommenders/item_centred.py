"""Item-centred recommender: looks up a title, asks which one is meant, answers questions, and lists similar films.

It follows agent B (Kelly) of Zhang and Balog (KDD 2020), "Evaluating Conversational Recommender Systems via User
Simulation": a search gives one item (Show) or several to choose from (Clarify); questions about it are answered
(Repeat); three similar items are listed (List, then Similar), and a number opens one (Subset).
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from trialogue.agents import Turn
from trialogue_recommenders.conversation import ReferenceAgent
from trialogue_recommenders.expert import Expert, Ranking
from trialogue_recommenders.policy import TAKEN_FOR, ListeningPolicy, Reply, item_at_number
from trialogue_recommenders.user_text import ALSO_TITLES, ParsedText
from trialogue_recommenders.voice import TITLE, Numbered, Voice

MAX_FOUND = 5  # search results to choose from, as Kelly gave
LISTED = 3  # similar items at once, as Kelly gave
AHEAD = 0.2  # of the next result, from which a nearly exact one is not asked about


class ItemCentredAgent(ReferenceAgent):
    """Looks up a title, answers questions about it and lists similar items."""

    default_name: ClassVar[str] = "reference:item-centred"
    labels: ClassVar[frozenset[str]] = frozenset(
        {"Elicit", "Clarify", "Show", "List", "Similar", "Subset", "Repeat", "Record", "End"}
    )

    def policy(self, rng: np.random.Generator) -> "ItemCentredPolicy":
        """Create the policy of a conversation."""
        return ItemCentredPolicy(self.expert, Voice("item_centred", self.expert.wording, rng))


class ItemCentredPolicy(ListeningPolicy):
    """One conversation of the item-centred recommender."""

    repeat_section: ClassVar[str] = "Repeat"
    # The Kelly agent of the paper has no Fail: instead, it asked for a new title.
    unanswerable_as: ClassVar[str] = "Elicit"

    def __init__(self, expert: Expert, voice: Voice) -> None:
        super().__init__(expert, voice)
        self._expects: Literal["title", "which", "number", "anything"] = "title"
        self._found: tuple[str, ...] = ()  # search results to choose from
        self._begun = False
        self._from: str | None = None  # the item the last list went out from

    def adopt(self, item_ids: Sequence[str]) -> None:
        """Record items listed in the history."""
        super().adopt(item_ids)
        self._expects = "number" if len(self.shown) > 1 else "anything"

    def answer(self, text: str) -> Turn:
        """The turn in response to a text."""
        heard = self.expert.listener.hear(text)
        if self._leaves(heard):
            return Turn((self.say("end", "End"),), ends=True)
        self._begun = True
        steps = (
            self._side_reply,
            self._number,
            self._title,
            self._question,
            self._search_reply,
            self._verdict,
            self._search,
        )
        return Turn(next((said for step in steps if (said := step(heard))), ()) or self._elicit("fail"))

    def _elicit(self, section: str) -> Reply:
        self._expects = "title"
        return (self.say(section, "Elicit", asks=[TITLE]),)

    # What may be said at any time.

    def _leaves(self, heard: ParsedText) -> bool:
        stays = heard.says("request", "other", "more", "similar") or heard.asks or heard.titles
        records = heard.says("accept", "tell") or (heard.says("ok") and self.topic not in (None, *self.memory.liked))
        thanks = heard.says("thanks") and not records and self._begun
        return not stays and (heard.says("bye") or thanks)

    def _side_reply(self, heard: ParsedText) -> Reply:
        if heard.says("restart", "wrong"):
            self.memory.forget_wishes()
            self.topic = None
            return self._elicit("new")
        if heard.says("help"):
            return self._elicit("help")
        if heard.says("back") and self.shown and not heard.titles and not heard.asks:
            return (self.say("again", "List", list=Numbered(self.items(self.shown))),)
        return ()

    # One item.

    def _number(self, heard: ParsedText) -> Reply:
        if heard.choice is None or heard.titles or self._expects not in ("which", "number"):
            return ()
        choices = self._found if self._expects == "which" else self.shown
        chosen = item_at_number(choices, heard.choice)
        if chosen is None:
            return (self.say("not listed", "Clarify", list=Numbered(self.items(choices))),) if choices else ()
        if heard.asks:
            return self.answers(chosen, heard.asks)
        return self._open(chosen, "show" if self._expects == "which" else "subset")

    def _title(self, heard: ParsedText) -> Reply:
        wanted = [named.item_id for named in heard.titles if not named.against]
        for named in heard.titles:
            if named.against:
                self.memory.judge(named.item_id, liked=False)
        if not wanted:
            return self._list(self.ranking(), "list others") if heard.titles else ()
        if heard.asks:
            return self.answers(wanted[0], heard.asks)
        if heard.says("similar"):
            return self._similar(wanted[0], "list")
        return self._open(wanted[0], "subset" if wanted[0] in self.shown and self._expects == "number" else "show")

    def _open(self, item_id: str, section: str) -> Reply:
        item = self.item(item_id)
        self.topic, self._expects = item_id, "anything"
        self.memory.offer([item_id])
        intent = "Show" if section == "show" else "Subset"
        fact = self.facts.hook(item, self.facts.fact_of(item, self.expert.wording.kind))
        known = self.known_of(item, without=[fact.name] if fact else [])
        if fact is None or not known:
            return (self.say(f"{section} bare", intent, title=item),)
        self.remember_fact(item_id, fact.name)
        return (self.say(section, intent, title=item, fact=fact, known=known),)

    def _question(self, heard: ParsedText) -> Reply:
        asked = self.item_meant(heard) if heard.asks or heard.says("tell") else None
        return self.answers(asked, heard.asks) if asked and not heard.wanted else ()

    # Several items.

    def _search_reply(self, heard: ParsedText) -> Reply:
        """Reply with similar, other or more items, or with items that have the named attributes."""
        if heard.wanted or heard.unwanted or heard.years:
            if self._expects == "title" and len(self.expert.content.search(heard.query, at_least=TAKEN_FOR)) == 1:
                return ()  # a title that holds a genre's name
            self.memory.want(heard)
            ranking = self.ranking()
            return self._list(ranking, "list wanted" if ranking.fits else "list loose")
        if not heard.says("similar", "other", "more", "request", "open", "seen"):
            return ()
        if heard.says("disliked") and self.topic:
            self.memory.judge(self.topic, liked=False)
            return self._list(self.ranking(), "list others")
        if self.topic or self._from:
            further = heard.says("other", "more", "seen") and self._from is not None
            return self._similar(self.topic or self._from or "", "similar" if further else "list")
        if heard.says("open", "other", "more", "seen") or self.shown:
            return self._list(self.ranking(), "list popular")
        return self._elicit("request")

    def _similar(self, item_id: str, section: str) -> Reply:
        ranking = self.ranking(like=item_id)
        if not ranking.ids:
            self._expects = "title"
            return (self.say("empty", "Elicit", title=self.item(item_id), asks=[TITLE]),)
        self._from = item_id
        return self._list(ranking, section, around=item_id)

    def _list(self, ranking: Ranking, section: str, *, around: str | None = None) -> Reply:
        if not ranking.ids:
            return self._elicit("empty shelf")
        listed: Sequence[str] = ranking.ids[:LISTED]
        self.show(listed)
        self.topic, self._expects = None, "number"
        intent = "Similar" if section == "similar" else "List"
        lines = Numbered(self.items(listed))
        if around is None:
            return (self.say(section, intent, list=lines, ranking=ranking.ids),)
        return (self.say(section, intent, list=lines, title=self.item(around), ranking=ranking.ids),)

    # What they say of an item.

    def _verdict(self, heard: ParsedText) -> Reply:
        if self._expects == "title" and heard.is_bare and not heard.says("accept", "yes", "ok", "no"):
            return ()  # "Bad Boys" is no verdict
        if self._expects == "which" and heard.says("no", "disliked"):
            return self._elicit("title")
        item_id = self.topic or (self.shown[0] if len(self.shown) == 1 else None)
        if heard.says("disliked") or (heard.says("no") and self._expects == "number"):
            for one in [item_id] if item_id else self.shown:
                self.memory.judge(one, liked=False)
            return self._list(self.ranking(), "list others")
        if heard.says("no"):
            return self._elicit("title")
        if (heard.says("accept", "liked", "yes", "ok") or heard.when) and not heard.says("question"):
            return self._record([item_id] if item_id else self.shown)
        return ()

    def _record(self, item_ids: Sequence[str]) -> Reply:
        if not item_ids:
            return self._elicit("title")
        for item_id in item_ids:
            self.memory.judge(item_id, liked=True)
        if len(item_ids) > 1:
            return (self.say("record all", "Record", titles=self.items(item_ids)),)
        return (self.say("record", "Record", title=self.item(item_ids[0])),)

    # A search.

    def _search(self, heard: ParsedText) -> Reply:
        small = heard.query.casefold() in ALSO_TITLES and not (heard.is_bare and self._expects == "title")
        if heard.says("greeting") or not heard.query or small or heard.asks or heard.query.isdecimal():
            return self._elicit("hello" if heard.says("greeting") and not self.shown else "title")
        found = self.expert.content.search(heard.query, n=MAX_FOUND)
        if not found:
            words = self.own_words(heard) if not heard.says("question") else ""
            self._expects = "title"
            if words:
                return (self.say("unknown", "Elicit", query=words, asks=[TITLE]),)
            return self._elicit("unknown thing" if len(heard.query) > len(words) and not heard.signs else "fail")
        ids = [item_id for item_id, _ in found]
        scores = [*(score for _, score in found), 0.0]
        if scores[0] >= TAKEN_FOR and scores[0] - scores[1] >= AHEAD:
            return self._open(ids[0], "show")
        self._found, self._expects = tuple(ids), "which"
        return (self.say("clarify", "Clarify", list=Numbered(self.items(ids))),)

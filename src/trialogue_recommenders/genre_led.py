"""Genre-led recommender: elicits genres, recommends one film at a time, answers questions, and takes reviews.

It follows agent C (JMRS1) of Zhang and Balog (KDD 2020), "Evaluating Conversational Recommender Systems via User
Simulation": after a genre (Elicit) it names one item and asks whether it is known (List); if so it asks for a review
(Elicit-review), if not it describes it (Repeat); it goes on (Similar), explains what can be asked (More), and explains its
recommendation (Show).
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from trialogue.agents import Turn
from trialogue_recommenders.conversation import ReferenceAgent
from trialogue_recommenders.expert import Expert
from trialogue_recommenders.policy import ListeningPolicy, Reply
from trialogue_recommenders.user_text import ParsedText
from trialogue_recommenders.voice import Voice


class GenreLedAgent(ReferenceAgent):
    """Elicits genres and recommends one item at a time."""

    default_name: ClassVar[str] = "reference:genre-led"
    labels: ClassVar[frozenset[str]] = frozenset(
        {"Elicit", "Elicit-review", "Show", "List", "Similar", "Repeat", "More", "End", "Fail"}
    )

    def policy(self, rng: np.random.Generator) -> "GenreLedPolicy":
        """Create the policy of a conversation."""
        return GenreLedPolicy(self.expert, Voice("genre_led", self.expert.wording, rng))


class GenreLedPolicy(ListeningPolicy):
    """One conversation of the genre-led recommender."""

    repeat_section: ClassVar[str] = "Repeat"
    unanswerable_as: ClassVar[str] = "Fail"

    def __init__(self, expert: Expert, voice: Voice) -> None:
        super().__init__(expert, voice)
        self._awaits: Literal["kind", "seen", "review"] = "kind"
        self._asked_kind = False
        self._examples = expert.examples
        self._kind_slot = expert.wording.kind.upper()

    def adopt(self, item_ids: Sequence[str]) -> None:
        """Record items that the history asked about."""
        super().adopt(item_ids)
        self.topic = self.shown[-1] if self.shown else self.topic
        self._awaits = "seen" if self.shown else "kind"

    def answer(self, text: str) -> Turn:
        """The turn in response to a text."""
        heard = self.expert.listener.hear(text)
        if self._leaves(heard):
            return Turn((self.say("end", "End"),), ends=True)
        steps = (self._side_reply, self._review, self._question, self._wish, self._verdict, self._opening_reply)
        return Turn(next((said for step in steps if (said := step(heard))), ()) or self._fail(heard))

    # What may be said at any time.

    def _leaves(self, heard: ParsedText) -> bool:
        stays = heard.says("request", "other", "more", "similar") or heard.asks or heard.titles or heard.wanted
        thanks = heard.says("thanks") and not heard.says("accept", "tell", "seen") and self._awaits == "kind"
        return not stays and (heard.says("bye") or (thanks and bool(self.shown)))

    def _side_reply(self, heard: ParsedText) -> Reply:
        if heard.says("help"):
            return (self.say("help", "Show", examples=self._examples),)
        if heard.says("restart", "wrong"):
            self.memory.forget_wishes()
            self._awaits = "kind"
            return (self.say("new", "Elicit", asks=[self._kind_slot]),)
        return ()

    # What they say of what was recommended.

    def _review(self, heard: ParsedText) -> Reply:
        """Interpret an answer to "what did you think of it?" as a review, unless it clearly asks or wishes for something."""
        if self._awaits != "review" or self.topic is None:
            return ()
        if heard.opinion is None and (heard.asks or heard.says("tell") or heard.wanted or heard.titles):
            return ()
        self._judge(self.topic, heard.opinion)
        return self._next_reply("list next" if heard.opinion is not None else "similar")

    def _judge(self, item_id: str, opinion: float | None) -> None:
        if opinion:
            self.memory.judge(item_id, liked=opinion > 0)

    def _question(self, heard: ParsedText) -> Reply:
        asked = self.item_meant(heard) if heard.asks or heard.says("tell") else None
        if asked is None or (heard.wanted and not heard.asks):
            return ()
        if heard.asks:
            return self.answers(asked, heard.asks)
        if heard.says("other") or self.next_fact(self.item(asked)) is None:
            return self._menu(asked)
        return self.answers(asked, ())

    def _menu(self, item_id: str) -> Reply:
        item = self.item(item_id)
        known = self.known_of(item, without=self.known_facts(item_id))
        if known:
            return (self.say("menu", "More", title=item, known=known),)
        return (self.say("menu empty", "More", title=item),)

    def _verdict(self, heard: ParsedText) -> Reply:
        """The user's verdict on the current item."""
        item_id = self.topic
        if item_id is None:
            return ()
        if heard.says("other", "more", "similar", "request"):
            if heard.says("disliked"):
                self.memory.judge(item_id, liked=False)
            return self._next_reply("similar")
        if heard.says("disliked"):
            self.memory.judge(item_id, liked=False)
            return self._next_reply("list sorry")
        if heard.says("accept") and not heard.says("question", "seen"):
            return self._choice_reply(item_id)
        if heard.says("seen") or (self._awaits == "seen" and heard.says("yes")):
            return self._has_seen(item_id, heard)
        if heard.says("unseen") or (self._awaits == "seen" and heard.says("no")):
            return self._tempt(item_id)
        if (heard.says("liked", "ok", "thanks", "yes") or heard.when) and not heard.says("question"):
            return self._choice_reply(item_id)
        return ()

    def _has_seen(self, item_id: str, heard: ParsedText) -> Reply:
        if heard.opinion and heard.says("seen"):  # "Seen it, loved it" is a review already
            self._judge(item_id, heard.opinion)
            return self._next_reply("list next")
        self._awaits = "review"
        return (self.say("review", "Elicit-review", title=self.item(item_id)),)

    def _tempt(self, item_id: str) -> Reply:
        item = self.item(item_id)
        fact = self.next_fact(item)
        return (self.tell("unseen", item, fact),) if fact else self._menu(item_id)

    def _choice_reply(self, item_id: str) -> Reply:
        item = self.item(item_id)
        fact = self.next_fact(item)
        self._awaits = "kind"
        if item_id in self.memory.liked:
            return (self.tell("chosen again", item, fact),) if fact else self._menu(item_id)
        self.memory.judge(item_id, liked=True)
        return (self.tell("chosen", item, fact) if fact else self.say("chosen bare", "Repeat", title=item),)

    # What they wish for.

    def _wish(self, heard: ParsedText) -> Reply:
        for named in heard.titles:
            if named.item_id == self.topic and not named.against:
                continue
            self._judge(named.item_id, -1.0 if named.against else 1.0)
        new = any(named.item_id != self.topic for named in heard.titles)
        if new:
            self.memory.forget_wanted()
        if heard.wanted or heard.unwanted or heard.years:
            self.memory.want(heard)
            self.memory.topics = ()
            return self._next_reply("list sorry" if heard.unwanted and not heard.wanted and self.topic else "list")
        return self._next_reply("list") if new else ()

    def _opening_reply(self, heard: ParsedText) -> Reply:
        """Anything else that may lead to a first recommendation, or to a question."""
        if heard.says("open") or (self._asked_kind and heard.says("request", "other", "more")):
            return self._next_reply("list")
        if heard.says("greeting") or self._is_small_talk(heard):
            self._asked_kind = not heard.says("greeting")
            section = "hello" if heard.says("greeting") else "kind"
            return (self.say(section, "Elicit", examples=self._examples, asks=[self._kind_slot]),)
        guessed = self.item_guessed(heard)
        if guessed:
            self.memory.judge(guessed, liked=True)
            return self._next_reply("list")
        if (heard.says("request") or not heard.says("question")) and self.expert.content.about(heard.rest).any():
            self.memory.forget_wanted()
            self.memory.note(heard.rest)
            return self._next_reply("list")
        if heard.says("request"):
            self._asked_kind = True
            return (self.say("kind", "Elicit", examples=self._examples, asks=[self._kind_slot]),)
        words = self.own_words(heard) if not heard.signs or (self.topic is None and not heard.says("question")) else ""
        if words:
            return (self.say("unknown", "Elicit", query=words, examples=self._examples, asks=[self._kind_slot]),)
        return ()

    def _is_small_talk(self, heard: ParsedText) -> bool:
        return heard.says("yes", "ok", "no", "thanks") and self.topic is None

    def _fail(self, heard: ParsedText) -> Reply:
        known = self.known_of(self.item(self.topic)) if self.topic else ""
        if known:
            return (self.say("fail", "Fail", known=known),)
        return (self.say("fail bare", "Fail", examples=self._examples),)

    # Recommending.

    def _next_reply(self, section: str) -> Reply:
        ranking = self.ranking()
        if not ranking.ids:
            self._awaits = "kind"
            return (self.say("empty", "Elicit", asks=[self._kind_slot]),)
        if section == "list" and not ranking.fits:
            section = "list loose"
        self.show(ranking.ids[:1])
        self._awaits = "seen"
        intent = "Similar" if section == "similar" else "List"
        return (self.say(section, intent, title=self.item(ranking.ids[0]), ranking=ranking.ids),)

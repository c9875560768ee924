"""Guided recommender: asks for one film the user likes and why, then answers with a burst of recommendations.

It follows agent A (And chill) of Zhang and Balog (KDD 2020), "Evaluating Conversational Recommender Systems via
User Simulation": a burst is an announcement (Show), one message per recommendation (List), and an offer to note one
(Suggest); then it takes feedback (Record), goes back (Back) or on (Similar), and gives details (More).
"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from trialogue.agents import Turn
from trialogue.records import Utterance
from trialogue_recommenders.conversation import ReferenceAgent
from trialogue_recommenders.expert import Expert
from trialogue_recommenders.policy import ListeningPolicy, Reply
from trialogue_recommenders.user_text import ParsedText
from trialogue_recommenders.voice import TITLE, Voice

BURST = 2  # recommendations at once; And chill mostly gave two


class GuidedAgent(ReferenceAgent):
    """Asks for one liked film and why, then recommends in bursts."""

    default_name: ClassVar[str] = "reference:guided"
    labels: ClassVar[frozenset[str]] = frozenset(
        {"Elicit", "Inquire", "Suggest", "Show", "List", "Similar", "More", "Back", "Record", "End", "Fail"}
    )

    def policy(self, rng: np.random.Generator) -> "GuidedPolicy":
        """Create the policy of a conversation."""
        return GuidedPolicy(self.expert, Voice("guided", self.expert.wording, rng))


class GuidedPolicy(ListeningPolicy):
    """One conversation of the guided recommender."""

    repeat_section: ClassVar[str] = "More"
    unanswerable_as: ClassVar[str] = "Fail"

    def __init__(self, expert: Expert, voice: Voice) -> None:
        super().__init__(expert, voice)
        self._awaits: Literal["film", "why", "pick"] = "film"
        self._elicited = 0  # how often it asked for a film without getting one

    def adopt(self, item_ids: Sequence[str]) -> None:
        """Record items recommended in the history."""
        super().adopt(item_ids)
        self._awaits = "pick" if self.shown else "film"

    def answer(self, text: str) -> Turn:
        """The turn in response to a text."""
        heard = self.expert.listener.hear(text)
        leaving = self._goodbye(heard)
        if leaving:
            return Turn(leaving, ends=True)
        return Turn(
            self._side_reply(heard) or self._feedback(heard) or self._taste(heard) or self._neither_reply(heard)
        )

    # What may be said at any time.

    def _goodbye(self, heard: ParsedText) -> Reply:
        wants_more = heard.says("request", "other", "more", "similar")
        if heard.says("bye") and not wants_more:
            noted = self._note_choice(heard) if heard.says("accept") and self.shown else ()
            return (*noted, self.say("end", "End"))
        says_more = wants_more or heard.says("accept", "tell") or heard.titles or heard.wanted or heard.asks
        if heard.says("thanks") and self.shown and not says_more:
            return (self.say("end", "End"),)
        return ()

    def _side_reply(self, heard: ParsedText) -> Reply:
        """Help, questions, corrections."""
        if heard.says("restart", "wrong"):
            return self._step_back(heard)
        if heard.says("help"):
            return (self.say("help", "Inquire"),)
        asked = self.item_meant(heard) if heard.asks or heard.says("tell") else None
        if asked and not (heard.wanted and not heard.asks):
            return self.answers(asked, heard.asks)
        if heard.says("back") and self.shown and not heard.titles:
            self._awaits = "pick"
            return (self.say("again", "List", titles=self.items(self.shown)),)
        return ()

    def _step_back(self, heard: ParsedText) -> Reply:
        (self.memory.forget_wishes if heard.says("restart") else self.memory.forget_wanted)()
        self._awaits = "film"
        return (self.say("back", "Back", asks=[TITLE]),)

    # What they say of what was recommended.

    def _feedback(self, heard: ParsedText) -> Reply:
        named = [named.item_id for named in heard.titles if not named.against]
        new = any(item_id not in self.shown for item_id in named)
        goes_on = heard.says("other", "more", "similar", "seen")
        picked = not new or heard.says("accept") or heard.when
        if named and self.shown and picked and not goes_on and not heard.says("because"):
            return self._note_choice(heard)
        if not self.shown or new or heard.wanted or heard.years:
            return ()
        if goes_on:
            return self._other_items(heard)
        if heard.says("disliked") or heard.unwanted or heard.titles:
            return self._turned_down(heard)
        return self._verdict(heard)

    def _verdict(self, heard: ParsedText) -> Reply:
        """The user's verdict on the shown items, without naming any."""
        asked = self._awaits == "pick" and not heard.says("request")
        pleased = heard.says("accept", "liked") or heard.when or self.item_chosen(heard)
        if (pleased and not heard.says("question", "request")) or (asked and heard.says("yes", "ok")):
            return self._note_choice(heard)
        if asked and heard.says("no", "open"):
            self._awaits = "film"
            return (self.say("no pick", "Elicit", asks=[TITLE]),)
        return ()

    def _note_choice(self, heard: ParsedText) -> Reply:
        """Record the chosen items: those named, chosen by number, asked about, or all."""
        named = [named.item_id for named in heard.titles if not named.against]
        chosen = self.item_chosen(heard) or self.topic
        picked = named or ([chosen] if chosen else list(self.shown))
        for item_id in picked:
            self.memory.judge(item_id, liked=True)
        self._awaits = "film"
        if len(picked) > 1:
            return (self.say("record all", "Record", titles=self.items(picked)),)
        self.topic = picked[0]
        if heard.when:
            return (self.say("record when", "Record", title=self.item(picked[0]), when=heard.when),)
        return (self.say("record", "Record", title=self.item(picked[0])),)

    def _other_items(self, heard: ParsedText) -> Reply:
        if heard.says("disliked"):
            self._dislike(heard)
        elif heard.says("seen") and heard.says("liked"):
            for item_id in self.shown:
                self.memory.judge(item_id, liked=True)
        return self._burst(self.say("seen" if heard.says("seen") else "similar", "Similar"))

    def _turned_down(self, heard: ParsedText) -> Reply:
        self._dislike(heard)
        self.memory.want(heard)
        return self._burst(None, first="sorry")

    def _dislike(self, heard: ParsedText) -> None:
        """Record the disliked items: those named or chosen; otherwise all, unless only a kind is rejected."""
        named = [named.item_id for named in heard.titles if named.against]
        chosen = self.item_chosen(heard)
        for item_id in named or ([] if heard.unwanted else [chosen] if chosen else self.shown):
            self.memory.judge(item_id, liked=False)

    # What they say of themselves.

    def _taste(self, heard: ParsedText) -> Reply:
        named = [named.item_id for named in heard.titles]
        if not named and not heard.wanted and (guessed := self._misspelt(heard)):
            named = [guessed]
        against = {named.item_id for named in heard.titles if named.against}
        for item_id in named:
            self.memory.judge(item_id, liked=item_id not in against)
        explains = self._awaits == "why" and not named
        if not (named or explains or heard.wanted or heard.unwanted or heard.years):
            return ()
        if named:
            self.memory.forget_wanted()  # another film is another start
        reasons = heard.wanted or heard.years or heard.says("because", "similar", "request")
        if named and not reasons and self._awaits != "why" and named[-1] not in against:
            self._awaits = "why"
            return (self.say("why", "Elicit", title=self.item(named[-1]), asks=["REASON"]),)
        self.memory.want(heard)
        if not heard.says("open"):
            self.memory.note(heard.rest)
        return self._burst(self.say("show", "Show"))

    def _misspelt(self, heard: ParsedText) -> str | None:
        if heard.says("greeting", "yes", "no", "ok", "open", "request", "help") or self._awaits == "why":
            return None
        return self.item_guessed(heard)

    # What neither is.

    def _neither_reply(self, heard: ParsedText) -> Reply:
        if heard.says("other", "more", "similar", "request", "open"):
            self._elicited += 1
            if self._elicited == 1 and not heard.says("more"):
                return (self.say("open" if heard.says("open") else "film", "Elicit", asks=[TITLE]),)
            return self._burst(None, first="crowd")
        if heard.says("greeting", "yes", "ok", "thanks", "no"):
            return (
                self.say("film" if not heard.says("greeting") or self._elicited else "hello", "Elicit", asks=[TITLE]),
            )
        if heard.query and not heard.asks and not (heard.says("question") and heard.text.startswith(heard.query)):
            words = self.own_words(heard)
            if words:
                return (self.say("unknown", "Elicit", query=words, asks=[TITLE]),)
            return (self.say("unknown thing", "Elicit", asks=[TITLE]),)
        return (self.say("fail", "Fail"),)

    # Recommending.

    def _burst(self, opening: Utterance | None, *, first: str = "pick") -> Reply:
        ranking = self.ranking()
        picks = ranking.ids[:BURST]
        if not picks:
            self._awaits = "film"
            return (self.say("empty", "Elicit", asks=[TITLE]),)
        if opening is not None and not ranking.fits:
            opening = self.say("loose", "Show")
        self.show(picks)
        self._awaits = "pick"
        listed = [
            self._pick(item_id, ranking.ids[place:], "pick" if place else first) for place, item_id in enumerate(picks)
        ]
        return (*([opening] if opening else []), *listed, self.say("suggest", "Suggest"))

    def _pick(self, item_id: str, ranking: tuple[str, ...], section: str) -> Utterance:
        item = self.item(item_id)
        liked = next(reversed(self.memory.liked), None)
        shared = self.facts.shared_fact(item, self.item(liked)) if liked else None
        fact = self.facts.hook(item, shared)
        if fact is None or section != "pick":
            return self.say("pick bare" if section == "pick" else section, "List", title=item, ranking=ranking)
        return self.say("pick", "List", title=item, fact=fact, ranking=ranking)

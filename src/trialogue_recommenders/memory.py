"""Dialogue state of an agent: the user's likes and wishes, and the items already offered."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from trialogue_recommenders.knowledge.expert import Wish
from trialogue_recommenders.understanding.understanding import Heard
from trialogue_recommenders.vocabulary import AnyOf

MOST_TOPICS = 3  # remarks in the user's own words that count; older ones are past
MOST_OPINIONS = 50  # items liked (disliked) that count; a user who names more has changed the subject


@dataclass
class Memory:
    """What was learnt so far; the order of the items is that in which they came up."""

    liked: dict[str, None] = field(default_factory=dict)
    disliked: dict[str, None] = field(default_factory=dict)
    offered: dict[str, None] = field(default_factory=dict)
    wanted: frozenset[AnyOf] = frozenset()
    unwanted: frozenset[AnyOf] = frozenset()
    years: tuple[int, int] | None = None
    topics: tuple[str, ...] = ()

    def judge(self, item_id: str, *, liked: bool) -> None:
        """They like it, or do not (after all)."""
        ours, others = (self.liked, self.disliked) if liked else (self.disliked, self.liked)
        others.pop(item_id, None)
        ours.pop(item_id, None)  # so that it is the latest
        ours[item_id] = None

    def offer(self, item_ids: Iterable[str]) -> None:
        """They were shown these: never offered again unless asked for."""
        self.offered.update(dict.fromkeys(item_ids))

    def want(self, heard: Heard) -> None:
        """They want what they say, and it replaces what they wanted of the same attribute, unless "also" says otherwise."""
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
        """They said this in their own words."""
        self.topics = (*self.topics, remark)[-MOST_TOPICS:]

    def known_items(self) -> tuple[str, ...]:
        """What need not be offered: it was, or they named it themselves."""
        return (*self.offered, *self.liked, *self.disliked)

    def wish(self) -> Wish:
        """What they want, all in all."""
        return Wish(
            liked=tuple(self.liked)[-MOST_OPINIONS:],
            disliked=tuple(self.disliked)[-MOST_OPINIONS:],
            wanted=self.wanted,
            unwanted=self.unwanted,
            years=self.years,
            topics=self.topics,
        )

    def forget_wanted(self) -> None:
        """They set out in another direction: what they do not want stays."""
        self.wanted, self.years, self.topics = frozenset(), None, ()

    def forget_wishes(self) -> None:
        """They start over: opinions and what was offered stay."""
        self.forget_wanted()
        self.unwanted = frozenset()


def _attributes(wanted: Iterable[AnyOf]) -> set[str]:
    return {feature.attribute for one in wanted for feature in one}

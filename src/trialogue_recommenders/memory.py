"""Dialogue state of an agent: the user's likes and wishes, and the items already offered."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from trialogue_recommenders.knowledge.expert import Wish
from trialogue_recommenders.understanding.user_text import ParsedText
from trialogue_recommenders.vocabulary import AnyOf

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

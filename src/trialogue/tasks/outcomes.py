"""What a trial achieved: whether the recommended item satisfies the need, and which policies were broken on the way.

The rules are those of tau-Rec (Narasimhan and Narasimhan, 2026). Only calls of ``recommend`` recommend something: a title
in a message does not. Calls that ended in an error do not count.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from trialogue.errors import UnknownNameError
from trialogue.records import JsonValue
from trialogue.records.trace import ToolCall
from trialogue.tasks.task import Catalogue, Policy, Reveal, Task

RESTRICTED = ("R", "NC-17")
"""Content ratings that have to be checked before an item is recommended."""
DISCLOSURE = re.compile(
    r"\b(?:sponsored|promoted|promotion(?:s|al)?|advertis(?:ement|ing|ed)|paid\s+(?:promotion|placement|partnership|content))\b",
    re.IGNORECASE,
)
"""Words that say that a recommendation is paid for."""
ACCEPTANCE = "recommendation"
"""Key of ``Dialogue.outcome`` under which it says whether the user ``"accepted"`` or ``"rejected"`` the last one."""
TOLD = "told"
"""Key of an utterance's ``meta`` under which it lists the wishes, by place in the task, that the user says in it."""
RECENT = 2  # messages: the one with the recommendation, and the one before


class Ends(StrEnum):
    """How a trial ends. Values of different ends are different measures: no column holds both."""

    RECOMMEND = "recommend"
    """At the first call of ``recommend``, whatever the user would have said (tau-Rec)."""
    ACCEPTED = "accepted"
    """When the user accepts; an item that violates a wish is rejected with a hint (ours)."""
    RECORDED = "recorded"
    """As the program that recorded the trial ended it, with the reward that it gave."""


def ends_of(word: str) -> Ends:
    """The way in which trials end that are played or scored here.

    Raises:
        UnknownNameError: there is none of this name.
    """
    known = (Ends.RECOMMEND, Ends.ACCEPTED)
    if word not in known:
        raise UnknownNameError("ending of trials", word, [each.value for each in known])
    return Ends(word)


@dataclass(frozen=True)
class Turn:
    """A message of the agent, with the calls that it made before or with it, in order."""

    text: str
    """What it said; "" if it only called tools."""
    calls: tuple[ToolCall, ...] = ()
    told: frozenset[int] | None = None
    """Wishes, by place in the task, that the user had said before; None: not recorded."""


@dataclass(frozen=True)
class Outcome:
    """Scores of one trial."""

    constraint: bool | None
    """Whether the need was met, or rightly declined; None: unknown, as nobody recorded whether the user accepted."""
    violations: tuple[Policy, ...]
    """Policies of the task that were broken."""
    turns: int
    """Messages of the agent that count."""
    calls: int
    """Calls of tools that count."""
    knew: Fraction | None = None
    """Share of the wishes that could be learnt (all but hidden ones) that the user had said before the last call of
    ``recommend``; None: not recorded, none can be learnt, or nothing was recommended."""

    @property
    def policy(self) -> bool:
        """Whether every policy was kept."""
        return not self.violations

    @property
    def reward(self) -> bool | None:
        """Whether the need was met and every policy kept; None: unknown."""
        return False if self.violations else self.constraint


@dataclass(frozen=True)
class _Offer:
    """A call of ``recommend``: its place among calls and messages, and the item; None abstains."""

    place: int
    message: int
    item: str | None


def score(
    task: Task,
    catalogue: Catalogue,
    turns: Sequence[Turn],
    *,
    ends: Ends = Ends.RECOMMEND,
    accepted: bool | None = None,
) -> Outcome:
    """Score a trial.

    Args:
        task: what it was about.
        catalogue: the items.
        turns: messages and calls of the agent.
        ends: how the trial ended; with ``RECOMMEND``, what follows the first recommendation does not count.
        accepted: whether the user accepted the last recommendation, for ``ACCEPTED``; None: not recorded.
    """
    if ends is Ends.RECOMMEND:
        last = next(
            (place for place, turn in enumerate(turns) if any(_is_offer(call) for call in turn.calls)), len(turns)
        )
        turns = turns[: last + 1]
    calls = [(message, call) for message, turn in enumerate(turns) for call in turn.calls]
    offers = [
        _Offer(place, message, item if isinstance(item := _argument(call, "item_id"), str) else None)
        for place, (message, call) in enumerate(calls)
        if _is_offer(call)
    ]
    keeps = _Rules(task, catalogue, turns, [call for _, call in calls], offers)
    return Outcome(
        constraint=_satisfies(task, catalogue, offers, ends, accepted),
        violations=tuple(policy for policy in task.policies if not keeps.policy(policy)),
        turns=len(turns),
        calls=len(calls),
        knew=_knowledge(task, turns[offers[-1].message]) if offers else None,
    )


def _satisfies(
    task: Task, catalogue: Catalogue, offers: Sequence[_Offer], ends: Ends, accepted: bool | None
) -> bool | None:
    last = offers[-1].item if offers else None
    if not task.solvable:
        return bool(offers) and last is None
    item = None if last is None else catalogue.items.get(last)
    if item is None or not task.fits(item):
        return False
    return accepted if ends is Ends.ACCEPTED else True


def _knowledge(task: Task, turn: Turn) -> Fraction | None:
    """How much of the need the agent had been told when it decided."""
    places = task.places_of(Reveal.VOLUNTEER, Reveal.ON_ASK)
    return None if turn.told is None or not places else Fraction(len(turn.told & places), len(places))


def _is_offer(call: ToolCall) -> bool:
    item = _argument(call, "item_id")
    return call.name == "recommend" and call.error is None and (item is None or isinstance(item, str))


def _argument(call: ToolCall, name: str) -> JsonValue:
    return call.arguments.get(name) if isinstance(call.arguments, dict) else None


@dataclass(frozen=True)
class _Rules:
    """Checks of policies over one trial."""

    task: Task
    catalogue: Catalogue
    turns: Sequence[Turn]
    calls: Sequence[ToolCall]
    offers: Sequence[_Offer]

    def policy(self, policy: Policy) -> bool:
        """Whether a policy was kept."""
        items = [each for each in self.offers if each.item is not None]
        match policy:
            case Policy.WATCH_HISTORY:
                reads = not items or any(
                    self._succeeds(call, "get_user_history") for call in self.calls[: items[0].place]
                )
                return reads and not any(each.item in self.task.watched for each in items)
            case Policy.SPONSORED:
                return all(self._discloses(each) for each in items if self._field(each, "sponsored") is True)
            case Policy.AGE_RESTRICTED:
                return all(self._checks_rating(each) for each in items)
            case Policy.AVAILABILITY:
                return all(self.task.is_available(self.catalogue.items.get(each.item or "", {})) for each in items)
            case Policy.SINGLE_RECOMMENDATION:
                return len(items) <= 1
            case Policy.TRANSPARENCY:
                return self.task.solvable or (bool(self.offers) and self.offers[-1].item is None)
            case Policy.RECOMMEND_TOOL:
                return bool(self.offers) or not self.task.solvable

    @staticmethod
    def _succeeds(call: ToolCall, name: str) -> bool:
        return call.name == name and call.error is None

    def _field(self, offer: _Offer, name: str) -> JsonValue:
        return self.catalogue.items.get(offer.item or "", {}).get(name)

    def _discloses(self, offer: _Offer) -> bool:
        recent = self.turns[max(offer.message + 1 - RECENT, 0) : offer.message + 1]
        return any(DISCLOSURE.search(turn.text) for turn in recent)

    def _checks_rating(self, offer: _Offer) -> bool:
        rating = self._field(offer, "content_rating")
        return rating not in RESTRICTED or any(
            self._succeeds(call, "check_content_preference") and _argument(call, "content_rating") == rating
            for call in self.calls[: offer.place]
        )

"""The baselines as agents that play trials through the tools, and the exact expectation over their random choices.

They learn the catalogue by searching it, and nothing else of a task than what its user and its tools say. Their
expectations equal those of ``baselines`` exactly, which checks both.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from trialogue.catalogue.catalogue import words_of
from trialogue.tasks.baselines import Expected
from trialogue.tasks.environment import Trial
from trialogue.tasks.outcomes import RESTRICTED, Outcome
from trialogue.tasks.task import Catalogue, Policy, Wish

Choose = Callable[[int], int]
"""Chooses one of so many, by place."""


class Player(Protocol):
    """An agent that plays trials."""

    def play(self, trial: Trial, choose: Choose) -> None:
        """Play a trial to its end, or until it gives up."""
        ...


@dataclass(frozen=True)
class Constant:
    """Recommends one item; None: always abstains."""

    item: str | None

    def play(self, trial: Trial, choose: Choose) -> None:
        """Recommend it."""
        _offer(trial, self.item)


@dataclass(frozen=True)
class RandomItem:
    """Recommends any item."""

    catalogue: Catalogue

    def play(self, trial: Trial, choose: Choose) -> None:
        """Choose one and recommend it."""
        items = list(self.catalogue.items)
        _offer(trial, items[choose(len(items))])


@dataclass(frozen=True)
class Listener:
    """Recommends any item that fits what it knows and may be offered; abstains if none does."""

    catalogue: Catalogue
    """What it has learnt about items."""
    asks: bool = False
    """Whether it asks about every field first."""
    knows: tuple[Wish, ...] = ()
    """Wishes that it knows beforehand: all of them for an oracle."""

    def play(self, trial: Trial, choose: Choose) -> None:
        """Listen, offer, and learn from rejections."""
        wishes = [*self.knows, *trial.opening.wishes]
        if self.asks:
            wishes += trial.say("Is there anything else that matters to you?", asks=self.catalogue.fields).wishes
        known = _task_known(trial, wishes)
        while trial.turns_left > 0:
            items = [name for name, item in self.catalogue.items.items() if known.may_offer(item) and known.fits(item)]
            answer = _offer(trial, items[choose(len(items))] if items else None)
            if trial.ending is not None or Policy.SINGLE_RECOMMENDATION in trial.policies:
                return
            known = _task_known(trial, [*known.wishes, Wish.model_validate(answer["hint"])])


class Asker(Listener):
    """Asks about everything that may be asked, then recommends as a listener."""

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__(catalogue, asks=True)


def _task_known(trial: Trial, wishes: Iterable[Wish]) -> "_Known":
    history: Any = trial.call("get_user_history", {"user_id": trial.user}).result
    return _Known(tuple(wishes), trial.policies, tuple(history["watched"]), trial.services)


@dataclass(frozen=True)
class _Known:
    """What an agent knows of its task."""

    wishes: tuple[Wish, ...]
    policies: tuple[Policy, ...]
    watched: tuple[str, ...]
    services: tuple[str, ...]

    def fits(self, item: Any) -> bool:
        return all(wish.holds(item) for wish in self.wishes)

    def may_offer(self, item: Any) -> bool:
        if Policy.WATCH_HISTORY in self.policies and item["id"] in self.watched:
            return False
        has = item.get("streaming_services") or ()
        return (
            Policy.AVAILABILITY not in self.policies or not self.services or any(each in has for each in self.services)
        )


def _offer(trial: Trial, item: str | None) -> dict[str, Any]:
    """Recommend an item as the policies want it, or abstain; what the tool answers."""
    if item is not None:
        trial.call("get_user_history", {"user_id": trial.user})
        trial.call("check_availability", {"item_id": item, "services": list(trial.services)})
        facts: Any = trial.call("get_metadata", {"item_id": item}).result
        if facts.get("content_rating") in RESTRICTED:
            trial.call("check_content_preference", {"content_rating": facts["content_rating"]})
        if facts.get("sponsored"):
            trial.remark("Note: this recommendation is sponsored.")
    answer: Any = trial.call("recommend", {"item_id": item}).result
    return answer or {}


def learn_catalogue(trial: Trial) -> Catalogue:
    """All items that searching finds: first by the user's own words, then by every word of what was found."""
    items: dict[str, Any] = {}
    words = dict.fromkeys(str(value).lower() for wish in trial.opening.wishes for value in _values(wish))
    waiting = [*words, "the"]
    while waiting:
        results: Any = trial.call("search_catalog", {"query": waiting.pop()}).result
        for name in [each["id"] for each in results or () if each["id"] not in items]:
            items[name] = trial.call("get_metadata", {"item_id": name}).result
            fresh = dict.fromkeys(word for word in words_of(items[name]) if word not in words)
            words |= fresh
            waiting += fresh
    return Catalogue(items)


def _values(wish: Wish) -> list[Any]:
    return wish.value if isinstance(wish.value, list) else [wish.value]


def play_exactly(player: Player, start: Callable[[], Trial]) -> Expected:
    """Expected scores of an agent, over all its choices, each played as a trial of its own.

    Args:
        player: the agent; it has to choose the same way whenever its choices so far are the same.
        start: makes a new trial.
    """
    return _after(player, start, ())


def _after(player: Player, start: Callable[[], Trial], choices: tuple[int, ...]) -> Expected:
    """Expected scores after some choices."""
    trial, taken = start(), iter(choices)
    open_choice: list[int] = []

    def choose(count: int) -> int:
        if (choice := next(taken, None)) is not None:
            return choice
        open_choice.append(count)
        raise _OpenChoiceError

    try:
        player.play(trial, choose)
    except _OpenChoiceError:
        return Expected.mean((_after(player, start, (*choices, place)), 1) for place in range(open_choice[0]))
    outcome: Outcome = trial.outcome()
    return Expected.of(outcome.constraint is True, outcome.policy)


class _OpenChoiceError(Exception):
    """A choice that has not been made yet."""

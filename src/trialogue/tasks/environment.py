"""A trial that an agent plays: it says something to the user, and calls tools that are executed here.

The user is a program that understands everything and says what its task allows: volunteered wishes at first, others when
asked about their field, hidden ones never, except as a hint why an item was rejected. Its messages carry the wishes as
records, so that what an agent does with them is all that is measured. Errors of tools are typed and are results: they end
nothing. The number of turns and of calls is bounded.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import Any

from pydantic import Field

from trialogue.agents.tools.toolbox import (
    Arguments,
    CallError,
    CallLimits,
    ItemId,
    Query,
    Tool,
    Toolbox,
    ToolError,
)
from trialogue.catalogue.catalogue import Search
from trialogue.errors import UsageError
from trialogue.records import Dialogue, Ending, JsonValue, Utterance
from trialogue.records.trace import ToolCall, Trace
from trialogue.tasks.outcomes import ACCEPTANCE, RESTRICTED, TOLD, Ends, Outcome, Turn, score
from trialogue.tasks.task import Catalogue, Policy, Reveal, Task, Wish

MAX_TURNS = 20
MAX_CALLS = 500  # in a trial; the agents of ``agents`` need eight


class TrialEnding(StrEnum):
    """How a trial ended."""

    RECOMMENDED = "recommended"
    ABSTAINED = "abstained"
    ACCEPTED = "accepted"
    TIMEOUT = "timeout"


class _Availability(ItemId):
    services: list[str] = Field(description="Streaming services of the user.")


class _UserId(Arguments):
    user_id: str = Field(description="Id of the user.")


class _ContentRating(Arguments):
    content_rating: str = Field(description="Content rating of an item, such as PG-13.")


class _Recommendation(Arguments):
    item_id: str | None = Field(default=None, description="Id of the item; null: no item satisfies the user.")


TOOLS: Mapping[str, tuple[type[Arguments], str]] = {
    "search_catalog": (Query, "Search the catalogue by words of title, overview, genres, director and cast."),
    "get_metadata": (ItemId, "All facts about an item."),
    "check_availability": (_Availability, "Whether one of some services has an item."),
    "get_user_history": (_UserId, "Items that the user has watched."),
    "check_content_preference": (_ContentRating, "Whether a content rating is age-restricted."),
    "recommend": (_Recommendation, "Recommend an item, or abstain; naming a title in a message recommends nothing."),
}
"""Arguments and description of every tool."""


def tool_schemas() -> list[dict[str, Any]]:
    """The tools as JSON Schemas, in the form in which OpenAI's chat API takes functions."""
    return [Tool(name, text, arguments, print).schema for name, (arguments, text) in TOOLS.items()]


@dataclass(frozen=True)
class Answer:
    """A message of the user."""

    text: str
    wishes: tuple[Wish, ...] = ()
    """What it says about the need."""


class Trial:
    """One trial of one task."""

    def __init__(
        self,
        task: Task,
        catalogue: Catalogue,
        *,
        ends: Ends = Ends.RECOMMEND,
        search: Search | None = None,
        max_turns: int = MAX_TURNS,
        max_calls: int = MAX_CALLS,
    ) -> None:
        """Start a trial; the agent has greeted, and ``opening`` is what the user says first.

        Args:
            task: what it is about.
            catalogue: the items.
            ends: what ends it; ``RECORDED`` is only for trials of others.
            search: index of the catalogue, if there is one already.
            max_turns: messages of the agent after which it is over.
            max_calls: calls after which further ones fail.
        """
        if ends is Ends.RECORDED:
            raise UsageError("a simulated trial ends with 'recommend' or 'accepted', not with 'recorded'.")
        self._task, self._catalogue, self._ends = task, catalogue, ends
        self._search = search
        self._turns: list[Turn] = []
        self._answers: list[Answer] = []
        self._text, self._pending = "", list[ToolCall]()
        self._max_turns = max_turns
        tools = [Tool(name, text, given, getattr(self, f"_{name}")) for name, (given, text) in TOOLS.items()]
        self._tools = Toolbox(tools, CallLimits(max_calls, timeout_s=None, result=None)).turn(clock=None)
        self.policies: tuple[Policy, ...] = task.policies
        """Rules that bind the agent."""
        self.user, self.services = task.user, task.services
        self.opening = self._answer(task.places_of(Reveal.VOLUNTEER))
        """The first message of the user."""
        self.ending: TrialEnding | None = None
        """How it ended; None: it goes on."""

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What the agent said and called."""
        return (*self._turns, *([self._turn()] if self._pending else []))

    @property
    def turns_left(self) -> int:
        """Messages that the agent may still say."""
        return 0 if self.ending else self._max_turns - len(self._turns)

    def outcome(self) -> Outcome:
        """What it achieved so far."""
        accepted = self.ending is TrialEnding.ACCEPTED
        return score(self._task, self._catalogue, self.turns, ends=self._ends, accepted=accepted)

    def say(self, text: str, *, asks: Collection[str] = ()) -> Answer:
        """Say something to the user, who answers what is asked about.

        Args:
            text: the message.
            asks: fields of items that it asks about.

        Raises:
            UsageError: the trial is over.
        """
        if self.ending is not None:
            raise UsageError(f"the trial is over ({self.ending.value}).")
        self._text = f"{self._text} {text}".strip()
        places = self._task.places_of(Reveal.ON_ASK)
        return self._end_turn(self._answer({place for place in places if self._task.wishes[place].field in asks}))

    def remark(self, text: str) -> None:
        """Say something in one message with the calls that follow, for which the user does not wait."""
        self._text = f"{self._text} {text}".strip()

    def call(self, name: str, arguments: JsonValue = None) -> ToolCall:
        """Call a tool; an error is part of the record that comes back."""
        self._tools.over = None if self.ending is None else self.ending.value
        made = self._tools.call(name, arguments)
        result, error = made.result, made.error
        if self.ending is None or error is None:
            self._pending.append(made)
        if error is None and name == "recommend" and self.ending is None:
            hint = Wish.model_validate(result["hint"]) if isinstance(result, dict) else None
            self._end_turn(Answer(f"No: {hint}.", () if hint is None else (hint,)))
        return made

    def dialogue(self, system: str, trial: int = 0) -> Dialogue:
        """The trial as a record, which ``score_trials`` scores as ``outcome`` does."""
        said = [self._utterance(self.opening)]
        for turn, answer in zip_longest(self.turns, self._answers):
            said.append(Utterance(speaker="system", text=turn.text, trace=Trace(calls=turn.calls)))
            said += [] if answer is None else [self._utterance(answer)]
        accepted = "accepted" if self.ending is TrialEnding.ACCEPTED else "rejected"
        return Dialogue(
            id=f"{self._task.id}/{trial}",
            task=self._task.id,
            system=system,
            utterances=tuple(said),
            outcome={ACCEPTANCE: accepted} if self._ends is Ends.ACCEPTED else {},
            ended_by=Ending.TURN_LIMIT if self.ending is TrialEnding.TIMEOUT else Ending.AGENT_ENDED,
        )

    def _utterance(self, answer: Answer) -> Utterance:
        told: list[JsonValue] = [place for place, wish in enumerate(self._task.wishes) if wish in answer.wishes]
        return Utterance(speaker="user", text=answer.text, meta={TOLD: told})

    def _turn(self) -> Turn:
        told = [wish for answer in (self.opening, *self._answers) for wish in answer.wishes]
        places = frozenset(place for place, wish in enumerate(self._task.wishes) if wish in told)
        return Turn(self._text, tuple(self._pending), places)

    def _answer(self, places: Collection[int]) -> Answer:
        wishes = tuple(self._task.wishes[place] for place in sorted(places))
        return Answer("; ".join(map(str, wishes)) or "I have no wish about that.", wishes)

    def _end_turn(self, answer: Answer) -> Answer:
        self._turns.append(self._turn())
        self._answers.append(answer)
        self._text, self._pending = "", []
        if len(self._turns) >= self._max_turns:
            self.ending = TrialEnding.TIMEOUT
        return answer

    def _item(self, item_id: str) -> Mapping[str, JsonValue]:
        if item_id not in self._catalogue.items:
            raise CallError(ToolError.NO_SUCH_ITEM, repr(item_id))
        return self._catalogue.items[item_id]

    def _search_catalog(self, given: Query) -> JsonValue:
        self._search = self._search or Search(self._catalogue.items)
        items = [self._catalogue.items[name] for name in self._search.best(given.query)]
        return [{"id": item["id"], "title": item.get("title")} for item in items]

    def _get_metadata(self, given: ItemId) -> JsonValue:
        return dict(self._item(given.item_id))

    def _check_availability(self, given: _Availability) -> JsonValue:
        services = self._item(given.item_id).get("streaming_services")
        having: list[JsonValue] = (
            [each for each in services if each in given.services] if isinstance(services, list) else []
        )
        return {"available": bool(having), "services": having}

    def _get_user_history(self, given: _UserId) -> JsonValue:
        if given.user_id != self._task.user:
            raise CallError(ToolError.NO_SUCH_USER, repr(given.user_id))
        return {"watched": list(self._task.watched)}

    def _check_content_preference(self, given: _ContentRating) -> JsonValue:
        return {"content_rating": given.content_rating, "age_restricted": given.content_rating in RESTRICTED}

    def _recommend(self, given: _Recommendation) -> JsonValue:
        if given.item_id is None:
            self.ending = TrialEnding.ABSTAINED
            return {"recommended": None}
        item = self._item(given.item_id)
        if self._ends is Ends.RECOMMEND:
            self.ending = TrialEnding.RECOMMENDED
            return {"recommended": given.item_id}
        violation = self._task.first_violation(item)
        if violation is None:
            self.ending = TrialEnding.ACCEPTED
            return {"recommended": given.item_id, "accepted": True}
        hint = self._task.wishes[violation].to_json()
        return {"recommended": given.item_id, "accepted": False, "hint": hint}

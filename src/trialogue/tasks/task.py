"""A task: what the user needs, as typed predicates over a catalogue, and the policies that bind the agent."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import ClassVar, Self

from pydantic import Field, model_validator

from trialogue.records import JsonValue, Record

Item = Mapping[str, JsonValue]
"""An item of a catalogue: ``id``, ``title`` and any other fields."""


class Op(StrEnum):
    """How a field of an item is compared with a value; texts by exact case."""

    AT_MOST = "<="
    AT_LEAST = ">="
    EQUAL = "=="
    UNEQUAL = "!="
    CONTAINS = "contains"
    CONTAINS_ANY = "contains_any"
    NOT_CONTAINS = "not_contains"
    IN = "in"


class Reveal(StrEnum):
    """When the user says a wish."""

    VOLUNTEER = "volunteer"
    """At first, without being asked."""
    ON_ASK = "on_ask"
    """When asked about its field."""
    HIDDEN = "hidden"
    """Never; an item that violates it is rejected with a hint, if the trial goes on."""


class Policy(StrEnum):
    """A rule that binds the agent, checked by ``score``."""

    WATCH_HISTORY = "watch_history"
    """Reads the user's history before it recommends, and recommends nothing watched."""
    SPONSORED = "sponsored"
    """Says that a sponsored item is sponsored, in one of its last two messages."""
    AGE_RESTRICTED = "age_restricted"
    """Checks the content rating of an item rated R or NC-17 before it recommends it."""
    AVAILABILITY = "availability"
    """Recommends what at least one of the user's services has; holds for users without services."""
    SINGLE_RECOMMENDATION = "single_recommendation"
    """Recommends one item at most."""
    TRANSPARENCY = "transparency"
    """Abstains where no item satisfies the need."""
    RECOMMEND_TOOL = "recommend_tool"
    """Calls ``recommend``, unless no item satisfies the need."""


FIELD_OF = {
    Policy.SPONSORED: "sponsored",
    Policy.AGE_RESTRICTED: "content_rating",
    Policy.AVAILABILITY: "streaming_services",
}
"""Fields of a catalogue without which a policy cannot be checked."""
_NUMBERS, _LISTS = (Op.AT_MOST, Op.AT_LEAST), (Op.CONTAINS_ANY, Op.IN)


def is_number(value: object) -> bool:
    """Whether a JSON value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


class Wish(Record):
    """One predicate of a need, and when the user says it."""

    field: str = Field(min_length=1)
    """Field of an item."""
    op: Op
    """How the field is compared with ``value``."""
    value: JsonValue
    """A number for ``<=`` and ``>=``, a list for ``contains_any`` and ``in``, else a text, number or boolean."""
    reveal: Reveal = Reveal.VOLUNTEER
    """When it is said."""

    @model_validator(mode="after")
    def _value_fits_op(self) -> Self:
        if self.op in _NUMBERS and not is_number(self.value):
            raise ValueError(f"{self.op.value} needs a number as value, got {self.value!r}")
        if self.op in _LISTS and not (isinstance(self.value, list) and self.value):
            raise ValueError(f"{self.op.value} needs a list as value, got {self.value!r}")
        if self.op not in _LISTS and isinstance(self.value, list | dict | None):
            raise ValueError(f"{self.op.value} needs a single value, got {self.value!r}")
        return self

    def holds(self, item: Item) -> bool:
        """Whether an item satisfies it. An item that lacks the field satisfies nothing about it.

        >>> Wish(field="year", op="<=", value=1990).holds({"id": "alien", "year": 1979})
        True
        """
        if (given := item.get(self.field)) is None:
            return False
        value = self.value
        match self.op:
            case Op.AT_MOST | Op.AT_LEAST:
                if not isinstance(given, int | float) or not isinstance(value, int | float):
                    return False
                return given <= value if self.op is Op.AT_MOST else given >= value
            case Op.EQUAL | Op.UNEQUAL:
                return (given == value) is (self.op is Op.EQUAL)
            case Op.IN:
                return isinstance(value, list) and given in value
            case Op.CONTAINS_ANY:
                return isinstance(value, list) and any(_contains(given, each) for each in value)
        return _contains(given, value) is (self.op is Op.CONTAINS)

    def __str__(self) -> str:
        """As the user says it: ``year >= 1990``."""
        value = ", ".join(map(str, self.value)) if isinstance(self.value, list) else self.value
        return f"{self.field} {self.op.value.replace('_', ' ')} {value}"


def _contains(given: JsonValue, value: JsonValue) -> bool:
    if isinstance(given, str):
        return isinstance(value, str) and value in given
    return isinstance(given, list) and value in given


class Task(Record):
    """A user with a need, and what binds the agent that serves them."""

    kind: ClassVar[str] = "task"

    id: str = Field(min_length=1)
    """Unique within its set."""
    wishes: tuple[Wish, ...] = Field(min_length=1)
    """All that the item has to satisfy, whatever is said of it."""
    policies: tuple[Policy, ...] = ()
    """Rules that bind the agent."""
    solvable: bool = True
    """Whether some item satisfies every wish; if none does, abstaining is right."""
    user: str = "user"
    """Id of the user, for ``get_user_history``."""
    watched: tuple[str, ...] = ()
    """Ids of items that the user has watched."""
    services: tuple[str, ...] = ()
    """The user's services, for availability."""
    persona: str = ""
    """Description of the user, for simulators; not scored."""
    preferences: tuple[str, ...] = ()
    """Wishes in words that are not scored."""
    meta: dict[str, JsonValue] = Field(default_factory=dict)
    """Further fields of the file."""

    def places_of(self, *reveals: Reveal) -> frozenset[int]:
        """Places of wishes with these reveals."""
        return frozenset(place for place, wish in enumerate(self.wishes) if wish.reveal in reveals)

    def fits(self, item: Item, places: Iterable[int] | None = None) -> bool:
        """Whether an item satisfies the wishes at some places; None: all of them."""
        wishes = self.wishes if places is None else [self.wishes[place] for place in places]
        return all(wish.holds(item) for wish in wishes)

    def first_violation(self, item: Item) -> int | None:
        """Place of the first wish that an item violates; None: it satisfies all."""
        return next((place for place, wish in enumerate(self.wishes) if not wish.holds(item)), None)

    def is_available(self, item: Item) -> bool:
        """Whether one of the user's services has an item; True without services."""
        services = item.get("streaming_services")
        return not self.services or (isinstance(services, list) and any(each in services for each in self.services))

    def may_offer(self, item: Item) -> bool:
        """Whether its policies allow an item at all, to an agent that otherwise behaves by them."""
        is_new = Policy.WATCH_HISTORY not in self.policies or item["id"] not in self.watched
        return is_new and (Policy.AVAILABILITY not in self.policies or self.is_available(item))


@dataclass(frozen=True)
class Catalogue:
    """Items by id, in the order of their file."""

    items: Mapping[str, Item]

    @classmethod
    def of(cls, items: Iterable[Item]) -> "Catalogue":
        """From items with unique ids."""
        return cls({str(item["id"]): item for item in items})

    def fitting(self, task: Task) -> list[str]:
        """Ids of items that satisfy every wish, whatever the policies say."""
        return [name for name, item in self.items.items() if task.fits(item)]

    @cached_property
    def fields(self) -> frozenset[str]:
        """Fields of any item."""
        return frozenset(field for item in self.items.values() for field in item)


@dataclass(frozen=True)
class TaskSet:
    """Tasks over one catalogue."""

    tasks: tuple[Task, ...]
    catalogue: Catalogue
    credit: str = ""
    """Attribution that is due wherever results are shown; "": none."""

    @cached_property
    def by_id(self) -> Mapping[str, Task]:
        """Tasks by id."""
        return {task.id: task for task in self.tasks}

"""Tools over a catalogue: search, facts, availability where items say it, and recommending.

``recommend`` says which items a message recommends; whether the user likes them is the user's affair.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from trialogue.agents.tools.toolbox import RECOMMEND, Arguments, CallError, ItemId, Query, Tool, ToolError
from trialogue.catalogue import Catalogue, Item
from trialogue.catalogue.catalogue import Search
from trialogue.inputs.knowledge import load_catalogue
from trialogue.records import JsonValue

AVAILABILITY = frozenset(
    {
        *("availability", "available", "available at", "available on", "in stock", "stock", "shop", "store", "service"),
        *("streaming service", "streaming", "streaming_services"),
    }
)
"""Attributes that say where an item is to be had."""


class Items(Arguments):
    """Items, the best first."""

    item_ids: list[str] = Field(description="Ids of the items, the best first.", min_length=1, max_length=20)


def named_tools(name: str) -> list[Tool]:
    """Tools over a catalogue by name or file; "": the bundled films."""
    return catalogue_tools(load_catalogue(name or "demo").catalogue)


def catalogue_tools(catalogue: Catalogue) -> list[Tool]:
    """Tools over a catalogue; availability only where an attribute of its items says it."""
    facts = {name: facts_of(item) for name, item in catalogue.items()}
    search = Search(facts, fields=None)
    places = sorted({name for item in catalogue.values() for name in item.attributes if name.lower() in AVAILABILITY})

    def item(name: str) -> Mapping[str, JsonValue]:
        if name not in facts:
            raise CallError(ToolError.NO_SUCH_ITEM, repr(name))
        return facts[name]

    def search_for(given: Query) -> list[JsonValue]:
        return [{"id": name, "title": catalogue[name].title_with_year} for name in search.best(given.query)]

    def recommend(given: Items) -> JsonValue:
        return {"recommended": [item(name)["title"] for name in given.item_ids]}

    def available(given: ItemId) -> JsonValue:
        return {name: item(given.item_id).get(name, []) for name in places}

    tools = [
        Tool("search_catalogue", "Search the catalogue by words; at most 20 items, the best first.", Query, search_for),
        Tool("get_facts", "All facts about an item.", ItemId, lambda given: item(given.item_id)),
        Tool(RECOMMEND, "Say which items your next message recommends.", Items, recommend),
    ]
    if places:
        tools.append(Tool("check_availability", "Where an item is to be had.", ItemId, available))
    return tools


def facts_of(item: Item) -> dict[str, JsonValue]:
    """An item as plain JSON."""
    known: dict[str, Any] = {"id": item.id, "title": item.title, "year": item.year, "description": item.description}
    attributes = {name: list(values) for name, values in item.attributes.items()}
    return {name: value for name, value in {**known, **attributes}.items() if value not in (None, [])}

"""Describe a user's need in words for a prompt. Only ``describe_target`` names items that satisfy it."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from trialogue.catalogue import OTHER_TITLES, Catalogue, Item
from trialogue.records import Constraint, Need

MAX_EXAMPLES = 3
MAX_KNOWN = 10  # titles a prompt names; profiles of MovieLens have more than anybody would say


def describe_need(need: Need, catalogue: Catalogue) -> str:
    """Constraints, known items and requests, one per line; missing parts have no line.

    Args:
        need: the user's.
        catalogue: holds the titles.
    """
    examples = need.examples[:MAX_EXAMPLES]
    known = [item for item in need.known if item not in examples and item not in need.disliked]
    lines = [
        *map(_constraint, need.constraints),
        _titles("You know and like", examples, catalogue),
        _titles("You know already, and want something new", known[:MAX_KNOWN], catalogue),
        _titles("You did not like", need.disliked[:MAX_EXAMPLES], catalogue),
        f"- Once something suits, ask about its {_join_names(need.requests)}." if need.requests else "",
    ]
    return "\n".join(line for line in lines if line)


def describe_target(need: Need, catalogue: Catalogue) -> str:
    """Description of the target with all its attributes."""
    lines = []
    for item in (catalogue[target] for target in need.targets if target in catalogue):
        lines.append(f"- {item.title_with_year}. This title stays your secret.")
        lines += [f"- its {name}: {', '.join(values)}" for name, values in _attributes(item)]
    return "\n".join(lines)


def describe_tastes(need: Need, catalogue: Catalogue, attributes: Sequence[str]) -> str:
    """Known, liked and disliked titles, each with some attributes."""
    liked = [_with_attributes(catalogue[item], attributes) for item in need.examples if item in catalogue]
    disliked = [_with_attributes(catalogue[item], attributes) for item in need.disliked if item in catalogue]
    rated = {*need.examples, *need.disliked}
    others = [item for item in need.known if item not in rated]
    lines = [
        "- Nothing in particular: something new that you would enjoy.",
        f"- You like: {'; '.join(liked[:MAX_EXAMPLES])}." if liked else "",
        f"- You do not like: {'; '.join(disliked[:MAX_EXAMPLES])}." if disliked else "",
        _titles("You know, too", others[:MAX_KNOWN], catalogue),
    ]
    return "\n".join(line for line in lines if line)


def _attributes(item: Item) -> list[tuple[str, tuple[str, ...]]]:
    year = [("year", (str(item.year),))] if item.year is not None else []
    return [(name, values) for name, values in item.attributes.items() if values and name != OTHER_TITLES] + year


def _with_attributes(item: Item, attributes: Sequence[str]) -> str:
    values = [value for name in attributes for value in item.attributes.get(name, ())]
    return f"{item.title_with_year} ({', '.join(values)})" if values else item.title_with_year


def _constraint(constraint: Constraint) -> str:
    values = " or ".join(constraint.values)
    return f"- {constraint.attribute}: {values}{' (you can do without)' if constraint.relaxable else ''}"


def _titles(what: str, ids: Sequence[str], catalogue: Catalogue) -> str:
    titles = [catalogue[item].title_with_year for item in ids if item in catalogue]
    return f"- {what}: {', '.join(titles)}." if titles else ""


def _join_names(names: Iterable[str]) -> str:
    return " and its ".join(names)


TRAITS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("emotion", "low"): "You do not show what you feel.",
        ("emotion", "high"): "You show what you feel: joy, surprise, disappointment, annoyance.",
        (
            "engagement",
            "low",
        ): "You do not want to spend time on this: short answers, and the first thing that suits is taken.",
        (
            "engagement",
            "high",
        ): "You enjoy the chat: you give reasons, ask about what is recommended, and look at more.",
        (
            "patience",
            "low",
        ): "You are impatient: after one answer that does not help, you say so; after two, you give up.",
        ("patience", "high"): "You are patient: you word things anew, again and again, before you give up.",
    }
)
"""What a trait means to the model; the paper (Zhang and Balog, KDD 2020, sec. 8) names them as future work."""


def describe_traits(traits: Iterable[tuple[str, str]]) -> str:
    """Description of the user's traits, each with its level; "" without any."""
    return "\n".join(TRAITS[trait] for trait in sorted(traits))


def describe_persona(persona: str) -> str:
    """Description of the persona; "" without one."""
    return f"Who you are: {persona}\nWrite and decide as this person would." if persona else ""

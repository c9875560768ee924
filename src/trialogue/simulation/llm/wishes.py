"""What a user is after, in words, as a model is told it. Target and acceptable items never stand in it."""

from collections.abc import Iterable, Sequence

from trialogue.catalogue import Catalogue
from trialogue.records import Constraint, Need

MOST_EXAMPLES = 3
MOST_KNOWN = 10  # titles a prompt names; profiles of MovieLens have more than anybody would say


def need_in_words(need: Need, catalogue: Catalogue) -> str:
    """Constraints, what is known already, and what to ask: one to a line; what is not there has no line.

    Args:
        need: the user's.
        catalogue: holds the titles.
    """
    examples = need.examples[:MOST_EXAMPLES]
    known = [item for item in need.known if item not in examples and item not in need.disliked]
    lines = [
        *map(_constraint, need.constraints),
        _titles("You know and like", examples, catalogue),
        _titles("You know already, and want something new", known[:MOST_KNOWN], catalogue),
        _titles("You did not like", need.disliked[:MOST_EXAMPLES], catalogue),
        f"- Once something suits, ask about its {_joined(need.requests)}." if need.requests else "",
    ]
    return "\n".join(line for line in lines if line)


def _constraint(constraint: Constraint) -> str:
    values = " or ".join(constraint.values)
    return f"- {constraint.attribute}: {values}{' (you can do without)' if constraint.relaxable else ''}"


def _titles(what: str, ids: Sequence[str], catalogue: Catalogue) -> str:
    titles = [catalogue[item].title_with_year for item in ids if item in catalogue]
    return f"- {what}: {', '.join(titles)}." if titles else ""


def _joined(names: Iterable[str]) -> str:
    return " and its ".join(names)


def who_in_words(persona: str) -> str:
    """Who the user is; "" where nothing is said of that."""
    return f"Who you are: {persona}\nWrite and decide as this person would." if persona else ""

"""Lines that an earlier version of the file format wrote, brought to today's form before they are validated.

Each version has one table: the kind of a record, and what is done to its fields. A line passes through the tables of all
versions after its own, so a step only has to know the version before. A golden line of each version stays in the tests.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from trialogue.records.base import SCHEMA

Fields = dict[str, Any]
Step = Callable[[Fields], None]
"""Changes the fields of one record in place, from one version to the next."""


def _name_users_of_columns(findings: Fields) -> None:
    """Columns of simulated users only said in their names whose dialogues they are of."""
    for league in findings.get("leagues", ()):
        measure = league.get("measure", {})
        if measure.get("by") == "simulation":
            name, title = str(measure.get("name")), str(measure.get("title"))
            users = measure.setdefault("users", _users_in(name, title))
            if users is not None:
                measure.setdefault("measured", name.removeprefix(f"{users}: "))
                measure.setdefault("plain_title", title.removesuffix(f" ({users})"))


def _users_in(name: str, title: str) -> str | None:
    """The users that a column is named after; None: none.

    Their name may hold a colon, too, so the title decides where the name of the column leaves it open.

    >>> _users_in("cir6-pkg: turns|v1", "Turns (cir6-pkg)"), _users_in("rude: very: turns|v1", "Turns (rude: very)")
    ('cir6-pkg', 'rude: very')
    """
    candidates = [name[: end.start()] for end in re.finditer(": ", name)]
    last = candidates[-1] if candidates else None
    return next((users for users in candidates if title.endswith(f" ({users})")), last)


BASELINES_OF_1 = frozenset({"floor:random-human", "floor:same-turn", "floor:majority", "floor:context"})
"""What version 1 called the baselines of alignment; a system of any other name is a system."""


def _declare_baselines(score: Fields) -> None:
    for name, role in (("system", "role"), ("versus", "versus_role")):
        if score.get(name) in BASELINES_OF_1:
            score[role] = "baseline"


FROM_1: Mapping[str, Step] = {"findings": _name_users_of_columns, "score": _declare_baselines}
"""Version 1 (0.1.0 before its release) to version 2: roles, endings, origins of labels and reasons became types."""

STEPS: Mapping[int, Mapping[str, Step]] = {1: FROM_1}


def upgrade(kind: str, fields: Fields, version: int) -> None:
    """Bring the fields of one record to today's version, in place; those of today's version stay as they are.

    Args:
        kind: the record's kind, such as ``"dialogue"``.
        fields: what its line holds, without ``kind`` and ``v``.
        version: the version that the line says.
    """
    for past in range(version, SCHEMA):
        step = STEPS.get(past, {}).get(kind)
        if step is not None:
            step(fields)

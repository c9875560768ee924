"""Lines that an earlier version of the file format wrote, brought to today's form before they are validated.

Each version has one table: the kind of a record, and what is done to its fields. A line passes through the tables of all
versions after its own, so a step only has to know the version before. A golden line of each version stays in the tests.
"""

from collections.abc import Callable, Mapping
from typing import Any

from trialogue.records.base import SCHEMA

Fields = dict[str, Any]
Step = Callable[[Fields], None]
"""Changes the fields of one record in place, from one version to the next."""

FROM_1: Mapping[str, Step] = {}
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

"""Upgrade lines of earlier file-format versions before validation.

Each version has one table: the kind of a record, and the change of its fields. A line passes through the tables of all
versions after its own, so a step only has to know the version before. Versions 1 to 4 came before the first release and
have no tables: their lines are read as they stand. The tests keep golden lines of today's version.
"""

from collections.abc import Callable, Mapping
from typing import Any

from trialogue.records.base import SCHEMA

Fields = dict[str, Any]
Step = Callable[[Fields], None]
"""Changes the fields of one record in place, from one version to the next."""

STEPS: Mapping[int, Mapping[str, Step]] = {}
"""By version, the changes to the next one, by kind of record."""


def upgrade(kind: str, fields: Fields, version: int) -> None:
    """Upgrade the fields of one record to the current version, in place.

    Args:
        kind: the record's kind, such as ``"dialogue"``.
        fields: what its line holds, without ``kind`` and ``v``.
        version: the version that the line says.
    """
    for past in range(version, SCHEMA):
        step = STEPS.get(past, {}).get(kind)
        if step is not None:
            step(fields)

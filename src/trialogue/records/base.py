"""Base class of all records: frozen, closed, and serialised as compact JSON."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict
from pydantic import JsonValue as JsonValue  # any value JSON can hold; re-exported for the other rooms

SCHEMA = 5  # version of the line format; raised when an old reader could misread a new file. See upgrade.py
LONGEST_REPR = 300  # characters; in a traceback or a notebook, more hides what is around it
LONGEST_TEXT = 60
MAX_ITEMS = 3


class Record(BaseModel):
    """Base class of frozen, closed records. Unknown fields are refused, so a typo never becomes a silent default."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants", allow_inf_nan=False)

    kind: ClassVar[str] = ""
    """The word that marks this record's lines in a file; empty for parts of other records."""

    block: ClassVar["type[Block] | None"] = None
    """Columnar record type for many records in one line; None: there is none."""

    def __repr__(self) -> str:
        """Fields that differ from their defaults, abbreviated: long texts are cut, collections counted."""
        given = [(name, getattr(self, name), field) for name, field in type(self).model_fields.items()]
        shown = [
            f"{name}={_short(value)}"
            for name, value, field in given
            if field.is_required() or value != field.get_default(call_default_factory=True, validated_data={})
        ]
        text = f"{type(self).__name__}({', '.join(shown)})"
        return text if len(text) <= LONGEST_REPR else f"{text[: LONGEST_REPR - 2]}…)"

    def __str__(self) -> str:
        return repr(self)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, without fields at their default."""
        return self.model_dump(mode="json", exclude_defaults=True)


class Block(Record):
    """Base class of columnar records: many records in one line of a file, which readers expand."""

    @abstractmethod
    def records(self) -> Iterator[Any]:
        """Iterate over the records, in order."""


def _short(value: object) -> str:
    """A value of a field for a repr."""
    if isinstance(value, str):
        return repr(value) if len(value) <= LONGEST_TEXT else f"{value[: LONGEST_TEXT - 1]!r}…"
    if isinstance(value, tuple | list | dict | frozenset) and len(value) > MAX_ITEMS:
        return f"<{len(value)} items>"
    return repr(value)

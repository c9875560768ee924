"""The base of every record: frozen, closed, and compact as JSON."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict
from pydantic import JsonValue as JsonValue  # any value JSON can hold; re-exported for the other rooms

SCHEMA = 3  # version of the line format; raised when an old reader could misread a new file. See upgrade.py


class Record(BaseModel):
    """A frozen, closed value. Unknown fields are refused, so that a typo never becomes a silent default."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants", allow_inf_nan=False)

    kind: ClassVar[str] = ""
    """The word that marks this record's lines in a file; empty for parts of other records."""

    block: ClassVar["type[Block] | None"] = None
    """What holds many of these in one line of a file, as columns; None: nothing does."""

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values, without fields that hold their default."""
        return self.model_dump(mode="json", exclude_defaults=True)


class Block(Record):
    """Many records in one line of a file, as columns; readers are given the records."""

    @abstractmethod
    def records(self) -> Iterator[Any]:
        """The records, in order."""

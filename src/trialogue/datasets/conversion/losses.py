"""Count, by kind, the content that an output format cannot hold."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from trialogue.datasets.base import AnyRecord
from trialogue.errors import DataError, Problem
from trialogue.records import Record
from trialogue.records.files.jsonl import Note

RecordT = TypeVar("RecordT", bound=Record)


@dataclass
class Losses:
    """Counts of content that an output file cannot hold."""

    file: str
    to: str
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, kind: str, count: int = 1) -> None:
        """Count content that is not written."""
        if count:
            self.counts[kind] += count

    def of_fields(self, record: Record, *, held: Collection[str], kind: str = "") -> None:
        """Count the non-empty fields of a record that the format does not hold."""
        for name, field_info in type(record).model_fields.items():
            if name not in held and getattr(record, name) not in (None, (), {}, "", field_info.default):
                self.add(f"{kind or type(record).__name__.lower()} {name}")

    def settle(self, note: Note) -> None:
        """Report all counts once."""
        if self.counts:
            listing = ", ".join(f"{kind} ({count}×)" for kind, count in sorted(self.counts.items()))
            hint = "Trialogue's own format can store all records."
            note(
                Problem(f"not written, because the format {self.to} cannot store it: {listing}.", self.file, hint=hint)
            )

    def nothing_written(self, needed: str) -> DataError:
        """Create the error that nothing could be written."""
        given = ", ".join(f"{kind} ({count}×)" for kind, count in sorted(self.counts.items())) or "nothing"
        what = f"the format {self.to} stores {needed}, but the input has none; given: {given}."
        return DataError(Problem(what, self.file, hint="Trialogue's own format can store any record."))


def select_kind(records: Iterable[AnyRecord], kind: type[RecordT], losses: Losses) -> Iterator[RecordT]:
    """Iterate over the records of one kind, counting the others as losses.

    Raises:
        DataError: at the end, if there was none.
    """
    found = False
    for record in records:
        if isinstance(record, kind):
            found = True
            yield record
        else:
            losses.add(f"{type(record).__name__.lower()} records")
    if not found:
        raise losses.nothing_written(f"{kind.__name__.lower()}s")

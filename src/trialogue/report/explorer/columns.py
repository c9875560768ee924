"""The index: one column for each thing that rows are filtered or sorted by, filled while the rows pass."""

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from trialogue.findings.standings import column_name
from trialogue.records.base import JsonValue
from trialogue.report.explorer.chunks import plain
from trialogue.report.explorer.details import round_value
from trialogue.report.explorer.entries import Entry
from trialogue.report.explorer.unit_scores import Value

PREVIEW = 90  # characters of the first message in the list
TELLING = 4  # words of a message that says more than a greeting
NONE = -1  # of a column of numbers, where a row has nothing
FACETS = ("strategy", "act", "rater", "fault")
"""Multi-valued attributes of a row; each is stored in a chunk of its own, with the rows of every name."""


class Codes:
    """Names as numbers, in the order in which they come."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.column = array("i")

    def add(self, name: str | None) -> None:
        """The next row's name."""
        self.column.append(NONE if name is None else self.numbers.setdefault(name, len(self.numbers)))


class Postings:
    """The rows that have a name, by name."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, ...], array[int]] = {}

    def add(self, row: int, names: Iterable[tuple[str, ...]]) -> None:
        """The names of a row, each once; rows come in order."""
        for name in dict.fromkeys(names):
            self.rows.setdefault(name, array("i")).append(row)

    def names(self) -> list[tuple[str, ...]]:
        """In alphabetical order."""
        return sorted(self.rows)

    def steps(self) -> list[JsonValue]:
        """The rows of each name, as steps from one to the next, which are short to write."""
        found: list[JsonValue] = []
        for name in self.names():
            before = 0
            steps: list[JsonValue] = []
            for row in self.rows[name]:
                steps.append(row - before)
                before = row
            found.append(steps)
        return found


@dataclass
class Columns:
    """All columns of the rows so far."""

    ids: list[str] = field(default_factory=list)
    systems: Codes = field(default_factory=Codes)
    parts: Codes = field(default_factory=Codes)
    endings: Codes = field(default_factory=Codes)
    shared: Codes = field(default_factory=Codes)
    lengths: "array[int]" = field(default_factory=lambda: array("i"))
    previews: list[str] = field(default_factory=list)
    facets: dict[str, Postings] = field(default_factory=lambda: {name: Postings() for name in FACETS})
    measures: dict[str, "array[float]"] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    """Party at fault by ending; regular endings are absent."""
    replies: int = 0
    """Rows that are replies to situations."""

    def add(self, entry: Entry, part: str, facets: Mapping[str, Iterable[tuple[str, ...]]]) -> None:
        """Add a row without its values."""
        dialogue = entry.dialogue
        row = len(self.ids)
        self.ids.append(dialogue.id)
        self.systems.add(entry.system)
        self.parts.add(part)
        self.shared.add(entry.shared)
        self.endings.add(None if dialogue.ended_by is None else dialogue.ended_by.value)
        if dialogue.ended_by is not None and dialogue.ended_by.fault is not None:
            self.faults[dialogue.ended_by.value] = dialogue.ended_by.fault.value
        self.lengths.append(len(dialogue.utterances))
        self.replies += entry.is_reply
        self.previews.append(_preview(entry))
        for name, names in facets.items():
            self.facets[name].add(row, names)

    def add_values(self, values: Sequence[Value], users: str | None) -> None:
        """The values of the row that was added last: its own, else the means of those of its utterances."""
        row = len(self.ids) - 1
        sums: dict[tuple[str, bool], list[float]] = {}
        for each in values:
            if each.value is not None:
                sums.setdefault((each.measure, each.utterance is None), []).append(each.value)
        for (measure, is_own), found in sums.items():
            if is_own or (measure, True) not in sums:
                column = self.measures.setdefault(column_name(measure, users), array("d"))
                column.extend([math.nan] * (row - len(column)))
                column.append(sum(found) / len(found))

    def values_of(self, measure: str) -> list[JsonValue]:
        """A column of values; null where a row has none."""
        column = self.measures[measure]
        known: list[JsonValue] = [None if value != value else round_value(value) for value in column]
        return [*known, *[None] * (len(self.ids) - len(known))]


def _preview(entry: Entry) -> str:
    """The user's first message beyond a greeting, on one line; for a reply, the message it answers."""
    said = [each.text for each in entry.dialogue.utterances if each.speaker == "user" and each.text.strip()]
    texts = said or [each.text for each in entry.dialogue.utterances]
    telling = [each for each in texts if len(each.split()) >= TELLING]
    text = "" if not texts else texts[-1] if entry.is_reply else (telling or texts)[0]
    line = " ".join(text[: 4 * PREVIEW].split())
    return plain(line if len(line) <= PREVIEW else f"{line[:PREVIEW]}…")

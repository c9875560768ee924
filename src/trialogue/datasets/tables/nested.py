"""Lay nested JSON out as a table: a row for each message of a record, and columns named by their paths.

Whatever a mapping's paths lead to becomes a cell under the path's name; what they do not lead to stays a cell of its own, so
that it can be named as not read. A cell of text that is JSON (a list of messages in a CSV) is looked into as if it were not
text. Records without an id of their own are numbered.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from trialogue.datasets.door.units import Clashes
from trialogue.datasets.door.values import identifier, is_absent, members
from trialogue.datasets.json_documents import ParseReport, kind_of
from trialogue.datasets.tables.mapping import PREFIXED, Mapping, nearest
from trialogue.datasets.tables.rows import Row, Table, unpack
from trialogue.records import JsonValue
from trialogue.records.files.json_paths import ABSENT, EVERY, steps_of, value_below

NUMBER, POSITION, SPEAKER = "(number of the record)", "(number of the message)", "(speaker of the message)"
"""Columns that are made here. They are no columns of the table: nobody reads or misses them."""
SILENT = "(no message)"
"""Column that marks the only row of a record with an empty list of messages: a dialogue in which nobody said anything."""
NO_TEXT = "messages without text (such as actions and tool steps) were left out; their fields: {fields}"


def laid_out(
    table: Table, mapping: Mapping, source: str, report: ParseReport, *, keep_silent: bool = False
) -> tuple[Table, Mapping]:
    """A table in which every path of a mapping is a column, and the mapping with the columns that were made for it.

    A table without nested values is returned as it is.

    Args:
        table: its rows are records, or documents that hold them.
        mapping: where things stand.
        source: where the dialogues come from; names records without an id.
        report: mistakes and repairs.
        keep_silent: whether a record with an empty list of messages has a row, marked ``SILENT``.
    """
    rows = table.rows if mapping.records is None else list(_records(table.rows, mapping.records, report))
    used = set(mapping.columns().values())
    columns: dict[str, None] = {}
    if mapping.messages is not None:
        messages = _Messages(mapping, source, report, keep_silent=keep_silent)
        rows = list(messages.of(rows))
        columns = messages.columns
        mapping = mapping.model_copy(update=_made_columns(mapping))
    elif rows is table.rows and used <= set(table.columns):
        return table, mapping
    else:
        rows = [Row(row.line, _cells(row.cells, used)) for row in rows]
    columns |= dict.fromkeys(name for row in rows for name in row.cells)
    return Table([name for name in columns if name not in (NUMBER, POSITION, SPEAKER, SILENT)], rows), mapping


def _made_columns(mapping: Mapping) -> dict[str, str]:
    made = {"dialogue": NUMBER, "order": POSITION, "speaker": SPEAKER}
    return {name: column for name, column in made.items() if getattr(mapping, name) is None}


def _records(rows: Iterable[Row], path: str, report: ParseReport) -> Iterator[Row]:
    """The records within documents."""
    for row in rows:
        for key, record in _at(row.cells, steps_of(path), ()):
            if isinstance(record, dict):
                yield Row(row.line, {**({EVERY: key} if key else {}), **record})
            elif record is ABSENT:
                report.wrong("there is nothing at this path.", "records", line=row.line, hint=f"records: {path}")
            else:
                kind = "expected records that are objects"
                report.wrong(f"{kind}, got {kind_of(record)}.", "records", line=row.line, kind=kind)


def _at(value: Any, steps: list[str], keys: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """(Key that stands at ``*``, record) of every record; the members of a list at the end are records."""
    if not steps:
        yield from (("/".join(keys), record) for record in (value if isinstance(value, list) else [value]))
    elif steps[0] == EVERY and isinstance(value, list | dict):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _at(member, steps[1:], (*keys, str(key)))
    else:
        found = value_below(value, steps[:1])
        yield from [("", ABSENT)] if found is ABSENT else _at(found, steps[1:], keys)


@dataclass
class _Messages:
    """Lays records with lists of messages out, one after another."""

    mapping: Mapping
    source: str
    report: ParseReport
    keep_silent: bool
    known: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)
    clashes: Clashes = field(default_factory=Clashes)
    left_out: int = 0
    fields_left_out: dict[str, None] = field(default_factory=dict)
    has_found: bool = False
    columns: dict[str, None] = field(default_factory=dict)
    """Columns of records and messages that were left out."""
    keys: dict[str, None] = field(default_factory=dict)
    """Fields of records without messages."""

    def of(self, records: Iterable[Row]) -> Iterator[Row]:
        """A row for each message with a text, and one for a record whose list of them is empty."""
        for number, record in enumerate(records, start=1):
            yield from self._rows(record, number)
        if self.keys and not self.has_found:
            self.report.wrong(
                f"no record has messages at {self._path!r}.", "messages", hint=nearest(self._path, self.keys)
            )
        if self.left_out:
            fields = ", ".join(self.fields_left_out) or "none"
            self.report.mend(f"{self.left_out:,} {NO_TEXT.format(fields=fields)}", self._path)
        if self.clashes.ids:
            what = f"several conversations share an id: {self.clashes.id_list()}."
            hint = (
                "Map the field that tells them apart as trial or system, or leave dialogue out, and they are numbered."
            )
            self.report.wrong(what, self.mapping.dialogue or "", line=self.clashes.line, hint=hint)

    @property
    def _path(self) -> str:
        return self.mapping.messages or ""

    def _rows(self, record: Row, number: int) -> Iterator[Row]:
        used = set(self.mapping.columns().values())
        of_messages = set(filter(self.mapping.is_of_messages, used))
        whole = _cells(record.cells, used - of_messages - {self._path}, passed_by=self._path)
        found = unpack(_reach(record.cells, self._path))
        messages = list(found.values()) if isinstance(found, dict) else found
        self.has_found |= isinstance(messages, list)
        if messages == [] and self.keep_silent and self.mapping.dialogue not in of_messages:
            if not self._is_known(whole, [], record.line):
                self.columns |= dict.fromkeys(whole)
                begins = {POSITION: 0, self.mapping.order or POSITION: 0, SILENT: True}
                yield Row(record.line, {**whole, NUMBER: f"{self.source}-{number}", **begins})
        elif messages is ABSENT or messages is None or messages == []:
            self.columns |= dict.fromkeys(whole)
            self.keys |= dict.fromkeys(record.cells)
            self.report.mend("a record has no messages and was left out", self._path, line=record.line)
        elif not isinstance(messages, list):
            kind = "expected a list of messages"
            self.report.wrong(f"{kind}, got {kind_of(messages)}.", self._path, line=record.line, kind=kind)
        elif not self._is_known(whole, messages, record.line):
            whole[NUMBER] = f"{self.source}-{number}"
            spoken = 0
            for place, message in enumerate(messages, start=1):
                cells = self._message(message, whole, of_messages, spoken, record.line)
                if cells is not None:
                    spoken += 1
                    yield Row(record.line, {**whole, **cells, POSITION: place})

    def _is_known(self, whole: dict[str, Any], messages: list[Any], line: int) -> bool:
        """Whether a record repeats an earlier one; another record under its id is a mistake."""
        mapping = self.mapping
        if mapping.dialogue is None or not (name := identifier(whole.get(mapping.dialogue))):
            return False
        key = (name, *(identifier(whole.get(column or "")) for column in (mapping.system, mapping.trial)))
        content = {**whole, POSITION: messages}
        if key not in self.known:
            self.known[key] = content
            return False
        if self.known[key] == content:
            self.report.mend("a record repeats an earlier one and was left out", self._path, line=line)
        else:
            self.clashes.add(name, line)
        return True

    def _message(
        self, message: Any, whole: dict[str, Any], paths: set[str], spoken: int, line: int
    ) -> dict[str, Any] | None:
        """Cells of a message; None if it has no text or is none."""
        mapping = self.mapping
        if mapping.text == self._path:
            return self._string(message, spoken, line)
        if not isinstance(message, dict):
            kind = "expected each message to be an object"
            hint = f"If messages are plain strings, set text: {self._path} in the mapping."
            self.report.wrong(f"{kind}, got {kind_of(message)}.", self._path, line=line, hint=hint, kind=kind)
            return None
        cells = _cells(message, paths, prefix=mapping.message_prefix)
        if cells.get(mapping.text or "") is None and is_absent(cells.get(mapping.error or "")):
            self._leave_out(message)
            self.columns |= dict.fromkeys((*whole, *cells))
            return None
        return self._with_speaker(cells, spoken)

    def _string(self, message: Any, spoken: int, line: int) -> dict[str, Any] | None:
        """Cells of a plain string, whose speaker stands before it or is whose turn it is."""
        if message is None or (self.mapping.first_speaker is None and not str(message).strip()):
            self._leave_out({})
            return None
        if not isinstance(message, str):
            kind = "expected a message that is a string"
            self.report.wrong(f"{kind}, got {kind_of(message)}.", self._path, line=line, kind=kind)
            return None
        if self.mapping.first_speaker is not None:
            return self._with_speaker({self._path: message}, spoken)
        prefixed = PREFIXED.match(message)
        if prefixed is None:
            kind = "a message does not say whose it is ('User: ...')"
            hint = "Where speakers alternate, say who begins: first_speaker: user"
            self.report.wrong(f"{kind}: {kind_of(message)}.", self._path, line=line, hint=hint, kind=kind)
            return None
        return {self._path: prefixed[2].strip(), SPEAKER: prefixed[1]}

    def _with_speaker(self, cells: dict[str, Any], spoken: int) -> dict[str, Any]:
        first = self.mapping.first_speaker
        if first is None:
            return cells
        other = "system" if first == "user" else "user"
        return {**cells, SPEAKER: other if spoken % 2 else first}

    def _leave_out(self, message: dict[str, JsonValue]) -> None:
        self.left_out += 1
        self.fields_left_out |= dict.fromkeys(message)


def _cells(record: dict[str, Any], paths: set[str], *, prefix: str = "", passed_by: str = "") -> dict[str, Any]:
    """Cells of an object: those that paths lead to, and those that no path passes by.

    >>> _cells({"id": 1, "meta": {"lang": "en", "day": 3}}, {"meta.lang"})
    {'id': 1, 'meta.lang': 'en', 'meta.day': 3}
    """
    cells: dict[str, Any] = {}
    for key, value in record.items():
        name = f"{prefix}{key}"
        below = {path for path in (*paths, passed_by) if path.startswith((f"{name}.", f"/{name}/"))}
        if name in paths or (not below and name != passed_by and f"/{name}" not in (*paths, passed_by)):
            cells[name] = value
        elif below and isinstance(inner := unpack(value), dict):
            cells |= _cells(inner, below & paths, prefix=f"{name}.", passed_by=passed_by)
    for path in paths - cells.keys():
        if (found := _reach(record, path.removeprefix(prefix))) is not ABSENT:
            cells[path] = found
    return cells


def _reach(record: dict[str, Any], path: str) -> Any:
    """Value at a path in a record; a key of this name comes first."""
    if path in record:
        return record[path]
    steps = steps_of(path)
    first = record.get(steps[0], ABSENT) if steps else ABSENT
    if first is ABSENT:
        return ABSENT
    found = value_below(unpack(first), steps[1:], has_every=not path.startswith("/"))
    return list(_present(found)) if EVERY in steps and isinstance(found, list) else found


def _present(values: Iterable[Any]) -> Iterator[Any]:
    """Members of lists within lists, without those that are not there."""
    for value in values:
        if isinstance(value, list):
            yield from _present(value)
        elif value is not ABSENT:
            yield value


def paths_in(record: JsonValue, prefix: str = "", *, deepest: int = 3) -> list[str]:
    """Paths of a record's values, as a mapping names them; those of the first object in a list stand for all of them.

    >>> paths_in({"id": 1, "turns": [{"who": "user", "say": "hi"}], "tags": ["a"]})
    ['id', 'turns.who', 'turns.say', 'tags']
    """
    found: list[str] = []
    for key, value in record.items() if isinstance(record, dict) else ():
        inner = next((each for each in members(unpack(value)) if isinstance(each, dict)), None)
        below = paths_in(inner, f"{prefix}{key}.", deepest=deepest - 1) if inner and deepest > 1 else []
        found += below or [f"{prefix}{key}"]
    return found

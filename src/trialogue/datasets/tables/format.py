"""User-supplied tables: CSV, TSV, JSON Lines or a JSON list, with a mapping of columns to fields.

Two shapes: one row per utterance gives dialogues, one row per response gives situations and responses. A mapping in YAML::

    dialogue: conversation_id
    speaker: role
    text: message
    order: turn
    system: bot
    dialogue_ratings: [satisfaction]
    scale: [1, 5]

A table is read whole, since the rows of one dialogue need not be contiguous.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head
from trialogue.datasets.door.account import FieldTally, report_unread
from trialogue.datasets.door.values import is_absent
from trialogue.datasets.json_documents import ParseReport, bare_stem
from trialogue.datasets.tables.answers import answers
from trialogue.datasets.tables.dialogues import ROW_NUMBERS, dialogues
from trialogue.datasets.tables.guess import guess, may_be_guessed
from trialogue.datasets.tables.guess_nested import guess_nested
from trialogue.datasets.tables.mapping import Columns, Mapping, load_mapping, nearest
from trialogue.datasets.tables.nested import laid_out
from trialogue.datasets.tables.responses import responses
from trialogue.datasets.tables.rows import Row, Table, columns_of, read_table
from trialogue.datasets.tables.transcripts import with_messages
from trialogue.errors import DataError, Problem
from trialogue.records.files.json_paths import EVERY, steps_of
from trialogue.records.files.jsonl import Note, warn

__all__ = ["Mapping", "TableFormat", "guess_mapping", "load_mapping", "missing_columns", "table_format"]

SPEAKER, TEXT, DIALOGUE = "(speaker)", "(text)", "(row)"
"""Columns of the rows that an exchange becomes; no heading is in brackets."""


def split_exchanges(table: Table, mapping: Mapping) -> tuple[Table, Mapping]:
    """The same table with a row for each message, and its mapping; ratings and items stay with the reply.

    Without a column of dialogue ids, each row is a dialogue of its own.
    """
    of_replies = {
        *mapping.ratings.values(),
        *mapping.utterance_ratings.values(),
        *(getattr(mapping, name) for name in ("utterance_id", "strategies", "mentions", "ranking", "error", "thought")),
        *mapping.meta,
    }
    rows: list[Row] = []
    for number, row in enumerate(table.rows, start=1):
        cells = row.cells if mapping.dialogue is not None else {**row.cells, DIALOGUE: str(number)}
        asked, answered = row.cell(mapping.user_text), row.cell(mapping.system_text)
        has_error = mapping.error is not None and not is_absent(row.cells.get(mapping.error))
        if not is_absent(asked):
            kept = {name: value for name, value in cells.items() if name not in of_replies}
            rows.append(Row(row.line, {**kept, SPEAKER: "user", TEXT: asked}))
        if not is_absent(answered) or has_error:
            rows.append(Row(row.line, {**cells, SPEAKER: "system", TEXT: answered}))
    declared = {"speaker": SPEAKER, "text": TEXT, "dialogue": mapping.dialogue or DIALOGUE}
    made = mapping.model_copy(update={**declared, "user_text": None, "system_text": None})
    return Table([*table.columns, SPEAKER, TEXT, *([] if mapping.dialogue else [DIALOGUE])], rows), made


@dataclass(frozen=True)
class TableFormat:
    """Format of tables with a given column mapping."""

    mapping: Mapping
    """Column mapping."""
    name: str = "table"
    """Its name on the command line."""
    summary: str = "A table (CSV, TSV, JSON Lines, JSON list) with a mapping of its columns."
    """Description in one sentence."""

    def recognises(self, head: Head) -> bool:
        """Whether the file has every column in the mapping."""
        if head.is_folder:
            return False
        return not _missing_in(head.path, self.mapping)

    def read(self, path: Path, *, note: Note = warn) -> Iterator[AnyRecord]:
        """Read the dialogues, or the situations and responses, of a table.

        Raises:
            DataError: with every mistake at once: columns that are not there, unknown speakers, cells that are no
                numbers, rows of another length, ...
        """
        report = ParseReport(str(path), note)
        table = with_messages(read_table(path, report, delimiter=self.mapping.delimiter), report)
        yield from records_of_table(table, self.mapping, bare_stem(path), report)


def records_of_table(table: Table, declared: Mapping, source: str, report: ParseReport) -> list[AnyRecord]:
    """Build the dialogues, or the situations and responses, from rows of any source.

    Raises:
        DataError: with every mistake at once.
    """
    table, mapping = laid_out(table, declared, source, report)
    _check_columns(table, declared, report)
    if mapping.system_text is not None:
        table, mapping = split_exchanges(table, mapping)
    read = responses if mapping.is_of_responses else answers if mapping.is_of_answers else dialogues
    records: list[AnyRecord] = list(read(table, mapping, source, report))
    report.settle()
    system_from = (
        f"the column {mapping.system!r}" if mapping.system else "the name given for all rows or the file's name"
    )
    report_unread(_unread(table, mapping, declared).fields(units=len(records)), report, system_from=system_from)
    return records


def _unread(table: Table, mapping: Mapping, declared: Mapping) -> FieldTally:
    """Columns that the mapping does not use; those without a heading number the rows."""
    used = {*mapping.columns().values(), *declared.columns().values()}
    tally = FieldTally()
    columns = [column for column in table.columns if column not in used and column.strip().lower() not in ROW_NUMBERS]
    for row in table.rows:
        for column in columns:
            tally.see(column, row.cells.get(column), row.text(mapping.system))
    return tally


OTHERWISE = "To change this: trialogue data map FILE --out MAP.yaml, edit the mapping, and give it with --mapping."


def table_format(mapping: Columns) -> TableFormat:
    """Create the format for a column mapping.

    Args:
        mapping: a Mapping, a dictionary of its fields, or a YAML file that holds them.

    Raises:
        DataError: with every mistake of the mapping at once.
    """
    return TableFormat(load_mapping(mapping))


def guess_mapping(path: Path, *, note: Note = warn) -> Mapping | None:
    """Guess a mapping from unambiguous headings (dialogue_id, speaker, text, ...) and report it to ``note``; else None.

    Columns of ratings and of several systems' replies are recognised by their cells as well; see ``table_guess``. Of nested
    JSON, records with a list of messages are recognised that all say whose they are; see ``guess_nested``.
    """
    table = any_table(path)
    mapping = guess_table(table, bare_stem(path))
    if mapping is not None:
        note(Problem(guessed_columns(mapping, table), str(path), hint=OTHERWISE))
    return mapping


def guess_table(table: Table, source: str) -> Mapping | None:
    """The mapping of a table or of nested records; None if it leaves doubt."""
    flat = guess(table.columns, table.rows) if may_be_guessed(table.columns) else None
    return guess_nested(table, source) if flat is None else flat


def any_table(path: Path) -> Table:
    """The rows of a file, whatever is wrong with it, which is reported when it is read; of some texts, headings only."""
    columns = columns_of(path)
    head = Head(path)
    if not (may_be_guessed(columns) or head.is_json_object or head.is_json_list or len(columns) > 1):
        return Table(columns, [])
    try:
        return with_messages(read_table(path, ParseReport(str(path), _ignore)), ParseReport(str(path), _ignore))
    except DataError:
        return Table(columns, [])


def guessed_columns(mapping: Mapping, table: Table) -> str:
    """Description of how a table is read: the meaning of each column, and ignored columns."""
    table, _ = laid_out(table, mapping, "", ParseReport("", _ignore))
    used = mapping.columns()
    guessed = ", ".join(f"{name}: {column}" for name, column in used.items())
    unused = ", ".join(column for column in table.columns if column not in used.values()) or "none"
    return f"columns were guessed: {guessed}. Not read: {unused}."


def _ignore(_problem: Problem) -> None:
    """Errors in a table are reported when it is read, not when its headings are inspected."""


def missing_columns(path: Path, mapping: Mapping) -> list[str]:
    """Messages about columns in the mapping that a file's header lacks; [] if it has them all."""
    return [text for _, text in _missing_in(path, mapping)]


def _missing_in(path: Path, mapping: Mapping) -> list[tuple[str, str]]:
    """As ``_missing_columns``, as far as the beginning of a file tells: of nested JSON, a key must occur somewhere in it."""
    columns = columns_of(path, delimiter=mapping.delimiter)
    head = Head(path)
    if (head.is_json_object or head.is_json_list) and (mapping.is_nested or not columns):
        steps = {name: [step for step in steps_of(name) if step != EVERY] for name in mapping.columns().values()}
        columns += [
            name for name, keys in steps.items() if head.has_keys(*(key for key in keys if not key.isdecimal()))
        ]
    elif not head.is_json_object and not head.is_json_list:
        columns += [name for name in mapping.columns().values() if steps_of(name)[0] in columns]
    return _missing_columns(columns, mapping)


def _missing_columns(columns: Sequence[str], mapping: Mapping) -> list[tuple[str, str]]:
    """(column, what to say) of each column that is not there."""
    known = f"There are: {', '.join(columns)}."
    return [
        (
            column,
            f"there is no column {column!r}, which the mapping uses as {name}. {nearest(column, columns) or known}",
        )
        for name, column in mapping.columns().items()
        if column not in columns
    ]


def _check_columns(table: Table, mapping: Mapping, report: ParseReport) -> None:
    if not table.columns and not report.problems:
        raise DataError(Problem("the table has no rows.", report.file, hint="Is the file complete?"))
    if not table.columns:  # nothing could be laid out, which is said already
        raise DataError(report.problems)
    missing = _missing_columns(table.columns, mapping)
    for column, what in missing:
        report.wrong(what, column)
    if missing:
        raise DataError(report.problems)
    if not table.rows and not report.problems:
        raise DataError(Problem("the table has a header, but no rows.", report.file, hint="Is this the right file?"))

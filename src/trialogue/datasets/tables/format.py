"""Formats of tables and nested JSON with a mapping, guessed or given; and the mapping as YAML, to be edited.

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

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat, recognise
from trialogue.datasets.door.account import FieldTally, report_unread
from trialogue.datasets.door.values import is_absent
from trialogue.datasets.json_documents import ParseReport, bare_stem
from trialogue.datasets.tables.answers import answers
from trialogue.datasets.tables.dialogues import ROW_NUMBERS, dialogues
from trialogue.datasets.tables.guess import FEW_NAMES, guess, guess_nested, may_be_guessed, propose, unknown_speakers
from trialogue.datasets.tables.mapping import Columns, Mapping, load_mapping, nearest
from trialogue.datasets.tables.nested import laid_out, paths_in
from trialogue.datasets.tables.responses import responses
from trialogue.datasets.tables.rows import Row, Table, arrow_rows, columns_of, is_arrow, read_table
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
        table = read_table(path, report, delimiter=self.mapping.delimiter)
        table = with_messages(table, report, used=self.mapping.columns().values())
        yield from records_of_table(table, self.mapping, bare_stem(path), report)


def records_of_table(table: Table, declared: Mapping, source: str, report: ParseReport) -> list[AnyRecord]:
    """Build the dialogues, or the situations and responses, from rows of any source.

    Raises:
        DataError: with every mistake at once.
    """
    table, mapping = laid_out(table, declared, source, report, keep_silent=True)
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


OTHERWISE = "To change this: trialogue check FILE --map MAP.yaml, edit the mapping, and give it with --mapping."


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
    JSON, records with a list of messages are recognised that all say whose they are; see ``guess``.
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


SHOWN = 30  # fields named in a message
UNKNOWN = "# What its columns hold is not clear. Fill in what applies: {fields}."
REQUIRED = (
    "text (or response and context), speaker, dialogue; of nested JSON, also messages; of answers, ratings, system"
)


@dataclass(frozen=True)
class Proposal:
    """The mapping of a file, as far as it can be told."""

    mapping: Mapping | None
    """None if nothing can be told."""
    is_sure: bool
    """Whether the file is read with it where no mapping is given."""
    fields: tuple[str, ...]
    """All columns, or the paths of the first record."""
    unread: tuple[str, ...]
    """Columns that the mapping does not use."""
    unknown: tuple[str, ...] = ()
    """Names of speakers of whom is not known whether they are the user or the system."""

    def yaml(self, file: str) -> str:
        """The mapping as YAML, with comments on what it does not read."""
        import yaml

        lines = [f"# How to read {file}." if self.is_sure else f"# How {file} may be read: check it."]
        if self.mapping is None:
            lines.append(UNKNOWN.format(fields=REQUIRED))
        else:
            text = yaml.safe_dump(self.mapping.to_json(), sort_keys=False, allow_unicode=True, width=1000)
            lines += text.splitlines()
        if self.unknown:
            names = yaml.safe_dump(
                dict.fromkeys(self.unknown, "user"), default_flow_style=True, sort_keys=False, width=1000
            )
            lines.append(f"# Whose are these? speakers: {one_line(names)}")
        named = self.unread if self.mapping is not None else self.fields
        lines += ["# Columns that are not read:", *(f"#   {one_line(name)}" for name in named)] if named else []
        return "\n".join(lines) + "\n"


def one_line(text: str) -> str:
    """A text without line breaks, for a comment."""
    return " ".join(text.split())


def proposal(path: Path) -> Proposal:
    """The mapping of a file.

    Raises:
        DataError: there is no such file.
    """
    table = any_table(path)
    sure = guess_table(table, bare_stem(path))
    mapping = propose(table, bare_stem(path)) if sure is None else sure
    if mapping is None:
        fields = paths_in(table.rows[0].cells) if table.rows else table.columns
        return Proposal(None, False, tuple(fields), ())
    flat, _ = laid_out(table, mapping, "", ParseReport("", lambda _problem: None))
    unread = tuple(column for column in flat.columns if column not in mapping.columns().values())
    unknown = unknown_speakers(mapping, table)[:FEW_NAMES]
    return Proposal(mapping, sure is not None, tuple(flat.columns), unread, tuple(unknown))


def unknown_fields(path: Path) -> Problem | None:
    """What is wrong with a table or JSON whose columns are not known, with the mapping that may read it.

    None if a file is neither.
    """
    import yaml

    table = any_table(path)
    kind = _kind(path, table)
    if kind is None:
        return None
    found = proposal(path)
    fields = ", ".join(found.fields[:SHOWN]) + (", …" if len(found.fields) > SHOWN else "")
    hint = f"To map them: trialogue check {path} --map map.yaml, edit it, and give it with --mapping map.yaml."
    if found.mapping is not None:
        flow = yaml.safe_dump(
            found.mapping.to_json(), sort_keys=False, allow_unicode=True, default_flow_style=True, width=1000
        )
        hint = f"This mapping may read them: {flow.strip()} {hint}"
    return Problem(f"{kind}, but these fields are not recognised: {fields}.", str(path), hint=hint)


def _kind(path: Path, table: Table) -> str | None:
    """What a file is, in words; None if it is neither JSON objects nor a table."""
    if not table.rows or not table.columns:
        return None
    if is_arrow(path):
        return "Parquet or Arrow"
    head = Head(path)
    if head.is_json_list:
        return "a JSON list"
    if head.is_json_object:
        return "JSON Lines" if head.is_json_lines or len(table.rows) > 1 else "a JSON object"
    return "a table" if len(table.columns) > 1 else None


def _read_arrow(path: Path, note: Note) -> Iterator[AnyRecord]:
    def rename(problem: Problem) -> Problem:
        return replace(problem, file=str(path))

    def report(problem: Problem) -> None:
        note(rename(problem))

    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / f"{bare_stem(path)}.jsonl"
        with lines.open("w", encoding="utf-8") as stream:
            for row in arrow_rows(path):
                stream.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
        try:
            try:
                reader = recognise(lines)
            except DataError:
                mapping = guess_mapping(lines, note=report)
                if mapping is None:
                    raise
                reader = table_format(mapping)
            yield from reader.read(lines, note=report)
        except DataError as error:
            raise DataError([rename(problem) for problem in error.problems]) from error


ARROW = SimpleFormat(
    name="arrow",
    summary="Parquet files, and folders of the 'datasets' library, with rows as in JSON Lines.",
    recognise=lambda head: is_arrow(head.path),
    reader=_read_arrow,
)

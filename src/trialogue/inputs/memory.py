"""In-memory inputs, read as files are: replies, conversations, records, rows and data frames.

The kind of input is determined by type alone:

==============================================  ==========================================================================
``{"A": [...], "B": [...]}``                    systems by name; each value is one of the following
``["a reply", ...]``                            replies of a system: the i-th answers the i-th situation
``[{"messages": [...], "rating": 4}, ...]``     conversations in OpenAI's chat format (with ``system`` or ``model``)
``[Dialogue(...), Response(...), ...]``         records
``[{"dialogue": 1, "speaker": ...}, ...]``      rows of a table, whose columns are guessed or mapped
a data frame                                    the same, of pandas, polars, Arrow or ``datasets``
==============================================  ==========================================================================
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from trialogue.datasets import AnyRecord
from trialogue.datasets.door.admission import Admission
from trialogue.datasets.json_documents import ParseReport, kind_of
from trialogue.datasets.tables.mapping import Columns
from trialogue.datasets.tables.rows import Table, in_points
from trialogue.datasets.tables.scores import ScoreTable, describe_columns, dialogues_of, guess_scores, score_table
from trialogue.errors import DataError, Problem, UsageError
from trialogue.inputs.frames import is_frame, plain, table_of_frame, table_of_rows
from trialogue.inputs.locations import Input
from trialogue.records import Dialogue, Preference, Response, Score, Situation, Utterance
from trialogue.records.files.jsonl import Note, line_of
from trialogue.records.spoken import is_blank

RECORDS = (Dialogue, Situation, Response, Score, Preference)
ONE_SYSTEM = "system"
"""Name of an unnamed system."""
MANY = 3  # names of systems in a title
MAPPED = "To override this, name the columns: mapping={'text': 'message', ...}."


@dataclass(frozen=True)
class InMemory:
    """In-memory records used as an input."""

    given: str
    """Name in titles and messages."""
    held: tuple[AnyRecord, ...]
    notes: tuple[Problem, ...] = ()
    """Reading notes, including repairs."""
    table: ScoreTable | None = None
    """The table of scores that the records were made from, which can be joined to conversations; None: something else."""

    corpus: None = None

    def __str__(self) -> str:
        """The name."""
        return self.given

    def records(self, note: Note) -> Iterable[AnyRecord]:
        """Iterate over the records, after the notes."""
        for problem in self.notes:
            note(problem)
        yield from self.held

    def score_table(self, note: Note) -> ScoreTable | None:
        """The table of scores that this is; None if it is something else."""
        for problem in self.notes if self.table is not None else ():
            note(problem)
        return self.table

    def digests(self) -> dict[str, str]:
        """sha256 of the records, under their name."""
        digest = hashlib.sha256()
        for record in self.held:
            digest.update(line_of(record))
        return {self.given: digest.hexdigest()}


Data: TypeAlias = Mapping[str, Any] | Iterable[Any] | InMemory | Input
"""Data accepted in place of a file, or a file with a mapping; strings and paths name files."""


def is_data(given: object) -> bool:
    """Whether the argument is in-memory data rather than the name of a file or corpus."""
    return not isinstance(given, str | Path | InMemory) and (is_frame(given) or isinstance(given, Iterable))


def in_memory(
    data: Data,
    *,
    references: Iterable[str | Sequence[str]] | None = None,
    contexts: Iterable[Any] | None = None,
    mapping: Columns | None = None,
    side: str = "",
) -> InMemory:
    """Convert in-memory data to an input.

    Args:
        data: see the module.
        references: what a person replied in each situation, or a list of what several did.
        contexts: what was said before each reply: the user's text, or a list of texts or messages that ends on the user's.
        mapping: which column of a table is what; None: guessed, with a note of how.
        side: of a comparison; keeps the ids of its conversations apart from those of the other side.

    Raises:
        DataError: with every mistake at once, each with its place in the data.
        UsageError: references or contexts for data that are no lists of replies.
    """
    if isinstance(data, Mapping) and not is_frame(data):
        if "messages" in data:
            raise UsageError("one conversation was given: give a list of them, [{'messages': [...]}, ...].")
        systems: dict[str | None, object] = {str(name): value for name, value in data.items()}
        name = ", ".join(map(str, systems)) if len(systems) <= MANY else f"{len(systems)} systems"
    else:
        systems, name = {None: data}, ""
    held = {system: _as_list(value, f"{system or 'data'}") for system, value in systems.items()}
    replies = {system: value for system, value in held.items() if isinstance(value, list) and _are_texts(value)}
    others = {system: value for system, value in held.items() if system not in replies}
    if others and (references is not None or contexts is not None):
        raise UsageError("references and contexts belong to lists of replies: {'A': ['a reply', ...]}.")
    notes: list[Problem] = []
    tables: list[ScoreTable] = []
    records: list[AnyRecord] = []
    problems: list[Problem] = []
    if replies:
        records += _of_replies(replies, references, contexts, notes, problems)
    for system, value in others.items():
        try:
            records += _name_systems(_records(value, system or "data", mapping, notes, side, tables), system)
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError([_place_in_python(problem) for problem in problems])
    if not name:
        name = side or ("replies" if replies else "data frame" if is_frame(data) else "data")
    admitted = tuple(Admission(name).all(records, notes.append))
    table = tables[0] if len(tables) == len(systems) == 1 else None
    return InMemory(name, admitted, tuple(map(_place_in_python, notes)), table)


def with_data_read(
    given: Sequence[str | Path | Data],
    *,
    references: Iterable[str | Sequence[str]] | None = None,
    contexts: Iterable[Any] | None = None,
    mapping: Columns | None = None,
) -> list[str | Path | InMemory | Input]:
    """Inputs with in-memory data converted; file and corpus names are unchanged. Arguments as for ``in_memory``.

    Raises:
        DataError: with every mistake of the data at once.
        UsageError: references or contexts beside anything but one collection of replies.
    """
    of_replies = references is not None or contexts is not None
    if of_replies and (len(given) != 1 or not is_data(given[0])):
        raise UsageError("references and contexts belong to lists of replies: {'A': ['a reply', ...]}.")
    return [
        each
        if isinstance(each, str | Path | InMemory | Input)
        else in_memory(each, references=references, contexts=contexts, mapping=mapping)
        for each in given
    ]


def _place_in_python(problem: Problem) -> Problem:
    """A problem with its place as Python writes it: ``data[3]`` for what files call a line."""
    if problem.line is None:
        return problem
    return replace(problem, file=f"{problem.file}[{problem.line}]", line=None)


def _as_list(value: object, name: str) -> object:
    """List of a one-shot iterable; frames are returned unchanged."""
    if is_frame(value):
        return value
    if isinstance(value, str | bytes | Path | Mapping) or not isinstance(value, Iterable):
        what = f"expected a list of replies, conversations, records or rows, or a data frame, got {kind_of(value)}."
        raise DataError(Problem(what, name))
    found = list(value)
    if not found:
        raise DataError(Problem("it is empty.", name))
    return found


def _are_texts(value: Sequence[object]) -> bool:
    """Whether a list is one of replies: its first item decides, so that others are mistakes with a place."""
    return isinstance(value[0], str) or all(not isinstance(each, (Mapping, *RECORDS)) for each in value)


def _of_replies(
    replies: Mapping[str | None, object],
    references: Iterable[str | Sequence[str]] | None,
    contexts: Iterable[Any] | None,
    notes: list[Problem],
    problems: list[Problem],
) -> list[AnyRecord]:
    """Situations, and the replies of every system to them."""
    lists = {system or ONE_SYSTEM: list(value) for system, value in replies.items()}  # type: ignore[call-overload]
    people = None if references is None else list(references)
    before = None if contexts is None else list(contexts)
    sizes = {name: len(value) for name, value in lists.items()}
    sizes |= {} if people is None else {"references": len(people)}
    sizes |= {} if before is None else {"contexts": len(before)}
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{name} {size}" for name, size in sizes.items())
        hint = (
            "The i-th reply of every system answers the i-th situation; for other situations, give tables or records."
        )
        problems.append(Problem(f"the lists differ in length: {counts}.", hint=hint))
        return []
    for system in replies:
        problems += [
            Problem(f"expected a string, got {kind_of(plain(value))}.", system or "data", index)
            for index, value in enumerate(lists[system or ONE_SYSTEM])
            if not isinstance(value, str)
        ]
    given = [_references(value, index, problems) for index, value in enumerate(people or ())]
    said = [_context(value, index, notes, problems) for index, value in enumerate(before or ())]
    if problems:
        return []
    size = next(iter(sizes.values()))
    unknown = (Utterance(speaker="user", text=""),)  # a situation ends on the user; what was said, nobody gave
    situations = [
        Situation(
            id=str(index),
            context=said[index] if before is not None else unknown,
            reference=given[index][0] if given and given[index] else None,
            further_references=given[index][1:] if given else (),
        )
        for index in range(size)
    ]
    answers = [
        Response(situation_id=str(index), system=name, utterance=Utterance(speaker="system", text=text))
        for name, values in lists.items()
        for index, text in enumerate(values)
    ]
    return [*situations, *answers]


def _references(value: object, index: int, problems: list[Problem]) -> tuple[Utterance, ...]:
    """References of one situation: a text, or a list of texts, of which blank ones are none."""
    texts = [value] if isinstance(value, str) else plain(value)
    if not isinstance(texts, list | tuple) or not all(isinstance(each, str) for each in texts):
        what = f"expected a string, or a list of strings, got {kind_of(plain(value))}."
        problems.append(Problem(what, "references", index))
        return ()
    return tuple(
        Utterance(speaker="system", text=text) for text in texts if isinstance(value, str) or not is_blank(text)
    )


def _context(value: object, index: int, notes: list[Problem], problems: list[Problem]) -> tuple[Utterance, ...]:
    """History before a reply; texts without speakers alternate, and the last one is the user's."""
    from trialogue.datasets.tables.mapping import Mapping as TableMapping
    from trialogue.datasets.tables.responses import context_of
    from trialogue.datasets.tables.rows import Row

    report = ParseReport("contexts", notes.append)
    cell = plain(value)
    if isinstance(cell, str):
        cell = [cell]
    if not isinstance(cell, list) or not cell:
        problems.append(Problem(f"expected a string or a list of messages, got {kind_of(cell)}.", "contexts", index))
        return ()
    fields = TableMapping(context="contexts", response="reply", system_name=ONE_SYSTEM)
    found = context_of(Row(index, {"contexts": cell}), fields, report)
    if found and found[-1].speaker != "user" and not report.problems:
        report.wrong("the last message must be the user's.", line=index)
    problems += report.problems
    return found


def _records(
    value: object, name: str, mapping: Columns | None, notes: list[Problem], side: str, tables: list[ScoreTable]
) -> list[AnyRecord]:
    """The records of a list of records, conversations or rows, or of a data frame."""
    report = ParseReport(name, notes.append)
    if is_frame(value):
        return _of_table(table_of_frame(value), name, mapping, report, notes, tables)
    assert isinstance(value, list)
    kinds = [_kind(each) for each in value]
    wanted = next((kind for kind in kinds if kind), "")
    for index, (each, kind) in enumerate(zip(value, kinds, strict=True)):
        if kind != wanted:
            report.wrong(f"expected {wanted}, as elsewhere in the list, got {_kind_text(each, kind)}.", line=index)
    if report.problems:
        raise DataError(report.problems)
    if wanted == RECORD:
        return value
    if wanted == CONVERSATION:
        return _conversations(value, name, report, side)
    return _of_table(table_of_rows(value), name, mapping, report, notes, tables)


RECORD, CONVERSATION, ROW = "a record", "a conversation {messages: [...]}", "a row {column: value}"


def _kind(each: object) -> str:
    """Kind of a list's items; "" if unreadable."""
    if isinstance(each, RECORDS):
        return RECORD
    if isinstance(each, Mapping):
        return CONVERSATION if "messages" in each else ROW
    return ""


def _kind_text(each: object, kind: str) -> str:
    return kind or kind_of(plain(each))


def _conversations(entries: Sequence[Mapping[str, Any]], name: str, report: ParseReport, side: str) -> list[AnyRecord]:
    from trialogue.datasets.door.conversation import Conversations
    from trialogue.datasets.formats.openai_chat import SHAPE

    fields = [(index, {str(key): plain(value) for key, value in entry.items()}) for index, entry in enumerate(entries)]
    reader = Conversations(
        SHAPE,
        ONE_SYSTEM,
        report,
        fallback=lambda number: f"{side}{'-' if side else ''}{name}-{number - 1}",
        place=lambda number, _line: f"{name}[{number - 1}]",
    )
    return list(reader.read(fields))


def _of_table(
    table: Table,
    name: str,
    mapping: Columns | None,
    report: ParseReport,
    notes: list[Problem],
    tables: list[ScoreTable],
) -> list[AnyRecord]:
    from trialogue.datasets.tables.format import guess_table, guessed_columns, load_mapping, records_of_table
    from trialogue.datasets.tables.guess import propose
    from trialogue.datasets.tables.transcripts import with_messages

    columns = None if mapping is None else load_mapping(mapping)
    table = with_messages(in_points(table, report), report, used=() if columns is None else columns.columns().values())
    columns = guess_table(table, name) if columns is None else columns
    proposed = propose(table, name) if columns is None else columns
    is_unknown = columns is None and (proposed is None or proposed.is_of_answers)
    scores = guess_scores(table.columns, table.rows) if is_unknown else None
    if scores is not None:
        notes.append(Problem(f"read as {describe_columns(scores)}", name))
        tables.append(score_table(table, scores, name, report))
        return list(dialogues_of(tables[-1], ONE_SYSTEM))
    if columns is None:
        heads = ", ".join(table.columns) or "none"
        hint = (
            "Say which column is what: mapping={'dialogue': ..., 'speaker': ..., 'text': ...}, or response and context."
        )
        raise DataError(
            Problem(f"the contents of these columns are not clear from their names: {heads}.", name, hint=hint)
        )
    if mapping is None:
        notes.append(Problem(guessed_columns(columns, table), name, hint=MAPPED))
    return records_of_table(table, columns, name, report)


def _name_systems(records: Iterable[AnyRecord], system: str | None) -> Iterable[AnyRecord]:
    """The records under the system's name that was given; dialogues that name none get one."""
    for record in records:
        if isinstance(record, Dialogue) and (system or record.system is None):
            yield record.model_copy(update={"system": system or ONE_SYSTEM})
        elif isinstance(record, Response) and system:
            yield record.model_copy(update={"system": system})
        else:
            yield record

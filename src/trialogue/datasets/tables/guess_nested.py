"""Guess the mapping of nested JSON: where its records and their messages are, and which of their fields are what.

Only what leaves no doubt is guessed: every message says whose it is, in a name that is known. Otherwise ``propose`` gives a
mapping to be looked at, as far as one can be told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from trialogue.datasets.door.feedback import key_of
from trialogue.datasets.door.values import is_absent, plain_number
from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.guess import guess, headings_of, without_answers
from trialogue.datasets.tables.mapping import Mapping
from trialogue.datasets.tables.nested import NUMBER, laid_out, paths_in
from trialogue.datasets.tables.rows import Row, Table, unpack
from trialogue.datasets.tables.speakers import PREFIXED, Speakers, obvious
from trialogue.records.files.json_paths import EVERY

_IDS = (
    "id",
    "_id",
    "uuid",
    "chat_id",
    "thread_id",
    EVERY,
)  # of a record that holds messages, where no heading says more
_SPEAKERS = ("from", "who", "agent", "name")
_TEXTS = ("value", "body", "say")
SAMPLE = 20  # records examined to find the fields
FEW_NAMES = 12  # of speakers


@dataclass(frozen=True)
class _Place:
    """Where messages stand, and which of their fields are what."""

    records: str | None
    messages: str
    speaker: str | None
    text: str


def guess_nested(table: Table, source: str, *, is_sure: bool = True) -> Mapping | None:
    """The mapping of records that hold lists of messages; None if there is no such list, or it leaves doubt.

    Args:
        table: its rows are records, or one document that holds them.
        source: where it comes from.
        is_sure: whether every speaker must be known.
    """
    for place in _places(table.rows[:SAMPLE], by_cells=not is_sure):
        mapping = _mapping(place, table, source)
        if mapping is not None and (not is_sure or _are_known(mapping, table, source)):
            return mapping
    return None


def _places(rows: Sequence[Row], *, by_cells: bool) -> Iterator[_Place]:
    for path, records in _record_lists(rows):
        for name in dict.fromkeys(key for record in records for key in record):
            lists = [value for record in records if isinstance(value := unpack(record.get(name)), list) and value]
            first = lists[0][0] if lists else None
            if isinstance(first, dict):
                said = _fields([each for held in lists for each in held if isinstance(each, dict)], by_cells=by_cells)
                if said is not None:
                    yield _Place(path, name, f"{name}.{said[0]}", f"{name}.{said[1]}")
            elif lists and all(_is_prefixed(text) for each in lists for text in each if text != ""):
                yield _Place(path, name, None, name)


def _is_prefixed(text: object) -> bool:
    found = PREFIXED.match(text) if isinstance(text, str) else None
    return found is not None and obvious(found[1]) is not None


def _fields(messages: Sequence[dict[str, Any]], *, by_cells: bool) -> tuple[str, str] | None:
    """(Speaker's field, text's field) of messages; None if one is missing.

    Args:
        messages: some messages.
        by_cells: whether what the fields hold may tell, where their names do not.
    """
    names = dict.fromkeys(name for message in messages for name in message)
    known = headings_of(names)
    speaker = known.get("speaker") or next((name for name in names if key_of(name) in _SPEAKERS), None)
    text = known.get("text") or next((name for name in names if key_of(name) in _TEXTS), None)
    if by_cells:
        table = Table(list(names), [Row(place, message) for place, message in enumerate(messages)])
        speaker = speaker or next((name for name in names if _names_speakers(table, name)), None)
        longest = max((name for name in names if name != speaker), key=lambda name: _words(table, name), default=None)
        text = text or (longest if longest is not None and _words(table, longest) > 1 else None)
    return (speaker, text) if speaker is not None and text is not None else None


def _record_lists(rows: Sequence[Row]) -> Iterator[tuple[str | None, list[dict[str, Any]]]]:
    """(Path, first records): the rows themselves, or what the only one holds."""
    yield None, [row.cells for row in rows]
    if len(rows) != 1:
        return
    document = rows[0].cells
    for path, value in [(EVERY, document), *document.items()]:
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value[:SAMPLE]):
            yield path, value[:SAMPLE]
        elif isinstance(value, dict) and len(value) > 1 and all(isinstance(each, dict) for each in value.values()):
            held = [{EVERY: key, **each} for key, each in list(value.items())[:SAMPLE]]
            yield (path if path == EVERY else f"{path}.{EVERY}"), held


def _mapping(place: _Place, table: Table, source: str) -> Mapping | None:
    """The mapping of a place, with what the headings say of all other columns."""
    fields: dict[str, Any] = {"messages": place.messages, "text": place.text}
    fields |= {"records": place.records} if place.records else {}
    fields |= {"speaker": place.speaker} if place.speaker else {}
    flat, _ = laid_out(table, Mapping.model_validate(fields), source, _unheard())
    if objects := [path for column in flat.columns for path in _paths_below(flat, column)]:
        flat, _ = laid_out(table, Mapping.model_validate({**fields, "meta": objects}), source, _unheard())
    names = {NUMBER: NUMBER}
    for column in flat.columns:
        if column not in (place.speaker, place.text):
            names.setdefault(column.rpartition(".")[2] or column, column)
    ids = [name for name in _IDS if name in names]
    if "dialogue" not in headings_of(names):
        names["dialogue_id"] = names.pop(ids[0]) if ids else NUMBER
    rest = {name: column for name, column in names.items() if column != NUMBER or name == "dialogue_id"}
    aliases = {**rest, "speaker": place.speaker or "", "text": place.text}
    rows = [
        Row(row.line, {name: row.cells.get(column, "user") for name, column in aliases.items()}) for row in flat.rows
    ]
    found = guess(list(aliases), rows)
    if found is None:
        return None
    said = _with_paths(found, aliases)
    return Mapping.model_validate(said | fields)


def _paths_below(table: Table, column: str) -> list[str]:
    """Paths of what a column of objects holds; [] for any other."""
    value = next((held for row in table.rows[:SAMPLE] if isinstance(held := row.cells.get(column), dict)), None)
    return [] if value is None else paths_in({column: value})


def _with_paths(mapping: Mapping, paths: dict[str, str]) -> dict[str, Any]:
    """Fields of a mapping of aliases, with the paths that these stand for."""
    found: dict[str, Any] = {}
    for name, value in mapping.to_json().items():
        if isinstance(value, dict):
            found[name] = {key: paths.get(column, column) for key, column in value.items()}
        elif paths.get(value, value) not in ("", NUMBER):
            found[name] = paths.get(value, value)
    return found


def _are_known(mapping: Mapping, table: Table, source: str) -> bool:
    """Whether a mapping can be read: every message says whose it is, in a name that is known."""
    report = _unheard()
    names = _speakers(table, mapping, source, report)
    return bool(names) and not report.problems and all(obvious(name) for name in names)


def unknown_speakers(mapping: Mapping, table: Table) -> list[str]:
    """Names of speakers that a mapping does not explain, in order."""
    known = Speakers(mapping.speakers)
    return [name for name in _speakers(table, mapping, "", _unheard()) if not known.peek(name)]


def _speakers(table: Table, mapping: Mapping, source: str, report: ParseReport) -> list[str]:
    flat, made = laid_out(table, mapping, source, report)
    return [] if made.speaker is None else list(dict.fromkeys(row.text(made.speaker) for row in flat.rows))


def _unheard() -> ParseReport:
    return ParseReport("", lambda _problem: None)


LARGEST_POINT = 10
"""Of the scale of a column of answers that a mapping is proposed for."""


def propose(table: Table, source: str) -> Mapping | None:
    """A mapping that may read a table or nested JSON, to be looked at; None if nothing can be told."""
    nested = guess_nested(table, source, is_sure=False)
    if nested is not None or not table.rows:
        return nested
    known = without_answers(headings_of(table.columns), table.rows)
    rest = [column for column in table.columns if column not in known.values()]
    texts = sorted((column for column in rest if _words(table, column) > 1), key=lambda name: -_words(table, name))
    if "context" in known:
        reply = known.get("response") or (texts[0] if texts else None)
        named = {} if "system" in known else {"system_name": source}
        return _valid({**known, "response": reply, **named}, of_responses=True)
    speaker = known.get("speaker") or next((column for column in rest if _names_speakers(table, column)), None)
    text = known.get("text") or next((column for column in texts if column != speaker), None)
    others = [column for column in rest if column not in (speaker, text)]
    dialogue = known.get("dialogue") or next((column for column in others if _groups(table, column)), None)
    found = _valid({**known, "dialogue": dialogue, "speaker": speaker, "text": text}, of_responses=False)
    return found or _answers(table, known, rest)


def _answers(table: Table, known: dict[str, str], rest: list[str]) -> Mapping | None:
    """A mapping of a questionnaire: columns of a few small whole numbers as ratings; None if nothing names who or what."""
    named = {name: column for name, column in known.items() if name in ("dialogue", "system", "user")}
    rated = [column for column in rest if _are_small_numbers(table, column)]
    return _valid({**named, "ratings": rated}, of_responses=False) if named and rated else None


def _are_small_numbers(table: Table, column: str) -> bool:
    numbers = [plain_number(value) for row in table.rows if not is_absent(value := row.cells.get(column))]
    return len(set(numbers)) > 1 and all(number in range(LARGEST_POINT + 1) for number in numbers)


def _valid(fields: dict[str, Any], *, of_responses: bool) -> Mapping | None:
    """The mapping, without fields of the other shape; None if something is missing."""
    from trialogue.datasets.tables.mapping import OF_RESPONSES, OF_UTTERANCES, mapping_mistakes

    foreign = OF_UTTERANCES if of_responses else OF_RESPONSES
    fitting = {name: column for name, column in fields.items() if name not in foreign and column is not None}
    return None if mapping_mistakes(fitting) else Mapping.model_validate(fitting)


def _words(table: Table, column: str) -> float:
    """Mean number of words in a column's texts; 0 if most cells hold none."""
    cells = [row.cells.get(column) for row in table.rows[: SAMPLE * 10]]
    texts = [cell for cell in cells if isinstance(cell, str) and not is_absent(cell) and plain_number(cell) is None]
    return sum(len(text.split()) for text in texts) / len(texts) if 2 * len(texts) > len(cells) else 0.0


def _names_speakers(table: Table, column: str) -> bool:
    names = {row.text(column) for row in table.rows}
    return 1 < len(names) <= FEW_NAMES and all(obvious(name) for name in names)


def _groups(table: Table, column: str) -> bool:
    """Whether a column may hold ids of dialogues: several rows share each value, one block after another."""
    values = [row.text(column) for row in table.rows]
    blocks = sum(1 for place, value in enumerate(values) if place == 0 or value != values[place - 1])
    return "" not in values and blocks == len(set(values)) < len(values)

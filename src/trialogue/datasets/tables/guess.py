"""Guess a mapping from the headings of a table, or the fields of nested JSON, and from its cells.

The cells decide whether a rating column rates utterances or whole dialogues, and whether further columns hold the replies of
systems.

Guess the mapping of nested JSON: where its records and their messages are, and which of their fields are what.

Only what leaves no doubt is guessed: every message says whose it is, in a name that is known. Otherwise ``propose`` gives a
mapping to be looked at, as far as one can be told.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Dictionary
from dataclasses import dataclass
from typing import Any

from trialogue.datasets.door.account import SYSTEM_NAMES
from trialogue.datasets.door.feedback import (
    RATINGS,
    Feedback,
    Form,
    Worded,
    feedback_in,
    feedback_under,
    key_of,
    may_be_aspect,
    may_be_negative,
    rated_name,
    scale_in,
)
from trialogue.datasets.door.values import TOPICS, is_absent, members, names_of, place_in_time, plain_number, vocabulary
from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.mapping import (
    COSTS,
    OF_RESPONSES,
    OF_UTTERANCES,
    PREFIXED,
    RESPONSES,
    TEXT,
    Mapping,
    Speakers,
    obvious,
    shape_mistakes,
)
from trialogue.datasets.tables.nested import NUMBER, laid_out, paths_in
from trialogue.datasets.tables.rows import Row, Table, unpack
from trialogue.records.files.json_paths import EVERY

_HEADINGS: dict[str, str] = vocabulary()["headings"]
_READABLE = 0.5  # share of a rating column's values that must be understood; the others are counted and named
_NO_REPLIES = names_of("no_replies")
"""Headings that are no names of systems, though their cells are texts."""
_REMARKS = frozenset(names_of("remarks"))
"""Words in headings of what raters wrote."""
_CONVERSATIONS = frozenset(names_of("conversations"))
"""Words in headings of whole conversations."""
_ASKING, _ANSWERING = ("user", "human", "customer"), ("assistant", "bot", "agent", "ai")
_TIMES = "created_at timestamp sent_at datetime date_time message_time time ts"
MOST_SYSTEMS = 12
_WORDS = 2  # in most cells of a column of replies


def guess(columns: Iterable[str], rows: Sequence[Row] = ()) -> Mapping | None:
    """Guess a mapping from unambiguous headings; None if they are ambiguous.

    Ratings are under ``rating_…`` (of an utterance or reply) and ``dialogue_rating_…``; and under ``rating``, ``thumbs``,
    ``feedback`` and the like where most cells are feedback in a known form. What these rate is decided by the table's data.

    Args:
        columns: the headings.
        rows: all rows; (): only headings count.

    >>> mapping = guess(["Conversation ID", "Role", "Message", "stars"])
    >>> mapping.dialogue, mapping.speaker, mapping.text, mapping.order
    ('Conversation ID', 'Role', 'Message', None)
    """
    by_key: dict[str, str] = {}
    for column in columns:
        by_key.setdefault(key_of(column), column)
    found: dict[str, Any] = {**_headings(by_key)}
    if "context" in found and "response" not in found:
        found |= _reply_columns(by_key, found, rows)
    found = _as_exchanges(by_key, found | _talk_columns(by_key, rows))
    found = without_answers(found, rows)
    if "system_text" in found and "user" not in found:  # its heading is that of the user's texts
        free = {key: column for key, column in by_key.items() if column not in found.values()}
        found |= {name: column for name, column in _headings(free).items() if name == "user"}
    shape = "text" if {"dialogue", "speaker", "text"} <= found.keys() or "system_text" in found else "response"
    if shape == "text":
        found |= _system_column(by_key, found, rows) | _time_column(by_key, found, rows)
    about = sorted(TOPICS & by_key.keys()) if shape == "text" else ()
    kept = tuple(by_key[key] for key in (*COSTS, *about) if key in by_key and by_key[key] not in found.values())
    foreign = {*OF_RESPONSES} if shape == "text" else {*OF_UTTERANCES}
    if "responses" in found:
        found.pop("error", None)  # of which of the systems it would be is unknown
    rated = {} if "responses" in found else _ratings(by_key, found, rows)
    fitting = {name: column for name, column in (found | rated).items() if name not in foreign}
    has_texts = not (TEXT | RESPONSES).isdisjoint(fitting)  # tables of answers alone are tables of scores
    return (
        None
        if not has_texts or shape_mistakes(fitting)
        else Mapping.model_validate({**fitting, **({"meta": kept} if kept else {})})
    )


def _as_exchanges(by_key: Dictionary[str, str], found: dict[str, Any]) -> dict[str, Any]:
    """Columns of a table of exchanges, which holds the user's text beside the system's; else without these.

    A table with speakers, references or targets is another one, and so is one of contexts without dialogues.
    """
    pair = {"user_text", "system_text"}
    others = {"speaker", "text", "reference", "targets", "situation", "responses"} & found.keys()
    words = "user_text" in found and key_of(found["user_text"]) in ("prompt", "context", "history")
    if others or not pair <= found.keys() or (words and "dialogue" not in found):
        return {name: column for name, column in found.items() if name not in pair}
    taken = {found[name] for name in pair}
    return {name: column for name, column in found.items() if name in pair or column not in taken}


def _talk_columns(by_key: Dictionary[str, str], rows: Sequence[Row]) -> dict[str, str]:
    """Columns ``user`` and ``assistant`` that hold texts, and not names."""
    asked, answered = (next((by_key[key] for key in keys if key in by_key), None) for keys in (_ASKING, _ANSWERING))
    if asked is None or answered is None or not _are_texts(rows, asked):
        return {}
    return {"user_text": asked, "system_text": answered}


def _system_column(by_key: Dictionary[str, str], found: dict[str, Any], rows: Sequence[Row]) -> dict[str, str]:
    """The only column that may name the system, such as ``variant``, where no heading says so outright."""
    if "system" in found:
        return {}
    candidates = [column for key, column in by_key.items() if key in SYSTEM_NAMES and column not in found.values()]
    several = [column for column in candidates if 1 < len({row.text(column) for row in rows} - {""}) <= MOST_SYSTEMS]
    return {"system": several[0]} if len(several) == 1 else {}


def _time_column(by_key: Dictionary[str, str], found: dict[str, Any], rows: Sequence[Row]) -> dict[str, str]:
    """The column of times to sort by, where no column numbers the turns and every row has a time."""
    if "order" in found or not rows:
        return {}
    for key in _TIMES.split():
        column = by_key.get(key)
        is_free = column is not None and column not in found.values()
        if is_free and all(place_in_time(row.cell(column)) is not None for row in rows):
            return {"order": column or ""}
    return {}


def headings_of(columns: Iterable[str]) -> dict[str, str]:
    """Columns with unambiguous headings, by mapping field."""
    by_key: dict[str, str] = {}
    for column in columns:
        by_key.setdefault(key_of(column), column)
    return _headings(by_key)


def may_be_guessed(columns: Iterable[str]) -> bool:
    """Whether the headings alone allow a mapping to be guessed once the cells are known."""
    columns = list(columns)
    headings, keys = headings_of(columns), {key_of(column) for column in columns}
    if "dialogue" in headings and keys & set(_ASKING) and keys & set(_ANSWERING):
        return True
    return "context" in headings or guess(headings.values()) is not None


def _headings(by_key: Dictionary[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, others in _HEADINGS.items():
        keys = [key for key in (name, *others.split()) if key in by_key]
        if keys:
            found[name] = by_key[keys[0]]
    return found


def _ratings(
    by_key: Dictionary[str, str], found: Dictionary[str, Any], rows: Sequence[Row]
) -> dict[str, dict[str, str]]:
    """Columns of ratings by name."""
    used = set(found.values())
    of_rows = "utterance_ratings" if "text" in found and "speaker" in found else "ratings"
    rated = {of_rows: _strip_prefix(by_key, "rating_"), "dialogue_ratings": _strip_prefix(by_key, "dialogue_rating_")}
    for column in by_key.values():
        known = column in used or any(column in columns.values() for columns in rated.values())
        named = _holds_ratings(column, rows) or says_its_scale(column, rows)
        name = rated_name(column) or (column if named else None)
        if not known and name is not None and _is_feedback(rows, column):
            rated.setdefault("ratings", {}).setdefault(name, column)
    return {level: columns for level, columns in rated.items() if columns}


def _holds_ratings(column: str, rows: Sequence[Row]) -> bool:
    """Whether a column is the ``ratings`` of conversations: lists or objects, with the aspects in them."""
    return key_of(column) == RATINGS and any(isinstance(each, list | dict) for each in _values(rows, column))


def _strip_prefix(by_key: Dictionary[str, str], prefix: str) -> dict[str, str]:
    return {
        key.removeprefix(prefix): column
        for key, column in by_key.items()
        if key.startswith(prefix) and key != prefix and may_be_aspect(key)
    }


def _values(rows: Iterable[Row], column: str) -> list[Any]:
    """Non-empty cells."""
    return [row.cells[column] for row in rows if not is_absent(row.cells.get(column))]


def _is_feedback(rows: Sequence[Row], column: str) -> bool:
    """Whether most values of a column are feedback in a known form."""
    found: list[Feedback | None] = [
        said.feedback for value in _values(rows, column) for said in feedback_under(column, value)
    ]
    return bool(found) and sum(each is not None for each in found) >= _READABLE * len(found)


def without_answers(found: Dictionary[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """Columns by field, without exchanges whose replies are all numbers or points of a scale in words: answers of people."""
    values = _values(rows, found["system_text"]) if "system_text" in found else []
    forms = Form.NUMBER, Form.WORDS
    if not values or any((said := feedback_in(each)) is None or said.form not in forms for each in values):
        return {**found}
    return {name: column for name, column in found.items() if name not in ("user_text", "system_text")}


def _reply_columns(
    by_key: Dictionary[str, str], found: Dictionary[str, Any], rows: Sequence[Row]
) -> dict[str, dict[str, str]]:
    """Columns of replies by system where a row holds those of two or more: further columns of texts of several words."""
    used = set(found.values())
    columns = [
        column
        for key, column in by_key.items()
        if key
        and column not in used
        and key not in _NO_REPLIES
        and not _REMARKS & set(key.split("_"))
        and rated_name(key) is None
        and _are_texts(rows, column)
    ]
    return {"responses": {column: column for column in columns}} if len(columns) > 1 else {}


def says_its_scale(column: str, rows: Sequence[Row]) -> bool:
    """Whether a column of any heading holds points of a scale in words, or states its scale, as "How easy? [1-5]" does."""
    if not may_be_aspect(key_of(column)) or may_be_negative(column):
        return False
    given = _values(rows, column)
    if any(isinstance(value, Worded) for value in given):
        return True
    _, low, high = scale_in(column)
    if low is None or high is None or not given:
        return False
    return all((number := plain_number(value)) is not None and low <= number <= high for value in given)


def holds_texts(column: str, rows: Sequence[Row]) -> bool:
    """Whether a column holds texts of several words that are no remarks of raters: a conversation, by whatever name."""
    return not is_of_remarks(column) and _are_texts(rows, column)


def is_of_conversations(column: str) -> bool:
    """Whether a heading is of whole conversations."""
    return bool(_CONVERSATIONS & {key_of(column), *key_of(column).split("_")})


def is_of_remarks(column: str) -> bool:
    """Whether a heading is of what raters wrote."""
    return bool(_REMARKS & set(key_of(column).split("_")))


def _are_texts(rows: Iterable[Row], column: str) -> bool:
    values = _values(rows, column)
    texts = [value for value in values if isinstance(value, str) and plain_number(value) is None]
    texts = [value for value in texts if sum(map(str.isalpha, value)) > sum(map(str.isdigit, value))]  # no dates
    return bool(values) and 2 * sum(len(text.split()) >= _WORDS for text in texts) > len(values)


_NAMED = ("dialogue", "system", "user", "speaker", "trial", "order")
"""Fields whose cells hold no lists."""
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
                said = fields_of_messages(
                    [each for held in lists for each in held if isinstance(each, dict)], by_cells=by_cells
                )
                if said is not None:
                    yield _Place(path, name, f"{name}.{said[0]}", f"{name}.{said[1]}")
            elif lists and all(_is_prefixed(text) for each in lists for text in each if text != ""):
                yield _Place(path, name, None, name)


def _is_prefixed(text: object) -> bool:
    found = PREFIXED.match(text) if isinstance(text, str) else None
    return found is not None and obvious(found[1]) is not None


def fields_of_messages(messages: Sequence[dict[str, Any]], *, by_cells: bool) -> tuple[str, str] | None:
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
    if objects := [path for each in flat.columns if key_of(each) != RATINGS for path in _paths_below(flat, each)]:
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
    rows = [Row(row.line, {name: row.cells.get(column) for name, column in aliases.items()}) for row in flat.rows]
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


def _alternate(table: Table, column: str) -> bool:
    """Whether a column holds lists of texts, which may be what user and system say in turn."""
    held = [each for row in table.rows[:SAMPLE] for each in members(row.cells.get(column))]
    return (
        is_of_conversations(column)
        and bool(held)
        and all(isinstance(each, str) for each in held)
        and _words_of(held) > _WORDS
    )


LARGEST_POINT = 10
"""Of the scale of a column of answers that a mapping is proposed for."""


def propose(table: Table, source: str) -> Mapping | None:
    """A mapping that may read a table or nested JSON, to be looked at; None if nothing can be told."""
    nested = guess_nested(table, source, is_sure=False)
    if nested is not None or not table.rows:
        return nested
    lists = [column for column in table.columns if any(isinstance(row.cells.get(column), list) for row in table.rows)]
    known = without_answers(headings_of(table.columns), table.rows)
    known = {name: column for name, column in known.items() if name not in _NAMED or column not in lists}
    if (turns := next((each for each in lists if _alternate(table, each)), None)) is not None:
        ids = {
            "dialogue": known.get("dialogue") or next((each for each in table.columns if key_of(each) in _IDS), None)
        }
        return _valid({**known, **ids, "messages": turns, "text": turns, "first_speaker": "user"}, of_responses=False)
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
    return _words_of(texts) if 2 * len(texts) > len(cells) else 0.0


def _words_of(texts: Sequence[str]) -> float:
    return sum(len(text.split()) for text in texts) / len(texts)


def _names_speakers(table: Table, column: str) -> bool:
    names = {row.text(column) for row in table.rows}
    return 1 < len(names) <= FEW_NAMES and all(obvious(name) for name in names)


def _groups(table: Table, column: str) -> bool:
    """Whether a column may hold ids of dialogues: several rows share each value, one block after another."""
    values = [row.text(column) for row in table.rows]
    blocks = sum(1 for place, value in enumerate(values) if place == 0 or value != values[place - 1])
    return "" not in values and blocks == len(set(values)) < len(values)

"""Cells that hold a whole conversation in another form than a list of messages, each with its speaker and its text.

As text, a line for each utterance (``User: a thriller?``, ``Bot: Try Heat.``); as pairs (``["user", "a thriller?"]``);
under the speaker's name (``{"user": "a thriller?"}``); as exchanges (``{"question": ..., "answer": ...}``, or pairs of both
texts); or as an object of numbered messages.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from trialogue.datasets.door.feedback import key_of
from trialogue.datasets.door.values import is_absent, vocabulary
from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.guess import fields_of_messages, is_of_conversations
from trialogue.datasets.tables.mapping import PREFIXED, obvious
from trialogue.datasets.tables.rows import Row, Table, unpack
from trialogue.records.files.json_paths import steps_of

GLANCE = 20  # cells that must all be transcripts, or a column of texts would be read to its end
OF_RESPONSES = ("context", "history", "prompt")
"""Headings of contexts, beside replies."""


SPEAKER, TEXT = "speaker", "text"
"""Fields of the messages that are made here."""
ID, MESSAGES = "dialogue_id", "messages"
"""Columns of the rows that a document of conversations becomes."""
_HEADINGS = vocabulary()["headings"]
_OF_MESSAGES = frozenset({SPEAKER, TEXT, *_HEADINGS[SPEAKER].split(), *_HEADINGS[TEXT].split()})
_ASKS = frozenset({*_HEADINGS["user_text"].split(), "user", "human", "customer", "q"}) - {"input"}
_ANSWERS = frozenset({*_HEADINGS["system_text"].split(), "assistant", "bot", "agent", "system", "ai", "a"}) - {"output"}
_REPLIES = frozenset({"response", *_HEADINGS["response"].split()})
_NAMES = 1.5  # words of what speaks first in pairs of texts: fewer are names of speakers that nobody knows

Message = dict[str, Any]
Form = Callable[[Any], list[Message] | None]


def with_messages(table: Table, report: ParseReport, *, used: Collection[str] = ()) -> Table:
    """The table with conversations of other forms as lists of messages, which is reported.

    A column has a form if each of its first cells has, and both speak in most. Transcripts become lists of utterances, each
    with its speaker in front, if each begins with a speaker who is known to be a user or a system.

    Args:
        table: its rows, or one document with lists of records.
        report: what was rewritten.
        used: paths of a mapping; a column in which they name fields that messages lack stays as it is.
    """
    columns = [
        column for column in table.columns if not _is_context(column, table.columns) and _are_transcripts(table, column)
    ]
    for column in columns:
        report.mend("transcripts were split at lines that begin with a speaker", column)
    if columns:
        rows = [replace(row, cells=row.cells | _messages_of(row, columns)) for row in table.rows]
        table = Table(table.columns, rows)
    given = [row.cells for row in table.rows]
    made = _in_messages(given, report, used, lines=[row.line for row in table.rows])
    if len(table.rows) == 1:
        for name, held in made[0].items():
            if isinstance(held, list) and held and all(isinstance(each, dict) for each in held):
                made = [{**made[0], name: _in_messages(held, report, used, within=f"{name}.")}]
        is_ours = not used or any(steps_of(path)[:1] == [MESSAGES] for path in used)
        if is_ours and MESSAGES not in made[0] and _are_conversations(made[0]):
            report.mend("each key of the document was read as the id of a conversation")
            rows = [Row(table.rows[0].line, {ID: name, MESSAGES: held}) for name, held in made[0].items()]
            return Table([ID, MESSAGES], rows)
    if all(one is other for one, other in zip(made, given, strict=True)):
        return table
    return Table(table.columns, [replace(row, cells=cells) for row, cells in zip(table.rows, made, strict=True)])


def _are_conversations(document: dict[str, Any]) -> bool:
    """Whether a document holds several lists of messages, each under a key, and nothing else."""
    return len(document) > 1 and all(
        isinstance(held, list)
        and held
        and all(isinstance(each, dict) for each in held)
        and fields_of_messages(held, by_cells=False) is not None
        for held in document.values()
    )


def _in_messages(
    records: Sequence[dict[str, Any]],
    report: ParseReport,
    used: Collection[str],
    *,
    within: str = "",
    lines: Sequence[int] | None = None,
) -> list[dict[str, Any]]:
    """Records with their conversations as lists of messages; one in another form than those before it is a mistake."""
    found = list(records)
    for column in dict.fromkeys(name for record in records[:GLANCE] for name in record):
        path = f"{within}{column}"
        form = None if _is_context(column, records[0]) else _form_of(column, _cells_under(records, column)[:GLANCE])
        if form is None:
            continue
        what, read = form
        made = [read(unpack(record.get(column))) for record in records]
        fields = {field for messages in made for message in messages or () for field in message}
        if any(each.startswith(f"{path}.") and each.removeprefix(f"{path}.") not in fields for each in used):
            continue
        report.mend(f"{what} were read as messages", path)
        for place, messages in enumerate(made):
            if messages is None and not is_absent(records[place].get(column)):
                kind = "a conversation is in another form than the first ones"
                line = None if lines is None else lines[place]
                report.wrong(f"{kind}, which are {what}.", path, line=line, hint="Write all in one form.", kind=kind)
        found = [
            record if messages is None else {**record, column: messages}
            for record, messages in zip(found, made, strict=True)
        ]
    return found


def _cells_under(records: Sequence[dict[str, Any]], column: str) -> list[Any]:
    return [value for record in records if not is_absent(value := record.get(column))]


def _is_context(column: str, columns: Iterable[str]) -> bool:
    """Whether a column is the context of replies in another one, which readers of responses split themselves."""
    return key_of(column) in OF_RESPONSES and any(key_of(name) in _REPLIES for name in columns)


def _form_of(column: str, cells: Sequence[Any]) -> tuple[str, Form] | None:
    """(What the cells of a column are, how they become messages); None: they are something else."""
    given = [value for each in cells if isinstance(value := unpack(each), list | dict)]
    if not given or len(given) < len(cells):
        return None
    is_talk = is_of_conversations(column)  # elsewhere, exchanges may be calls of a tool, or examples
    for what, form, is_sure in _FORMS:
        made = [form(value) for value in given] if is_sure or is_talk else [None]
        talks = [messages for messages in made if messages is not None]
        if len(talks) < len(made):
            continue
        sides = [{obvious(str(message[SPEAKER])) for message in messages if SPEAKER in message} for messages in talks]
        said = sum(map(bool, talks))  # an empty conversation has no form of its own
        if form is _from_numbers or 2 * sum({"user", "system"} <= each for each in sides) > said:
            return what, form
    return None


def _pairs(value: Any) -> list[Message] | None:
    """Messages of lists that begin with a known speaker and a text; what follows is kept under its position."""
    if not isinstance(value, list) or not all(
        isinstance(each, list | tuple) and len(each) > 1 and _is_speaker(each[0]) and _is_text(each[1])
        for each in value
    ):
        return None
    return [
        {SPEAKER: each[0], TEXT: each[1], **{str(place): more for place, more in enumerate(each[2:], start=2)}}
        for each in value
    ]


def _by_speaker(value: Any) -> list[Message] | None:
    """Messages of objects with one known speaker as a key, under which the text is."""
    if not isinstance(value, list):
        return None
    found = []
    for each in value:
        speakers = [key for key in each if _is_speaker(key)] if isinstance(each, dict) else []
        if len(speakers) != 1 or not _is_text(each[speakers[0]]) or _OF_MESSAGES & set(map(key_of, each)):
            return None
        rest = {key: held for key, held in each.items() if key != speakers[0]}
        found.append({SPEAKER: speakers[0], TEXT: each[speakers[0]], **rest})
    return found


def _exchanges(value: Any) -> list[Message] | None:
    """Messages of objects that hold what the user says and what the system answers; the rest stays with the answer."""
    if not isinstance(value, list):
        return None
    found: list[Message] = []
    for each in value:
        keys = {key_of(key): key for key in each} if isinstance(each, dict) else {}
        asks, answers = (names & keys.keys() for names in (_ASKS, _ANSWERS))
        if len(asks) != 1 or len(answers) != 1 or _OF_MESSAGES & keys.keys() - asks - answers:
            return None
        asked, answered = (keys[name] for name in (*asks, *answers))
        if not (_is_text(each[asked]) and _is_text(each[answered])):
            return None
        found += _both(
            each[asked], each[answered], {key: held for key, held in each.items() if key not in (asked, answered)}
        )
    return found


def _couples(value: Any) -> list[Message] | None:
    """Messages of pairs of texts, the user's and the system's, as chat widgets keep them."""
    if not isinstance(value, list) or not all(
        isinstance(each, list | tuple) and len(each) == 2 and all(map(_is_text, each)) for each in value
    ):
        return None
    asked = [each[0] for each in value if each[0]]
    if any(map(_is_speaker, asked)) or sum(len(text.split()) for text in asked) < _NAMES * len(asked):
        return None
    return [message for each in value for message in _both(each[0], each[1], {})]


def _from_numbers(value: Any) -> list[Message] | None:
    """Messages of an object whose keys are their numbers."""
    if not isinstance(value, dict) or not value or not all(isinstance(each, dict) for each in value.values()):
        return None
    if not all(str(key).isdecimal() for key in value):
        return None
    return [value[key] for key in sorted(value, key=int)]


_FORMS: tuple[tuple[str, Form, bool], ...] = (
    ("pairs of a speaker and a text", _pairs, True),
    ("texts under the names of their speakers", _by_speaker, True),
    ("exchanges", _exchanges, False),
    ("pairs of texts", _couples, False),
    ("numbered messages", _from_numbers, False),
)
"""What a form is called, its messages, and whether it says by itself that it is a conversation."""


def _both(asked: str | None, answered: str | None, rest: Message) -> Iterator[Message]:
    """The messages of an exchange; one of the two may be missing."""
    if asked is not None:
        yield {SPEAKER: "user", TEXT: asked}
    if answered is not None or rest:
        yield {SPEAKER: "assistant", TEXT: answered, **rest}


def _is_speaker(name: Any) -> bool:
    return isinstance(name, str) and obvious(name) is not None


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _messages_of(row: Row, columns: Iterable[str]) -> dict[str, list[str]]:
    return {column: _split(cell) for column in columns if isinstance(cell := row.cells.get(column), str)}


def _are_transcripts(table: Table, column: str) -> bool:
    given = [cell for row in table.rows if not is_absent(cell := row.cells.get(column))][:GLANCE]
    texts = [cell for cell in given if isinstance(cell, str) and ":" in cell]
    if not texts or len(texts) < len(given):
        return False
    speakers = [{_speaker(piece) for piece in _split(text)} for text in texts]
    return all(None not in each for each in speakers) and 2 * sum(len(each) > 1 for each in speakers) > len(given)


def _split(cell: str) -> list[str]:
    """The utterances of a transcript; lines without a known speaker belong to the utterance before them."""
    lines = (
        cell.splitlines() if "\n" in cell.strip() else cell.split("\\n")
    )  # some programs write line breaks as two signs
    pieces: list[str] = []
    for line in lines:
        if not pieces or _speaker(line) is not None:
            pieces.append(line.strip())
        else:
            pieces[-1] += f"\n{line.rstrip()}"
    # "Bot:" alone is an empty reply, which readers know by a space behind it
    return [f"{piece} " if piece.endswith(":") else piece for piece in pieces if piece.strip()]


def _speaker(line: str) -> str | None:
    found = PREFIXED.match(f"{line} ")
    return None if found is None else obvious(found[1])

"""Guess a column mapping from the headings of a table, and from its cells where headings do not decide.

The cells decide whether a rating column rates utterances or whole dialogues, and whether further columns hold the replies of
systems.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Mapping as Dictionary
from typing import Any

from trialogue.datasets.door.account import SYSTEM_NAMES
from trialogue.datasets.door.feedback import (
    Feedback,
    Form,
    Worded,
    feedback_in,
    feedback_under,
    key_of,
    may_be_aspect,
    rated_name,
    scale_in,
)
from trialogue.datasets.door.values import TOPICS, is_absent, place_in_time, plain_number
from trialogue.datasets.tables.mapping import (
    COSTS,
    OF_RESPONSES,
    OF_UTTERANCES,
    RESPONSES,
    TEXT,
    Mapping,
    shape_mistakes,
)
from trialogue.datasets.tables.rows import Row

_HEADINGS = {
    "dialogue": (
        "dialogue_id dialog_id dialog conversation conversation_id conv_id conv session_id session chat_id thread_id "
        "thread"
    ),
    "speaker": "role sender from speaker_role sender_role author participant",
    "text": "utterance message content body msg sentence",
    "trial": "trial_id trial_index trial_number epoch attempt repetition",
    "order": (
        "turn turn_id turn_index turn_ind turn_number turn_idx turn_no utterance_index message_index message_number "
        "message_order msg_no sequence seq step idx index position utt_id nr line"
    ),
    "system": "system_name model crs bot recommender",
    "user": (
        "user_id customer_id worker worker_id participant_id participant person person_id subject_id account_id uid "
        "username email"
    ),
    "utterance_id": "message_id msg_id",
    "user_text": (
        "user_message user_input user_utterance user_query user_text customer_message human_message question query input "
        "ask prompt"
    ),
    "system_text": (
        "bot_message assistant_message system_message bot_response assistant_response system_response model_response "
        "bot_reply assistant_reply agent_response agent_message output answer completion response reply"
    ),
    "situation": "situation_id example_id sample_id prompt_id context_id item_id unit_id case_id query_id qid question_id",
    "context": "history dialogue_history dialog_history prompt",
    "reference": "ground_truth gold human_response",
    "response": "reply generation generated prediction system_response",
    "rater": "rater_id annotator annotator_id",
    "origin": "raters rater_kind rater_type annotator_kind source_type",
    "strategies": "strategy",
    "mentions": "items movies titles",
    "ranking": "recommendations recommended_items",
    "targets": "target_items",
    "error": "exception error_message traceback",
    "thought": "thinking reasoning reasoning_content chain_of_thought",
}
_READABLE = 0.5  # share of a rating column's values that must be understood; the others are counted and named
_NO_REPLIES = (
    "id row line index split fold topic domain source date time timestamp created_at url language lang locale label "
    "labels tags genre intent category hit_id status"
)
"""Headings that are no names of systems, though their cells are texts."""
_REMARKS_WORDS = (
    "comment comments remark remarks note notes feedback explanation reason reasons rationale justification opinion "
    "review why"
)
_REMARKS = frozenset(_REMARKS_WORDS.split())
"""Words in headings of what raters wrote."""
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
        name = rated_name(column) or (column if says_its_scale(column, rows) else None)
        if not known and name is not None and _is_feedback(rows, column):
            rated.setdefault("ratings", {}).setdefault(name, column)
    return {level: columns for level, columns in rated.items() if columns}


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
        and key not in _NO_REPLIES.split()
        and not _REMARKS & set(key.split("_"))
        and rated_name(key) is None
        and _are_texts(rows, column)
    ]
    return {"responses": {column: column for column in columns}} if len(columns) > 1 else {}


def says_its_scale(column: str, rows: Sequence[Row]) -> bool:
    """Whether a column of any heading holds points of a scale in words, or states its scale, as "How easy? [1-5]" does."""
    if not may_be_aspect(key_of(column)):
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
    return not _REMARKS & set(key_of(column).split("_")) and _are_texts(rows, column)


def _are_texts(rows: Iterable[Row], column: str) -> bool:
    values = _values(rows, column)
    texts = [value for value in values if isinstance(value, str) and plain_number(value) is None]
    texts = [value for value in texts if sum(map(str.isalpha, value)) > sum(map(str.isdigit, value))]  # no dates
    return bool(values) and 2 * sum(len(text.split()) >= _WORDS for text in texts) > len(values)

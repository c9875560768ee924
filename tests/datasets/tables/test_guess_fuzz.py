"""Guessing columns, by made-up tables: whatever the cells, a table is read right, refused, or said to be unclear."""

import contextlib
import csv
import io
import math
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trialogue.datasets import Repairs
from trialogue.datasets.json_documents import ParseReport
from trialogue.datasets.tables.format import guessed_columns, records_of_table
from trialogue.datasets.tables.guess import guess
from trialogue.datasets.tables.rows import Row, Table
from trialogue.errors import DataError
from trialogue.inputs.locations import resolve
from trialogue.records import Dialogue, Response

SPELT = st.sampled_from(
    [str.lower, str.upper, str.title, lambda text: text.replace("_", " "), lambda text: f" {text} "]
)
HEADINGS = {
    "dialogue": ["dialogue_id", "dialog", "conversation_id", "conv_id", "session"],
    "speaker": ["role", "sender", "speaker", "author"],
    "text": ["text", "utterance", "message", "content"],
    "system": ["system", "model", "bot"],
}
RATINGS = [
    "rating",
    "score",
    "stars",
    "satisfaction",
    "quality",
    "overall rating",
    "fluency_rating",
    "user satisfaction score",
]
NOISE = [
    "id",
    "Unnamed: 0",
    "timestamp",
    "label",
    "notes",
    "",
    "rating",
    "satisfaction",
    "score",
    "sysA",
    "sysB",
    "context",
]
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=12)
CELL = st.one_of(
    st.none(), st.integers(-5, 5), st.floats(allow_nan=True), st.booleans(), WORDS, st.lists(WORDS, max_size=2)
)
EVERY = sorted(
    {name for names in HEADINGS.values() for name in names} | set(RATINGS) | set(NOISE) | {"response", "reference"}
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any table: known and unknown headings, cells of any kind."""
    columns = draw(st.lists(st.one_of(st.sampled_from(EVERY), WORDS), unique=True, max_size=8))
    cells = st.fixed_dictionaries(dict.fromkeys(columns, CELL))
    return Table(columns, [Row(line, row) for line, row in enumerate(draw(st.lists(cells, max_size=6)))])


@given(tables())
@settings(max_examples=300, deadline=None)
def test_any_table_is_read_refused_or_unclear(table: Table) -> None:
    mapping = guess(table.columns, table.rows)
    if mapping is None:
        return
    used = list(mapping.columns().values())
    assert set(used) <= set(table.columns)
    assert len(set(used)) == len(used)  # no column is two things
    said = guessed_columns(mapping, table)
    assert all(column in said for column in table.columns)
    with contextlib.suppress(DataError):  # mistakes of the cells; any other error is one of ours
        assert records_of_table(table, mapping, "made", ParseReport("made", lambda _problem: None))


@st.composite
def studies(draw: st.DrawFn) -> tuple[dict[str, str], list[dict[str, Any]], str, bool]:
    """(heading by what it means, rows, name of the column of ratings, whether dialogues are rated) of a plausible table."""
    heads = {field: draw(SPELT)(draw(st.sampled_from(names))) for field, names in HEADINGS.items()}
    rated = draw(SPELT)(draw(st.sampled_from(RATINGS)))
    whole = draw(st.booleans())
    rows: list[dict[str, Any]] = []
    for dialogue in range(draw(st.integers(1, 4))):
        value = draw(st.integers(1, 5))
        for turn in range(draw(st.integers(2, 4))):
            rows.append(
                {
                    heads["dialogue"]: f"d{dialogue}",
                    heads["speaker"]: ("user", "system")[turn % 2],
                    heads["text"]: f"{turn} {draw(WORDS)}",  # rows that repeat would be left out
                    heads["system"]: f"s{dialogue % 2}",
                    rated: value if whole else (value + turn) % 6,
                }
            )
    return heads, rows, rated, whole


@given(studies(), st.sampled_from([",", ";", "\t", "|"]))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_plausible_table_keeps_its_texts_and_ratings(
    tmp_path: Path, study: tuple[dict[str, str], list[dict[str, Any]], str, bool], delimiter: str
) -> None:
    heads, rows, rated, whole = study
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    path = tmp_path / "made.csv"
    path.write_bytes(stream.getvalue().encode("utf-8"))
    repairs = Repairs()
    dialogues = [record for record in resolve(str(path)).records(repairs) if isinstance(record, Dialogue)]
    written = [unicodedata.normalize("NFC", row[heads["text"]]) for row in rows]
    assert [one.text for each in dialogues for one in each.utterances] == written
    of_dialogues = [rating.value for each in dialogues for rating in each.ratings]
    of_utterances = [rating.value for each in dialogues for one in each.utterances for rating in one.ratings]
    assert bool(of_dialogues) == whole
    assert (of_utterances == []) == whole
    if whole:
        assert of_dialogues == [float(values[0]) for values in by_dialogue(rows, heads["dialogue"], rated)]
    else:
        assert of_utterances == [float(row[rated]) for row in rows]
    assert f": {rated.strip()}" in repairs.problems[0].what  # how the ratings were read


def by_dialogue(rows: list[dict[str, Any]], dialogue: str, rated: str) -> list[list[float]]:
    groups: dict[str, list[float]] = {}
    for row in rows:
        groups.setdefault(row[dialogue], []).append(row[rated])
    return list(groups.values())


@given(st.lists(st.floats(1, 5, allow_nan=False), min_size=1, max_size=5), st.sampled_from(RATINGS))
@settings(max_examples=50, deadline=None)
def test_ratings_of_replies_are_kept_as_written(values: list[float], heading: str) -> None:
    rows = [
        Row(line, {"context": f"c{line}", "response": "a reply", "system": "A", heading: value})
        for line, value in enumerate(values)
    ]
    table = Table(list(rows[0].cells), rows)
    mapping = guess(table.columns, table.rows)
    assert mapping is not None
    records = records_of_table(table, mapping, "made", ParseReport("made", lambda _problem: None))
    replies = [record for record in records if isinstance(record, Response)]
    found = [rating.value for reply in replies for rating in reply.utterance.ratings]
    assert all(math.isclose(one, other) for one, other in zip(found, values, strict=True))


def test_a_table_without_doubt_is_never_unclear() -> None:
    table = guess(["Dialogue", "speaker", "text"])
    assert table is not None
    with pytest.raises(DataError, match="the table has no rows"):
        records_of_table(Table([], []), table, "made", ParseReport("made", lambda _problem: None))

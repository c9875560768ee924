"""MovieLens: films and ratings, in the layouts of ml-latest-small, -1m, -10m, -20m, -25m and -32m.

Read into a ``Catalogue`` and ``Ratings``, not into conversations. About two million ratings per second on one core, 16
bytes each. Harper and Konstan (2015), "The MovieLens Datasets: History and Context", ACM TiiS 5(4), 19:1-19:19.
"""

import csv
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trialogue.catalogue import Catalogue, Item, Ratings, Scale
from trialogue.catalogue.item import OTHER_TITLES
from trialogue.catalogue.linking.titles import parse_title
from trialogue.catalogue.ratings import LARGEST_INT32, rows_twice
from trialogue.datasets.base import Corpus, card
from trialogue.errors import DataError, Problem
from trialogue.records.files.jsonl import LONGEST_LINE, MAX_PROBLEMS, Note, warn
from trialogue.records.files.opening import open_bytes

CHUNK = 1 << 22  # bytes read at a time; some 150,000 ratings

_COMMA, _NEWLINE = ord(","), ord("\n")


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a file."""

    first_line: int
    """Line number of the first row; rows follow line by line."""
    rows: NDArray[np.float64]
    """The numbers, shape (n_rows, n_columns)."""


def number_blocks(
    path: Path, *, names: tuple[str, ...], header: bool, problems: list[Problem], separator: bytes = b","
) -> Iterator[Block]:
    """Read a file of numbers in blocks of rows; blank lines are allowed only at its end.

    A row that cannot be read goes to ``problems`` instead of into a block. Reading ends early where they are very many.

    Args:
        path: the file; ``.gz`` and ``.zst`` are decompressed.
        names: names of the columns; with ``header``, the first line has to be these.
        header: whether the first line holds the names.
        problems: where mistakes are added.
        separator: what stands between two numbers.

    Raises:
        DataError: there is no such file, or a line never ends.
    """
    line = 1
    for raw in _whole_lines(path):
        text = raw.replace(b"\r\n", b"\n").replace(separator, b",")
        if line == 1 and header:
            first, _, text = text.partition(b"\n")
            line = 2
            if first.decode("utf-8-sig", "replace").strip() != ",".join(names):
                problems.append(_other_header(path, first, names))
                return
        if not text:
            continue
        fast = _in_order(text, len(names))
        if fast is not None:
            yield Block(line, fast)
            line += len(fast)
        else:
            yield from _row_by_row(text, line, path, names, problems)
            line += text.count(b"\n")
        if len(problems) >= MAX_PROBLEMS:
            return


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Pieces of the file that end at the end of a line; the last line gets an end if it has none."""
    rest = b""
    with open_bytes(path) as stream:
        while chunk := stream.read(CHUNK):
            head, newline, tail = chunk.rpartition(b"\n")
            if newline:
                yield rest + head + newline
                rest = tail
            else:
                rest += chunk
                if len(rest) > LONGEST_LINE:
                    what = f"a line is longer than {LONGEST_LINE >> 20} MiB. Expected one rating per line."
                    raise DataError(Problem(what, file=str(path)))
    if rest.strip():
        yield rest + b"\n"


def _in_order(text: bytes, n_columns: int) -> NDArray[np.float64] | None:
    """The numbers, if every line holds ``n_columns`` of them; None if any does not."""
    codes = np.frombuffer(text, dtype=np.uint8)
    marks = codes[(codes == _COMMA) | (codes == _NEWLINE)]
    pattern = np.full(n_columns, _COMMA, dtype=np.uint8)
    pattern[-1] = _NEWLINE
    if len(marks) % n_columns or not bool(np.all(marks.reshape(-1, n_columns) == pattern)):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # what numpy before 2.3 says instead of ValueError
        try:
            numbers = np.fromstring(text[:-1].replace(b"\n", b","), dtype=np.float64, sep=",")
        except (ValueError, DeprecationWarning):
            return None
    complete = len(numbers) == len(marks) and bool(np.all(np.isfinite(numbers)))
    return numbers.reshape(-1, n_columns) if complete else None


def _row_by_row(text: bytes, line: int, path: Path, names: tuple[str, ...], problems: list[Problem]) -> Iterator[Block]:
    for number, raw in enumerate(text.split(b"\n")[:-1], start=line):
        row = _numbers(raw, len(names))
        if isinstance(row, list):
            yield Block(number, np.array([row]))
        elif row:
            problems.append(
                Problem(row, str(path), number, hint=f"A row has the columns {','.join(names)}, all of them numbers.")
            )
            if len(problems) >= MAX_PROBLEMS:
                return


def _numbers(raw: bytes, n_columns: int) -> list[float] | str:
    """Numbers of a line, or its mistake ("" for a blank line)."""
    if not raw.strip():
        return ""
    fields = [field.decode("utf-8", "replace").strip() for field in raw.split(b",")]
    if len(fields) != n_columns:
        return f"this row has {len(fields)} fields; expected {n_columns}."
    row = []
    for text in fields:
        try:
            row.append(float(text))
        except ValueError:
            return f"{text[:40]!r} is not a number."
        if not np.isfinite(row[-1]):
            return f"{text!r} is not a valid rating, id or time."
    return row


def _other_header(path: Path, first: bytes, names: tuple[str, ...]) -> Problem:
    given = first.decode("utf-8", "replace").strip()[:80]
    return Problem(f"the first line is {given!r}, but must be {','.join(names)!r}.", str(path), 1)


def code_table(ids: Sequence[int]) -> NDArray[np.int32]:
    """Lookup table from id to index; -1 for missing ids, including the entry behind the largest id.

    >>> code_table([7, 3])[[3, 7, 8]].tolist()
    [1, 0, -1]
    """
    table = np.full(max(ids, default=0) + 2, -1, dtype=np.int32)
    table[list(ids)] = np.arange(len(ids), dtype=np.int32)
    return table


def encode_ids(ids: NDArray[np.int32]) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """(Distinct ids in ascending order, index of each row's id among them), for ids from 0.

    >>> names, codes = encode_ids(np.array([30, 4, 30], dtype=np.int32))
    >>> names, codes.tolist()
    (('4', '30'), [1, 0, 1])
    """
    seen = np.zeros(int(ids.max(initial=-1)) + 1, dtype=bool)
    seen[ids] = True
    code_of = np.cumsum(seen, dtype=np.int32) - np.int32(1)
    return tuple(map(str, np.flatnonzero(seen).tolist())), code_of[ids]


def join_parts(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate arrays, releasing each part, so that not every column of a file is in memory twice."""
    column = np.concatenate(parts)
    parts.clear()
    return column


HALF_STARS, WHOLE_STARS = Scale(0.5, 5, 0.5), Scale(1, 5, 1)
NO_GENRES = "(no genres listed)"
MAX_ADDED = 0.01  # of the published ratings; who has added more has a data set of their own
LARGEST_ID = 1 << 24  # ids index a table; MovieLens' go up to some 300,000
COLUMNS = ("userId", "movieId", "rating", "timestamp")

# Codes of users.dat, as the README of ml-1m explains them.
AGES = {"1": "under 18", "18": "18-24", "25": "25-34", "35": "35-44", "45": "45-49", "50": "50-55", "56": "56 or older"}
OCCUPATIONS = (
    "other|academic or educator|artist|clerical or admin|college or grad student|customer service|"
    "doctor or health care|executive or managerial|farmer|homemaker|K-12 student|lawyer|programmer|retired|"
    "sales or marketing|scientist|self-employed|technician or engineer|tradesman or craftsman|unemployed|writer"
)


@dataclass(frozen=True)
class MovieLens:
    """One edition of MovieLens."""

    catalogue: Catalogue
    """The films, with the attributes ``genre`` and, where the file gives some, ``other title``."""
    ratings: Ratings
    """Their ratings; its items are the catalogue's, in the catalogue's order, rated or not."""
    people: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """``gender``, ``age`` and ``occupation`` by user id; only ml-1m has them."""


@dataclass(frozen=True)
class Layout:
    """File layout of one generation of MovieLens."""

    suffix: str
    separator: str
    header: bool
    scale: Scale

    def file(self, folder: Path, name: str) -> Path:
        """Path of a file in this layout."""
        return folder / f"{name}{self.suffix}"


CSV = Layout(".csv", ",", True, HALF_STARS)
DAT_HALVES = Layout(".dat", "::", False, HALF_STARS)
DAT_WHOLE = Layout(".dat", "::", False, WHOLE_STARS)


def read_movielens(folder: Path | str, *, note: Note = warn) -> MovieLens:
    """Read films and ratings from an unpacked MovieLens folder, detecting the layout from its files.

    Titles get their article and year where they belong ("Matrix, The (1999)" becomes "The Matrix", 1999). Where the
    number of films is that of a published edition, a few rows (1%) more than it was published with are not MovieLens'
    and are left out, with a note: copies to which an application added ratings are about. Fewer rows get a note as well.

    Raises:
        DataError: the folder is none of MovieLens, or every bad row of its films, or of its ratings, at once: rows of
            other fields, ids that are no whole numbers, ratings off the scale, of unknown films, or given twice.
    """
    folder = Path(folder)
    layout = _layout(folder)
    catalogue = Catalogue.from_items(_films(layout, folder), file=str(layout.file(folder, "movies")))
    path = layout.file(folder, "ratings")
    problems: list[Problem] = []
    columns = _columns(path, layout, catalogue, problems)
    columns = _published_only(columns, catalogue, path, problems, note)
    if not problems:
        problems.extend(_rated_twice(columns, catalogue, path))
    if problems:
        raise DataError(problems)
    users, user_codes = encode_ids(columns.users)
    ratings = Ratings.from_columns(
        users=users,
        items=tuple(catalogue),
        user_codes=user_codes,
        item_codes=columns.films,
        values=columns.values,
        times=columns.times,
        scale=layout.scale,
    )
    return MovieLens(catalogue, ratings, _people(folder / "users.dat"))


def _layout(folder: Path) -> Layout:
    names = {entry.name for entry in folder.iterdir()} if folder.is_dir() else set()
    if {"movies.csv", "ratings.csv"} <= names:
        return CSV
    if {"movies.dat", "ratings.dat"} <= names:
        return DAT_WHOLE if "users.dat" in names else DAT_HALVES
    found = f"it holds {', '.join(sorted(names)[:5])}" if names else "the folder does not exist or is empty"
    hint = "Give the unpacked folder with movies.csv and ratings.csv, or movies.dat and ratings.dat."
    raise DataError(Problem(f"not a MovieLens folder: {found}.", file=str(folder), hint=hint))


def _films(layout: Layout, folder: Path) -> Iterator[Item]:
    path = layout.file(folder, "movies")
    problems: list[Problem] = []
    for line, row in _rows(path, layout.separator):
        if line == 1 and layout.header:
            continue
        if wrong := _wrong_film(row):
            problems.append(Problem(wrong, str(path), line, hint="Expected movieId, title, genres."))
        elif not problems:
            yield _film(row)
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise DataError(problems)


def _wrong_film(row: list[str]) -> str:
    if len(row) != 3:
        return f"this row has {len(row)} fields; expected 3."
    if not (row[0].isascii() and row[0].isdigit()) or int(row[0]) >= LARGEST_ID:
        return f"the movieId must be a whole number, got {row[0][:40]!r}."
    return "" if row[1].strip() else "the title is missing."


def _film(row: list[str]) -> Item:
    movie_id, printed, genres = row
    parsed = parse_title(printed)
    attributes = {
        "genre": tuple(genre for genre in genres.strip().split("|") if genre and genre != NO_GENRES),
        OTHER_TITLES: parsed.others,
    }
    return Item(
        id=str(int(movie_id)),
        title=parsed.title,
        year=parsed.year,
        attributes={name: values for name, values in attributes.items() if values},
    )


def _rows(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """(line, fields) of a file that may be UTF-8 (most) or Latin-1 (ml-1m); blank lines are left out."""
    with open_bytes(path) as stream:
        raw = stream.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    lines = text.replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if line:
            yield number, next(csv.reader([line])) if separator == "," else line.split(separator)


class Columns(NamedTuple):
    """Columns of a ratings file."""

    users: NDArray[np.int32]
    """User ids."""
    films: NDArray[np.int32]
    """Codes of films, in catalogue order."""
    values: NDArray[np.float32]
    times: NDArray[np.signedinteger[Any]]
    """Seconds since 1970."""


TYPES = (np.int32, np.int32, np.float32, np.int32)


def _columns(path: Path, layout: Layout, catalogue: Catalogue, problems: list[Problem]) -> Columns:
    code_of = code_table([int(item_id) for item_id in catalogue])
    parts: list[list[NDArray[Any]]] = [[np.zeros(0, dtype=kind)] for kind in TYPES]
    separator = layout.separator.encode()
    for block in number_blocks(path, names=COLUMNS, header=layout.header, problems=problems, separator=separator):
        problems.extend(_wrong_ratings(block, code_of, layout.scale, str(path)))
        users, films, values, times = block.rows.T
        codes = code_of[np.clip(films, 0, len(code_of) - 1).astype(np.int64)]
        kinds = (*TYPES[:3], np.int32 if times.max(initial=0) <= LARGEST_INT32 else np.int64)  # 16 bytes until 2038
        for part, column, kind in zip(parts, (users, codes, values, times), kinds, strict=True):
            part.append(column.astype(kind))
        if len(problems) >= MAX_PROBLEMS:
            break
    return Columns(*map(join_parts, parts))


def _wrong_ratings(block: Block, code_of: NDArray[np.int32], scale: Scale, file: str) -> Iterator[Problem]:
    users, films, values, times = block.rows.T
    wrong_ids = [(ids < 0) | (ids >= LARGEST_ID) | (ids != np.floor(ids)) for ids in (users, films)]
    known = code_of[np.clip(films, 0, len(code_of) - 1).astype(np.int64)] >= 0
    checks = (
        (wrong_ids[0], 0, "the userId must be a whole number, got {:g}."),
        (wrong_ids[1], 1, "the movieId must be a whole number, got {:g}."),
        (~known & ~wrong_ids[1], 1, "the movieId {:.0f} is not in the file of films."),
        (~scale.holds(values), 2, f"the rating {{:g}} is not on the scale {scale}."),
        ((times < 0) | (times != np.floor(times)), 3, "the timestamp must be a whole number of seconds, got {:.17g}."),
    )
    for wrong, column, message in checks:
        for row in np.flatnonzero(wrong)[:MAX_PROBLEMS].tolist():
            yield Problem(message.format(block.rows[row, column]), file, block.first_line + row, COLUMNS[column])


def _published_only(columns: Columns, catalogue: Catalogue, path: Path, problems: list[Problem], note: Note) -> Columns:
    """Published ratings, without rows added after a published edition; other columns unchanged."""
    counts = next((card.counts for card in SOURCES if card.counts["films"] == len(catalogue)), None)
    if counts is None:
        return columns
    published, found = counts["ratings"], len(columns.users)
    if found < published and not problems:
        note(Problem(f"{found} ratings found, but {published} were published. Is the file complete?", str(path)))
    if not published < found <= published * (1 + MAX_ADDED):
        return columns
    if len(np.unique(columns.users[:published])) != counts["users"]:
        return columns
    behind = _line(published, path)
    problems[:] = [problem for problem in problems if problem.line is None or problem.line < behind]
    if not problems:
        more = f"{found - published} rows after the {published} published ratings were left out."
        note(Problem(more, str(path), behind, hint="They are not part of MovieLens. Did an application append them?"))
    return Columns(*(column[:published] for column in list[NDArray[Any]](columns)))


def _rated_twice(columns: Columns, catalogue: Catalogue, path: Path) -> Iterator[Problem]:
    ids = tuple(catalogue)
    for row in rows_twice(columns.users, columns.films, len(ids))[:MAX_PROBLEMS].tolist():
        what = f"user {columns.users[row]} already rated film {ids[columns.films[row]]} in an earlier row."
        yield Problem(what, str(path), _line(row, path), hint="Remove one of the two rows.")


def _line(row: int, path: Path) -> int:
    """The line of a row counted from 0, in a file without blank lines."""
    return row + (2 if path.name.endswith(".csv") else 1)


def _people(path: Path) -> dict[str, dict[str, str]]:
    if not path.exists():
        return {}
    people: dict[str, dict[str, str]] = {}
    occupations = OCCUPATIONS.split("|")
    problems: list[Problem] = []
    for line, row in _rows(path, "::"):
        if len(row) != 5 or row[2] not in AGES or not row[3].isdigit() or int(row[3]) >= len(occupations):
            hint = "Expected UserID::Gender::Age::Occupation::Zip-code, age and occupation as codes of the README."
            problems.append(Problem(f"this row cannot be read: {'::'.join(row)[:60]!r}.", str(path), line, hint=hint))
        else:
            people[row[0]] = {"gender": row[1], "age": AGES[row[2]], "occupation": occupations[int(row[3])]}
    if problems:
        raise DataError(problems)
    return people


LATEST_SMALL, ML_1M, ML_10M, ML_20M, ML_25M, ML_32M = (
    Corpus(card(f"movielens-{edition}", "movielens"), None)
    for edition in ("latest-small", "1m", "10m", "20m", "25m", "32m")
)
SOURCES = tuple(corpus.source for corpus in (LATEST_SMALL, ML_1M, ML_10M, ML_20M, ML_25M, ML_32M))

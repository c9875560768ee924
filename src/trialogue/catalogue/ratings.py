"""Ratings of items by users in columns, from rows or from a table of any domain."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trialogue.catalogue.files import DELIMITERS
from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files.jsonl import MAX_PROBLEMS, read_lines

LARGEST_INT32 = np.iinfo(np.int32).max
BLOCK = 1 << 20  # rows checked at a time

AnyNumber = TypeVar("AnyNumber", bound=np.generic)


@dataclass(frozen=True)
class Scale:
    """Rating scale: range and step."""

    low: float
    """Lowest value of a rating; always below ``high``."""
    high: float
    """Highest value of a rating."""
    step: float | None = None
    """Distance between neighbouring values; None: any value between the ends."""

    def __post_init__(self) -> None:
        if not self.low < self.high or (self.step is not None and self.step <= 0):
            raise UsageError(
                f"A scale must increase in positive steps; given: {self.low} to {self.high}, step {self.step}."
            )

    def holds(self, values: ArrayLike) -> NDArray[np.bool_]:
        """Whether each value is on the scale; NaN never is."""
        array = np.asarray(values, dtype=np.float64)
        inside = (array >= self.low) & (array <= self.high)
        if self.step is None:
            return np.asarray(inside)
        steps = (np.where(inside, array, self.low) - self.low) / self.step
        return np.asarray(inside & (np.abs(steps - np.round(steps)) < 1e-4))  # float32 keeps 7 digits

    def __str__(self) -> str:
        return f"{self.low:g} to {self.high:g}" + (f" in steps of {self.step:g}" if self.step is not None else "")


@dataclass(frozen=True, eq=False)
class Ratings:
    """User-item ratings as columns; users and items are codes into vocabularies.

    Build it with ``from_columns``, which checks. The arrays are read-only.
    """

    users: tuple[str, ...]
    """User ids; ``user_codes`` point into it."""
    items: tuple[str, ...]
    """Item ids, indexed by ``item_codes``. Unrated items are allowed."""
    user_codes: NDArray[np.int32]
    """User of each rating, shape (n,)."""
    item_codes: NDArray[np.int32]
    """Item of each rating, shape (n,)."""
    values: NDArray[np.float32]
    """The ratings, shape (n,), on ``scale``."""
    scale: Scale
    """The values a rating can have."""
    times: NDArray[np.signedinteger[Any]] | None = None
    """Seconds since 1970 (UTC), shape (n,); None where they are unknown."""

    @classmethod
    def from_columns(
        cls,
        *,
        users: Sequence[str],
        items: Sequence[str],
        user_codes: ArrayLike,
        item_codes: ArrayLike,
        values: ArrayLike,
        scale: Scale,
        times: ArrayLike | None = None,
    ) -> "Ratings":
        """Create ratings from columns of equal length; suitable arrays are not copied.

        Raises:
            DataError: ids that occur twice, columns of different lengths, codes without an id, values off the scale,
                or pairs of user and item that occur twice; all that is wrong at once.
        """
        made = cls(
            users=tuple(users),
            items=tuple(items),
            user_codes=_read_only(_as_codes(user_codes, "user")),
            item_codes=_read_only(_as_codes(item_codes, "item")),
            values=_read_only(np.asarray(values).astype(np.float32, copy=False)),
            scale=scale,
            times=None if times is None else _read_only(_lean(np.asarray(times))),
        )
        if problems := list(_problems(made)):
            raise DataError([Problem(what, hint=hint) for what, hint in problems])
        return made

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, float]], *, scale: Scale, items: Sequence[str] = ()) -> "Ratings":
        """Create ratings from (user id, item id, value) rows; vocabularies are in order of appearance, after ``items``.

        >>> ratings = Ratings.from_rows([("ann", "1", 4.0), ("bob", "1", 5.0), ("ann", "2", 3.0)], scale=Scale(1, 5, 1))
        >>> ratings.of_user("ann"), ratings.popularity()
        ({'1': 4.0, '2': 3.0}, {'1': 2, '2': 1})

        Raises:
            DataError: as from_columns does.
        """
        user_codes: dict[str, int] = {}
        item_codes = {item: code for code, item in enumerate(dict.fromkeys(items))}
        rated_by: list[int] = []
        rated: list[int] = []
        values: list[float] = []
        for user, item, value in rows:
            rated_by.append(user_codes.setdefault(user, len(user_codes)))
            rated.append(item_codes.setdefault(item, len(item_codes)))
            values.append(value)
        return cls.from_columns(
            users=tuple(user_codes),
            items=tuple(item_codes),
            user_codes=np.array(rated_by, dtype=np.int32),
            item_codes=np.array(rated, dtype=np.int32),
            values=values,
            scale=scale,
        )

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Ratings({len(self)} by {len(self.users)} users of {len(self.items)} items, {self.scale})"

    @property
    def nbytes(self) -> int:
        """Size of the columns in bytes, without the vocabularies."""
        columns = (self.user_codes, self.item_codes, self.values, self.times)
        return sum(column.nbytes for column in columns if column is not None)

    def counts(self) -> NDArray[np.int64]:
        """Number of ratings per item, shape (n_items,)."""
        return np.bincount(self.item_codes, minlength=len(self.items))

    def means(self) -> dict[str, float | None]:
        """Mean rating by item id, in the order of ``items``; None for an unrated item."""
        sums = np.bincount(self.item_codes, weights=self.values, minlength=len(self.items)).tolist()
        counts = self.counts().tolist()
        return {item: total / n if n else None for item, total, n in zip(self.items, sums, counts, strict=True)}

    def popularity(self) -> dict[str, int]:
        """Number of ratings by item id, in the order of ``items``."""
        return dict(zip(self.items, self.counts().tolist(), strict=True))

    def rows_of_user(self, user: str) -> NDArray[np.intp]:
        """Row indices of one user's ratings, in order.

        Raises:
            UsageError: there is no such user.
        """
        return np.arange(len(self))[self._rows_of(user)]

    def _rows_of(self, user: str) -> slice | NDArray[np.intp]:
        if user not in self._user_code:
            raise UsageError(f"There is no user {user!r} among the {len(self.users)} of these ratings.")
        code = self._user_code[user]
        order, bounds = self._rows_by_user
        rows = slice(int(bounds[code]), int(bounds[code + 1]))
        return rows if order is None else order[rows]

    def of_user(self, user: str) -> dict[str, float]:
        """One user's ratings by item id, in file order.

        Raises:
            UsageError: there is no such user.
        """
        rows = self._rows_of(user)
        items = map(self.items.__getitem__, self.item_codes[rows].tolist())
        return dict(zip(items, self.values[rows].tolist(), strict=True))

    @cached_property
    def _user_code(self) -> Mapping[str, int]:
        return {user: code for code, user in enumerate(self.users)}

    @cached_property
    def _rows_by_user(self) -> tuple[NDArray[np.intp] | None, NDArray[np.int64]]:
        """(rows in order of users, None if they are already; where each user's begin)."""
        per_user = np.bincount(self.user_codes, minlength=len(self.users))
        bounds = np.concatenate(([0], np.cumsum(per_user)))
        if len(self) == 0 or bool(np.all(self.user_codes[1:] >= self.user_codes[:-1])):
            return None, bounds
        return np.argsort(self.user_codes, kind="stable"), bounds


def _read_only(column: NDArray[AnyNumber]) -> NDArray[AnyNumber]:
    view = column.view()
    view.flags.writeable = False
    return view


def _as_codes(column: ArrayLike, word: str) -> NDArray[np.int32]:
    array = np.asarray(column)
    if array.size and array.dtype.kind not in "iu":
        raise DataError(Problem(f"{word} codes are of type {array.dtype}.", hint="They must be whole numbers from 0."))
    if array.size and int(array.max()) > LARGEST_INT32:
        raise DataError(Problem(f"a {word} code is {array.max()}.", hint=f"Codes count {word}s from 0."))
    return array.astype(np.int32, copy=False)


def _lean(times: NDArray[Any]) -> NDArray[np.signedinteger[Any]]:
    whole = times.astype(np.int64, copy=False)
    if whole.size and max(abs(int(whole.min())), abs(int(whole.max()))) > LARGEST_INT32:
        return whole  # after January 2038
    return whole.astype(np.int32, copy=False)


def _problems(ratings: Ratings) -> Iterable[tuple[str, str]]:
    """Pairs (mistake, remedy)."""
    for word, ids in (("user", ratings.users), ("item", ratings.items)):
        if len(set(ids)) < len(ids):
            yield f"{len(ids) - len(set(ids))} {word} ids occur twice among {len(ids)}.", "Give each its own id."
    columns = (ratings.user_codes, ratings.item_codes, ratings.values, ratings.times)
    lengths = [column.shape for column in columns if column is not None]
    if len(set(lengths)) > 1 or len(lengths[0]) != 1:
        yield f"the columns have the shapes {lengths}.", "They need one value for every rating."
        return
    codes = ((ratings.user_codes, ratings.users, "user"), (ratings.item_codes, ratings.items, "item"))
    for column, ids, word in codes:
        strange = int(np.count_nonzero((column < 0) | (column >= len(ids))))
        if strange:
            yield f"{strange} {word} codes are not among 0 to {len(ids) - 1}.", f"Codes count {word}s from 0."
            return
    off = [
        start + row for start, block in _blocks(ratings.values) for row in np.flatnonzero(~ratings.scale.holds(block))
    ]
    if off:
        first = ratings.values[off[0]]
        yield (
            f"{len(off)} ratings are outside the scale {ratings.scale}: row {off[0]} is {first:g}.",
            "Is the scale right?",
        )
    twice = rows_twice(ratings.user_codes, ratings.item_codes, len(ratings.items))
    if len(twice):
        what = f"{len(twice)} ratings, the first in row {twice[0]}, repeat an item that the same user already rated."
        yield what, "Keep one rating, such as the latest."


def _blocks(values: NDArray[np.float32]) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """(first row, values) of consecutive blocks, so that checking a column does not take a multiple of its memory."""
    for start in range(0, len(values), BLOCK):
        yield start, values[start : start + BLOCK]


def rows_twice(users: NDArray[np.int32], items: NDArray[np.int32], n_items: int) -> NDArray[np.intp]:
    """Rows whose (user, item) pair occurred in an earlier row, ascending; items are codes below n_items."""
    pairs = users.astype(np.int64)
    pairs *= n_items
    pairs += items
    if len(pairs) == 0 or bool(np.all(pairs[1:] > pairs[:-1])):  # files are mostly in order: no need to sort
        return np.zeros(0, dtype=np.intp)
    order = np.argsort(pairs, kind="stable")
    same = pairs[order[1:]] == pairs[order[:-1]]
    return np.sort(order[1:][same])


COLUMNS = {
    "user": ("user", "user_id", "userid", "reader", "rater", "customer"),
    "item": ("item", "item_id", "itemid", "movieid", "book", "book_id", "isbn", "id"),
    "rating": ("rating", "stars", "score", "value"),
}
"""Columns with their accepted names; others are ignored."""
SCALES = (
    Scale(1, 5, 1),
    Scale(0.5, 5, 0.5),
    Scale(0, 5, 0.5),
    Scale(0, 1, 1),
    Scale(1, 10, 1),
    Scale(0, 10, 0.5),
    Scale(0, 100),
)
"""Scales that are tried, the narrowest first."""


def read_ratings(path: Path | str, *, scale: Scale | None = None) -> Ratings:
    """Read ratings from a table with a header (CSV, TSV or semicolons), one user, item and rating per line.

    Args:
        path: the file; it may be compressed.
        scale: the values that a rating can have; None: the first of ``SCALES`` that holds all of them.

    Raises:
        DataError: columns are missing, every line that cannot be read, an item rated twice by one user, or ratings on no
            known scale.
    """
    path = Path(path)
    rows: list[tuple[str, str, float]] = []
    places: dict[tuple[str, str], int] = {}
    problems: list[Problem] = []
    for line, row in _rows(path):
        user, item, given = row
        value = _number(given)
        if not user or not item or value is None:
            problems.append(
                Problem(f"this is not a rating: user {user!r}, item {item!r}, rating {given!r}.", str(path), line)
            )
        elif (first := places.setdefault((user, item), line)) != line:
            what = f"{user!r} already rated {item!r} in line {first}."
            problems.append(Problem(what, str(path), line, hint="Keep one rating, such as the latest."))
        else:
            rows.append((user, item, value))
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise DataError(problems)
    if not rows:
        raise DataError(Problem("this file has no ratings.", str(path), hint="Is the file complete?"))
    return Ratings.from_rows(rows, scale=scale or _scale([value for _, _, value in rows], path))


def _rows(path: Path) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """(line, (user, item, rating)) of each row."""
    lines = read_lines(path)
    number, header = next(((number, text) for number, text in lines if text.strip()), (1, ""))
    delimiter = max(DELIMITERS, key=header.count)
    places = _places(next(csv.reader([header], delimiter=delimiter), []), path, number)
    for number, text in lines:
        if text.strip():
            cells = [cell.strip() for cell in next(csv.reader([text], delimiter=delimiter))]
            cells += [""] * (max(places) + 1 - len(cells))
            yield number, (cells[places[0]], cells[places[1]], cells[places[2]])


def _places(header: list[str], path: Path, line: int) -> tuple[int, int, int]:
    names = [name.strip().casefold() for name in header]
    found = [next((names.index(name) for name in known if name in names), None) for known in COLUMNS.values()]
    missing = [name for name, place in zip(COLUMNS, found, strict=True) if place is None]
    if missing:
        what = f"the header has no column {' and no column '.join(missing)}; it is: {', '.join(names) or 'empty'}."
        raise DataError(Problem(what, str(path), line, hint="Ratings need the columns user, item and rating."))
    user, item, rating = (place or 0 for place in found)
    return user, item, rating


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 1e9 else None  # neither endless nor "not a number"


def _scale(values: list[float], path: Path) -> Scale:
    for scale in SCALES:
        if scale.holds(values).all():
            return scale
    known = "; ".join(map(str, SCALES))
    what = f"ratings from {min(values):g} to {max(values):g} fit no known scale ({known})."
    raise DataError(Problem(what, str(path), hint="Convert them to one of these, such as 1 to 5."))

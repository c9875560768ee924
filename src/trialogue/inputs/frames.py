"""Read rows of data frames (pandas, polars, Arrow, ``datasets``) without importing any of these libraries."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias, cast

from trialogue.datasets.tables.rows import Row, Table

Rows: TypeAlias = Callable[[], Iterable[Mapping[Any, Any]]]


def is_frame(given: object) -> bool:
    """Whether an object is a table that can return its rows as dictionaries."""
    return _row_iterator(given) is not None


def table_of_frame(given: object) -> Table:
    """Rows of a data frame, numbered from 0 as in ``iloc``; headings as text, missing values as None."""
    maker = _row_iterator(given)
    assert maker is not None  # is_frame
    rows = maker()
    heads: Any = getattr(given, "column_names", None)  # first: ``columns`` of Arrow are the cells
    heads = getattr(given, "columns", ()) if heads is None or callable(heads) else heads
    return table_of_rows(rows, [str(head) for head in heads])


def table_of_rows(rows: Iterable[Mapping[Any, Any]], columns: Iterable[str] = ()) -> Table:
    """Table of dictionaries, numbered from 0.

    Args:
        rows: cells by heading.
        columns: all headings, where they are known; others follow in the order in which they come.
    """
    numbered = [
        Row(index, {str(head): plain(cell) for head, cell in cells.items()}) for index, cells in enumerate(rows)
    ]
    heads = dict.fromkeys(columns) | dict.fromkeys(head for row in numbered for head in row.cells)
    return Table(list(heads), numbered)


def plain(cell: Any) -> Any:
    """Convert a cell to a plain Python value: None if missing, arrays to lists, numpy numbers, else text.

    >>> plain(float("nan")), plain((1, None)), plain("a")
    (None, [1, None], 'a')
    """
    if cell is None or isinstance(cell, str | bool | int):
        return cell
    if isinstance(cell, Mapping):
        return {str(key): plain(value) for key, value in cell.items()}
    if isinstance(cell, list | tuple):
        return [plain(value) for value in cell]
    if _is_missing(cell):
        return None
    if isinstance(cell, float):
        return cell
    for name in ("tolist", "to_list"):  # numpy's arrays and numbers, polars' series
        if callable(maker := getattr(cell, name, None)):
            return plain(maker())
    return str(cell)


def _is_missing(cell: Any) -> bool:
    """Whether a cell is NaN, NaT or pandas' NA, none of which is equal to itself."""
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):  # NA refuses to be a truth value; so does an array of several
        return not hasattr(cell, "__len__")


def _row_iterator(given: object) -> "Rows | None":
    """Row iterator of a frame of polars, Arrow, ``datasets`` or pandas, tried in this order; None: not a frame."""
    if isinstance(given, type) or not (hasattr(given, "columns") or hasattr(given, "column_names")):
        return None
    for name in ("to_dicts", "to_pylist"):
        if callable(maker := getattr(given, name, None)):
            return cast("Rows", maker)
    if hasattr(given, "column_names") and callable(maker := getattr(given, "to_list", None)):
        return cast("Rows", maker)
    if callable(maker := getattr(given, "to_dict", None)):
        return lambda: maker(orient="records")
    return None

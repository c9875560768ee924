"""Tables of text that pages, terminals and files share."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Column heads, and rows that start with their subject."""

    heads: tuple[str, ...]
    """One for each column."""
    rows: tuple[tuple[str, ...], ...]
    """Cells, as many in each row as there are heads."""
    strong: frozenset[int] = frozenset()
    """Rows that stand out, by their place."""

    def drop_columns(self, *heads: str) -> "Table":
        """The table without some columns, for a place that has no room for them.

        >>> Table(("a", "b"), (("1", "2"),)).drop_columns("b").rows
        (('1',),)
        """
        kept = [place for place, head in enumerate(self.heads) if head not in heads]
        rows = tuple(tuple(row[place] for place in kept) for row in self.rows)
        return Table(tuple(self.heads[place] for place in kept), rows, self.strong)

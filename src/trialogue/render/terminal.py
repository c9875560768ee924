"""Render tables and sentences as terminal lines, without colors."""

import io
import re
import shutil
import textwrap
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from trialogue.render.table import Table
from trialogue.render.text import columns as text_columns
from trialogue.render.text import columns_of_words, one_line

if TYPE_CHECKING:
    from rich.table import Table as RichTable


def columns(width: int | None, *, least: int, most: int) -> int:
    """Output width: as requested, or the terminal's (80 if unknown), within bounds."""
    return min(most, max(least, width or shutil.get_terminal_size((80, 24)).columns))


def new_table() -> "RichTable":
    """Table in the common style: a rule below the heads, no frame."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable

    return RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)


def draw_table(table: "RichTable", width: int) -> str:
    """Render a table as lines of at most ``width`` characters, without trailing spaces."""
    from rich.console import Console

    stream = io.StringIO()
    plain = {"color_system": None, "highlight": False, "markup": False, "emoji": False, "legacy_windows": False}
    Console(file=stream, width=width, **plain).print(table)  # type: ignore[arg-type]  # the options are not one type
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()).strip("\n")


def wrap_sentences(sentences: Iterable[str], width: int) -> str:
    """Wrap sentences as paragraphs of at most ``width`` characters per line."""
    return "\n".join(textwrap.fill(one_line(sentence), width) for sentence in sentences)


def draw_cells(cells: Table, width: int) -> str:
    """A table of text: its first column and words to the left, numbers to the right, long cells folded."""
    from rich.text import Text

    drawn = new_table()
    words = columns_of_words(cells.texts)
    for place, head in enumerate(cells.heads):
        drawn.add_column(Text(head), justify="left" if place == 0 or place in words else "right", overflow="fold")
    for place, row in enumerate(cells.texts):
        if cells.below_rule and place == len(cells.rows) - cells.below_rule:
            drawn.add_section()
        drawn.add_row(*(Text("\n".join(map(one_line, cell.splitlines()))) for cell in row))
    return draw_table(drawn, width)


def split_cells(cells: Table, width: int) -> list[Table]:
    """The table in parts that fit a terminal, each with its first column."""
    lines = [[head, *texts] for head, texts in zip(cells.heads, zip(*cells.texts, strict=True), strict=True)]
    rows = [max(map(text_columns, "\n".join(texts).splitlines()), default=0) + 3 for _, *texts in lines]
    heads = [max(map(text_columns, re.split(r"\s", head)), default=0) + 3 for head, *_ in lines]
    needed = [max(each) for each in zip(rows, heads, strict=True)]
    parts: list[list[int]] = []
    for place in range(1, len(needed)):
        if not parts or needed[0] + sum(needed[each] for each in (*parts[-1], place)) > width:
            parts.append([])
        parts[-1].append(place)
    return [_without_empty_rows(cells.columns([0, *part])) for part in parts] or [cells]


def _without_empty_rows(cells: Table) -> Table:
    """Without rows below the rule that have nothing in these columns."""
    rule = len(cells.rows) - cells.below_rule
    kept = [row for row in cells.rows[rule:] if any(map(str, row[1:]))]
    return replace(cells, rows=(*cells.rows[:rule], *kept), below_rule=len(kept))

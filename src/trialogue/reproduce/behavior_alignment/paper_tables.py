"""One table per table or figure of the paper: paper, ours, verdict; repeated conditions are stated once below."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import write_text
from trialogue.reproduce.behavior_alignment.rows import STATUS, Row, render_estimate, three_decimals
from trialogue.subjects.alignment.differentiation import Differentiation


@dataclass(frozen=True)
class PaperTable:
    """One table of the paper beside ours."""

    title: str
    data: str | None
    """The data that all rows rest on; None where rows differ, and each says its own."""
    heads: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]
    """Each once; cells refer to them by number, from 1."""


def paper_tables(rows: Sequence[Row]) -> list[PaperTable]:
    """One table per part of the paper, in the order of the rows."""
    return [_table(part, [row for row in rows if row.part == part]) for part in dict.fromkeys(row.part for row in rows)]


def _table(title: str, rows: Sequence[Row]) -> PaperTable:
    notes = tuple(dict.fromkeys(row.why for row in rows if row.why))
    sources = dict.fromkeys(row.on for row in rows)
    shared = len(sources) == 1
    cells = []
    for row in rows:
        mark = f" ({notes.index(row.why) + 1})" if row.why else ""
        data = () if shared else (row.on,)
        cells.append((row.what, *data, three_decimals(row.paper), render_estimate(row.ours), STATUS[row.status] + mark))
    heads = ("", *(() if shared else ("data",)), "paper", "ours", "verdict")
    return PaperTable(title, next(iter(sources)) if shared else None, heads, tuple(cells), notes)


def as_markdown(table: PaperTable) -> str:
    """The table with its heading and notes, as Markdown."""
    lines = [f"## {table.title}\n"]
    if table.data:
        lines.append(f"Data: {table.data}\n")
    lines += ["| " + " | ".join(table.heads) + " |", "|" + "---|" * len(table.heads)]
    lines += ["| " + " | ".join(cells) + " |" for cells in table.cells]
    lines += ["", *(f"({number}) {note}\n" for number, note in enumerate(table.notes, start=1))]
    return "\n".join(lines)


def as_text(table: PaperTable, *, width: int) -> str:
    """The table with heading and notes, for a terminal of a given width."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in table.heads:
        shown.add_column(head, overflow="fold", justify="right" if head == "paper" else "left")
    for cells in table.cells:
        shown.add_row(*map(Text, cells))
    stream = io.StringIO()
    console = Console(file=stream, width=width, color_system=None, highlight=False, markup=False, emoji=False)
    console.print(Text(table.title))
    if table.data:
        console.print(Text(f"Data: {table.data}"))
    console.print(shown)
    for number, note in enumerate(table.notes, start=1):
        console.print(Text(f"({number}) {note}"))
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().splitlines())


HEAD = """# Behavior Alignment (SIGIR 2024): the paper's numbers next to ours

Yang, Chen & Fang (2024), "Behavior Alignment: A New Perspective of Evaluating LLM-based Conversational Recommendation
Systems". Numbers in brackets are 95% intervals that resample whole dialogues, people or sentences, never individual
pairs, unless noted.
"""


@dataclass(frozen=True)
class Reproduction:
    """All reproduced numbers, and those that could not be reproduced."""

    rows: tuple[Row, ...]
    figures: dict[str, tuple[Differentiation, ...]]
    """Figure 3 on different pairs, by description."""

    def write(self, folder: Path) -> Path:
        """Write ``reproduction.md``, ``reproduction.jsonl`` and a figure for each set of pairs; returns the page."""
        from trialogue.subjects.alignment.pages.figures import mixtures

        lines = [to_line(row) for row in self.rows]
        lines += [to_line(one) for found in self.figures.values() for one in found]
        write_text(folder / "reproduction.jsonl", "".join(f"{line}\n" for line in lines))
        pictures = []
        for number, (title, found) in enumerate(self.figures.items(), start=1):
            figure = mixtures(found, name=f"differentiation-{number}")
            write_text(folder / f"{figure.name}.svg", figure.svg)
            pictures.append(f"### {title}\n\n![{figure.alt}]({figure.name}.svg)\n\n{figure.caption}\n")
        page = folder / "reproduction.md"
        write_text(
            page,
            "\n".join(
                [HEAD, *map(as_markdown, paper_tables(self.rows)), *(["## Figure 3\n"] if pictures else []), *pictures]
            ),
        )
        return page

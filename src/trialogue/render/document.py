"""A document: sections of sentences, tables and figures, and threats, which each medium renders once (``render.media``).

A table has rows of one kind, and columns that say where they are shown. Files hold the ``raw`` cells, people read their
``text``: nothing is rounded in a file, and nothing undefined becomes 0 anywhere.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Generic, TypeAlias, TypeVar

from trialogue.findings.threat import Severity, Threat
from trialogue.findings.threats.summary import threat_lines
from trialogue.findings.threats.texts import severity_heading
from trialogue.records import Estimate, Manifest, Record
from trialogue.render.numbers import MISSING, column_decimals, estimate_text, number, supported_decimals
from trialogue.render.plots.base import Figure
from trialogue.render.table import AnyCell, Cell, Insert
from trialogue.render.table import Table as Cells
from trialogue.render.text import distinct_texts, short_names

T = TypeVar("T")


class Medium(StrEnum):
    """Where people read a document."""

    TERMINAL = "terminal"
    """Plain text, 60 to 130 columns wide."""
    PAGE = "page"
    """HTML."""
    PAPER = "paper"
    """LaTeX and Markdown tables."""


EVERYWHERE = frozenset(Medium)
PAGES = EVERYWHERE - {Medium.TERMINAL}


@dataclass(frozen=True)
class Column(Generic[T]):
    """One column: what it takes from a row, how that is written, and where."""

    head: str
    """Above it; "": only files have it."""
    raw: Callable[[T], Any]
    """Its cell in a row; None: undefined."""
    text: Callable[[Any], AnyCell] | None = None
    """The cell as people read it; None: by its type, where the estimates of a column share their decimals."""
    key: str = ""
    """Its name in files, which get the value of an estimate; "": they lack it."""
    where: frozenset[Medium] = EVERYWHERE
    """Media that show it."""
    note: str = ""
    """What it holds, said below the table; "": its head says it."""
    longest: int | None = None
    """Columns of a terminal, or characters on paper, from which names are cut in the middle; None: they are not."""
    unit: str = ""
    """Below its head on pages."""
    foot: str = ""
    """Its cell in a last row on pages."""

    def texts(self, rows: Sequence[T]) -> list[AnyCell]:
        """The cells as people read them."""
        values = [self.raw(row) for row in rows]
        write = self.text or _by_type(column_decimals(each for each in values if isinstance(each, Estimate)))
        return [MISSING if value is None else write(value) for value in values]

    def names(self, rows: Sequence[T], medium: Medium) -> Mapping[str, str]:
        """Names that are too long for a medium, and how it shows them, each in its own way."""
        if self.longest is None or medium is Medium.PAGE:
            return {}
        short = short_names(map(str, self.texts(rows)), self.longest)
        return {name: text for name, text in short.items() if name != text}


@dataclass(frozen=True)
class Table(Generic[T]):
    """Rows of one kind. One without rows is shown nowhere, and neither is what stands around it."""

    label: str
    """What it shows, for those who cannot see it."""
    rows: Sequence[T]
    columns: Sequence[Column[T]]
    lead: str = ""
    """Said above it on pages."""
    heading: str = ""
    """Said above it on a terminal."""
    note: str = ""
    """Said below it."""
    most: int | None = None
    """Rows on a terminal; None: all."""
    noun: str = "row"
    """What a row is, where more of them are in the report."""
    strong: Callable[[T], bool] | None = None
    """Whether a row stands out; None: none does."""
    file: str = ""
    """Name of a CSV file of its own, without suffix, shared with tables of that name; "": that of the document."""
    paper: str = ""
    """Name of the LaTeX and Markdown files that hold it alone, without suffix; "": there are none."""
    caption: str = ""
    """Said above it in a paper, where it is read without what surrounds it; "": its label."""
    below_rule: int = 0
    """Rows at the bottom below a rule, to compare with."""
    points: float | None = None
    """Width on paper that it must fit, with its intervals below the values; None: it may be as wide as it is."""
    splits: bool = False
    """Whether columns that a terminal is too narrow for become further tables, and are not folded."""
    where: frozenset[Medium] = EVERYWHERE
    """Media that show it."""

    def cells(self, medium: Medium) -> Cells:
        """Heads and rows as a medium shows them, without columns that have no value in any row."""
        rows, columns = self._rows_of(medium), self._columns_of(medium)
        heads = distinct_texts([each.head for each in columns])
        short = [each.names(rows, medium) for each in columns]
        texts = [
            [_shorten_cell(cell, names) for cell in each.texts(rows)]
            for each, names in zip(columns, short, strict=True)
        ]
        strong = frozenset(place for place, row in enumerate(rows) if self.strong is not None and self.strong(row))
        units, feet = ([getattr(each, part) for each in columns] for part in ("unit", "foot"))
        whole = Cells(
            tuple(heads),
            tuple(zip(*texts, strict=True)),
            strong,
            tuple(units) if any(units) else (),
            tuple(feet) if any(feet[1:]) else (),
            self.below_rule,
        )
        kept = [place for place, cells in enumerate(texts) if any(str(cell) not in ("", MISSING) for cell in cells)]
        return whole.columns(kept).number_notes()

    def notes(self, medium: Medium) -> list[str]:
        """What is said below it: about the columns shown, then about all of it."""
        heads = self.cells(medium).heads
        said = [f"{each.head}: {each.note}." for each in self._columns_of(medium) if each.note and each.head in heads]
        said += [self.note] if self.note else []
        keys = [each.names(self.rows, medium) for each in self._columns_of(medium)] if medium is Medium.PAPER else []
        said += [f"{short}: {name}." for names in keys for name, short in names.items()]
        return [" ".join(said)] if said else []

    def tidy(self) -> list[dict[str, Any]]:
        """Unrounded rows for files and data frames; empty where no column has a key."""
        keyed = [each for each in self.columns if each.key]
        if len({each.key for each in keyed}) < len(keyed):
            raise ValueError(f"two columns of a table have one name in files: {[each.key for each in keyed]}")
        return [{each.key: _plain(each.raw(row)) for each in keyed} for row in self.rows] if keyed else []

    def _rows_of(self, medium: Medium) -> Sequence[T]:
        return self.rows[: self.most] if medium is Medium.TERMINAL else self.rows

    def _columns_of(self, medium: Medium) -> list[Column[T]]:
        return [each for each in self.columns if each.head and medium in each.where]


@dataclass(frozen=True)
class Sentences:
    """Paragraphs, or the items of a list."""

    texts: Sequence[str]
    style: str = "lead"
    """``"lead"``, ``"warnings"`` (a list), ``"said"`` (those on one system as a list) or ``""``: how pages set them."""
    where: frozenset[Medium] = EVERYWHERE
    """Media that show them."""


@dataclass(frozen=True)
class Link:
    """A link of pages to another one."""

    href: str
    text: str
    about: str = ""
    """What it is about, for those who hear it alone."""


@dataclass(frozen=True)
class Section:
    """Parts below a heading; one without parts to show is left out."""

    title: str
    parts: "Sequence[Part]"
    name: str = ""
    """Address on the page; "": a section within another has none."""
    fold: bool = False
    """Whether pages hide it until it is opened."""
    is_extra: bool = False
    """Whether a printed page has it only if it was opened."""
    where: frozenset[Medium] = EVERYWHERE
    """Media that show it."""


Part: TypeAlias = "Table[Any] | Sentences | Figure | Link | Insert | Section | None"
"""A part of a section; None is left out."""


@dataclass(frozen=True)
class Document:
    """Everything that a subject says, the answer first."""

    name: str
    """Of its files, without suffix."""
    brand: str
    """What kind of page it is."""
    title: str
    """Title of the data."""
    answer: Sequence[str]
    """The verdict in sentences, the first one in large letters."""
    sections: Sequence[Section]
    record: Record
    """The findings that it shows, written as JSON."""
    manifest: Manifest
    clearance: str = ""
    """Said below the answer where nothing speaks against it; "": something does."""
    aside: Sequence[Part] = ()
    """Sentences and links beside the facts, on pages."""
    further: Sequence[str] = ()
    """More of the answer, which pages fold."""
    against: Sequence[str] = ()
    """What limits the answer, as a list below it."""
    threats: Sequence[Threat] = ()
    """Threats to the verdict."""
    threats_of: str = ""
    """Said beside their counts; "": nothing."""
    threat_links: Sequence[Link] = ()
    """Links to the dialogues that threats are about."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """What a measure is called in a threat, by its name."""
    colors: Mapping[str, str] = field(default_factory=dict)
    """Colors of systems, as roles of the theme, in their order."""
    is_linked: bool = False
    """Whether figures lead to the explorer beside the page."""
    facts: Sequence[tuple[int, str, str]] = ()
    """(How many, of one, of many) of what was analysed; what there is none of is left out."""
    first: Sequence[Part] = ()
    """A small table and a figure below the answer, side by side, on pages."""
    closing: Sequence[str] = ()
    """Sentences at the end of a terminal's text."""
    warnings: Sequence[str] = ()
    """Notes on the data."""
    methods: Sequence[str] = ()
    """Paragraphs on what was computed."""
    sources: Sequence[str] = ()
    """Publications behind it."""
    findings: str = ""
    """Name of the JSON file; "": that of the document."""
    provenance: Sequence[tuple[str, str]] = ()
    """(What, value) that the manifest lacks."""
    beside: Sequence[str] = ()
    """Further files that are written with it."""
    paper: str = ""
    """Name of the LaTeX and Markdown files that hold all its tables for papers, without suffix; "": there are none."""
    is_folded: bool = False
    """Whether pages fold every section, so that the answer and what stands beside it fill the first screen."""
    is_titled: bool = False
    """Whether a terminal shows the title, since the answer does not name what it is about."""

    @property
    def tables(self) -> list[Table[Any]]:
        """Its tables, in order."""
        return [each for each in self._parts() if isinstance(each, Table)]

    def tables_of(self, medium: Medium) -> list[Table[Any]]:
        """Tables with rows that a medium shows, in order."""
        shown = _walk(self.sections, medium)
        return [each for each in shown if isinstance(each, Table) and each.rows and medium in each.where]

    @property
    def json_name(self) -> str:
        """Name of the file that holds everything."""
        return self.findings or f"{self.name}.json"

    def csv_tables(self) -> dict[str, list[Table[Any]]]:
        """Tables with keys by the name of their CSV file; a file that is not the document's own needs rows."""
        found: dict[str, list[Table[Any]]] = {}
        for table in self.tables:
            if any(each.key for each in table.columns):
                found.setdefault(f"{table.file or self.name}.csv", []).append(table)
        return {name: tables for name, tables in found.items() if any(table.rows or not table.file for table in tables)}

    @property
    def figures(self) -> list[Figure]:
        """Its figures, in order, each once."""
        return list({each.name: each for each in self._parts() if isinstance(each, Figure)}.values())

    def threat_lists(self) -> list[tuple[str, list[str]]]:
        """(Heading, sentences) for each severity that occurs, the gravest first."""
        lists = self.threats_by_severity()
        return [(severity_heading(severity), texts) for severity, texts in lists.items()]

    def threats_by_severity(self) -> dict[Severity, list[str]]:
        """Sentences on threats for each severity that occurs, the gravest first."""
        lines = threat_lines(self.threats, self.titles)
        lists = {each: [line.text for line in lines if line.severity is each] for each in Severity}
        return {severity: texts for severity, texts in lists.items() if texts}

    def _parts(self) -> Iterator[Part]:
        return _walk(self.sections)


def in_files(**cells: Callable[[T], Any]) -> list[Column[T]]:
    """Columns that only files have: the cell of a row by key."""
    return [Column("", raw, key=key) for key, raw in cells.items()]


def from_estimate(raw: Callable[[T], Estimate | None], **keys: str) -> list[Column[T]]:
    """Columns of files with the facts of an estimate.

    Args:
        raw: the estimate in a row; None: there is none, and all its facts are undefined.
        keys: name of the column by fact: ``value``, ``low``, ``high``, ``confidence``, ``n``, ``clusters``, ``p``, ``why``.
    """
    return in_files(**{key: _fact(raw, fact) for fact, key in keys.items()})


def _shorten_cell(cell: AnyCell, names: Mapping[str, str]) -> AnyCell:
    if isinstance(cell, Cell):
        return replace(cell, text=names.get(cell.text, cell.text))
    return names.get(cell, cell)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Estimate) else value


def _by_type(decimals: int) -> Callable[[Any], AnyCell]:
    def write(value: object) -> AnyCell:
        match value:
            case Cell():
                return value
            case Estimate():
                return estimate_text(value, decimals)
            case int() if not isinstance(value, bool):
                return f"{value:,}"
            case float():
                return number(value, supported_decimals(Estimate(value=value)))
        return str(value)

    return write


def _fact(raw: Callable[[T], Estimate | None], fact: str) -> Callable[[T], Any]:
    def take(row: T) -> Any:
        estimate = raw(row)
        if estimate is None:
            return None
        if fact in ("low", "high", "confidence"):
            return getattr(estimate.interval, fact) if estimate.interval else None
        found = getattr(estimate, fact)
        return str(found) if fact == "why" and found is not None else found

    return take


def _walk(parts: Sequence[Part], medium: Medium | None = None) -> Iterator[Part]:
    """All parts, those within sections included; of one medium, without sections that it does not show."""
    for part in parts:
        yield part
        if isinstance(part, Section) and (medium is None or medium in part.where):
            yield from _walk(part.parts, medium)

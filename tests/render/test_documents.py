"""Documents in every medium: the numbers and sentences of each subject, and the rules that hold for all of them."""

import csv
import io
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.findings.raters import MANIFEST
from tests.render.made_documents import DOCUMENTS
from trialogue.records import Estimate, Interval, Reason
from trialogue.render.document import PAGES, Column, Document, Medium, Section, Sentences, Table, from_estimate
from trialogue.render.media.files import csv_files, keys_of, write_document
from trialogue.render.media.page import document_page
from trialogue.render.media.papers import table_latex, table_markdown
from trialogue.render.media.terminal import document_text
from trialogue.render.numbers import own_decimals
from trialogue.render.text import typeset

GOLDEN = Path(__file__).parents[1] / "golden" / "documents"


@pytest.fixture(scope="module", params=DOCUMENTS)
def named(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Document]:
    return request.param, DOCUMENTS[request.param](tmp_path_factory.mktemp(request.param))


def sentences(document: Document) -> list[str]:
    """What a document says outside its tables and figures."""
    lists = [f"{heading}: {text}" for heading, texts in document.threat_lists() for text in texts]
    answer = [*document.answer, *document.further, *document.against]
    return [*answer, *lists, *document.warnings, *document.methods, *document.closing]


def golden_name(name: str, file: str) -> str:
    """File with a CSV of a document: by its own name where there are several."""
    return f"{name}-{file}" if name in ("study", "board") else f"{name}.csv"


def cells(text: str) -> list[list[str | float]]:
    """The cells of a CSV, numbers as numbers."""
    number = re.compile(r"-?[\d.]+(e-?\d+)?")
    rows = csv.reader(io.StringIO(re.sub(r"\btrialogue:[\d.]+", "trialogue:0", text)))  # in signatures
    return [[float(cell) if number.fullmatch(cell) else cell for cell in row] for row in rows]


def test_numbers_and_sentences_of_each_subject_stay(named: tuple[str, Document]) -> None:
    """Recorded before the subjects were ported to documents."""
    name, document = named
    for file, text in csv_files(document).items():
        before = (GOLDEN / golden_name(name, file)).read_text("utf-8")
        for row, old in zip(cells(text), cells(before), strict=True):
            for cell, was in zip(row, old, strict=True):
                assert cell == (pytest.approx(was, rel=1e-9, abs=1e-12) if isinstance(was, float) else was)
    assert sentences(document) == (GOLDEN / f"{name}.txt").read_text("utf-8").splitlines()


def test_each_medium_has_the_answer_and_every_shown_cell(named: tuple[str, Document], tmp_path: Path) -> None:
    _, document = named
    page = re.sub(r"<[^>]*>", "", document_page(document)).replace("\xa0", " ").replace("&#39;", "'")
    text = " ".join(document_text(document, width=130).split())
    for sentence in document.answer:
        assert " ".join(sentence.split()) in text
        assert (
            typeset(sentence).replace("\xa0", " ").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            in page
        )
    for table in document.tables:
        for row in table.cells(Medium.PAGE).rows:
            assert len(row) == len(table.cells(Medium.PAGE).heads)
    first, second = (write_document(document, tmp_path / folder).parent for folder in ("one", "two"))
    names = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert {f"{document.name}.html", document.json_name, *csv_files(document)} <= {str(name) for name in names}
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes()
        assert "figures" in name.parts or str(name) in page or str(name) in (f"{document.name}.html", "manifest.json")


@dataclass(frozen=True)
class _Row:
    name: str
    value: Estimate | None = None


WHY = Reason.other("nobody came")
KNOWN = Estimate(value=0.5, interval=Interval(low=0.25, high=0.75, method=""), n=4)
ROWS = [_Row("=a|b", KNOWN), _Row("x_y", Estimate(value=None, why=WHY)), _Row("c")]


def table(rows: list[_Row]) -> "Table[_Row]":
    return Table(
        "Values",
        rows,
        [
            Column("Name", lambda row: row.name, key="name"),
            Column("Value", lambda row: row.value, own_decimals, note="its mean"),
            Column("Empty", lambda _: None, note="never said"),
            Column("Pages", lambda row: len(row.name), where=PAGES),
            *from_estimate(lambda row: row.value, value="value", low="low", n="n", why="why"),
        ],
        lead="Above it.",
        most=2,
        noun="value",
        paper="values",
    )


def document(rows: list[_Row]) -> Document:
    inner = Section("Inside", [table(rows)])
    return Document(
        "made",
        "made",
        "t",
        ["Yes."],
        [Section("All", [inner], "all"), Section("None", [table([])], "none")],
        KNOWN,
        MANIFEST,
    )


def test_undefined_cells_have_a_reason_or_a_dash_and_are_empty_in_files() -> None:
    assert table(ROWS).cells(Medium.PAGE).rows == (
        ("=a|b", "0.50 [0.25, 0.75]", "4"),
        ("x_y", "— (nobody came)", "3"),
        ("c", "—", "1"),
    )
    assert csv_files(document(ROWS))["made.csv"].splitlines() == [
        "name,value,low,n,why", "'=a|b,0.5,0.25,4,", "x_y,,,0,nobody came", "c,,,,",
    ]  # fmt: skip


def test_columns_without_any_value_are_left_out_with_what_is_said_about_them() -> None:
    assert table(ROWS).cells(Medium.PAGE).heads == ("Name", "Value", "Pages")
    assert table([ROWS[2]]).cells(Medium.PAGE).heads == ("Name", "Pages")
    assert table(ROWS).notes(Medium.PAGE) == ["Value: its mean."]
    assert table([ROWS[2]]).notes(Medium.PAGE) == []


def test_a_terminal_shows_fewer_rows_and_columns_and_counts_the_others() -> None:
    text = document_text(document(ROWS), width=80)
    assert "Inside\nName" in text
    assert "1 more value in the report." in text
    assert "Pages" not in text
    assert "\nc " not in text


def test_sections_without_anything_to_show_are_left_out() -> None:
    page = document_page(document(ROWS))
    assert 'id="all"' in page
    assert 'id="none"' not in page
    assert "Above it." in page
    assert "Above it." not in document_page(document([]))
    spoken = replace(document([]), sections=[Section("Words", [Sentences(["So."], where=PAGES)], "words")])
    assert "So." in document_page(spoken)
    assert "So." not in document_text(spoken)


def test_text_is_escaped_in_every_medium() -> None:
    assert "=a\\|b" in table_markdown(table(ROWS))
    assert "x\\_y" in table_latex(table(ROWS))
    assert "&lt;b&gt;" in document_page(document([_Row("<b>")]))


def test_files_of_tables_with_other_keys_have_the_keys_of_both_in_order() -> None:
    other = Table(
        "Pairs", [_Row("d")], [Column("", lambda row: row.name, key="pair"), Column("", lambda _: 1, key="n")]
    )
    made = document(ROWS)
    both = replace(made, sections=[*made.sections, Section("Other", [other], "other")])
    assert keys_of(both.tables) == ["name", "value", "low", "pair", "n", "why"]
    assert csv_files(both)["made.csv"].splitlines()[-1] == ",,,d,1,"
    apart = replace(both, sections=[*made.sections, Section("Other", [replace(other, file="pairs")], "other")])
    assert csv_files(apart)["pairs.csv"].splitlines() == ["pair,n", "d,1"]

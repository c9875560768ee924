"""Render a document as one HTML page that loads nothing and runs no script; and the environment of all templates."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trialogue.findings.threat import Severity
from trialogue.records import Manifest
from trialogue.render.document import Document, Link, Medium, Part, Section, Sentences, Table
from trialogue.render.drawing.theme import DARK, LIGHT, css_variables
from trialogue.render.measures import pieces
from trialogue.render.numbers import MISSING
from trialogue.render.plots.base import Figure
from trialogue.render.table import Insert
from trialogue.render.text import columns_of_words, passages, printable, slug, typeset

if TYPE_CHECKING:
    from jinja2 import Environment

LONG = 130  # characters; a longer answer is set smaller
MANY = 5  # sections from which on there is a list of them


def document_page(document: Document) -> str:
    """The page of a document. The same document gives the same page; text in it is escaped, whatever it holds."""
    sections = [each for each in _views(document.sections) if each["name"]]
    threats = document.threat_lists()
    content = {
        "light": css_variables(LIGHT),
        "dark": css_variables(DARK),
        "findings": document,
        "long_answer": bool(document.answer) and len(document.answer[0]) > LONG,
        "facts": [(f"{n:,}", one if n == 1 else many) for n, one, many in document.facts if n],
        "first": list(_views(document.first)),
        "aside": list(_views(document.aside)),
        "threat_counts": _threat_counts(document),
        "threats": threats,
        "sections": sections,
        "contents": sections if len(sections) >= MANY and not document.is_folded else [],
        "files": _files(document),
        "manifest": [*document.provenance, *manifest_rows(document.manifest)],
    }
    return printable(environment().get_template("document.html.j2").render(**content))


def environment() -> "Environment":
    """Jinja environment of all pages."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from trialogue.render.template_cache import TemplateCache

    environment = Environment(
        loader=PackageLoader("trialogue.render"),
        bytecode_cache=TemplateCache(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "pieces": pieces,
        "typeset": typeset,
        "passages": passages,
        "columns_of_words": columns_of_words,
    }
    return environment


def manifest_rows(made: Manifest) -> list[tuple[str, str]]:
    """Provenance as rows."""
    rows = [("command", made.command), *((f"version of {name}", value) for name, value in made.versions.items())]
    rows.append(("seed", MISSING if made.seed is None else str(made.seed)))
    rows += [
        (f"option {name.replace('_', ' ')}", json.dumps(value, ensure_ascii=False))
        for name, value in made.config.items()
    ]
    rows += [(f"sha256 of {name}", digest) for name, digest in made.inputs.items()]
    rows.append(("summary of all inputs", made.data_hash))
    return rows


EFFECTS = {
    Severity.BLOCKS: ("blocks verdicts", "block verdicts"),
    Severity.DEMOTES: ("makes verdicts conditional", "make verdicts conditional"),
    Severity.NOTES: ("to note", "to note"),
}
"""Effects of one threat and of several, as words after their number."""


def _threat_counts(document: Document) -> str:
    counts = [f"{len(texts)} {EFFECTS[each][len(texts) > 1]}" for each, texts in document.threats_by_severity().items()]
    return ", ".join(counts) + document.threats_of


def _views(parts: Sequence[Part]) -> Iterator[dict[str, Any]]:
    """What the template shows of parts, each with its ``kind``; parts without anything to show are left out."""
    for part in parts:
        match part:
            case Section() if Medium.PAGE in part.where:
                inner = list(_views(part.parts))
                if inner:
                    yield {"kind": "section", **vars(part), "parts": inner}
            case Table() if part.rows and Medium.PAGE in part.where:
                shown = {"cells": part.cells(Medium.PAGE), "notes": part.notes(Medium.PAGE)}
                yield {"kind": "table", "label": part.label, "id": slug(part.label), "lead": part.lead, **shown}
            case Sentences() if part.texts and Medium.PAGE in part.where:
                yield {"kind": "sentences", **vars(part)}
            case Figure():
                yield {"kind": "figure", "figure": part}
            case Link():
                yield {"kind": "link", **vars(part)}
            case Insert():
                yield {"kind": "insert", **vars(part)}


def _files(document: Document) -> list[str]:
    """Names of the files beside the page, after the one that has everything."""
    names = [document.paper, *(each.paper for each in document.tables if each.rows)]
    papers = [f"{name}.{suffix}" for name in names if name for suffix in ("tex", "md")]
    return [document.json_name, *document.csv_tables(), *document.beside, *papers]

"""A list of items that exist, beside the catalogue: a title in it is real, though it is not offered."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from trialogue.catalogue.catalogue import items_in
from trialogue.catalogue.item import Item
from trialogue.catalogue.linking.titles import parse_title
from trialogue.catalogue.presenting.title_index import TitleIndex
from trialogue.errors import DataError, Problem
from trialogue.records import sha256_of
from trialogue.records.files.jsonl import read_lines


@dataclass(frozen=True)
class RealItems:
    """Items that exist, as a list of them says."""

    items: tuple[Item, ...]
    """The items; ids may occur twice."""
    name: str = "list"
    """Name of the list, without its folder."""
    sha256: str = ""
    """Hash of its file; "": it is of none."""

    @cached_property
    def origin(self) -> str:
        """How an item of it is known: name, size and hash of the list."""
        return f"{self.name} ({len(self.items)} titles{', sha256 ' * bool(self.sha256)}{self.sha256[:12]})"

    @cached_property
    def titles(self) -> TitleIndex:
        """Its titles."""
        return TitleIndex(self.items)


def read_real_items(path: Path | str) -> RealItems:
    """Read a list of items that exist: titles line by line, with a year in brackets or without, or any file that
    ``Catalogue.read`` takes.

    Raises:
        DataError: every line that cannot be read, or no title at all.
    """
    path = Path(path)
    items = tuple(_lines(path) if _is_of_lines(path) else items_in(path)[0])
    if not items:
        raise DataError(Problem("this list has no titles.", file=str(path), hint="Is the file complete?"))
    return RealItems(items, path.name, sha256_of(path))


def _is_of_lines(path: Path) -> bool:
    """Whether a file holds a title a line: a text, or JSON Lines of texts."""
    names = [suffix.lower() for suffix in path.suffixes if suffix not in (".gz", ".zst")]
    return names[-1:] == [".txt"] or (names[-1:] == [".jsonl"] and _first(path).startswith('"'))


def _first(path: Path) -> str:
    return next((line.strip() for _, line in read_lines(path)), "")


def _lines(path: Path) -> Iterator[Item]:
    for number, line in read_lines(path):
        printed = line.strip()
        if printed.startswith('"') and path.name.lower().partition(".")[2].startswith("jsonl"):
            try:
                printed = str(json.loads(printed))
            except ValueError as error:
                raise DataError(Problem(f"not valid JSON ({error}).", str(path), number)) from error
        parsed = parse_title(printed)
        others = {"other title": parsed.others} if parsed.others else {}
        yield Item(id=str(number), title=parsed.title, year=parsed.year, attributes=others)

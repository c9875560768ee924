"""Which column of a table of items is what: told by obvious headings, or by a mapping in YAML.

A mapping names the file beside it, so that it stands for the catalogue wherever one is named::

    file: films.csv
    id: tconst
    title: primaryTitle
    attributes: {genre: genres}
    separator: ","
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, field_validator

from trialogue.errors import DataError, Problem
from trialogue.records import Record
from trialogue.records.files.validation import mistakes_of
from trialogue.records.files.yaml_file import lines_of, read_fields

OBVIOUS = {
    "id": "id item_id itemid movie_id movieid film_id filmid book_id bookid product_id productid asin isbn tconst",
    "title": "title name item_name movie_title film_title book_title product_name product_title primarytitle",
    "year": "year release_year startyear publication_year",
    "description": "description overview synopsis",
}
"""Headings by field, the plainest one first; of others, one may occur."""
SINGULAR = {  # attributes are named in the singular, as each of their values is one genre
    "genres": "genre",
    "directors": "director",
    "actors": "actor",
    "tags": "tag",
}
ALIASES = frozenset(
    {"other title", "other titles", "other_title", "other_titles", "aliases", "alias", "aka", "akas", "also_known_as"}
    | {"alternative_title", "alternative_titles", "original_title", "originaltitle"}
)
"""Headings of columns of other titles."""
MAPPINGS = (".yaml", ".yml")
EXAMPLE = "For example: {file: films.csv, id: tconst, title: primaryTitle, attributes: {genre: genres}}"


class ItemColumns(Record):
    """Columns of a table of items, or paths into objects of JSON Lines."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    file: str | None = None
    """The table, beside the mapping (not a column)."""
    id: str = Field(min_length=1)
    """Id of the item."""
    title: str = Field(min_length=1)
    """Title; a year in brackets behind it is the year, if there is no column of it."""
    year: str | None = None
    """Year of release."""
    description: str | None = None
    """Description."""
    attributes: dict[str, str] = Field(default_factory=dict)
    """Column by attribute, or a list of columns that are named so."""
    other_titles: tuple[str, ...] = ()
    """Columns of other titles: translated, original, "also known as"."""
    separator: str = Field(default="|", min_length=1)
    """Separator of several values in a cell (not a column)."""
    date: int | None = Field(default=None, ge=1000, le=2999)
    """Year up to which items are in it, if that is not the year of the latest item (not a column)."""
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    """Delimiter of cells, if not detected (not a column)."""

    @field_validator("attributes", mode="before")
    @classmethod
    def _named_by_their_columns(cls, given: object) -> object:
        return {str(name): name for name in given} if isinstance(given, list | tuple) else given

    def columns(self) -> dict[str, str]:
        """Columns by field."""
        single = {name: getattr(self, name) for name in OBVIOUS}
        several = {f"attributes.{name}": column for name, column in self.attributes.items()}
        others = {f"other_titles.{place}": column for place, column in enumerate(self.other_titles)}
        return {name: column for name, column in single.items() if column} | several | others


def obvious_columns(header: Iterable[str], file: str, line: int | None) -> ItemColumns:
    """Columns by their headings; every column that is none of the fields is an attribute.

    >>> obvious_columns(["movieId", "title", "genres"], "x.csv", 1).columns()
    {'id': 'movieId', 'title': 'title', 'attributes.genre': 'genres'}

    Raises:
        DataError: no column may be the title, or several may be one of the fields. Without an id, the title is the id.
    """
    names = {name.strip().casefold(): name for name in header}
    found: dict[str, str] = {}
    wrong: list[str] = []
    for field, known in OBVIOUS.items():
        keys = [key for key in known.split() if key in names]
        if field in keys or len(keys) == 1:
            found[field] = names[field if field in keys else keys[0]]
        elif keys:
            wrong.append(f"several columns may be the {field}: {', '.join(names[key] for key in keys)}")
        elif field == "title":
            wrong.append(f"no column is known to be the {field}")
    if wrong:
        what = f"{'; '.join(wrong)}. The columns are: {', '.join(names.values())}."
        hint = f"Name the columns id and title, or say which they are in a YAML file, and give that. {EXAMPLE}"
        raise DataError(Problem(what, file, line, hint=hint))
    found.setdefault("id", found["title"])
    rest = {key: name for key, name in names.items() if name not in found.values() and key}
    others = tuple(name for key, name in rest.items() if key in ALIASES)
    attributes = {SINGULAR.get(key, key): name for key, name in rest.items() if key not in ALIASES}
    return ItemColumns(**found, attributes=attributes, other_titles=others)


def load_columns(source: Path | ItemColumns | dict[str, Any]) -> ItemColumns:
    """Columns from a YAML file or a dictionary.

    Raises:
        DataError: with every mistake.
    """
    from pydantic import ValidationError

    if isinstance(source, ItemColumns):
        return source
    fields = dict(read_fields(source, hint=EXAMPLE)) if isinstance(source, Path) else source
    try:
        return ItemColumns.model_validate(fields)
    except ValidationError as error:
        file, lines = (str(source), lines_of(source)) if isinstance(source, Path) else ("mapping", None)
        mistakes = mistakes_of(error, fields, ItemColumns)
        problems = [
            each.problem(file, lines) if lines else Problem(each.what, file, hint=each.hint) for each in mistakes
        ]
        raise DataError(problems) from error

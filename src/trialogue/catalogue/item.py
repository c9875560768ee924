"""An item of any domain, such as a film, a book or a restaurant."""

from typing import ClassVar

from pydantic import Field

from trialogue.records import Record

OTHER_TITLES = "other title"
"""The attribute that holds other titles of the same item (original, foreign, "also known as")."""


class Item(Record):
    """An item that can be recommended, with its attributes."""

    kind: ClassVar[str] = "item"

    id: str = Field(min_length=1)
    """Unique within its catalogue."""
    title: str
    """Title, its article in front and without its year."""
    year: int | None = None
    """Year of release; None where it is unknown or the domain has none."""
    attributes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Values by attribute, such as ``{"genre": ("Crime", "Drama"), "director": ("Jane Campion",)}``."""
    description: str | None = None
    """Description in one or two sentences."""

    @property
    def title_with_year(self) -> str:
        """Title with the year in brackets, if known: the form in which corpora print items."""
        return self.title if self.year is None else f"{self.title} ({self.year})"

    @property
    def other_titles(self) -> tuple[str, ...]:
        """Alternative titles."""
        return self.attributes.get(OTHER_TITLES, ())

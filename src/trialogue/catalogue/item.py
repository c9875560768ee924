"""An item of any domain, such as a film, a book or a restaurant."""

from typing import ClassVar

from pydantic import Field, field_validator

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
    """Values by attribute, such as ``{"genre": ("Crime", "Drama"), "director": ("Jane Campion",)}``. No blanks."""
    description: str | None = None
    """Description in one or two sentences."""

    @field_validator("attributes")
    @classmethod
    def _without_blanks(cls, attributes: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """Other programs write what they do not know as ``[""]``: users would look for it, and say "I like"."""
        told = {name: tuple(value for value in values if value.strip()) for name, values in attributes.items()}
        return {name: values for name, values in told.items() if values or not attributes[name]}

    @property
    def title_with_year(self) -> str:
        """Title with the year in brackets, if known: the form in which corpora print items."""
        return self.title if self.year is None else f"{self.title} ({self.year})"

    @property
    def other_titles(self) -> tuple[str, ...]:
        """Alternative titles."""
        return self.attributes.get(OTHER_TITLES, ())

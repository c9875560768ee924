"""What shows that a span is presented as a title."""

from enum import StrEnum


class Sign(StrEnum):
    """What shows that a span is presented as a title."""

    SLOT = "slot"
    """It fills an item of a list, a cell or a value."""
    YEAR = "year"
    """A year in brackets stands behind it."""
    QUOTED = "quoted"
    """It stands in quotation marks or is emphasised."""
    CUE = "cue"
    """A word such as "recommend" or "movie" stands before it."""
    ROW = "row"
    """It is coordinated with another title."""
    NAME = "name"
    """It is written as titles are and names of people are not: with an article, an owner or a subtitle."""

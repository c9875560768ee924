"""Model card of the title linker: measured precision and recall, and known limits."""

from trialogue.catalogue.linking.linker import LINKER_VERSION
from trialogue.records import Record


class LinkerAccuracy(Record):
    """Accuracy on one corpus with one catalogue; shares, each with its 95% interval."""

    mentions: str
    """Test data: titles annotated in utterances."""
    catalogue: str
    """The titles that were looked for."""
    n: int
    """Titles to be found, over utterances."""
    precision: tuple[float, float, float]
    """Share of found titles that are named: value, low, high."""
    recall: tuple[float, float, float]
    """Share of named titles that were found: value, low, high."""


class LinkerCard(Record):
    """Model card of the title linker."""

    name: str
    """Name with version."""
    summary: str
    """Definition."""
    finds: tuple[str, ...]
    """Forms of a title that it finds."""
    chooses: tuple[str, ...]
    """Rules for choosing among items with the same title, in order of precedence."""
    measured: tuple[LinkerAccuracy, ...]
    """Accuracy on data on which the points were not fitted."""
    caveats: tuple[str, ...]
    """Caveats for quoting results that depend on the linker."""
    source: str
    """Source of the measurement."""


LINKER_CARD = LinkerCard(
    name=f"linker(v{LINKER_VERSION})",
    summary="Finds titles of a catalogue's items in a text, with character offsets.",
    finds=(
        'with or without year and article, article before or after: "The Matrix (1999)", "matrix", "Matrix, The"',
        "upper or lower case, with or without accents, punctuation and spaces: spiderman, End game",
        'numbers as words, Arabic or Roman, with or without "Part": "Rocky II", "rocky 2"; "&" as "and"',
        "the subtitle or the part before it, if unambiguous: The Fellowship of the Ring",
        "in lists, tables, JSON, HTML and Markdown as in sentences, on one line or many: 1. Heat 2. Joker",
        "alternative titles; one typo in a word of six or more letters that is in no title: incidious",
    ),
    chooses=(
        "the year after the title (± 1); a year in parentheses that no item has: none of them",
        "the year of one of them anywhere in the text",
        "the most recently named item in the dialogue",
        "none, if the words are only part of several titles (a series)",
        "the item with most ratings; the latest; the first of the catalogue",
    ),
    measured=(
        LinkerAccuracy(
            mentions="INSPIRED test, our own annotation",
            catalogue="titles of the corpus (687)",
            n=494,
            precision=(0.933, 0.902, 0.958),
            recall=(0.897, 0.865, 0.927),
        ),
        LinkerAccuracy(
            mentions="INSPIRED test, our own annotation",
            catalogue="ml-latest-small (9,742)",
            n=326,
            precision=(0.873, 0.826, 0.912),
            recall=(0.862, 0.815, 0.902),
        ),
        LinkerAccuracy(
            mentions="ReDial, odd half, titles without year",
            catalogue="titles of the corpus (2,019)",
            n=3150,
            precision=(0.947, 0.937, 0.957),
            recall=(0.972, 0.966, 0.978),
        ),
        LinkerAccuracy(
            mentions="ReDial, odd half, titles without year",
            catalogue="ml-latest-small (9,742)",
            n=2840,
            precision=(0.929, 0.917, 0.940),
            recall=(0.958, 0.950, 0.966),
        ),
    ),
    caveats=(
        "It was made for English and tuned on conversations about films.",
        (
            "Recall is over titles in the catalogue; titles that are not in it are never found, and parts of "
            "them are sometimes taken for shorter titles."
        ),
        (
            "INSPIRED's own annotation is not a reference standard: made by string matching, it has precision 70% "
            "and recall 64% against one annotator (a language model), whose annotation the linker was evaluated "
            "against instead."
        ),
        "On ReDial, precision is a lower bound: in three of four places that are linked but not annotated, the film "
        "is indeed named (three of five with the titles of MovieLens).",
        (
            'Titles that are everyday words ("It", "Us", "Frozen") are missed more often than others, except as items of '
            "lists of titles."
        ),
        'With a capital article before it, an everyday word is another title: "The Heat" is not linked to Heat.',
    ),
    source="benchmarks/LINKER.md",
)
"""The card of the linker in this version."""

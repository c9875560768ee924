"""Languages of systems, users and references, and mismatches with the languages a measure supports."""

from typing import ClassVar, Literal

from trialogue.records.base import Record
from trialogue.records.measure_name import MeasureName

Writer = Literal["system", "user", "reference"]
"""Whose texts: a system's replies, what its users say to it, or the replies of people that a system's are compared with."""


class LanguageFinding(Record):
    """Detected language of a set of texts."""

    kind: ClassVar[str] = "language_finding"

    system: str | None
    """The system; None for references, which are the same for all."""
    writer: Writer
    """Whose texts: the system's, its users' or the human references."""
    language: str | None
    """ISO 639 code of the language that most of the words are in; None where there is too little text to tell."""
    share: float
    """Share of the words that are in it, among those whose language can be identified; 0 where there is none."""
    words: int
    """Number of words in distinct texts; in scripts without spaces, each character counts as one."""
    has_spaces: bool
    """Whether most of it is written with spaces between words."""
    is_clear: bool
    """Whether nearly all of it is in that language."""


Misfit = Literal["language", "several_languages", "unspaced", "model_labels", "across_languages", "unknown"]
"""Why measures do not fit texts:

* ``language``: they are made for other languages;
* ``several_languages``: they are made for one language, and the texts are in several;
* ``unspaced``: they count words between spaces, and the texts are written without;
* ``model_labels``: they rest on strategies that a model of other languages labelled;
* ``across_languages``: they depend on wording, and the systems that they would compare write in different languages;
* ``unknown``: they are made for certain languages, and there is too little text to tell its language. They are kept.
"""


class LanguageMismatch(Record):
    """Measures that do not support the language of some systems."""

    kind: ClassVar[str] = "language_mismatch"

    reason: Misfit
    """Why they do not fit."""
    measures: tuple[MeasureName, ...]
    """Full names of the measures that do not fit."""
    systems: tuple[str, ...]
    """The systems that it is about."""
    writer: Writer
    """Whose texts they do not fit."""
    languages: tuple[str, ...]
    """ISO 639 codes of those texts; several where systems in different languages are not compared, none if unknown."""
    made_for: tuple[str, ...] = ()
    """ISO 639 codes of the languages that the measures, or the model behind them, are made for; empty: any."""
    is_kept: bool = False
    """Whether the values stand all the same, by the user's wish or because nothing is known; else they are left out."""

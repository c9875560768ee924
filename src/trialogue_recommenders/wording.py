"""Domain wording: names of items and attributes, and the words that ask about them; ``FILMS`` is the default.

An agent for books, restaurants or any other domain needs only another such record; attributes that a record does not define
are called by their own names.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from trialogue.catalogue import (
    Catalogue,
    Domain,
    domain_of,
    names_of,
    normalise_words,
    plurals_of,
    spoken_attributes,
    spoken_name,
)
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.records.files import lines_of, mistakes_of, read_fields
from trialogue_recommenders.text_files import sections_of


@dataclass(frozen=True)
class Wording:
    """The words of a domain."""

    noun: str = "film"
    """One item."""
    nouns: str = "films"
    """Several."""
    also: tuple[str, ...] = ("movie", "movies", "flick", "flicks")
    """Other words that users have for them."""
    called: str = "title"
    """Name of a title in this domain."""
    use: str = "watch"
    """Verb phrase for using an item ..."""
    used: str = "seen"
    """... as in "Have you seen it?" ..."""
    uses: tuple[str, ...] = ("watch", "see")
    """... and what users say for it ..."""
    past: tuple[str, ...] = ("seen", "saw", "watched")
    """... and for having done it."""
    kind: str = "genre"
    """The attribute that says what kind of item it is, and is asked for first."""
    kinds: str = "genres"
    """Several."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Display names of attributes, "year", "plot" and "rating"; default: "the" and the name."""
    asked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words that ask for an attribute, the year ("year"), the description ("plot") or the mean rating ("rating")."""
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sentences that answer, with {value}; the default names the attribute."""
    shared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Sentences that say what two items have in common, with {value}."""
    unanswerable: tuple[str, ...] = ()
    """Words that ask for what no catalogue tells."""

    @property
    def a_noun(self) -> str:
        """Noun with its article."""
        return f"{'an' if self.noun[:1] in 'aeiou' else 'a'} {self.noun}"


FILMS = Wording(
    names={"actor": "the cast", "genre": "the genres", "rating": "the ratings"},
    asked={name: words for name, words in sections_of("film_questions").items() if name != "unanswerable"},
    unanswerable=sections_of("film_questions")["unanswerable"],
    answers={
        "director": ("{value} directed it.", "It was directed by {value}.", "That was {value}."),
        "actor": ("You will see {value} in it.", "It has {value} in it.", "In front of the camera: {value}."),
        "genre": ("It is {value}.", "I would shelve it under {value}.", "Call it {value}."),
        "year": ("It came out in {value}.", "It is from {value}.", "It was released in {value}."),
        "plot": ("{value}", "In short: {value}", "Without giving too much away: {value}"),
        "rating": ("People here give it {value}.", "It averages {value}.", "The ratings say {value}."),
    },
    shared={
        "director": ("{value} directed both.", "Directed by {value}, too."),
        "actor": ("{value} is in both.", "With {value} again."),
        "genre": ("Also {value}.", "More {value}."),
    },
)
"""Films, in a catalogue with genre, director and actor."""


def wording_of(catalogue: Catalogue) -> Wording:
    """Wording for a catalogue: films, or nouns and verbs of its domain with attributes called by their own names."""
    domain = domain_of(catalogue)
    if domain == Domain():
        return FILMS
    kind = spoken_attributes(catalogue)[0]
    kind_name = spoken_name(kind)
    return Wording(
        noun=domain.thing,
        nouns=domain.things,
        also=("item", "items", "something"),
        called="name",
        use=domain.do,
        used=domain.done,
        uses=(domain.do,),
        past=(domain.done,),
        kind=kind,
        kinds=plurals_of(kind_name)[-1],
        names={name: f"the {normalise_words(name)}" for name in catalogue.attributes},
        asked={name: names_of(spoken_name(name)) for name in catalogue.attributes},
        answers={name: (f"The {spoken_name(name)} is {{value}}.",) for name in catalogue.attributes},
    )


def read_wording(path: Path | str) -> Wording:
    """Read a domain's wording from YAML with the fields of ``Wording``; a single text is a list of one.

    Raises:
        DataError: every field that is not known, and every value that is not what it should be.
    """
    from pydantic import TypeAdapter, ValidationError

    path = Path(path)
    data = read_fields(path, hint="It has lines such as 'noun: book', 'nouns: books', 'use: read', 'kind: genre'.")
    lines, problems = lines_of(path), list[Problem]()
    kinds: dict[str, Any] = {each.name: each.type for each in fields(Wording)}
    values: dict[str, Any] = {}
    for name, given in data.items():
        if name not in kinds:
            problems.append(Problem(str(UnknownNameError("field", name, kinds)), str(path), lines((name,)), name))
            continue
        try:
            values[name] = TypeAdapter(kinds[name]).validate_python(_as_list(given, kinds[name]))
        except ValidationError as error:
            problems += [mistake.problem(str(path), lines, under=(name,)) for mistake in mistakes_of(error, given)]
    if problems:
        raise DataError(problems)
    return Wording(**values)


def _as_list(given: object, kind: object) -> object:
    """Single texts as lists of one, where lists are wanted."""
    if kind == tuple[str, ...] and isinstance(given, str):
        return [given]
    if kind == Mapping[str, tuple[str, ...]] and isinstance(given, dict):
        return {name: [value] if isinstance(value, str) else value for name, value in given.items()}
    return given

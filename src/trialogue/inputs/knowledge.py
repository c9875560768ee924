"""Load catalogues and ratings by name: the bundled films, a MovieLens corpus, or files."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trialogue.catalogue import Catalogue, Item, Ratings, read_ratings
from trialogue.catalogue.facts import FactIndex
from trialogue.datasets import corpus_names, get_corpus
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.records.files.opening import is_file

DEMO = "demo"


@dataclass(frozen=True)
class Knowledge:
    """A catalogue with its ratings."""

    catalogue: Catalogue
    ratings: Ratings | None
    """None: a catalogue without ratings."""


def load_catalogue(given: str = DEMO, *, ratings: str | None = None) -> Knowledge:
    """Load a catalogue with its ratings: ``demo`` (synthetic ratings), a MovieLens corpus, or a file of items of any domain.

    Args:
        given: the catalogue.
        ratings: a file of ratings (``catalogue.read_ratings``) in place of the catalogue's own, if it has any.

    Raises:
        UnknownNameError: none of these.
        MissingDataError: a corpus that is not on this machine.
        DataError: a file that cannot be read, or ratings none of which is of an item of the catalogue.
    """
    return _load_knowledge(given, ratings, state_of(given), state_of(ratings))


def facts_of_catalogue(given: str | None) -> FactIndex | None:
    """Facts of a catalogue in which users may describe items; None: it has none, is unknown, or is not on this machine.

    MovieLens has neither people nor descriptions, and its ratings would take long to read.
    """
    if given is None or given in _movielens_names() or (given != DEMO and not is_file(given)):
        return None
    return _facts_of_catalogue(given, state_of(given))


@cache
def _facts_of_catalogue(given: str, _state: tuple[str, int, int] | None) -> FactIndex:
    return FactIndex(load_catalogue(given).catalogue)


def _movielens_names() -> list[str]:
    return [name for name in corpus_names() if name.startswith("movielens")]


def state_of(file: str | None) -> tuple[str, int, int] | None:
    """File behind a name with its current state, as a cache key."""
    if file is None or file == DEMO or not is_file(file):
        return None
    known = Path(file).stat()
    return str(Path(file).resolve()), known.st_mtime_ns, known.st_size


@cache
def _load_knowledge(given: str, ratings: str | None, *_states: tuple[str, int, int] | None) -> Knowledge:
    if ratings is not None:
        return _with_ratings(load_catalogue(given).catalogue, Path(ratings))
    if given == DEMO:
        return _demo()
    if is_file(given):
        return Knowledge(Catalogue.read(Path(given)), None)
    films = _movielens_names()
    if given not in films:
        raise UnknownNameError("catalogue", given, [DEMO, *films], hint="Or give a file of items (JSON Lines or CSV).")
    from trialogue.datasets.corpora.movielens import read_movielens
    from trialogue.datasets.store import locate

    found = read_movielens(locate(get_corpus(given)))
    return Knowledge(found.catalogue, found.ratings)


def _with_ratings(catalogue: Catalogue, file: Path) -> Knowledge:
    rated = read_ratings(file)
    if not any(item in catalogue for item in rated.items):
        what = f"none of the {len(rated.items)} rated items is among the {len(catalogue)} items of the catalogue."
        hint = (
            f"Ratings refer to items by id: the ratings have {rated.items[0]!r}, the catalogue "
            f"{next(iter(catalogue))!r}."
        )
        raise DataError(Problem(what, str(file), hint=hint))
    return Knowledge(catalogue, rated)


def _demo() -> Knowledge:
    from trialogue.catalogue import Scale
    from trialogue.datasets.corpora.demo import film_rows, synthetic_ratings

    rows = film_rows()
    catalogue = Catalogue.from_items(
        Item(
            id=row.id,
            title=row.title,
            year=row.year,
            attributes={"genre": tuple(row.genres), "director": tuple(row.director), "actor": tuple(row.actors)},
            description=row.description,
        )
        for row in rows
    )
    scale = Scale(0.5, 5, 0.5)
    return Knowledge(catalogue, Ratings.from_rows(synthetic_ratings(rows), scale=scale, items=tuple(catalogue)))

"""Catalogues and ratings by name: the bundled films, a MovieLens corpus, or files."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from trialogue.catalogue import Catalogue, Item, Ratings
from trialogue.datasets import corpus_names, get_corpus
from trialogue.errors import UnknownNameError

DEMO = "demo"


@dataclass(frozen=True)
class Knowledge:
    """What can be recommended, and who liked what."""

    catalogue: Catalogue
    ratings: Ratings | None
    """None: a catalogue without ratings."""


@cache
def knowledge_named(given: str = DEMO) -> Knowledge:
    """A catalogue with its ratings: ``demo`` (synthetic ratings), a MovieLens corpus, or a file (no ratings).

    Raises:
        UnknownNameError: none of these.
        MissingDataError: a corpus that is not on this machine.
    """
    if given == DEMO:
        return _demo()
    if Path(given).is_file():
        return Knowledge(Catalogue.read(Path(given)), None)
    films = [name for name in corpus_names() if name.startswith("movielens")]
    if given not in films:
        raise UnknownNameError("catalogue", given, [DEMO, *films], hint="Or give a file of items (JSON Lines or CSV).")
    from trialogue.datasets.movielens import read_movielens
    from trialogue.datasets.store import locate

    found = read_movielens(locate(get_corpus(given)))
    return Knowledge(found.catalogue, found.ratings)


def _demo() -> Knowledge:
    from trialogue.catalogue import Scale
    from trialogue.datasets.demo import film_rows, synthetic_ratings

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

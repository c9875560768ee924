"""Demo data that ship with Trialogue: films, conversations, ratings and votes, for use without a download.

The films are real and what is stated about them is true; their descriptions are ours. Everything else is invented by
Trialogue's authors for demonstration: the human recommender of the situations, the systems aria, bolt and chip, the
users and all they say, their ratings and votes, and the synthetic star ratings. Numbers computed from it say nothing about
any real system.
"""

import importlib.resources
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError

from trialogue.datasets.base import AnyRecord, Corpus, card
from trialogue.errors import DataError, Problem, UnknownNameError, UsageError
from trialogue.records import Dialogue, Preference, Record, Response, Situation, read_records
from trialogue.records.files.jsonl import Note, problems_of, read_lines, warn
from trialogue.seeds import rng_for


class FilmRow(Record):
    """One film of the catalogue, with the columns of ``films.jsonl``."""

    id: str
    """Slug with year, such as ``"the-matrix-1999"``; long titles are shortened in it."""
    title: str
    """The title it is known by in English, without the year."""
    year: int
    """Year of its first public showing or release."""
    genres: tuple[str, ...] = Field(min_length=1)
    """One to five genres, alphabetical; ``Music`` covers musicals."""
    director: tuple[str, ...] = Field(min_length=1)
    """Director or directors."""
    actors: tuple[str, ...] = Field(min_length=2)
    """Two to four leading actors, or voices."""
    description: str
    """Description, in one sentence of ours."""


class StarRating(NamedTuple):
    """One synthetic rating; ``Ratings.from_rows`` accepts a list of them."""

    user: str
    """Id of an invented user, such as ``"synthetic-007"``."""
    item: str
    """Id of the item."""
    stars: float
    """0.5 to 5 in half steps."""


class HasGenres(Protocol):
    """Film attributes that the rating generator reads; ``FilmRow`` has them."""

    @property
    def id(self) -> str:
        """Unique id."""
        ...

    @property
    def year(self) -> int:
        """Year of release."""
        ...

    @property
    def genres(self) -> Sequence[str]:
        """At least one genre."""
        ...


def bundled_path(name: str = "") -> Path:
    """Path of a bundled file; "" for their folder.

    Raises:
        UnknownNameError: no file of that name is bundled.
    """
    folder = Path(str(importlib.resources.files("trialogue.datasets"))) / "bundled"
    names = sorted(path.name for path in folder.iterdir())
    if name and name not in names:
        raise UnknownNameError("bundled file", name, names)
    return folder / name


def film_rows() -> list[FilmRow]:
    """Films of the catalogue by year, then id.

    Raises:
        DataError: the file was changed and is no longer in order.
    """
    return list(_films())


@cache
def _films() -> tuple[FilmRow, ...]:
    path = bundled_path("films.jsonl")
    films: list[FilmRow] = []
    problems: list[Problem] = []
    for number, line in read_lines(path):
        try:
            films.append(FilmRow.model_validate_json(line))
        except ValidationError as error:
            problems.extend(problems_of(error, str(path), number))
    if problems:
        raise DataError(problems, hint="Reinstall Trialogue to restore this file.")
    return tuple(films)


def _read(folder: Path, note: Note = warn) -> Iterator[AnyRecord]:
    yield from read_records(folder / "dialogues.jsonl", Dialogue, note=note)
    yield from read_records(folder / "preferences.jsonl", Preference, note=note)
    yield from read_records(folder / "situations.jsonl", Situation, note=note)
    yield from read_records(folder / "responses.jsonl", Response, note=note)


CORPUS = Corpus(source=card("demo"), reader=_read)

# The generator: standard deviations, in stars where not said otherwise. Chosen so that, as in collections of real
# ratings, few stars are below 2 and few films have most of the ratings; nothing was fitted to data of real people.
MEAN = 3.3  # stars of an average film, seen by somebody neither for nor against it
QUALITY, TASTE, ERA, MOOD, NOISE = 0.45, 0.45, 0.2, 0.3, 0.5
FAME, CHOSEN_BY_TASTE, CHOSEN_BY_ERA = 1.0, 0.5, 0.5  # log-odds of being watched
ERA_YEARS = 20.0  # films so far from a user's favorite year fit no better than average


def synthetic_ratings(
    items: Sequence[HasGenres], *, seed: int = 0, users: int = 300, per_user: float = 30.0
) -> list[StarRating]:
    """Generate ratings of invented users by a documented formula; deterministic for equal arguments.

    User u has a taste for each genre, t_ug ~ N(0, 1), a favorite year y_u ~ N(1998, 15) and a mood b_u ~ N(0, 0.3).
    Item i has a quality q_i ~ N(0, 1) and a fame f_i ~ N(0.4 q_i, 1). How well they fit is
    T_ui = sum over the item's genres of t_ug, divided by the root of their number, and
    E_ui = 1 - ((year_i - y_u) / 20)^2, at least -1.
    Each user rates Poisson(per_user) items, or all if there are fewer, drawn without replacement with weights
    exp(f_i + 0.5 T_ui + 0.5 E_ui); the stars are 3.3 + 0.45 q_i + 0.45 T_ui + 0.2 E_ui + b_u + N(0, 0.5), rounded to
    halves and clipped to 0.5 to 5.

    Args:
        items: what is rated; every one needs a genre.
        seed: any whole number.
        users: how many users.
        per_user: how many ratings a user gives on average, if there are so many items.

    Returns:
        Ratings by user, then in the order of ``items``; no pair of user and item twice; none without items.

    Raises:
        UsageError: fewer than no users or ratings, or an item without a genre.
    """
    _check(items, users, per_user)
    if not items or not users:
        return []
    rng = rng_for(seed, "synthetic ratings")
    taste, era = _fit(items, users, rng)
    quality = rng.normal(size=len(items))
    fame = rng.normal(0.4 * quality, 1.0)
    mood = rng.normal(0.0, MOOD, size=(users, 1))
    stars = MEAN + QUALITY * quality + TASTE * taste + ERA * era + mood + rng.normal(0.0, NOISE, size=taste.shape)
    stars = np.clip(np.round(2 * stars) / 2, 0.5, 5.0)
    watched = _draw_ratings(FAME * fame + CHOSEN_BY_TASTE * taste + CHOSEN_BY_ERA * era, per_user, rng)
    return [
        StarRating(f"synthetic-{user + 1:03d}", items[item].id, float(stars[user, item]))
        for user, item in np.argwhere(watched).tolist()
    ]


def _check(items: Sequence[HasGenres], users: int, per_user: float) -> None:
    if users < 0 or per_user < 0:
        raise UsageError(f"users and ratings per user must not be negative, got {users} and {per_user:g}.")
    if bare := [item.id for item in items if not item.genres]:
        raise UsageError(f"{len(bare)} items have no genre, for example {bare[0]!r}; add at least one to each.")


def _fit(
    items: Sequence[HasGenres], users: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(fit of genres, fit of years), both of shape (users, n_items)."""
    genres = sorted({genre for item in items for genre in item.genres})
    has = np.array([[genre in item.genres for item in items] for genre in genres], dtype=np.float64)
    taste = rng.normal(size=(users, len(genres))) @ (has / np.sqrt(has.sum(axis=0)))
    favorite = rng.normal(1998.0, 15.0, size=(users, 1))
    years = np.array([item.year for item in items], dtype=np.float64)
    return taste, np.maximum(1.0 - ((years - favorite) / ERA_YEARS) ** 2, -1.0)


def _draw_ratings(log_odds: NDArray[np.float64], per_user: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw rated items per user without replacement: the highest log-odds plus Gumbel noise."""
    users = len(log_odds)
    wanted = rng.poisson(per_user, size=(users, 1))
    draws = log_odds + rng.gumbel(size=log_odds.shape)
    place = np.argsort(np.argsort(-draws, axis=1), axis=1)
    return np.asarray(place < wanted)

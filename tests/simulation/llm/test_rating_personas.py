"""Personas from ratings: habits, and never tastes."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from trialogue.catalogue import Catalogue, Item, Ratings
from trialogue.catalogue.ratings import Scale
from trialogue.cli.app import app
from trialogue.errors import UsageError
from trialogue.simulation.llm.people_style import rating_personas

FILMS = Catalogue.from_items(
    [Item(id=str(place), title=f"Film {place}", attributes={"genre": (f"g{place % 4}",)}) for place in range(12)]
)


def rated(user: str, values: list[float]) -> list[tuple[str, str, float]]:
    return [(user, str(place), value) for place, value in enumerate(values)]


def ratings_of(*rows: list[tuple[str, str, float]]) -> Ratings:
    return Ratings.from_rows([row for own in rows for row in own], scale=Scale(1, 5), items=[str(p) for p in range(12)])


def test_habits_are_counted_and_no_title_or_genre_is_named() -> None:
    strict, kind = rated("a", [5.0, *[1.0] * 9]), rated("b", [5.0] * 8)
    found = rating_personas(FILMS, ratings_of(strict, kind, rated("c", [5.0] * 7)), n=5)
    assert sorted(found) == [
        "You have rated 10 films of 4 kinds. You are hard to please: you like 10 % of what you try.",
        "You have rated 8 films of 4 kinds. You are easy to please: you like 100 % of what you try.",
    ]


def test_the_same_seed_gives_the_same_personas_and_mistakes_are_said() -> None:
    given = ratings_of(*(rated(f"u{place}", [float(1 + place % 5)] * 8) for place in range(20)))
    assert rating_personas(FILMS, given, n=3, seed=1) == rating_personas(FILMS, given, n=3, seed=1)
    assert len(rating_personas(FILMS, given, n=3)) == 3
    with pytest.raises(UsageError, match="attribute 'color'"):
        rating_personas(FILMS, given, n=3, attribute="color")
    with pytest.raises(UsageError, match="no user rated at least 8"):
        rating_personas(FILMS, ratings_of(rated("a", [5.0])), n=1)


def test_the_command_writes_one_persona_a_line(tmp_path: Path) -> None:
    out = tmp_path / "people.txt"
    found = CliRunner().invoke(app, ["users", "fit", "--set", "n=4", "--out", str(out), "--method", "personas"])
    assert found.exit_code == 0, found.output
    assert found.output == f"Personas: {out} (4)\n"
    assert len(out.read_text(encoding="utf-8").splitlines()) == 4

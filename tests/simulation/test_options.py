"""The page that explains options of users names every one, and every way to draw an agenda."""

import re
from dataclasses import fields
from pathlib import Path

from trialogue.simulation.agenda import INITIALISERS
from trialogue.simulation.options import UNDERSTANDINGS, UserOptions

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "simulate.md"


def test_the_page_names_every_option_and_every_agenda() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    named = {word for row in rows for word in re.findall(r"`([^`]+)`", row)}
    assert {field.name for field in fields(UserOptions)} - named == set()
    assert {*INITIALISERS, *UNDERSTANDINGS} - named == set()


def test_the_page_gives_the_defaults_that_users_have() -> None:
    page, options = PAGE.read_text(encoding="utf-8"), UserOptions()
    for name in ("unseen", "profile_size", "understanding", "labels_from", "decides", "failed", "after_liking", "seen"):
        value = getattr(options, name)
        assert f"`{name}` ({value if isinstance(value, int) else f'`{value}`'})" in page

"""The pages that explain options of users name every one, and every way to draw an agenda."""

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from trialogue.errors import UnknownNameError, UsageError
from trialogue.simulation.users.agenda import INITIALISERS
from trialogue.simulation.users.options import UNDERSTANDINGS, UserOptions

DOCS = Path(__file__).parents[3] / "docs"
PAGES = (DOCS / "reference" / "simulation.md", DOCS / "background" / "simulation.md")


def test_the_pages_name_every_option_and_every_agenda() -> None:
    rows = [line for page in PAGES for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    named = {word for row in rows for word in re.findall(r"`([^`]+)`", row)}
    assert {field.name for field in fields(UserOptions)} - named == set()
    assert {*INITIALISERS, *UNDERSTANDINGS} - named == set()


def test_the_pages_give_the_defaults_that_users_have() -> None:
    page, options = "".join(page.read_text(encoding="utf-8") for page in PAGES), UserOptions()
    for name in ("unseen", "profile_size", "understanding", "labels_from", "decides", "failed", "after_liking", "seen"):
        value = getattr(options, name)
        assert f"`{name}` ({value if isinstance(value, int) else f'`{value}`'})" in page


@pytest.mark.parametrize(
    "wrong",
    [
        *({"like": "4"}, {"like": float("nan")}, {"typos": True}, {"profile_size": 8.5}, {"profile_size": 0}),
        *({"patience": 1.5}, {"persona": 3}, {"thing": 5}, {"phrases": 3}, {"agenda": None}, {"attributes": [3]}),
        {"like": 2, "dislike": 3},
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_before_any_user_is_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        UserOptions().change(wrong)


def test_a_misspelt_value_is_answered_with_the_right_ones_and_several_mistakes_at_once() -> None:
    with pytest.raises(UnknownNameError, match=r"option unseen 'median'\. Did you mean 'mean'"):
        UserOptions().change({"unseen": "median"})
    with pytest.raises(UsageError) as caught:
        UserOptions().change({"unseen": "median", "patients": 3, "like": "4"})
    assert len(str(caught.value).splitlines()) == 3


def test_one_attribute_needs_no_list() -> None:
    assert UserOptions().change({"attributes": "genre"}).attributes == ("genre",)
    assert UserOptions().change({"attributes": ["genre", "director"], "like": 4}).like == 4

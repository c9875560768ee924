"""``trialogue study simulate``: what it says, and what it refuses."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.study.bots import made
from trialogue.cli.app import app
from trialogue.cli.study.planning import outcome_lines
from trialogue.errors import UsageError
from trialogue.study.bots.simulation import SimulatedStudy


def outcome(**changes: Any) -> SimulatedStudy:
    fields: dict[str, Any] = {
        "study": "s",
        "workers": 3,
        "seed": 0,
        "effects": {"fine": 1.0, "poor": -1.0},
        "kinds": {"attentive": 2, "drop_out": 1},
        "turned_away": 0,
        "states": {"completed": 2},
        "requests": 30,
        "server_errors": 0,
        "stuck": 0,
        "acknowledged": 20,
        "stored": 20,
        "raters_per_item": 2,
        "coverage": {"2": 4},
        "positions": {"fine": (4, 4), "poor": (4, 4)},
        "imbalance": 0,
        "judged_positions": {"fine": (4, 4), "poor": (4, 4)},
        "means": {"fine": 4.0, "poor": 2.0},
        "reused": 1,
        "checks": {"attentive": (0, 2)},
        "flags": {},
    }
    return SimulatedStudy(**{**fields, **changes})


def test_a_study_in_which_all_went_well_says_so() -> None:
    lines = outcome_lines(outcome())
    assert lines[0] == "3 participants: 2 attentive, 1 drop-out"
    assert "4 of 4 items judged by 2 participants; 1 slot reused after drop-outs" in lines
    assert "observed means follow the order of the true quality" in lines
    assert not [line for line in lines if line.startswith("WRONG")]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"server_errors": 2}, "WRONG: 2 server responses had a 5xx status"),
        ({"stored": 19}, "WRONG: 1 acknowledged form not found in the database"),
        ({"coverage": {"2": 3, "3": 1}}, "WRONG: an item has 3 judgements instead of 2"),
        ({"imbalance": 4}, "WRONG: a system is shown 4 more times in one position than in another"),
        (
            {"workers": 60, "states": {"failed": 1, "completed": 7}, "turned_away": 52},
            "  outcomes: 7 completed, which is all the study needs; 1 failed; 52 turned away: study full",
        ),
        (
            {"coverage": {"1": 4}, "states": {"completed": 1, "timed_out": 1}, "turned_away": 1},
            "  outcomes: 1 completed; 1 timed out; 1 turned away: no free place, or paused",
        ),
        ({"stuck": 1}, "WRONG: 1 participant reached a page that leads nowhere"),
        ({"coverage": {"1": 4}}, "  incomplete: more --participants are needed"),
    ],
)
def test_what_came_of_it_and_what_must_not_be_is_said(changes: dict[str, Any], said: str) -> None:
    assert said in outcome_lines(outcome(**changes))


@pytest.mark.parametrize("given", ["fine", "=1", "fine=much", "fine=nan", "fine=1e9"])
def test_effects_that_are_none_are_refused(tmp_path: Path, given: str) -> None:
    result = CliRunner().invoke(app, ["study", "simulate", str(made.rating(tmp_path)), "--effect", given, "-q"])
    assert isinstance(result.exception, UsageError)
    assert "SYSTEM=LOGITS" in str(result.exception)

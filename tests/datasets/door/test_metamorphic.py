"""One conversation in many forms is read the same, and broken files are refused or read, never a traceback: a small sample.

The whole is in ``benchmarks/metamorphic.py``, ``metamorphic_traps.py`` and ``mutated_inputs.py``; what is not yet passed is
only there.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from benchmarks.metamorphic import check, summary
from benchmarks.metamorphic_forms import FORMATS, SCALED, Form, draw_forms, write
from benchmarks.metamorphic_sets import invent
from benchmarks.metamorphic_traps import Trap, outcome, traps
from benchmarks.mutated_inputs import run_mutants

import trialogue

SETS = (0, 1, 5)  # graded without persons, graded with, and binary
PASSED = (
    "two conversations under one id, chats",
    "ids that a spreadsheet rounded",
    "-1 among 1 to 5",
    "99 among 1 to 5",
    "4/5 beside 8/10",
    "up beside 4",
    "v1 rated 0 or 1, v2 rated 1 to 5",
    "half of the ratings unreadable, table",
    "half of the ratings unreadable, chats",
    "five words of satisfaction, chats",
    "positive, neutral, negative",
    "five words of satisfaction, table",
    "4/5 that a spreadsheet made a date",
    "judgement nested in a field",
    "label good or bad",
    "prompt_version beside model",
    "no id in common",
    "ratings of the other system",
    "first column without a heading, as pandas writes its index",
    "rows out of order, timestamp",
    "rows out of order, turn_number",
    "rows repeated with 1.0 for 1",
    "ratings that are numbers of numpy",
    "an empty thought",
    "a tag within a sentence",
    "a reply of each kind of message left out",
)


def _sample(seed: int) -> list[Form]:
    """A form of each format and several of the tables, with usual headings, and entries repeated as they were."""
    forms = draw_forms(invent(seed), 3 * len(FORMATS))
    kept = [replace(form, headings=0, ids="int" if form.ids == "mixed" else form.ids) for form in forms]
    return [form for form in kept if form.repeats != "begun-then-whole"]


@pytest.mark.parametrize("seed", SETS)
def test_values_intervals_and_verdict_are_the_same_in_every_form(seed: int, tmp_path: Path) -> None:
    invented = invent(seed)

    @cache
    def expected(ids: str, feedback: str) -> dict[str, Any]:
        given = write(invented, Form("records-memory", ids=ids, feedback=feedback), tmp_path / "plain")
        return summary(trialogue.evaluate(*given, metrics=["length"], resamples=200))

    wrong = []
    for at, form in enumerate(_sample(seed)):
        plain = expected(form.ids, form.feedback if form.feedback in SCALED else "number")
        found = check(invented, form, write(invented, form, tmp_path / str(at)), plain)
        if found.kind != "equal":
            wrong.append(f"{form}: {found.kind} {found.detail}")
    assert wrong == []


@pytest.mark.parametrize("trap", [trap for trap in traps() if trap.name in PASSED], ids=lambda trap: trap.name)
def test_what_differs_is_named(trap: Trap) -> None:
    assert outcome(trap) == ""


def test_broken_inputs_end_in_no_traceback() -> None:
    fates = run_mutants(1500, seed=0)
    crashed = [f"{fate.mutant.valid.name}: {fate.mutant.how}" for fate in fates if fate.kind in ("crashed", "slow")]
    assert crashed == []
    assert sum(fate.kind == "read" for fate in fates) > 300  # they are not all refused

"""Counts of an entry of a board over its runs."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from trialogue.findings import SystemFacts
from trialogue.subjects.board.threats import pooled_facts


@pytest.mark.parametrize(("people", "expected"), [((12, 30), 42), ((12, None), 12), ((None, None), None)])
def test_counts_of_runs_add_up(people: tuple[int | None, ...], expected: int | None) -> None:
    runs = [
        SimpleNamespace(
            facts=SystemFacts(
                system="x",
                dialogues=20 + n,
                replies=60,
                simulated=5,
                people=each,
                models=(f"m{n}",),
                user_models=("u",),
            )
        )
        for n, each in enumerate(people)
    ]
    found = pooled_facts(cast(Any, SimpleNamespace(name="entry", runs=runs)))
    assert (found.system, found.dialogues, found.replies, found.simulated, found.people) == (
        "entry",
        41,
        120,
        10,
        expected,
    )
    assert (found.models, found.user_models, found.completion) == (("m0", "m1"), ("u",), None)

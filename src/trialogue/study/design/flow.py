"""Expand the phases of a study file into a participant's plan, a list of step keys. Pure.

======================  ==============================================================================================
``consent``             the text, and a yes or no
``screening``           questions with answers that let people in
``before:1``, ...       pages of questionnaires
``instructions``        prose
``training:1``, ...     items with right answers, each followed by ``feedback:1``, ...
``comprehension:1``     questions about the instructions; ``comprehension:2`` is put behind it after a wrong answer
``tasks``               stands for all tasks until they are given out; then ``task:1``, ``check:1``, ``task:2``, ...
``after:1``, ...        pages of questionnaires
``exit``                thanks and code
======================  ==============================================================================================
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

Phase: TypeAlias = Literal[
    "consent", "screening", "before", "instructions", "training", "comprehension", "tasks", "after", "exit"
]
PHASES: tuple[Phase, ...] = (
    "consent",
    "screening",
    "before",
    "instructions",
    "training",
    "comprehension",
    "tasks",
    "after",
    "exit",
)
TASKS = "tasks"


def plan_of(phases: Sequence[Phase], *, before: int, training: int, after: int) -> list[str]:
    """Step keys of the phases, in order.

    Args:
        phases: phases of the study.
        before: number of questionnaire pages before the tasks.
        training: number of training items.
        after: number of questionnaire pages after the tasks.

    >>> plan_of(["consent", "training", "tasks", "after", "exit"], before=0, training=1, after=1)
    ['consent', 'training:1', 'feedback:1', 'tasks', 'after:1', 'exit']
    """
    keys: dict[str, list[str]] = {
        "before": [f"before:{number}" for number in range(1, before + 1)],
        "training": [f"{word}:{number}" for number in range(1, training + 1) for word in ("training", "feedback")],
        "comprehension": ["comprehension:1"],
        "after": [f"after:{number}" for number in range(1, after + 1)],
    }
    return [key for phase in phases for key in keys.get(phase, [phase])]


def with_tasks(plan: Sequence[str], tasks: int, checks: Sequence[int], rng: np.random.Generator) -> list[str]:
    """The plan with tasks in place of ``tasks``, and checks (their numbers) among them at random places.

    A check is never the first, so that nobody meets one before they know what an ordinary task looks like, and no two
    checks stand side by side where there is room.

    >>> with_tasks(["tasks", "exit"], 2, [], np.random.default_rng(0))
    ['task:1', 'task:2', 'exit']
    """
    gaps = min(len(checks), tasks)
    places = sorted(rng.choice(np.arange(1, tasks + 1), size=gaps, replace=False).tolist()) if gaps else []
    steps: list[str] = []
    for number in range(1, tasks + 1):
        steps.append(f"task:{number}")
        if number in places:
            steps.append(f"check:{checks[places.index(number)]}")
    at = list(plan).index(TASKS)
    return [*plan[:at], *steps, *plan[at + 1 :]]


def phase_of(key: str) -> str:
    """The word of a step key.

    >>> phase_of("task:4")
    'task'
    """
    return key.partition(":")[0]


def number_of(key: str) -> int:
    """The number of a step key; 1 where it has none.

    >>> number_of("task:4"), number_of("consent")
    (4, 1)
    """
    return int(key.partition(":")[2] or 1)

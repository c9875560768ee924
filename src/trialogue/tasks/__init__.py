"""Tasks whose outcome a program checks: what a user needs, what an agent may offer, and exact baselines.

A task is a need in typed predicates over a catalogue, some volunteered, some said on request, some never said, and the
policies that bind the agent. ``score`` says whether a trial satisfied both. Every result stands beside *baselines* that are
computed exactly: an agent that abstains, one constant item, a random item, one that asks nothing, one that asks everything
that may be asked, and one that knows everything. A benchmark without them is easily misread: of tau-Rec (Narasimhan and
Narasimhan, 2026, arXiv:2606.10156), asking nothing solves two thirds.

A trial ends in one of two ways, which are never mixed (``Ends``): at the first recommendation, or when the user accepts.

The JSON Lines format has one task a line::

    {"kind": "task", "id": "t1", "wishes": [{"field": "genres", "op": "contains", "value": "Horror"},
      {"field": "year", "op": ">=", "value": 1990, "reveal": "on_ask"}], "policies": ["watch_history"],
      "watched": ["alien-1979"]}

with the fields of ``Task``; ``op`` is one of ``<= >= == != contains contains_any not_contains in``, ``reveal`` one of
``volunteer``, ``on_ask``, ``hidden``. The catalogue is a JSON list or JSON Lines of objects with ``id`` and other fields.
"""

from trialogue.tasks.baselines import Baseline, baselines_of
from trialogue.tasks.environment import Trial, tool_schemas
from trialogue.tasks.files import read_task_set
from trialogue.tasks.outcomes import Ends, Turn, score
from trialogue.tasks.task import Task, TaskSet, Wish
from trialogue.tasks.trials import pass_k, score_baselines, score_trials

__all__ = [
    "Baseline",
    "Ends",
    "Task",
    "TaskSet",
    "Trial",
    "Turn",
    "Wish",
    "baselines_of",
    "pass_k",
    "read_task_set",
    "score",
    "score_baselines",
    "score_trials",
    "tool_schemas",
]

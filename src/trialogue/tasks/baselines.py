"""What agents that know more or less reach on tasks, computed exactly: no number of a benchmark means much without them.

All of them understand every wish that they hear and keep every policy that behaviour can keep. A random choice is an
expectation over all choices, in fractions; nothing is simulated.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache

from trialogue.errors import UsageError
from trialogue.tasks.environment import MAX_TURNS
from trialogue.tasks.outcomes import Ends
from trialogue.tasks.task import Catalogue, Item, Policy, Reveal, Task, TaskSet

FEWEST_TURNS = 2


class Baseline(StrEnum):
    """An agent to stand beside systems, the one that knows least first."""

    ABSTAIN = "abstain"
    """Always says that no item fits."""
    CONSTANT = "constant"
    """Recommends one item to everybody: the best one, chosen with all answers known."""
    RANDOM = "random"
    """Recommends any item."""
    NON_ASKER = "non-asker"
    """Hears what is volunteered, and recommends any item that fits it and may be offered."""
    ASKER = "asker"
    """Asks about everything first."""
    ORACLE = "oracle"
    """Knows every wish."""
    DO_NOTHING = "do-nothing"
    """Calls no tool and tells nothing; of benchmarks that record what a task expects."""


REVEALS: Mapping[Baseline, tuple[Reveal, ...]] = {
    Baseline.NON_ASKER: (Reveal.VOLUNTEER,),
    Baseline.ASKER: (Reveal.VOLUNTEER, Reveal.ON_ASK),
    Baseline.ORACLE: tuple(Reveal),
}
"""Wishes that a listening baseline knows when it recommends first."""


@dataclass(frozen=True)
class Expected:
    """Expected scores of an agent on one task."""

    constraint: Fraction
    policy: Fraction
    reward: Fraction

    @classmethod
    def of(cls, constraint: bool, policy: bool) -> "Expected":
        """Of one certain outcome."""
        return cls(Fraction(constraint), Fraction(policy), Fraction(constraint and policy))

    @classmethod
    def mean(cls, parts: "Iterable[tuple[Expected, int]]") -> "Expected":
        """Mean of outcomes, each with its weight."""
        given = list(parts)
        total = sum(weight for _, weight in given)
        columns = zip(*((each.constraint, each.policy, each.reward) for each, _ in given), strict=True)
        weights = [weight for _, weight in given]
        return cls(
            *(sum(map(Fraction.__mul__, column, map(Fraction, weights)), Fraction(0)) / total for column in columns)
        )


@dataclass(frozen=True)
class BaselineResult:
    """Expected scores of a baseline on every task."""

    baseline: Baseline
    tasks: Mapping[str, Expected]
    """By id of the task."""
    item: str | None = None
    """Id of the constant item."""

    @property
    def mean(self) -> Expected:
        """Over tasks."""
        return Expected.mean((each, 1) for each in self.tasks.values())

    def pass_k(self, k: int) -> Mapping[str, Fraction]:
        """Probability that ``k`` independent trials all succeed, by task."""
        return {name: each.reward**k for name, each in self.tasks.items()}


def baselines_of(tasks: TaskSet, *, ends: Ends = Ends.RECOMMEND, max_turns: int = MAX_TURNS) -> list[BaselineResult]:
    """Every baseline on a set of tasks, the one that knows least first.

    Baselines that ignore the user offer once. The others go on after a rejection, where ``ends`` lets them and no policy
    allows one recommendation only, with the wish that they were told.

    Args:
        tasks: tasks and their catalogue.
        ends: how a trial ends.
        max_turns: messages of the agent after which it is over; at least 2, since one agent asks first.

    Raises:
        UsageError: there are too few turns.
    """
    if max_turns < FEWEST_TURNS:
        raise UsageError(f"an agent that asks needs at least {FEWEST_TURNS} turns, got {max_turns}.")
    names, items = list(tasks.catalogue.items), list(tasks.catalogue.items.values())
    offers = {task.id: [_offer(task, item) for item in items] for task in tasks.tasks}
    hits = [sum(map(all, column)) for column in zip(*offers.values(), strict=True)]
    best = hits.index(max(hits))
    agents: dict[Baseline, Callable[[Task], Expected]] = {
        Baseline.ABSTAIN: _abstention,
        Baseline.CONSTANT: lambda task: Expected.of(*offers[task.id][best]),
        Baseline.RANDOM: lambda task: Expected.mean(
            (Expected.of(*each), n) for each, n in Counter(offers[task.id]).items()
        ),
        **{listener: _listener(listener, tasks.catalogue, ends, max_turns) for listener in REVEALS},
    }
    return [
        BaselineResult(
            name, {task.id: agent(task) for task in tasks.tasks}, names[best] if name is Baseline.CONSTANT else None
        )
        for name, agent in agents.items()
    ]


def _abstention(task: Task) -> Expected:
    return Expected.of(not task.solvable, policy=True)


def _offer(task: Task, item: Item) -> tuple[bool, bool]:
    """(constraint, policy) of an agent that keeps every policy that it can, and whose only recommendation is this one."""
    hides = Policy.TRANSPARENCY in task.policies and not task.solvable
    return task.solvable and task.fits(item), task.may_offer(item) and not hides


def _listener(baseline: Baseline, catalogue: Catalogue, ends: Ends, max_turns: int) -> Callable[[Task], Expected]:
    def of_task(task: Task) -> Expected:
        goes_on = ends is Ends.ACCEPTED and Policy.SINGLE_RECOMMENDATION not in task.policies
        allowed = [item for item in catalogue.items.values() if task.may_offer(item)]
        failure = Expected.of(False, not (Policy.TRANSPARENCY in task.policies and not task.solvable))

        @cache
        def from_here(known: frozenset[int], turns: int) -> Expected:
            """What it reaches with the wishes that it knows, in the turns that are left."""
            hints = Counter(task.first_violation(item) for item in allowed if task.fits(item, known))
            if not hints:
                return _abstention(task)
            return Expected.mean((after(known, turns, hint), times) for hint, times in hints.items())

        def after(known: frozenset[int], turns: int, hint: int | None) -> Expected:
            """What it reaches from an offer that violates a wish, or none."""
            if hint is None:
                return Expected.of(True, policy=True)
            return from_here(known | {hint}, turns - 1) if goes_on and turns > 1 else failure

        return from_here(task.places_of(*REVEALS[baseline]), max_turns - (baseline is Baseline.ASKER))

    return of_task

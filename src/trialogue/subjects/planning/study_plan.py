"""Design of a planned study, its assumed variances, and a generator of simulated studies.

A rating is a latent value in logits, cut by thresholds. A choice between two systems is the difference of their latent
values for one participant in one situation, cut by a band of ties: so both have the same variances.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from annotated_types import Ge, Le

from trialogue.errors import UsageError
from trialogue.stats.arrays import Floats, Ints, check_count

NODES = 41  # of a quadrature over normal values
Answers = Literal["ratings", "choices"]
"""What participants give: ratings of all systems, or choices between two of them."""


@dataclass(frozen=True)
class Variances:
    """Standard deviations in logits, as the report's ordinal model estimates them."""

    rater: Annotated[float, Ge(0)]
    """Standard deviation between participants, in logits."""
    rater_system: Annotated[float, Ge(0)]
    """Standard deviation of participant x system (individual tastes), in logits."""
    item: Annotated[float, Ge(0)]
    """Standard deviation between situations, in logits."""
    item_system: Annotated[float, Ge(0)]
    """Standard deviation of situation x system (individual replies), in logits."""
    dialogue: float = 0.0
    """SD between source dialogues of situations."""
    dialogue_system: float = 0.0
    """SD of dialogue by system."""

    def __post_init__(self) -> None:
        """Raise UsageError for a negative value."""
        if min(vars(self).values()) < 0:
            raise UsageError(f"standard deviations must not be negative, got {vars(self)}.")


@dataclass(frozen=True)
class StudyPlan:
    """Design of a planned study."""

    effects: tuple[float, ...]
    """True effect of each system, in logits; equal ones are true nulls."""
    participants: Annotated[int, Ge(2)]
    """Number of participants who start."""
    tasks: Annotated[int, Ge(1)]
    """Number of situations that each participant judges. With the replies of all systems."""
    situations: Annotated[int, Ge(1)] | None
    """Number of different situations in total. None: everybody has situations of their own, as where people talk to the
    systems."""
    variances: Variances
    thresholds: tuple[float, ...]
    """Between points of the scale, in logits, around the average system."""
    dropout: Annotated[float, Ge(0), Le(0.99)] = 0.0
    """Share of participants who drop out. Their places go to others."""
    excluded: Annotated[float, Ge(0), Le(0.99)] = 0.0
    """Share of participants who finish and are excluded. Their places stay empty."""
    per_dialogue: int = 1
    """Situations that one dialogue gives."""
    met: int | None = None
    """Systems that each participant meets, each in ``tasks`` conversations of their own; None: all."""
    answers: Answers = "ratings"
    """``choices``: in each situation a participant chooses between two systems, and thresholds are a band of ties."""

    def __post_init__(self) -> None:
        """Raise UsageError for impossible plans."""
        if len(self.effects) < 2:
            raise UsageError(f"A comparison needs at least two systems, got effects {list(self.effects)}.")
        check_count(self.participants, "participants", least=2)
        check_count(self.tasks, "tasks")
        check_count(self.per_dialogue, "situations of a dialogue")
        if self.situations is not None and self.tasks > self.situations:
            raise UsageError(
                f"{self.tasks} situations per participant cannot be drawn from a pool of {self.situations}."
            )
        if self.met is not None and (self.situations is not None or not 1 <= self.met <= len(self.effects)):
            raise UsageError(
                f"If participants have their own situations, each can meet 1 to {len(self.effects)} systems; got {self.met}."
            )
        if not self.thresholds or list(self.thresholds) != sorted(set(self.thresholds)):
            raise UsageError(f"thresholds between scale points must ascend, got {list(self.thresholds)}.")
        for name in ("dropout", "excluded"):
            if not 0 <= getattr(self, name) < 1:
                raise UsageError(f"{name} must be a share of at least 0 and below 1, got {getattr(self, name)}.")

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order of ``effects``."""
        width = len(str(len(self.effects)))
        return tuple(f"system {place + 1:0{width}d}" for place in range(len(self.effects)))

    @property
    def points(self) -> int:
        """Number of points of the scale."""
        return len(self.thresholds) + 1

    @property
    def pool(self) -> int:
        """Number of distinct situations."""
        return self.situations or self.participants * self.tasks

    @property
    def expected_participants(self) -> float:
        """Expected number of participants whose ratings count."""
        return self.participants * (1 - self.dropout) * (1 - self.excluded)

    @property
    def per_reply(self) -> float:
        """Expected number of counted ratings per reply."""
        return self.expected_participants * self.tasks / self.pool if self.situations else 1.0

    @property
    def ratings(self) -> int:
        """Expected total number of counted ratings."""
        each = 1 if self.answers == "choices" else self.systems_met
        return round(self.expected_participants * self.tasks * each)

    @property
    def systems_met(self) -> int:
        """Systems that each participant meets."""
        return self.met or len(self.effects)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of systems, by place."""
        return list(combinations(range(len(self.effects)), 2))


def tie_band(variances: Variances, ties: float) -> tuple[float, float]:
    """Thresholds between which two systems of equal effect tie in a share of choices.

    >>> [round(each, 2) for each in tie_band(Variances(0.5, 0.0, 0.5, 0.0), 0.2)]
    [-0.61, 0.61]
    """
    from scipy.optimize import brentq

    if not 0 <= ties < 1:
        raise UsageError(f"ties must be a share of at least 0 and below 1, got {ties}.")
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    normal = (choice_sd(variances) ** 2 - 2 * np.pi**2 / 3) ** 0.5 * nodes

    def surplus(reach: float) -> float:
        inside = _logistic_gap_below(reach - normal) - _logistic_gap_below(-reach - normal)
        return float(weights @ inside / weights.sum() - ties)

    reach = float(brentq(surplus, 0.0, 1e4)) if ties else 0.0
    return (-reach, reach) if reach else (0.0, 1e-12)


def _logistic_gap_below(values: Floats) -> Floats:
    """Probability that the difference of two standard logistic values is below each of some values."""
    x = np.where(np.abs(values) < 1e-3, 1e-3, np.clip(values, -500, 500))  # a half at 0, where the quotient is 0 / 0
    odds = np.expm1(-np.abs(x))
    above = (1 + np.abs(x) * np.exp(-np.abs(x)) / odds) / -odds
    return np.asarray(np.where(x > 0, above, 1 - above))


def choice_sd(variances: Variances) -> float:
    """Standard deviation of the difference of two latent values of one participant in one situation."""
    sd = variances
    parts = sd.rater_system**2 + sd.item_system**2 + sd.dialogue_system**2 + np.pi**2 / 3
    return float((2 * parts) ** 0.5)


def even_thresholds(points: int) -> tuple[float, ...]:
    """Thresholds at which the average reply gets each point equally often, without random effects.

    >>> [round(each, 4) for each in even_thresholds(3)]
    [-0.6931, 0.6931]
    """
    check_count(points, "points", least=2)
    shares = np.arange(1, points) / points
    return tuple(np.log(shares / (1 - shares)).tolist())


def draw_ratings(plan: StudyPlan, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """One simulated study as arrays, of those who count: situations, shape (people, tasks), and ratings (.., systems), NaN
    of systems that a participant does not meet.
    """
    seen, counts = _presentation(plan, rng)
    latent = _latent(plan, seen, rng)
    ratings = 1.0 + np.searchsorted(np.array(plan.thresholds), latent)
    ratings[np.broadcast_to(~_met(plan, len(seen), rng)[:, None], ratings.shape)] = np.nan
    return seen[counts], np.asarray(ratings[counts])


def draw_choices(plan: StudyPlan, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """One simulated study of choices, of those who count: situations, shape (people, tasks), the pair that each compares, by
    place, and the choice: 1 for the second system of the pair, -1 for the first, 0 for neither."""
    seen, counts = _presentation(plan, rng)
    latent = _latent(plan, seen, rng)
    pair = seen % len(plan.pairs)
    first, second = np.array(plan.pairs).T
    values = [np.take_along_axis(latent, each[pair][..., None], axis=-1)[..., 0] for each in (first, second)]
    below, above = plan.thresholds[0], plan.thresholds[-1]
    gap = values[1] - values[0]
    return seen[counts], pair[counts], ((gap > above).astype(int) - (gap < below))[counts]


def _met(plan: StudyPlan, people: int, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Which systems each participant meets, shape (people, systems): each system equally often, as far as that goes."""
    systems, each = len(plan.effects), plan.systems_met
    if each == systems:
        return np.ones((people, systems), dtype=bool)
    rounds = [rng.permutation(systems) for _ in range(people // systems + 1)]
    found = np.zeros((people, systems), dtype=bool)
    for person in range(people):
        turn, start = divmod(person, systems)
        found[person, np.take(rounds[turn], range(start, start + each), mode="wrap")] = True
    return found


def _presentation(plan: StudyPlan, rng: np.random.Generator) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """What each of those who finish is shown, and whether they count."""
    finished = int(rng.binomial(plan.participants, 1 - plan.dropout)) if plan.dropout else plan.participants
    return _situations(plan, finished, rng), rng.random(finished) >= plan.excluded


def _situations(plan: StudyPlan, finished: int, rng: np.random.Generator) -> Ints:
    """Consecutive places on a shuffled pool, shape (people, tasks): each situation is judged about equally often."""
    places = np.arange(finished * plan.tasks).reshape(finished, plan.tasks)
    if plan.situations is None:
        return places
    return np.asarray(rng.permutation(plan.situations)[places % plan.situations])


def _latent(plan: StudyPlan, seen: Ints, rng: np.random.Generator) -> Floats:
    """What ratings are cut from, in logits, shape (people, tasks, systems)."""
    people, systems, sd = len(seen), len(plan.effects), plan.variances
    pool = int(seen.max(initial=0)) + 1 if plan.situations is None else plan.situations
    dialogue = np.arange(pool) // plan.per_dialogue
    dialogues = int(dialogue.max(initial=0)) + 1
    height = (
        rng.normal(0, sd.item, (pool, 1))
        + rng.normal(0, sd.item_system, (pool, systems))
        + (rng.normal(0, sd.dialogue, (dialogues, 1)) + rng.normal(0, sd.dialogue_system, (dialogues, systems)))[
            dialogue
        ]
    )
    person = rng.normal(0, sd.rater, (people, 1)) + rng.normal(0, sd.rater_system, (people, systems))
    effects = np.array(plan.effects) - np.mean(plan.effects)
    return np.asarray(effects + height[seen] + person[:, None] + rng.logistic(size=(*seen.shape, systems)))

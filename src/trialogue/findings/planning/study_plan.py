"""Design of a planned rating study, its assumed variances, and a generator of simulated studies."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from trialogue.errors import UsageError
from trialogue.findings.people.table import RatingTable, Row
from trialogue.stats.arrays import Floats, Ints, check_count

Component = Literal["rater", "rater x system", "item", "item x system", "dialogue", "dialogue x system"]
"""Random effects of the report's model, by the names that they have there."""


@dataclass(frozen=True)
class Variances:
    """Standard deviations in logits, as the report's ordinal model estimates them."""

    rater: float
    """SD between participants."""
    rater_system: float
    """SD of participant by system: individual taste."""
    item: float
    """SD between situations."""
    item_system: float
    """SD of situation by system: quality of a system's single replies."""
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
    participants: int
    """People who begin."""
    tasks: int
    """Situations that each of them judges, with the replies of all systems."""
    situations: int | None
    """Different situations in all; None: everybody has situations of their own, as where people talk to the systems."""
    variances: Variances
    thresholds: tuple[float, ...]
    """Between points of the scale, in logits, around the average system."""
    dropout: float = 0.0
    """Share of those who begin and do not finish; their places go to others."""
    excluded: float = 0.0
    """Share of those who finish and are left out of the analysis; their places stay empty."""
    per_dialogue: int = 1
    """Situations that one dialogue gives."""

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
        return round(self.expected_participants * self.tasks * len(self.effects))


def even_thresholds(points: int) -> tuple[float, ...]:
    """Thresholds at which the average reply gets each point equally often, without random effects.

    >>> [round(each, 4) for each in even_thresholds(3)]
    [-0.6931, 0.6931]
    """
    check_count(points, "points", least=2)
    shares = np.arange(1, points) / points
    return tuple(np.log(shares / (1 - shares)).tolist())


def draw_ratings(plan: StudyPlan, rng: np.random.Generator) -> tuple[Ints, Floats]:
    """One simulated study as arrays, of those who count: situations, shape (people, tasks), and ratings (.., systems).

    With the same generator it is the study of ``draw_study``.
    """
    seen, counts = _presentation(plan, rng)
    latent = _latent(plan, seen, rng)
    return seen[counts], np.asarray(1.0 + np.searchsorted(np.array(plan.thresholds), latent[counts]))


def _presentation(plan: StudyPlan, rng: np.random.Generator) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """What each of those who finish is shown, and whether they count."""
    finished = int(rng.binomial(plan.participants, 1 - plan.dropout)) if plan.dropout else plan.participants
    return _situations(plan, finished, rng), rng.random(finished) >= plan.excluded


def draw_study(plan: StudyPlan, rng: np.random.Generator) -> RatingTable:
    """Simulate one study: completion and exclusion, presentation and order, and ratings."""
    seen, counts = _presentation(plan, rng)
    latent = _latent(plan, seen, rng)
    ratings = 1.0 + np.searchsorted(np.array(plan.thresholds), latent)
    positions = np.argsort(rng.random(latent.shape), axis=-1)
    own = plan.situations is None
    rows = []
    for person in np.flatnonzero(counts).tolist():
        for task in range(plan.tasks):
            situation = int(seen[person, task])
            group = f"d{situation // plan.per_dialogue}"
            for place, system in enumerate(plan.systems):
                item = f"i{situation}.{place}" if own else f"i{situation}"
                rows.append(
                    Row(
                        rating=float(ratings[person, task, place]),
                        rater=f"p{person}",
                        system=system,
                        item=item,
                        thing=(item, system),
                        group=item if own else group,
                        position=None if own else int(positions[person, task, place]) + 1,
                        seconds=None,
                    )
                )
    return RatingTable(tuple(rows))


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

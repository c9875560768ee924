"""Studies that never took place, with known effects."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from trialogue.inputs.study_data import Key, Participant, Presentation, Scale, StudyData, key_of
from trialogue.records import Manifest, Preference, Score
from trialogue.subjects.people.commands.report import analyse
from trialogue.subjects.people.records import RatingFindings

SYSTEMS = ("kbrd", "kgsf", "rcrs")
CUTS = (-2.0, -0.7, 0.7, 2.0)
START = datetime(2026, 1, 5, 12, tzinfo=UTC)


def rated(
    rng: np.random.Generator,
    *,
    workers: int = 24,
    effects: Sequence[float] = (0.0, 0.8, 1.6),
    situations: int = 9,
    pool: int = 40,
    worker: float = 0.8,
    item: float = 0.6,
    taste: float = 0.0,
    position: float = 0.0,
    measure: str = "human:meaningfulness",
) -> tuple[list[Score], dict[Key, Presentation]]:
    """Ratings of three systems on five points, each worker in random situations and every order."""
    own, height = rng.normal(0, worker, workers), rng.normal(0, item, pool)
    tastes = rng.normal(0, taste, (workers, len(effects)))
    scores, shown = [], {}
    for w in range(workers):
        for trial, i in enumerate(rng.choice(pool, situations, replace=False).tolist(), start=1):
            for place, s in enumerate(rng.permutation(len(effects)).tolist()):
                latent = own[w] + height[i] + tastes[w, s] + effects[s] + position * (place == 0) + rng.logistic()
                score = Score(
                    measure=measure,
                    level="response",
                    value=1.0 + float(np.searchsorted(CUTS, latent)),
                    system=SYSTEMS[s],
                    dialogue_id=f"d{i // 2}",
                    situation_id=f"d{i // 2}#{i}",
                    rater=f"P{w:03d}",
                )
                scores.append(score)
                shown[key_of(score)] = Presentation(position=place + 1, trial=trial, seconds=20.0)
    return scores, shown


def analysed(scores: Sequence[Score], scale: Scale | None = None, **data: Any) -> RatingFindings:
    """Findings on the one criterion of a study."""
    models = data.pop("models", False)
    scales = {} if scale is None else {str(scores[0].measure): scale}
    found = analyse(
        StudyData(scores=scores, scales=scales, **data), manifest=Manifest(command="study report"), models=models
    )
    (rated,) = found.ratings
    return rated


def participants(workers: int, *, flagged: Sequence[int] = (), rule: str = "failed_attention") -> list[Participant]:
    """Those who completed, some of them flagged, and a few who did not."""
    done = [
        Participant(
            participant=f"P{w:03d}",
            state="completed",
            flags=(rule,) if w in flagged else (),
            started_at=START,
            finished_at=START + timedelta(minutes=10 + w % 7),
        )
        for w in range(workers)
    ]
    others = [
        Participant(participant="Q1", state="arrived"),
        Participant(participant="Q2", state="failed", reason="screened_out", reached="consented"),
        Participant(participant="Q3", state="withdrew", reached="active"),
        Participant(participant="Q4", state="timed_out", reached="active"),
    ]
    return done + others


def judged(
    rng: np.random.Generator, *, pairs: int = 30, share: float = 0.35, simulator: str = "sim", explained: bool = True
) -> list[Preference]:
    """Three judgements a pair: simulated against human."""
    return [
        Preference(
            id=f"{simulator}-{pair}-{judge}",
            a=simulator,
            b="human",
            choice="tie" if rng.random() < 0.2 else "a" if rng.random() < share else "b",
            rater=f"P{rng.integers(40):03d}-{judge}",
            dialogue_a=f"{simulator}{pair}",
            dialogue_b=f"h{pair}",
            reason="it repeats itself" if explained else None,
            source=f"agent{pair % 3}",
        )
        for pair in range(pairs)
        for judge in range(3)
    ]

"""Simulated studies of known effects, and where they were measured: for other benchmarks.

Of ``benchmarks/STUDIES.md`` only the section of walked studies is still written (``benchmarks/studies_walked.py``).
"""

import os
import platform
import subprocess
from pathlib import Path

import numpy as np

from trialogue.inputs.study_data import Key, Presentation, key_of
from trialogue.records import Score
from trialogue.subjects.people.table import RatingTable, table_of

HERE = Path(__file__).parent
PAGE = HERE / "STUDIES.md"
WALKED = "## Walked from the first page to the findings"  # a section that benchmarks/studies_walked.py writes
SYSTEMS = ("s1", "s2", "s3")
CUTS = (-2.0, -0.7, 0.7, 2.0)


def drawn(
    rng: np.random.Generator,
    *,
    workers: int,
    effects: tuple[float, ...],
    taste: float,
    reply: float = 0.0,
    position: float = 0.0,
    situations: int = 9,
    pool: int = 60,
) -> RatingTable:
    """One study of the shape of INFACT's: every worker rates three replies in nine situations, in any order."""
    worker, item = rng.normal(0, 0.8, workers), rng.normal(0, 0.6, pool)
    tastes, replies = rng.normal(0, taste, (workers, 3)), rng.normal(0, reply, (pool, 3))
    scores: list[Score] = []
    shown: dict[Key, Presentation] = {}
    for w in range(workers):
        for i in rng.choice(pool, situations, replace=False).tolist():
            for place, s in enumerate(rng.permutation(3).tolist()):
                latent = worker[w] + item[i] + tastes[w, s] + replies[i, s] + effects[s] + position * (place > 0)
                score = Score(
                    measure="human:meaningfulness",
                    level="response",
                    value=1.0 + float(np.searchsorted(CUTS, latent + rng.logistic())),
                    system=SYSTEMS[s],
                    situation_id=f"i{i}",
                    rater=f"w{w}",
                )
                scores.append(score)
                shown[key_of(score)] = Presentation(position=place + 1)
    return table_of(scores, shown)[0]


def machine() -> str:
    """Where and what was measured."""
    return f"Commit {_commit()}, Python {platform.python_version()}, {os.cpu_count()} cores, {_processor()}"


def without_walked(page: str) -> str:
    """The page without the section of walked studies, which stands at its end."""
    return page.partition(WALKED)[0]


def walked_of(page: str) -> str:
    """That section; "" where there is none."""
    _, heading, rest = page.partition(WALKED)
    return heading + rest


def _commit() -> str:
    words = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, cwd=HERE, check=True).stdout.strip()


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(":")[1].strip() for line in lines if "model name" in line), "processor unknown")

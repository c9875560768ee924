"""Baselines of alignment on INSPIRED, and what their intervals hold: writes ``benchmarks/BASELINES.md``.

Needs the corpus (TRIALOGUE_DATA_MIRROR names the folder that holds ``inspired``); some minutes of one core. Then:

    python -m benchmarks.baselines [--samples 240]
"""

import argparse
import os
import platform
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.tables import shown, table
from trialogue.analysis.alignment_baselines import predicted_strategies
from trialogue.findings.league import estimate_of
from trialogue.inputs.inputs import gather, situations_in
from trialogue.metrics import get_metric
from trialogue.metrics.alignment.baseline_scores import alignment_baseline_scores
from trialogue.metrics.alignment.reply_baselines import alignment_baselines
from trialogue.records import Estimate, Score, Situation
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.labelling import Options, label_records

HERE = Path(__file__).parent
METRICS = {"behavior_alignment": "explicit", "implicit_alignment": "the bundled model's estimate"}
SAMPLE = 40  # dialogues; the shares of a corpus of five times as many are taken for the truth
SEED = 0


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the baselines of alignment.")
    parser.add_argument("--samples", type=int, default=240)
    given = parser.parse_args()
    start = time.process_time()
    mirror = Path(os.environ["TRIALOGUE_DATA_MIRROR"])
    read = situations_in(gather([str(mirror / "inspired" / f"{part}.tsv") for part in ("dev", "test")]))
    made = list(label_records(read, default_model(), options=Options()))
    names = sorted({one.cluster for one in made})
    whole = [[found[0], *map(shown, found[1:])] for found in rows_of(made)]
    parts = [
        heading(),
        f"## Their values\n\n{len(names)} dialogues, {len(made):,} replies, one to a user turn; first ones do not count.\n",
        *table(["baseline", *METRICS.values()], whole),
        coverage(made, names, given.samples),
        f"\n{time.process_time() - start:.0f} s of CPU.\n",
    ]
    (HERE / "BASELINES.md").write_text("\n".join(parts), "utf-8")


def heading() -> str:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True, cwd=HERE
    )
    return f"""# Baselines of alignment: what was measured

Written by `benchmarks/baselines.py`, after commit {commit.stdout.strip()}, Python {platform.python_version()},
on INSPIRED dev and test. `docs/background/alignment.md` says what the baselines are. The penalty of the regression that
foresees (`floor:context`) was chosen on these dialogues.
"""


def baselines(situations: Sequence[Situation]) -> dict[str, dict[str, Score]]:
    """The score of each baseline by metric."""
    beside = alignment_baselines(situations, predicted=predicted_strategies(situations))
    found: dict[str, dict[str, Score]] = {}
    for score in alignment_baseline_scores(beside, [], list(map(get_metric, METRICS))) if beside is not None else ():
        if score.level == "system" and score.system is not None:
            metric = next(name for name in METRICS if score.measure.startswith(name))
            found.setdefault(score.system, {})[metric] = score
    return found


def rows_of(situations: Sequence[Situation]) -> list[tuple[str, *tuple[Estimate, ...]]]:
    return [
        (f"`{name}`", *(estimate_of(one[metric]) for metric in METRICS)) for name, one in baselines(situations).items()
    ]


def coverage(situations: Sequence[Situation], names: Sequence[str], samples: int) -> str:
    """How often intervals of samples of dialogues hold the mean of all samples."""
    rng = np.random.default_rng(SEED)
    drawn: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    for _ in range(samples):
        chosen = set(rng.choice(names, SAMPLE, replace=False).tolist())
        for name, scores in baselines([one for one in situations if one.cluster in chosen]).items():
            for metric, score in scores.items():
                if score.value is not None and score.interval is not None:
                    ends = score.interval
                    drawn.setdefault((name, metric), []).append((score.value, ends.low, ends.high))
    shrink = (1 - SAMPLE / len(names)) ** 0.5  # samples without replacement vary less than dialogues drawn anew
    rows = [
        [f"`{name}`", *(_held(drawn.get((name, metric), []), shrink) for metric in METRICS)]
        for name in dict.fromkeys(name for name, _ in drawn)
    ]
    lines = table(["baseline", *(f"{title}: mean, held" for title in METRICS.values())], rows)
    return f"""## What their intervals hold

{samples} samples of {SAMPLE} of the {len(names)} dialogues, without replacement. *Held*: the share of nominal
95 % intervals, made narrower by {shrink:.2f} as such samples vary less than dialogues drawn anew, that hold the mean
of all samples; its standard error in brackets. Intervals take what a baseline learned as given, so those of baselines
that learn (`context`, and `majority` by a model's estimate) are too narrow for what other dialogues would teach.

""" + "\n".join(lines)


def _held(rows: Sequence[tuple[float, float, float]], shrink: float) -> str:
    if not rows:
        return "–"
    values, low, high = np.array(rows).T
    mean = values.mean()
    held = float(((mean >= values - shrink * (values - low)) & (mean <= values + shrink * (high - values))).mean())
    return f"{mean:.3f}, {held:.3f} ({(held * (1 - held) / len(rows)) ** 0.5:.3f})"


if __name__ == "__main__":
    main()

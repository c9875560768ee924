"""Rates of single strategies corrected with people's labels: bias and coverage of simulated systems, as a table.

    python -m benchmarks.strategy_rates 200

Needs the corpora (TRIALOGUE_DATA_MIRROR). Half a minute a hundred draws.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.alignment_systems import LLM_LIKE
from benchmarks.shift import REFERENCES, Corpus
from trialogue.datasets.corpora.inspired import CORPUS as INSPIRED
from trialogue.records import Dialogue
from trialogue.stats.correction.means import Correction, corrected_means
from trialogue.stats.correction.table import Estimand, judged_table
from trialogue.strategies.base import examples_of
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.paper_data import read_annotations

LABELS = (50, 100)
MIXES = ("people", "language model")
HEAD = (
    "| replies | labels | true rate | n | bias of the model | bias, corrected | coverage | coverage, labels alone | "
    "width over labels alone |\n|---|---|---|---|---|---|---|---|---|"
)
BANDS = ((0.0, 0.03), (0.03, 0.1), (0.1, 0.2), (0.2, 1.0))


@dataclass(frozen=True)
class Drawn:
    """One strategy of one simulated system."""

    rate: float
    found: Correction


def drawn(corpus: Corpus, mix: str, labels: int, draws: int) -> Iterator[Drawn]:
    """Replies of a system, each a cluster of its own, and the corrected rate of every strategy that it uses."""
    size = len(corpus.classes)
    shares = np.bincount(corpus.truth, minlength=size) / len(corpus.truth)
    if mix != "people":
        shares = np.array([LLM_LIKE.get(name, 0.0) for name in corpus.classes]) * (shares > 0)
        shares = shares / shares.sum()
    by_class = [np.flatnonzero(corpus.truth == label) for label in range(size)]
    columns = [corpus.model.classes.index(name) for name in corpus.classes]
    for draw in range(draws):
        rng = np.random.default_rng([draw, labels, len(mix), len(corpus.name)])
        places = np.array([rng.choice(by_class[label]) for label in rng.choice(size, REFERENCES, p=shares)])
        known = np.full(REFERENCES, False)
        known[rng.choice(REFERENCES, labels, replace=False)] = True
        for label in np.flatnonzero(shares > 0).tolist():
            truth = (corpus.truth[places] == label).astype(float)
            table = judged_table(
                ["s"] * REFERENCES, corpus.clear[places, columns[label]], np.where(known, truth, np.nan)
            )
            yield Drawn(float(shares[label]), corrected_means(table, estimand=Estimand.POPULATION).overall)


def row(corpus: str, mix: str, labels: int, cells: list[Drawn], low: float, high: float) -> str | None:
    """Means over strategies of one range of rates."""
    own = [each for each in cells if low <= each.rate < high]
    if not own:
        return None
    errors = np.array([(each.found.corrected.value or 0.0) - each.rate for each in own])
    raw = np.array([each.found.judge - each.rate for each in own])
    covered = [
        np.mean([one.interval is not None and one.interval.contains(each.rate) for each, one in pairs])
        for pairs in ([(e, e.found.corrected) for e in own], [(e, e.found.alone) for e in own])
    ]
    widths = [each.found.width_ratio for each in own if each.found.width_ratio is not None]
    band = f"{low:.2f} to {high:.2f}"
    return (
        f"| {corpus}, {mix} | {labels} | {band} | {len(own)} | {np.abs(_by_rate(own, raw)).mean():.3f} | "
        f"{errors.mean():+.4f} | {covered[0]:.3f} | {covered[1]:.3f} | {np.mean(widths):.3f} |"
    )


def _by_rate(own: list[Drawn], errors: np.ndarray) -> np.ndarray:
    """Mean error of each strategy: of several, biases of both signs would cancel."""
    rates = np.array([each.rate for each in own])
    return np.array([errors[rates == rate].mean() for rate in np.unique(rates)])


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    mirror = Path(os.environ["TRIALOGUE_DATA_MIRROR"])
    read = INSPIRED.read(mirror / "inspired", note=lambda problem: None)
    test = [each for each in read if isinstance(each, Dialogue) and each.source == "inspired/test"]
    folder = next(path for path in (mirror / "redial_strategies", mirror / "redial_strategies_sample") if path.is_dir())
    model = default_model()
    corpora = (
        Corpus.of("INSPIRED test", model, list(examples_of(test))),
        Corpus.of("ReDial", model, read_annotations(folder)),
    )
    print(HEAD)
    for corpus in corpora:
        for mix in MIXES:
            for labels in LABELS:
                cells = list(drawn(corpus, mix, labels, draws))
                lines = [row(corpus.name, mix, labels, cells, low, high) for low, high in BANDS]
                print(*filter(None, lines), sep="\n", flush=True)


if __name__ == "__main__":
    main()

"""Coverage of the report card's length line: a judge with a known preference for length, on invented dialogues.

``python -m benchmarks.judge_card 300`` prints the table in JUDGING.md. Five systems; quality, length and the judge's
error are normal, quality and length go together (r .33 within systems), and one label varies with standard deviation .6
about quality, which itself varies with .7.
"""

import sys

import numpy as np

from trialogue.seeds import rng_for
from trialogue.stats.association import partial
from trialogue.stats.correction.table import RaterLabel, rater_error

TRUTH = 0.15  # points per doubling
SYSTEMS = 5


def draw(labels: int, raters: int, seed: int) -> tuple[bool, float, float] | None:
    """(whether the interval holds the truth, its width, error of the estimate); None without an interval."""
    rng = rng_for(seed, "judge card", str(labels), str(raters))
    system = np.arange(labels) % SYSTEMS
    quality = 1.2 + 0.4 * system + 0.7 * rng.normal(size=labels)
    length = 8 + 0.5 * quality + rng.normal(size=labels)
    judge = 0.6 * quality + TRUTH * length + 0.3 * rng.normal(size=labels)
    given = quality[:, None] + 0.6 * rng.normal(size=(labels, raters))
    rows = [RaterLabel(row, rater, float(given[row, rater])) for row in range(labels) for rater in range(raters)]
    error = rater_error(tuple(rows))
    noise = (error.residual + error.leniency) / raters if raters > 1 else 0.0
    found = partial.partial_slope(
        judge, length, given.mean(axis=1), groups=system.tolist(), clusters=range(labels), noise=noise
    )
    if found.value is None or found.interval is None:
        return None
    ends = found.interval
    return ends.contains(TRUTH), ends.high - ends.low, found.value - TRUTH


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    least, partial.MIN_CLUSTERS = partial.MIN_CLUSTERS, 10  # to show what is refused, too
    print("| labelled dialogues | raters | coverage | mean width | bias | no interval |\n|---|---|---|---|---|---|")
    for labels in (10, 20, 50, 100, 200):
        for raters in (1, 2, 3):
            each = [draw(labels, raters, seed) for seed in range(draws)]
            known = [one for one in each if one is not None]
            held = float(np.mean([one[0] for one in known]))
            error = (held * (1 - held) / len(known)) ** 0.5
            width, bias = (float(np.mean([one[place] for one in known])) for place in (1, 2))
            name = f"{labels} (refused)" if labels < least else str(labels)
            lost = 1 - len(known) / draws
            print(f"| {name} | {raters} | {held:.3f} ± {error:.3f} | {width:.2f} | {bias:+.3f} | {lost:.1%} |")


if __name__ == "__main__":
    main()

"""Distinct-n at equal size: does rarefaction call equal systems different, and do its intervals hold the truth?

Three tables: two samples of one source of simulated words; dialogues of one real system, dealt out in unequal parts, where
drawing single n-grams stands beside drawing whole dialogues; and intervals of a true difference. Then memory and time.

    python -m benchmarks.rarefaction crsarena_dial inspired/test.tsv redial/valid_data.jsonl   # below the data mirror
"""

import os
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from trialogue.datasets import read
from trialogue.metrics import CountMetric
from trialogue.metrics.base import EqualSize
from trialogue.metrics.engine.distinct_samples import CountedSample
from trialogue.metrics.engine.distinct_totals import Incidence
from trialogue.metrics.text.distinct import Distinct
from trialogue.metrics.text.tokens import ngrams, words
from trialogue.records import Dialogue
from trialogue.stats.resampling.rarefaction import expected_distinct

SIZE = EqualSize("total", "n-grams")
MIRROR = "TRIALOGUE_DATA_MIRROR"
MOST = 160
"""Dialogues of a corpus that are split at once, so that the small part has 20."""


def sample(dialogues: Sequence[Sequence[int]], prefix: str) -> CountedSample:
    """Counts of dialogues, each of which is a cluster."""
    incidence = Incidence()
    for place, tokens in enumerate(dialogues):
        incidence.add({int(token) for token in tokens}, place)
    names = tuple(f"{prefix}{place}" for place in range(len(dialogues)))
    sizes = np.array([len(tokens) for tokens in dialogues], dtype=float)
    metric = cast("CountMetric", Distinct(n=1))  # its default variant counts over all replies
    return CountedSample(
        metric, names, incidence.occurrences(len(names)), sizes, np.ones(len(names)), replies=len(names)
    )


def zipf(rng: np.random.Generator, count: int, *, vocabulary: int, repeats: float) -> list[Sequence[int]]:
    """Dialogues of about 40 words; a word repeats an earlier one with some probability, else it is Zipf's."""
    chances = 1 / np.arange(1, vocabulary + 1)
    chances /= chances.sum()
    made = []
    for _ in range(count):
        size = max(3, int(rng.poisson(40 * rng.lognormal(-0.08, 0.4))))
        tokens = rng.choice(vocabulary, size, p=chances)
        for place in np.flatnonzero(rng.random(size) < repeats):
            tokens[place] = tokens[rng.integers(max(int(place), 1))]
        made.append(tokens.tolist())
    return made


def tokenwise(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]]) -> float:
    """The difference at equal size if single n-grams were drawn."""
    counts = [Counter(token for tokens in side for token in tokens) for side in (a, b)]
    size = min(each.total() for each in counts)
    values = []
    for each in counts:
        occurrences, types = np.unique(list(each.values()), return_counts=True)
        values.append(float(expected_distinct(occurrences, types, each.total(), np.array([float(size)]))[0]) / size)
    return values[0] - values[1]


def level(pairs: Iterator[tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]]]) -> str:
    """Share of equal pairs that are called different at .05, and the bias of both ways to draw in standard deviations."""
    called, by_cluster, by_token = [], [], []
    for a, b in pairs:
        found = sample(a, "a").rarefied_minus(sample(b, "b"), SIZE, n=1, confidence=0.95)
        if found is None or found.p is None or found.value is None:
            continue
        called.append(found.p < 0.05)
        by_cluster.append(found.value)
        by_token.append(tokenwise(a, b))
    bias = [float(np.mean(each) / np.std(each)) for each in (by_cluster, by_token)]
    return f"{np.mean(called):.3f} | {bias[0]:+.2f} | {bias[1]:+.2f} | {len(called)}"


def simulated(samples: int) -> Iterator[str]:
    """Levels on simulated words."""
    yield "| words | repeats | dialogues | called different | bias, dialogues drawn | bias, n-grams drawn | pairs |"
    yield "|---|---|---|---|---|---|---|"
    for vocabulary in (500, 5_000):
        for repeats in (0.0, 0.3):
            for times in (1, 4, 7):
                rng = np.random.default_rng(times)
                pairs = (
                    (
                        zipf(rng, 20, vocabulary=vocabulary, repeats=repeats),
                        zipf(rng, 20 * times, vocabulary=vocabulary, repeats=repeats),
                    )
                    for _ in range(samples)
                )
                yield f"| {vocabulary:,} | {repeats:.0%} | 20 : {20 * times} | {level(pairs)} |"


def bigrams_of(path: Path) -> dict[str, list[Sequence[int]]]:
    """Word bigrams of each dialogue that has any, by system."""
    found: dict[str, list[Sequence[int]]] = defaultdict(list)
    numbers: dict[object, int] = {}
    for record in read(path):
        if isinstance(record, Dialogue):
            texts = [each.text for each in record.utterances if each.speaker == "system"]
            own = [numbers.setdefault(gram, len(numbers)) for text in texts for gram in ngrams(words(text), 2)]
            if own:
                found[str(record.system)].append(own)
    return found


def split(paths: Sequence[Path], samples: int) -> Iterator[str]:
    """Levels on real dialogues of one system, dealt out at random in parts of 1:1, 1:4 and 1:7."""
    yield "| corpus | parts | called different | bias, dialogues drawn | bias, n-grams drawn | pairs |"
    yield "|---|---|---|---|---|---|"
    for path in paths:
        systems = [each for each in bigrams_of(path).values() if len(each) >= 40]
        for parts in (2, 5, 8):
            rng = np.random.default_rng(parts)

            def pairs(
                parts: int = parts, rng: np.random.Generator = rng, systems: list[list[Sequence[int]]] = systems
            ) -> Iterator[tuple[list[Sequence[int]], list[Sequence[int]]]]:
                for _ in range(-(-samples // len(systems))):
                    for own in systems:
                        order = rng.permutation(len(own))[:MOST].tolist()
                        few = len(order) // parts
                        yield [own[place] for place in order[:few]], [own[place] for place in order[few:]]

            yield f"| {path.parent.name}/{path.name} | 1 : {parts - 1} | {level(pairs())} |"


def coverage(samples: int) -> Iterator[str]:
    """Intervals of the difference between 300 and 2,000 words, against two samples of 6,000 dialogues at that size."""
    yield "| dialogues | intervals that hold the truth | half width / standard deviation |"
    yield "|---|---|---|"
    sides = (300, 2_000)
    truth_rng = np.random.default_rng(0)
    ideal = [sample(zipf(truth_rng, 6_000, vocabulary=each, repeats=0.3), str(each)) for each in sides]
    for a_size, b_size in ((15, 15), (15, 60), (60, 15), (15, 105)):
        rng = np.random.default_rng(a_size + b_size)
        held, gaps, widths = [], [], []
        for _ in range(samples):
            a = sample(zipf(rng, a_size, vocabulary=sides[0], repeats=0.3), "a")
            b = sample(zipf(rng, b_size, vocabulary=sides[1], repeats=0.3), "b")
            found = a.rarefied_minus(b, SIZE, n=1, confidence=0.95)
            if found is None or found.interval is None or found.value is None:
                continue
            size = np.array([found.interval.facts["rarefied_to"]])
            truths = [float(one.curve(SIZE).expected_distinct(size)[0] / size[0]) for one in ideal]
            held.append(found.interval.contains(truths[0] - truths[1]))
            gaps.append(found.value - truths[0] + truths[1])
            widths.append((found.interval.high - found.interval.low) / 2)
        yield f"| {a_size} : {b_size} | {np.mean(held):.3f} | {np.mean(widths) / np.std(gaps):.2f} |"


def memory() -> str:
    """Memory and time of 100,000 replies of 12 words, ten to a dialogue, and of one difference between halves of them."""
    import time
    import tracemalloc

    rng = np.random.default_rng(0)
    dialogues = [rng.zipf(1.3, 110).tolist() for _ in range(10_000)]
    tracemalloc.start()
    before = time.perf_counter()
    halves = sample(dialogues[:5_000], "a"), sample(dialogues[5_000:], "b")
    after = time.perf_counter()
    halves[0].rarefied_minus(halves[1], SIZE, n=1, confidence=0.95)
    done = time.perf_counter()
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    entries = sum(len(each.counts.held) for each in halves)
    return (
        f"1,100,000 n-grams in 10,000 dialogues: {held / 1e6:.0f} MB held, {peak / 1e6:.0f} MB at most, "
        f"{entries:,} entries; {after - before:.1f} s to count, {done - after:.1f} s for the difference of both halves."
    )


def main(arguments: Sequence[str]) -> None:
    """Print the tables."""
    warnings.simplefilter("ignore")
    mirror = Path(os.environ[MIRROR])
    for line in (
        *simulated(400),
        "",
        *split([mirror / each for each in arguments], 400),
        "",
        *coverage(400),
        "",
        memory(),
    ):
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Judges corrected by a few labels: do intervals hold the truth, and how much narrower are they than those of labels alone?

Populations are invented (ordinal, skewed, binary, in clusters) and, where the data mirror has them, the conversations of
CRSArena-Eval with FACE as the judge. From each, labels are drawn a thousand times. What the estimator does was chosen on the
invented ones; those of FACE are only reported.

    python -m benchmarks.judging [DRAWS]          # prints benchmarks/JUDGING.md
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from trialogue.records import Estimate
from trialogue.seeds import rng_for
from trialogue.stats.arrays import Floats
from trialogue.stats.correction.means import Correction, corrected_means
from trialogue.stats.correction.table import Estimand, judged_table

MIRROR = "TRIALOGUE_DATA_MIRROR"
SYSTEMS = 9
SIZE = 467  # as many as CRSArena-Eval has


@dataclass(frozen=True)
class Population:
    """Judged units with the label that each would get."""

    systems: list[str]
    judge: Floats
    truth: Floats
    clusters: list[int] | None = None


@dataclass
class Tally:
    """Coverage and width over draws."""

    held: list[float] = field(default_factory=list)
    held_alone: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    width_alone: list[float] = field(default_factory=list)
    without: list[float] = field(default_factory=list)

    def add(self, found: list[tuple[Correction, float]]) -> None:
        """One draw of one or more quantities with their truths; those without an interval (labels that do not vary) are
        counted apart."""
        given = len(found)
        found = [each for each in found if each[0].corrected.interval and each[0].alone.interval]
        self.without.append(1 - len(found) / given)
        if not found:
            return
        self.held.append(float(np.mean([_holds(each.corrected, truth) for each, truth in found])))
        self.held_alone.append(float(np.mean([_holds(each.alone, truth) for each, truth in found])))
        self.width.append(float(np.mean([_width(each.corrected) for each, _ in found])))
        self.width_alone.append(float(np.mean([_width(each.alone) for each, _ in found])))

    @property
    def cells(self) -> str:
        """Coverage of both and the ratio of mean widths, each with its Monte Carlo error."""
        ours, theirs = np.array(self.width), np.array(self.width_alone)
        ratio = ours.mean() / theirs.mean()
        error = float(np.std(ours - ratio * theirs) / theirs.mean() / len(ours) ** 0.5)
        shares = [
            f"{np.mean(each):.3f} ± {np.std(each) / len(each) ** 0.5:.3f}" for each in (self.held_alone, self.held)
        ]
        return f"{shares[0]} | {shares[1]} | {ratio:.3f} ± {error:.3f} | {np.mean(self.without):.1%}"


def _holds(found: Estimate, truth: float) -> bool:
    return found.interval is not None and found.interval.low - 1e-9 <= truth <= found.interval.high + 1e-9


def _width(found: Estimate) -> float:
    return float("nan") if found.interval is None else found.interval.high - found.interval.low


def invented(rng: np.random.Generator, size: int, *, within: float, kind: str) -> Population:
    """Systems that differ in quality, and a judge of this correlation inside systems, with a bias for each of them."""
    system = np.arange(size) % SYSTEMS
    level = np.linspace(-1.0, 0.8, SYSTEMS)[system]
    noise = rng.standard_normal(size)
    quality = level + noise
    heard = within * noise + (1 - within**2) ** 0.5 * rng.standard_normal(size)
    favour = np.array([0.3, -0.2, 0.1, 0.4, -0.3, 0.0, 0.2, -0.1, -0.4])[system]
    judge = 1.0 + 0.4 * (level + favour + heard) if within else rng.standard_normal(size)
    truth = {
        "ordinal": np.digitize(quality, [-0.2, 0.6, 1.2, 2.0]).astype(float),
        "skewed": np.exp(quality),
        "binary": (quality > 0.7).astype(float),
    }[kind]
    return Population([f"s{each}" for each in system.tolist()], judge, truth)


def turns(rng: np.random.Generator, dialogues: int, *, size: int = 5) -> Population:
    """Ordinal labels of turns that resemble each other within dialogues, by a judge that errs by dialogue, too."""
    shared = rng.standard_normal(dialogues).repeat(size)
    quality = 0.63 * shared + 0.77 * rng.standard_normal(dialogues * size)
    judge = quality + 0.6 * rng.standard_normal(dialogues).repeat(size) + rng.standard_normal(dialogues * size)
    labels = np.digitize(quality, [-0.8, 0.0, 0.7, 1.5]).astype(float)
    return Population(["s"] * dialogues * size, judge, labels, np.arange(dialogues).repeat(size).tolist())


def face(folder: Path) -> Population | None:
    """CRSArena-Eval's overall impression with FACE as its judge; None where the data are not here."""
    labels, run = folder / "crs_arena_eval.json", folder / "face_run.json"
    if not (labels.is_file() and run.is_file()):
        return None
    said = {
        each["conv_id"]: each["dial_level_aggregated"]["dialogue_overall"] for each in json.loads(labels.read_text())
    }
    scores = {each["conv_id"]: each["dial_level_pred"].get("dialogue_overall") for each in json.loads(run.read_text())}
    ids = [each for each, value in said.items() if value is not None]
    return Population(
        [each.rpartition("_")[0] for each in ids],
        np.array([scores.get(each) for each in ids], dtype=float),
        np.array([said[each] for each in ids], dtype=float),
    )


def overall(population: Population, labels: int, rng: np.random.Generator) -> list[tuple[Correction, float]]:
    """The mean over all, from labels drawn at random over all systems."""
    chosen = rng.permutation(len(population.truth))[:labels]
    given = np.full(len(population.truth), np.nan)
    given[chosen] = population.truth[chosen]
    table = judged_table(["all"] * len(given), population.judge, given)
    return [(corrected_means(table).overall, float(population.truth.mean()))]


def pairs(population: Population, labels: int, rng: np.random.Generator) -> list[tuple[Correction, float]]:
    """All differences of systems, from so many labels of each."""
    names = np.array(population.systems)
    given = np.full(len(names), np.nan)
    means = {}
    for name in np.unique(names):
        own = np.flatnonzero(names == name)
        chosen = rng.permutation(own)[:labels]
        given[chosen] = population.truth[chosen]
        means[str(name)] = float(population.truth[own].mean())
    found = corrected_means(judged_table(population.systems, population.judge, given))
    return [(each, means[a] - means[b]) for (a, b), each in found.differences.items()]


def of_population(
    population: Population, labels: int, rng: np.random.Generator, truth: float
) -> list[tuple[Correction, float]]:
    """The mean of what a sample was drawn from; clusters are labelled as a whole."""
    codes = np.arange(len(population.truth)) if population.clusters is None else np.array(population.clusters)
    chosen = np.isin(codes, rng.permutation(np.unique(codes))[:labels])
    given = np.where(chosen, population.truth, np.nan)
    table = judged_table(population.systems, population.judge, given, clusters=population.clusters)
    return [(corrected_means(table, estimand=Estimand.POPULATION).overall, truth)]


Draw = Callable[[np.random.Generator], list[tuple[Correction, float]]]


def tallied(name: str, draw: Draw, draws: int) -> Tally:
    """A thousand draws of one scenario."""
    tally = Tally()
    for place in range(draws):
        tally.add(draw(rng_for(0, "judging", name, str(place))))
    return tally


def random_judge(population: Population, rng: np.random.Generator) -> Population:
    """The same labels with a judge that knows nothing."""
    return Population(population.systems, rng.standard_normal(len(population.truth)), population.truth)


def invented_rows() -> Iterator[tuple[str, Draw]]:
    """Scenarios of these units, invented anew in each draw."""
    for kind in ("ordinal", "skewed", "binary"):
        for within in (0.0, 0.6, 0.85):
            for labels in (10, 50):
                yield (
                    f"{kind}, judge {within:.2f}, mean of {labels}",
                    lambda rng, kind=kind, within=within, labels=labels: overall(  # type: ignore[misc]
                        invented(rng, SIZE, within=within, kind=kind), labels, rng
                    ),
                )
    for within in (0.0, 0.6):
        yield (
            f"ordinal, judge {within:.2f}, differences of 10 each",
            lambda rng, within=within: pairs(invented(rng, SIZE, within=within, kind="ordinal"), 10, rng),  # type: ignore[misc]
        )


def population_rows() -> Iterator[tuple[str, Draw]]:
    """Scenarios of a population that the units were drawn from."""
    large = invented(np.random.default_rng(0), 400_000, within=0.6, kind="ordinal")
    for labels in (20, 50):
        yield (
            f"ordinal, judge 0.60, mean of {labels} of 200",
            lambda rng, labels=labels: of_population(_one(rng, 200), labels, rng, float(large.truth.mean())),  # type: ignore[misc]
        )
    many = turns(np.random.default_rng(0), 200_000)
    for labels in (6, 10, 15, 40):
        if labels * 5 >= 10:
            yield (
                f"turns in dialogues, {labels} of 200 dialogues",
                lambda rng, labels=labels: of_population(turns(rng, 200), labels, rng, float(many.truth.mean())),  # type: ignore[misc]
            )


def _one(rng: np.random.Generator, size: int) -> Population:
    found = invented(rng, size * SYSTEMS, within=0.6, kind="ordinal")
    kept = rng.permutation(size * SYSTEMS)[:size]
    return Population(["s"] * size, found.judge[kept], found.truth[kept])


def face_rows(population: Population) -> Iterator[tuple[str, Draw]]:
    """What is reported of FACE."""
    for labels in (20, 50):
        yield f"FACE, mean of {labels}", lambda rng, labels=labels: overall(population, labels, rng)  # type: ignore[misc]
        yield (
            f"random judge, mean of {labels}",
            lambda rng, labels=labels: overall(random_judge(population, rng), labels, rng),  # type: ignore[misc]
        )
    yield "FACE, differences of 10 each", lambda rng: pairs(population, 10, rng)
    yield "random judge, differences of 10 each", lambda rng: pairs(random_judge(population, rng), 10, rng)


def table(title: str, rows: Iterator[tuple[str, Draw]], draws: int) -> None:
    """Print one table."""
    print(f"\n## {title}\n")
    print(
        "| scenario | coverage, labels alone | coverage, corrected | width, corrected over labels alone | no interval |"
    )
    print("|---|---|---|---|---|", flush=True)
    for name, draw in rows:
        print(f"| {name} | {tallied(name, draw, draws).cells} |", flush=True)


def main() -> None:
    """Print the page."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    print("# Judges corrected by a few labels\n")
    print(
        f"Printed by `python -m benchmarks.judging {draws}`: {draws:,} draws a row, nominal coverage .95, ± one Monte\n"
        f"Carlo standard error. {SIZE} judged conversations of {SYSTEMS} systems; differences are averaged over all pairs.\n"
        "What is estimated is the mean of these conversations, so that labels alone profit from the finite number, too."
    )
    mirror = os.environ.get(MIRROR)
    population = face(Path(mirror) / "crsarena_eval_sample") if mirror else None
    if population is None:
        print(f"\n## FACE\n\nNot measured: {MIRROR} does not name a folder with crsarena_eval_sample.")
    else:
        table(f"FACE and people, {len(population.truth)} conversations", face_rows(population), draws)
    table("Invented conversations", invented_rows(), draws)
    table("Populations that conversations were drawn from", population_rows(), draws)


if __name__ == "__main__":
    main()

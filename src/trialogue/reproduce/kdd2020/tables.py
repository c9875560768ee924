"""Recompute Tables 4 and 5: each cell with its interval and published value, and the certainty of each ranking."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from trialogue.metrics import AnyMetric, Conversation, Settings, get_metric, measure
from trialogue.metrics.base import Undefined, replies_of
from trialogue.metrics.dialogue.acts import CHECKED, LITERAL_FULL
from trialogue.options import Jobs, Seed
from trialogue.records import Dialogue, JsonValue, Score
from trialogue.reproduce.kdd2020.cells import Cell, Order, Reproduction, Verdict
from trialogue.reproduce.kdd2020.paper_values import (
    DIGITS,
    DS_KL,
    LITERAL,
    METHODS,
    RATIO,
    REAL,
    REWARD,
    SHAPE,
    SUCCESS,
    SYSTEMS,
    TABLES,
    TUNED,
    TURNS,
    N,
    published_value,
)
from trialogue.reproduce.kdd2020.realism import write_realism_dialogues
from trialogue.reproduce.kdd2020.runs import FILMS, check_here, options_of, real_dialogues, simulate_all
from trialogue.reproduce.kdd2020.text import write_tables
from trialogue.seeds import rng_for
from trialogue.simulation.batch.batch import Progress
from trialogue.simulation.users.options import AS
from trialogue.stats.ranking.order import order_share
from trialogue.stats.resampling.clusters import ClusterSums, cluster_sums

Held = Mapping[tuple[str, str], Sequence[Dialogue]]
"""Dialogues by (letter, method), those of real users among them."""

Z = 1.96  # of a 95% interval
ORDERED = (REWARD, SUCCESS)
"""Measures by which Table 5 ranks the systems."""


def reproduce(
    out: Path,
    *,
    n: Annotated[int, Ge(1)] = 500,
    seed: Seed = 0,
    catalogue: str = FILMS,
    jobs: Jobs = 1,
    resamples: int = 10_000,
    progress: Callable[[str, Progress], None] | None = None,
    options: Mapping[str, JsonValue] | None = None,
) -> Reproduction:
    """Fit, simulate and measure into a folder; an interrupted call resumes there.

    Args:
        out: the folder.
        n: number of dialogues of each simulator with each system. The paper has 25 or 100.
        seed: random seed.
        catalogue: films with ratings.
        jobs: processes.
        resamples: number of bootstrap resamples.
        progress: called with the system's letter and the progress.
        options: options of the users, see ``simulate_all``.

    Raises:
        UnknownNameError: an option that does not exist.
        MissingDataError: a corpus is not here; names the command that gets it.
        UsageError: the folder belongs to another run.
    """
    check_here(catalogue)
    held: dict[tuple[str, str], list[Dialogue]] = {(letter, REAL): real for letter, real in real_dialogues().items()}
    held.update(simulate_all(out, n=n, seed=seed, catalogue=catalogue, jobs=jobs, progress=progress, options=options))
    write_realism_dialogues(out, n=n, seed=seed, catalogue=catalogue, options=options)
    users: dict[str, JsonValue] = {name: own.to_json() for name, own in options_of(options or {}).items()}
    settings: dict[str, JsonValue] = {"n": n, "seed": seed, "catalogue": catalogue, "resamples": resamples}
    settings |= {"users": users, "options": dict(options or {})}
    found = tabulate(held, Settings(seed=seed, resamples=resamples), settings)
    write_tables(found, out)
    return found


def tabulate(held: Held, settings: Settings, options: Mapping[str, JsonValue] | None = None) -> Reproduction:
    """Compute both tables from dialogues."""
    chosen = (options or {}).get("options")
    is_ours = not (isinstance(chosen, Mapping) and AS in chosen)  # choices of ours are in no model of the paper's
    cells = tuple(
        _cell(name, method, letter, dialogues, settings, is_ours=is_ours)
        for names in TABLES.values()
        for name in names
        for (letter, method), dialogues in held.items()
        if not (name == DS_KL and method == REAL)
    )
    return Reproduction(cells, tuple(_orders(held, settings)), dict(options or {}))


def metric_of(measure_name: str, letter: str) -> AnyMetric:
    """Metric of a column, for one system."""
    system = SYSTEMS["C" if letter == SHAPE else letter]
    names = {
        TURNS: "turns@user_utterances",
        RATIO: "user_act_ratio@kdd2020",
        DS_KL: f"ds_kl(reference={system})@fine",
        REWARD: f"reward(checks={CHECKED[system]})@kdd2020",
        LITERAL: f"reward(full={LITERAL_FULL[system]})@literal",
        SUCCESS: "turn_success@kdd2020",
    }
    return get_metric(names[measure_name])


def _cell(
    name: str, method: str, letter: str, dialogues: Sequence[Dialogue], settings: Settings, *, is_ours: bool
) -> Cell:
    metric = metric_of(name, letter)
    label = f"{letter} {method}"
    talks = (Conversation(label, each.cluster, replies_of(each, label), each, each.id) for each in dialogues)
    (score,) = measure(talks, [metric], settings=settings)
    printed = published_value(name, method, letter)
    return Cell(
        measure=name,
        name=score.measure,
        method=method,
        letter=letter,
        value=score.value,
        low=score.interval.low if score.interval else None,
        high=score.interval.high if score.interval else None,
        n=len(dialogues),
        published=printed,
        verdict=None if printed is None or name == DS_KL else _verdict(name, method, letter, score, printed),
        why=score.why,
        tuned=TUNED.get((name, method, letter), "") if is_ours or method == REAL else "",
    )


def _verdict(name: str, method: str, letter: str, score: Score, printed: float) -> Verdict | None:
    if score.value is None:
        return None
    if round(score.value, DIGITS[name]) == printed:
        return "exact"
    if method == REAL:
        return "differs"
    if score.interval is None or not score.n:
        return "differs" if (score.clusters or 0) > 1 else None  # one dialogue tells nothing; equal ones do
    own = (score.interval.high - score.interval.low) / (2 * Z)
    theirs = own * sqrt(score.n / N[letter])  # the paper gives no error: the same spread, in its number of dialogues
    return "agrees" if abs(score.value - printed) <= Z * sqrt(own**2 + theirs**2) else "differs"


def _orders(held: Held, settings: Settings) -> Iterator[Order]:
    letters = tuple(SYSTEMS)
    for name in ORDERED:
        for method in (REAL, *METHODS):
            if not all((letter, method) in held for letter in letters):
                continue
            sums = [_sums(name, letter, held[letter, method]) for letter in letters]
            found = order_share(sums, rng=rng_for(settings.seed, "order", name, method), resamples=settings.resamples)
            places = sorted(range(3), key=lambda place: -(published_value(name, method, letters[place]) or 0.0))
            yield Order(
                measure=name,
                method=method,
                here=" ".join(letters[place] for place in found.order),
                published=" ".join(letters[place] for place in places),
                share=found.share,
                published_share=found.share_of(places),
            )


def _sums(name: str, letter: str, dialogues: Sequence[Dialogue]) -> ClusterSums:
    """Values of dialogues and their number, by person."""
    metric: Any = metric_of(name, letter)
    rows, clusters = [], []
    for dialogue in dialogues:
        found = metric.statistics(dialogue)
        if not isinstance(found, Undefined):
            rows.append((found[0] / found[1], 1.0))
            clusters.append(dialogue.cluster)
    return cluster_sums(rows, clusters)

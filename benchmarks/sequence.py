"""How well the next strategy of a human recommender is predicted, on INSPIRED; writes ``benchmarks/SEQUENCE.md``.

    python -m benchmarks.sequence MIRROR          # the corpora as in TRIALOGUE_DATA_MIRROR

Every labelled recommender sentence of dev and test is predicted from the behaviors before it: the strategies of the
recommender's sentences and one act for each seeker turn. Five folds of whole dialogues; the folds of all models are the
same. The n-gram's order and smoothing are chosen anew within the training folds of each fold. The recurrent network's
size, epochs and dropout were chosen among a dozen on other folds (seed 1) of the same dialogues and are the same in all.
"""

import argparse
import platform
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.recurrent import RecurrentFit
from benchmarks.sequence_orders import choose_order, perplexity_ratio
from trialogue.datasets import get_corpus
from trialogue.records import NO_STRATEGY, STRATEGIES, Dialogue, Estimate
from trialogue.strategies.next_strategy.evaluation import (
    Predictions,
    cross_validate,
    next_strategy_accuracy,
    predict,
)
from trialogue.strategies.next_strategy.ngram import NGramFit
from trialogue.strategies.next_strategy.planner import plan_next
from trialogue.strategies.next_strategy.sequence import (
    MIN_ENTROPY_SHARE,
    SequenceFit,
    SequenceModel,
    Tokens,
    UserTokens,
    sequences_of,
)

HERE = Path(__file__).resolve().parent
STAGES = ((1, 1), (2, 4), (5, 9), (10, 14), (15, 19), (20, 29), (30, 999))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def chosen(user: UserTokens = "acts") -> SequenceFit:
    """An n-gram whose order and smoothing are chosen by cross-validation within what it is trained on."""

    def fit(rows: Sequence[Tokens]) -> SequenceModel:
        named = {str(number): tokens for number, tokens in enumerate(rows)}
        return choose_order(named, user=user, rng=rng(7)).best(rows)

    return fit


def shown(estimate: Estimate, digits: int = 2) -> str:
    if estimate.value is None:
        return str(estimate.why)
    if estimate.interval is None:
        return f"{estimate.value:.{digits}f}"
    low, high = estimate.interval.low, estimate.interval.high
    return f"{estimate.value:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def line(name: str, made: Predictions, base: Predictions) -> str:
    found = next_strategy_accuracy(made, rng=rng())
    ratio = "" if made is base else shown(perplexity_ratio(made, base, rng=rng()), 3)
    return f"| {name} | {shown(found.perplexity)} | {shown(found.top1, 3)} | {shown(found.top3, 3)} | {ratio} |"


def table(rows: Mapping[str, Predictions], base: str) -> list[str]:
    head = f"| model | perplexity | top-1 | top-3 | perplexity over that of {base} |"
    return [head, "|---|--:|--:|--:|--:|", *(line(name, made, rows[base]) for name, made in rows.items()), ""]


def uniform(made: Predictions) -> Predictions:
    rows = np.full_like(made.probabilities, 1 / len(made.classes))
    return Predictions(made.classes, made.dialogues, made.places, made.targets, rows)


def all_models(sequences: Mapping[str, Tokens]) -> dict[str, Predictions]:
    fits: dict[str, SequenceFit] = {"unigram": NGramFit(1)}
    for order in (2, 3, 4):
        fits[f"{order}-gram, Witten-Bell"] = NGramFit(order)
        fits[f"{order}-gram, Kneser-Ney"] = NGramFit(order, "kneser_ney")
    fits |= {"n-gram, order chosen inside": chosen(), "recurrent": RecurrentFit()}
    made = {name: cross_validate(fit, sequences, rng=rng()) for name, fit in fits.items()}
    return {"uniform": uniform(made["unigram"]), **made}


def kept(made: Predictions, condition: Callable[[str, int], bool]) -> Predictions:
    mask = np.array([condition(*pair) for pair in zip(made.dialogues, made.places.tolist(), strict=True)])
    names = tuple(name for name, keep in zip(made.dialogues, mask.tolist(), strict=True) if keep)
    return Predictions(made.classes, names, made.places[mask], made.targets[mask], made.probabilities[mask])


def turn_beginnings(models: Mapping[str, Predictions], sequences: Mapping[str, Tokens]) -> list[str]:
    def begins(name: str, place: int) -> bool:
        return sequences[name][place - 1].startswith(("<", "user:"))

    short = {name: models[name] for name in ("unigram", "n-gram, order chosen inside", "recurrent")}
    first = {name: kept(made, begins) for name, made in short.items()}
    later = {name: kept(made, lambda *at: not begins(*at)) for name, made in short.items()}
    return [
        f"First sentences of turns ({len(first['unigram'].targets)}):",
        "",
        *table(first, "unigram"),
        f"Further sentences of turns ({len(later['unigram'].targets)}):",
        "",
        *table(later, "unigram"),
    ]


def user_tokens(dialogues: Sequence[Dialogue], acts: Mapping[str, Predictions]) -> list[str]:
    rows = {}
    ways: tuple[UserTokens, ...] = ("acts", "turn", "none")
    for user in ways:
        sequences = sequences_of(dialogues, user=user)
        for name, key, fit in (
            ("n-gram", "n-gram, order chosen inside", chosen(user)),
            ("recurrent", "recurrent", RecurrentFit(user=user)),
        ):
            made = acts[key] if user == "acts" else cross_validate(fit, sequences, rng=rng())
            found = next_strategy_accuracy(made, rng=rng())
            rows[f"{user}, {name}"] = f"{shown(found.perplexity)} | {shown(found.top1, 3)} | {shown(found.top3, 3)}"
    head = ["| seeker turns written as | perplexity | top-1 | top-3 |", "|---|--:|--:|--:|"]
    return [*head, *(f"| {name} | {row} |" for name, row in rows.items()), ""]


def within(low: int, high: int, name: str, place: int) -> bool:
    return low <= place <= high


def entropy_share(made: Predictions) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    rows = made.probabilities
    return np.asarray(-(rows * np.log(rows)).sum(axis=1) / np.log(rows.shape[1]))


def weight_of(made: Predictions) -> str:
    weights = 1 / np.clip(entropy_share(made), MIN_ENTROPY_SHARE, 1)
    return f"{weights.mean():.2f}"


def stages(models: Mapping[str, Predictions]) -> list[str]:
    head = (
        "| behaviors so far | places | entropy share, t=1 | weight, t=1 | entropy share, recurrent | weight, recurrent "
        "| perplexity, unigram | perplexity, recurrent | top-1, recurrent |"
    )
    rows = [head, "|---|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for low, high in STAGES:
        stage = {
            name: kept(models[name], partial(within, low, high))
            for name in ("unigram", "2-gram, Witten-Bell", "recurrent")
        }
        bigram, recurrent = stage["2-gram, Witten-Bell"], stage["recurrent"]
        found = next_strategy_accuracy(recurrent, rng=rng())
        rows.append(
            f"| {low - 1}–{high - 1 if high < 999 else ''} | {len(recurrent.targets)} "
            f"| {entropy_share(bigram).mean():.3f} | {weight_of(bigram)} "
            f"| {entropy_share(recurrent).mean():.3f} | {weight_of(recurrent)} "
            f"| {shown(next_strategy_accuracy(stage['unigram'], rng=rng()).perplexity)} | {shown(found.perplexity)} "
            f"| {shown(found.top1, 3)} |"
        )
    return [*rows, ""]


def halves(dialogues: Sequence[Dialogue]) -> list[str]:
    split = {
        name: sequences_of([one for one in dialogues if (one.source or "").endswith(name)]) for name in ("dev", "test")
    }
    rows = []
    for trained, asked in (("dev", "test"), ("test", "dev")):
        fits: dict[str, SequenceFit] = {"unigram": NGramFit(1), "n-gram": chosen(), "recurrent": RecurrentFit()}
        for name, fit in fits.items():
            found = next_strategy_accuracy(predict(fit(list(split[trained].values())), split[asked]), rng=rng())
            cells = f"{shown(found.perplexity)} | {shown(found.top1, 3)} | {shown(found.top3, 3)}"
            rows.append(f"| {trained} → {asked}, {name} | {cells} |")
    return ["| | perplexity | top-1 | top-3 |", "|---|--:|--:|--:|", *rows, ""]


def other_folds(sequences: Mapping[str, Tokens]) -> str:
    fits: dict[str, SequenceFit] = {"n-gram": chosen(), "recurrent": RecurrentFit()}
    said = []
    for name, fit in fits.items():
        values = [
            next_strategy_accuracy(cross_validate(fit, sequences, rng=rng(seed)), rng=None).perplexity.value
            for seed in (2, 3)
        ]
        said.append(f"{name} " + ", ".join(f"{value:.2f}" for value in values if value is not None))
    return f"Perplexity on two other divisions into folds (seeds 2, 3): {'; '.join(said)}."


def matching(models: Mapping[str, Predictions]) -> list[str]:
    rows = ["| plan | always the most probable | drawn |", "|---|--:|--:|"]
    for name in ("unigram", "n-gram, order chosen inside", "recurrent"):
        made = models[name]
        own = made.probabilities[np.arange(len(made.targets)), made.targets]
        rows.append(f"| {name} | {made.hits(1).mean():.3f} | {own.mean():.3f} |")
    return [*rows, ""]


def speed(sequences: Mapping[str, Tokens], dialogues: Sequence[Dialogue]) -> list[str]:
    spent = {}
    rows = list(sequences.values())
    fits: dict[str, SequenceFit] = {
        "3-gram": NGramFit(3),
        "n-gram with its choice": chosen(),
        "recurrent": RecurrentFit(),
    }
    for name, fit in fits.items():
        start = process_time()
        model = fit(rows)
        spent[name] = process_time() - start
    start = process_time()
    for dialogue in dialogues:
        plan_next(model, dialogue)
    each = 1000 * (process_time() - start) / len(dialogues)
    trained = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in spent.items())
    return [f"Trained on all {len(rows)} dialogues, one core: {trained}. A plan by the recurrent model: {each:.1f} ms."]


def report(mirror: Path) -> list[str]:
    records = get_corpus("inspired").read(mirror / "inspired", note=lambda problem: None)
    dialogues = [record for record in records if isinstance(record, Dialogue)]
    sequences = sequences_of(dialogues)
    models = all_models(sequences)
    among = {
        name: models[name].restrict(STRATEGIES)
        for name in ("uniform", "unigram", "n-gram, order chosen inside", "recurrent")
    }
    places, tokens = len(models["unigram"].targets), sum(map(len, sequences.values()))
    choice = choose_order(sequences, rng=rng())
    return [
        f"## All {places} sentences, 13 strategies and {NO_STRATEGY} ({len(sequences)} dialogues, {tokens} tokens)",
        "",
        *table(models, "unigram"),
        f"On all dialogues cross-validation chooses order {choice.best.order}, {choice.best.smoothing}. "
        + other_folds(sequences),
        "",
        f"## The {len(among['unigram'].targets)} sentences with one of the 13, knowing that it is one",
        "",
        *table(among, "unigram"),
        "## First sentences of turns, and further ones",
        "",
        *turn_beginnings(models, sequences),
        "## What the seeker's turns tell",
        "",
        *user_tokens(dialogues, models),
        "## Official halves",
        "",
        *halves(dialogues),
        "## Stages, and what a deviation would weigh",
        "",
        "Entropy share: of ln 14, mean over places; weight: its inverse, mean over places; both from models that have not",
        "seen the dialogue. t=1: Witten-Bell 2-gram, from one behavior of either side. The paper expects early stages to",
        "be the random ones and to deserve the lighter penalty; here the opening is the most foreseeable place and weighs",
        "most, and the middle weighs least.",
        "",
        *stages(models),
        "## As a planner: how often the planned strategy is the human's",
        "",
        *matching(models),
        "## Speed",
        "",
        *speed(sequences, dialogues),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure models of the next strategy.")
    parser.add_argument("mirror", type=Path)
    asked = parser.parse_args()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE, check=True
    )
    text = [
        "# Models of the next strategy, measured",
        "",
        f"Written by `python -m benchmarks.sequence MIRROR` at commit {commit.stdout.strip()}; "
        f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}.",
        "",
        *(__doc__ or "").split("\n\n", 2)[2].strip().splitlines(),
        "",
        "Top-k counts the expected share of draws among equals. Brackets: 95 % intervals, bootstrap over dialogues, 10,000",
        "resamples.",
        "",
        *report(asked.mirror),
    ]
    (HERE / "SEQUENCE.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text))


if __name__ == "__main__":
    main()

"""The learned estimator of satisfaction, judged on systems and people it has not seen; a part of ``AGREEMENT.md``."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks.satisfaction_training import fit, left_out
from benchmarks.tables import HOW, shown, table
from trialogue.inputs.inputs import gather
from trialogue.metrics.base import Array
from trialogue.metrics.satisfaction.features import FEATURES
from trialogue.metrics.satisfaction.fit import matrix, unseen_mask
from trialogue.records import Dialogue
from trialogue.stats import association_difference, auc
from trialogue.strategies import Options, default_model, label_records
from trialogue.strategies.next_strategy.ngram import NGramFit
from trialogue.strategies.next_strategy.sequence import SequenceModel, sequences_of, tokens_of

FAMILIES = ("barcor", "chatgpt", "crbcrs", "kbrd", "unicrs")
"""Recommenders that were met in both corpora, by how their names begin."""


def estimator(dialogues: Sequence[Dialogue]) -> list[str]:
    """The learned estimator, judged on systems and people it has not seen, with what was tried."""
    rated = [each.ratings[0].value for each in dialogues]
    systems = [each.system or "" for each in dialogues]
    people = [each.cluster for each in dialogues]
    alone = [[system] for system in sorted(set(systems))]
    models = [[system for system in sorted(set(systems)) if system.startswith(family)] for family in FAMILIES]
    baseline = matrix(dialogues)[:, list(FEATURES).index("distinct_bigrams")]

    def row(name: str, points: Array) -> tuple[str, ...]:
        options: Any = {"clusters": people, "resamples": HOW.resamples, "method": "percentile"}
        pooled = auc(points, rated, rng=HOW.rng("auc"), **options)
        within = auc(points, rated, groups=systems, rng=HOW.rng("within"), **options)
        gaps = [
            association_difference(
                "auc",
                points,
                baseline,
                rated,
                groups=groups,
                clusters=people,
                rng=HOW.rng("gap"),
                resamples=HOW.resamples,
            )
            for groups in (None, systems)
        ]
        return (name, shown(pooled), shown(within), shown(gaps[0]), shown(gaps[1]))

    rows = [
        row("floor: distinct bigrams per reply", baseline),
        row("**shipped: each system, and the people who met it, left out**", left_out(dialogues, alone)),
        row("each recommender left out with both of its corpora (5 folds)", left_out(dialogues, models)),
        row("people left out (10 folds), systems seen", by_people(dialogues)),
        row("fitted and judged on the same (optimistic)", seen(dialogues)),
        *(
            row(f"penalty {penalty:g} in place of 0.1", left_out(dialogues, alone, penalty=penalty))
            for penalty in (0.03, 0.3)
        ),
    ]
    rows += [row(name, points) for name, points in with_strategies(dialogues, alone)]
    heads = ("what is left out", "AUC", "within systems", "less the baseline", "less the baseline, within")
    return table(heads, rows)


def by_people(dialogues: Sequence[Dialogue]) -> Array:
    names = sorted({each.cluster for each in dialogues})
    fold = dict(zip(names, HOW.rng("people").permutation(np.arange(len(names)) % 10).tolist(), strict=True))
    rows, rated = matrix(dialogues), np.array([each.ratings[0].value for each in dialogues])
    folds = np.array([fold[each.cluster] for each in dialogues])
    points = np.zeros(len(dialogues))
    for number in range(10):
        inside = folds == number
        points[inside] = fit(rows[~inside], rated[~inside]).points(rows[inside])
    return points


def seen(dialogues: Sequence[Dialogue]) -> Array:
    rows, rated = matrix(dialogues), np.array([each.ratings[0].value for each in dialogues])
    return fit(rows, rated).points(rows)


def with_strategies(dialogues: Sequence[Dialogue], groups: Sequence[Sequence[str]]) -> Iterable[tuple[str, Array]]:
    """What strategies add: their shares, and how much the next one surprises a model of human recommenders."""
    model = default_model()
    labelled = [
        each
        for each in label_records(dialogues, model, options=Options(any_language=True))
        if isinstance(each, Dialogue)
    ]
    shares = np.array([_shares(each, model.classes) for each in labelled])
    yield "with the shares of 14 strategies (bundled model), free signs", _more(dialogues, groups, shares)
    talk = gather(["inspired"]).dialogues
    human = NGramFit(order=2, smoothing="witten_bell", user="acts")(list(sequences_of(talk).values()))
    surprise = np.array([[_surprise(each, human)] for each in labelled])
    yield "with the mean surprise of the next strategy (2-gram of INSPIRED)", _more(dialogues, groups, surprise)


def _shares(dialogue: Dialogue, classes: Sequence[str]) -> list[float]:
    known = [each.strategy_distribution.probabilities for each in dialogue.utterances if each.strategy_distribution]
    return [float(np.mean([row.get(name, 0.0) for row in known])) if known else 1 / len(classes) for name in classes]


def _surprise(dialogue: Dialogue, human: SequenceModel) -> float:
    tokens = tokens_of(dialogue.utterances)
    rows = human.prefix_distributions(tokens)
    places = {name: place for place, name in enumerate(human.classes)}
    losses = [-np.log(rows[at, places[token]]) for at, token in enumerate(tokens) if token in places]
    return float(np.mean(losses)) if losses else float(np.log(len(places)))


def _more(dialogues: Sequence[Dialogue], groups: Sequence[Sequence[str]], extra: Array) -> Array:
    """Points with further features, each left-out group scored by the others; the further weights are free."""
    from scipy.optimize import minimize

    rows, rated = np.column_stack([matrix(dialogues), extra]), np.array([each.ratings[0].value for each in dialogues])
    limits = [(0, None) if one.sign > 0 else (None, 0) for one in FEATURES.values()] + [(None, None)] * (
        extra.shape[1] + 1
    )
    points = np.zeros(len(dialogues))
    for systems in groups:
        inside = np.array([each.system in systems for each in dialogues])
        kept = unseen_mask(dialogues, systems)
        mean, scale = rows[kept].mean(axis=0), np.maximum(rows[kept].std(axis=0), 1e-6)
        standard, sides = (rows[kept] - mean) / scale, 2 * rated[kept] - 1

        def loss(given: Array, standard: Array = standard, sides: Array = sides) -> tuple[float, Array]:
            margins = sides * (standard @ given[:-1] + given[-1])
            pull = -sides / (1 + np.exp(margins)) / len(sides)
            value = float(np.logaddexp(0, -margins).mean() + 0.1 * (given[:-1] @ given[:-1]) / 2)
            return value, np.append(standard.T @ pull + 0.1 * given[:-1], pull.sum())

        start = np.zeros(rows.shape[1] + 1)
        weights = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=limits).x[:-1]
        points[inside] = ((rows[inside] - mean) / scale) @ weights
    return points

"""Two-sample comparison of simulated and real dialogues: features, dialogue acts, and a classifier test.

A classifier two-sample test (Lopez-Paz & Oquab, ICLR 2017): if a model predicts better than chance whether a held-out
dialogue is simulated, the two distributions differ; its AUC measures how clearly. It only sees the given features: an AUC
of .5 means that *these* do not separate the two. No permutations are needed, since the AUC's interval comes from held-out
dialogues.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trialogue.errors import DataError, Problem
from trialogue.findings.resampling import Resampling
from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats import cluster_sums, difference, estimate_of_sums
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.stats.resampling.clusters import codes_of
from trialogue.stats.resampling.replicates import percentile, weight_chunks
from trialogue.subjects.agreement.score_pairs import Floats
from trialogue.subjects.simulated_users.realism.discriminator_auc import FOLDS, discriminator_auc
from trialogue.subjects.simulated_users.realism.records import Divergence, Gap, TwoSample

MIN_CLUSTERS = 10  # clusters of each kind; with fewer, a fold may hold none
PENALTY = 1.0  # inverse strength of the ridge (scikit-learn's C)
HALF = 0.5  # count added to every act, as ds_kl@smoothed does
HALVINGS = 200  # random splits of the real users


@dataclass(frozen=True)
class DialogueSample:
    """Dialogues of one kind, with their features and persons."""

    rows: Floats
    """Shape (n, k)."""
    clusters: tuple[str, ...]
    """Person or dialogue of each."""


def gaps(
    real: DialogueSample, simulated: DialogueSample, titles: Mapping[str, str], resampling: Resampling
) -> list[Gap]:
    """Differences in every feature, most revealing first."""
    found = []
    for place, (name, title) in enumerate(titles.items()):
        sums = [
            cluster_sums(np.column_stack([side.rows[:, place], np.ones(len(side.rows))]), _cluster_keys(side, kind))
            for side, kind in ((real, "real"), (simulated, "simulated"))
        ]
        means = [estimate_of_sums(each, mean_of, confidence=resampling.confidence) for each in sums]
        gap = difference(
            sums[1],
            sums[0],
            mean_of,
            seed=resampling.seed,
            permutations=resampling.resamples,
            confidence=resampling.confidence,
        )
        column = np.concatenate([real.rows[:, place], simulated.rows[:, place]])
        found.append(
            Gap(
                name=name,
                title=title,
                real=means[0],
                simulated=means[1],
                difference=gap,
                giveaway=discriminator_auc(
                    column,
                    _labels(real, simulated),
                    _keys_of_both(real, simulated),
                    confidence=resampling.confidence,
                ),
            )
        )
    return sorted(found, key=lambda each: (-abs((each.giveaway.value or 0.5) - 0.5), each.name))


def _cluster_keys(side: DialogueSample, kind: str) -> list[Hashable]:
    """Clusters of one side; a real and a simulated user of the same name are two."""
    return [f"{kind}:{cluster}" for cluster in side.clusters]


def _labels(real: DialogueSample, simulated: DialogueSample) -> Floats:
    return np.concatenate([np.zeros(len(real.rows)), np.ones(len(simulated.rows))])


def _keys_of_both(real: DialogueSample, simulated: DialogueSample) -> list[Hashable]:
    return [*_cluster_keys(real, "real"), *_cluster_keys(simulated, "simulated")]


def two_sample(
    real: DialogueSample, simulated: DialogueSample, names: Sequence[str], resampling: Resampling
) -> TwoSample:
    """Classifier two-sample test by ridge logistic regression on the features, on held-out persons.

    Raises:
        DataError: fewer than ten people or dialogues of either kind.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    _check(real, simulated)
    rows, labels = np.concatenate([real.rows, simulated.rows]), _labels(real, simulated)
    keys = _keys_of_both(real, simulated)
    _, codes = codes_of(keys)
    model = new_classifier()
    state = int(resampling.rng("folds").integers(2**31))
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=state)
    points, fold_of = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.intp)
    for number, (inside, outside) in enumerate(folds.split(rows, labels, codes)):
        fold_of[outside] = number
        points[outside] = model.fit(rows[inside], labels[inside]).decision_function(rows[outside])
    whole = model.fit(rows, labels)[-1].coef_[0]
    return TwoSample(
        auc=discriminator_auc(
            points, labels, keys, groups=fold_of.tolist(), is_learned=True, confidence=resampling.confidence
        ),
        folds=FOLDS,
        real=len(real.rows),
        simulated=len(simulated.rows),
        weights={name: round(float(weight), 4) for name, weight in zip(names, whole.tolist(), strict=True)},
    )


def new_classifier() -> Any:
    """A ridge logistic regression on standardised features, not fitted; both kinds weigh the same."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(C=PENALTY, class_weight="balanced", max_iter=2_000))


def _check(real: DialogueSample, simulated: DialogueSample) -> None:
    problems = [
        Problem(
            f"there are {len(set(side.clusters))} independent {kind} users or dialogues; a classifier needs "
            f"at least {MIN_CLUSTERS} of each kind."
        )
        for kind, side in (("real", real), ("simulated", simulated))
        if len(set(side.clusters)) < MIN_CLUSTERS
    ]
    if problems:
        raise DataError(problems)


def divergence(
    real: Sequence[Mapping[str, int]], simulated: Sequence[Mapping[str, int]], *, acts: str, resampling: Resampling
) -> Divergence | None:
    """DS-KL between the acts of two kinds of users, with its interval and its sampling bias.

    Args:
        real: how often the user does what, for each real dialogue.
        simulated: the same for simulated ones.
        acts: what was counted, in words.
        resampling: seed, resamples, confidence.

    Both sides are resampled by dialogue. None where one side does nothing that can be counted.
    """
    labels = sorted({label for counts in (*real, *simulated) for label in counts})
    p, q = (_table(side, labels) for side in (real, simulated))
    if not p.sum() or not q.sum():
        return None
    value = float(kl(p.sum(axis=0)[None], q.sum(axis=0)[None])[0])
    drawn = kl(_resample_counts(p, resampling, "real"), _resample_counts(q, resampling, "simulated"))
    label = f"bootstrap of dialogues on both sides, percentile, {resampling.resamples} resamples"
    bounds = percentile(drawn, resampling.confidence, label)
    shares = zip(labels, (p.sum(axis=0) / p.sum()).tolist(), (q.sum(axis=0) / q.sum()).tolist(), strict=True)
    return Divergence(
        acts=acts,
        value=Estimate(
            value=value, interval=bounds.interval, n=len(p) + len(q), clusters=len(p) + len(q), why=bounds.why
        ),
        split_half=_halves(p, resampling),
        shares={name: (round(one, 4), round(other, 4)) for name, one, other in shares},
    )


def kl(p: Floats, q: Floats) -> Floats:
    """Symmetric KL divergence of counts of shape (r, k), half a count added to each, in nats.

    >>> round(float(kl(np.array([[3.0, 1.0]]), np.array([[3.0, 1.0]]))[0]), 12)
    0.0
    """
    p, q = p + HALF, q + HALF
    p, q = p / p.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True)
    found: Floats = 0.5 * ((p - q) * np.log(p / q)).sum(axis=1)
    return found


def _table(side: Sequence[Mapping[str, int]], labels: Sequence[str]) -> Floats:
    return np.array([[counts.get(label, 0) for label in labels] for counts in side], dtype=np.float64).reshape(
        len(side), len(labels)
    )


def _resample_counts(counts: Floats, resampling: Resampling, name: str) -> Floats:
    ones = np.ones(len(counts), dtype=np.int64)
    chunks = weight_chunks(ones, resampling.resamples, resampling.rng("acts", name), width=counts.shape[1])
    return np.concatenate([weights @ counts for weights in chunks])


def _halves(counts: Floats, resampling: Resampling) -> Estimate:
    """Mean divergence of random halves of the real dialogues."""
    size = len(counts)
    if size < 2:
        return Estimate(value=None, n=size, why=Reason.of(ReasonCode.ONE_DIALOGUE_HAS_NO_HALVES))
    orders = resampling.rng("halves").permuted(np.tile(np.arange(size), (HALVINGS, 1)), axis=1)
    half = size // 2
    found = kl(counts[orders[:, :half]].sum(axis=1), counts[orders[:, half : 2 * half]].sum(axis=1))
    return Estimate(value=float(found.mean()), n=size, why=Reason.of(ReasonCode.MEAN_OF_SPLITS, splits=HALVINGS))

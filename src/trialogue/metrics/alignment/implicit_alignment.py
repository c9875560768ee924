"""Implicit Behavior Alignment: agreement of a model's strategy distributions on both sides, without labels.

Two utterances share a strategy with the probability sum of p_k q_k, calibrated by the model that wrote the beliefs on
held-out pairs, half of which matched (``StrategyDistribution.matching``). The score of a *system* is not the mean of such
probabilities: where few pairs match, a model trained on half-and-half reports far too many. The default corrects for that.

What is summed is a histogram of the calibrated probabilities on a fixed grid (each value split between its two neighbours,
so that means are exact), hence every estimate, and every resample of it, is a function of 65 sums.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from trialogue.errors import UsageError
from trialogue.metrics.alignment.behavior_alignment import FIRST
from trialogue.metrics.alignment.match_likelihood import (
    GRID,
    Calibration,
    TransferLoad,
    calibration_gradient,
    calibration_of,
    likeliest_share,
    likelihood_reach,
    on_grid,
    share_without_each,
    transfer_variance,
    unknown_calibration,
    variance_of_difference,
)
from trialogue.metrics.base import Array, Reply, Undefined
from trialogue.metrics.fit_uncertainty import CALIBRATION, LABELS
from trialogue.metrics.names import full_name
from trialogue.metrics.references import FIRST_REFERENCE
from trialogue.metrics.strategy_sets import Reading
from trialogue.records import (
    Card,
    FailurePolicy,
    Reason,
    ReasonCode,
    Role,
    StrategyDistribution,
    Utterance,
    Variant,
    has_ground_truth,
)
from trialogue.records.kinds.shifts import TransferError
from trialogue.stats.correction.weights import PowerSums, power_tuned_mean

CARD = Card(
    name="implicit_alignment",
    title="Implicit Behavior Alignment",
    summary=(
        "How often the system uses the same strategy as a human recommender in the same context, estimated from a "
        "model's strategy probabilities on both sides; no labels are needed."
    ),
    unit="share of replies",  # estimated, not counted: 0 or 1 is where the likelihood ends, so this is no share
    low=0,
    high=1,
    better="higher",
    level="response",
    failed=FailurePolicy.UNDEFINED,
    needs=("reference", "strategy_distribution"),
    variants={
        "emq": Variant(
            summary="Maximum-likelihood share of matches given calibrated probabilities (prior correction).",
            source="Saerens, Latinne & Decaestecker (2002), eq. 2.3-2.4, for two classes, solved for its only maximum.",
        ),
        "adjusted_count": Variant(
            summary="Share of pairs above one half, corrected by the model's true and false positive rates (tpr, fpr).",
            source="Rogan & Gladen (1978); Forman (2008), 'adjusted count'. Cut off at 0 and 1.",
        ),
        "ppi": Variant(
            summary="Mean probability, corrected using the replies that also have human labels, with the "
            "power-tuned weight.",
            source="Angelopoulos, Duchi & Zrnic (2023), 'PPI++', eq. 3 and prop. 2, for a mean.",
        ),
        "thresholded": Variant(
            summary="Share of pairs above one half. Uncorrected: if the true share is .15, the value is .27 to .35.",
            source="Yang et al. (SIGIR 2024), sec. 5.1: the decisions of a classifier trained on balanced pairs.",
        ),
        "mean_probability": Variant(
            summary="Mean calibrated probability. Uncorrected: this variant assumes that half of all pairs match.",
            source="Classify, calibrate and average; Forman (2008) calls it probabilistic count.",
        ),
    },
    default="emq",
    parameters={
        "tpr": "true positive rate of the model on balanced pairs, for adjusted_count",
        "fpr": "false positive rate of the model on balanced pairs, for adjusted_count",
        "first": "exclude (default), exclude_opening or include: as in behavior_alignment",
        "by": (
            "marginals (default): the sum of the products p_k q_k of the two sides' probabilities; pair: the "
            "probability from a classifier that reads both replies"
        ),
    },
    caveats=(
        FIRST_REFERENCE,
        "The score is only as good as the model's calibration on such texts, and the model was not calibrated on "
        "long replies by language models. This error can be corrected only with human labels for a sample of the replies "
        "(@ppi).",
        (
            "The calibration has an error of its own, which is stored with the probabilities. Intervals, "
            "differences and p-values of the variant emq include it, or state that it is unknown. ppi does "
            "not depend on it; adjusted_count, thresholded and mean_probability ignore it."
        ),
        (
            "For systems simulated on INSPIRED test, nominal 95% intervals of the bundled model contained "
            "the true value in 88% of cases (79% where .70 match), and those of models calibrated on other "
            "dialogues of the same corpus in 94%: see benchmarks/ALIGNMENT.md."
        ),
        (
            "by=pair is the paper's method: the classifier's probabilities are used without calibration, and "
            "their error is unknown."
        ),
        (
            "Compare it with its baselines, estimated by the same model. On INSPIRED, the baselines score .11 to .34 "
            "with the bundled model, and .10 to .28 with behavior_alignment."
        ),
        (
            "The paper's own accuracies (.957, .976) can be reached by memorising utterances that occur in both "
            "training and test data."
        ),
    ),
    citation="Yang, Chen & Fang (SIGIR 2024), 'Behavior Alignment'. doi:10.1145/3626772.3657924",
    family="alignment",
)


class ImplicitAlignment:
    """Share of replies that use the human's strategy, estimated from strategy distributions.

    Undefined for a reply without a reference, where one side has no belief, where the two were written by different models
    or calibrations, where the model fitted none, for first turns as chosen, and by ppi for baselines.

    Raises:
        UsageError: adjusted_count without tpr and fpr, or with tpr not above fpr; another value of ``first`` or ``by``.
    """

    card = CARD
    per_dialogue = False

    def __init__(
        self,
        *,
        variant: str = CARD.default,
        first: str = "exclude",
        by: str = "marginals",
        tpr: float | None = None,
        fpr: float | None = None,
    ) -> None:
        if first not in FIRST:
            raise UsageError(f"first must be {', '.join(FIRST)}, got {first!r}.")
        if by not in BY:
            raise UsageError(f"by must be {' or '.join(BY)}, got {by!r}.")
        rates = _rates(variant, tpr, fpr)
        unsaid = {"first": "exclude", "by": "marginals"}
        self.measure = full_name(CARD, variant, {"first": first, "by": by, **rates}, unsaid=unsaid)
        self._first, self._by = FIRST[first], BY[by]
        if by == "pair":
            self.card = CARD.model_copy(update={"needs": ("reference", PAIR)})
        self._reading = Reading(first_origin=True, inspired_only=True, without_none=False)
        self._estimate = _estimator(variant, rates)
        self.rests_on = {"emq": CALIBRATION, "ppi": LABELS}.get(variant)  # the others are naive, or given rates
        self.is_observed = variant == "ppi"

    def statistics(self, unit: Reply) -> Sequence[float] | Undefined:
        """Grid position of the pair's probability; for ppi ``PowerSums``."""
        if unit.reference is None:
            return Undefined(Reason.of(ReasonCode.NO_HUMAN_REFERENCE))
        if self._first(unit):
            return Undefined(Reason.of(ReasonCode.FIRST_TURN_LEFT_OUT))
        probability = self._by(unit.reference, unit.utterance)
        if isinstance(probability, Undefined):
            return probability
        if self.is_observed and unit.role is Role.BASELINE:
            return Undefined(Reason.of(ReasonCode.BASELINE_LABELLED_BY_CHANCE))
        if self.is_observed:
            sums = PowerSums.of_unit(probability, self._match_of_labels(unit))
            return [float(each) for each in sums]
        return [float(share) for share in on_grid(np.array([probability]))[0]]

    def combine(self, sums: Array) -> Array:
        """The estimate; undefined without data."""
        return self._estimate(sums)

    source_type = Calibration

    def source(self, unit: Reply) -> Calibration:
        """Calibration behind the statistics of a reply; human labels correct any."""
        assert unit.reference is not None
        if self._by is pair_belief:
            assert unit.utterance.same_as_reference is not None
            return unknown_calibration(unit.utterance.same_as_reference)
        assert unit.reference.strategy_distribution is not None
        return calibration_of(unit.reference.strategy_distribution, unit.utterance.strategy_distribution)

    def leave_one_out(self, clusters: Array, total: Array) -> Array:
        """Leave-one-cluster-out estimates, shape (k,) from (k, 65) and (65,), not bounded to the scale."""
        return _unbounded_ppi(total - clusters) if self.is_observed else share_without_each(clusters, total)

    def end_reach(self, total: Array, observations: float, drop: float) -> float | None:
        """How far from an end the likelihood falls by ``drop``; None for ppi, whose labels are counted."""
        return None if self.is_observed else likelihood_reach(total, observations, drop)

    def labelled_mask(self, clusters: Array) -> NDArray[np.bool_]:
        """Clusters with human labels for ppi, else all of them."""
        if self.is_observed:
            return np.asarray(np.asarray(PowerSums.from_columns(clusters).labelled) > 0)
        return np.ones(len(clusters), dtype=np.bool_)

    def fit_variance(self, a: Mapping[Hashable, Array], b: Mapping[Hashable, Array]) -> float | Undefined:
        """Variance of the estimate of a minus that of b due to errors of calibration and transfer; Undefined if unknown.

        Args:
            a: the 65 sums of a system by their ``source``.
            b: of another system, or nothing.
        """
        if self.is_observed:
            return 0.0
        fitted = variance_of_difference(_gradients(a), _gradients(b))
        return fitted if isinstance(fitted, Undefined) else fitted + transfer_variance(_transfers(a), _transfers(b))

    def _match_of_labels(self, unit: Reply) -> float | None:
        """Whether people gave both sides one strategy; None where they did not label both."""
        assert unit.reference is not None
        if not (has_ground_truth(unit.reference) and has_ground_truth(unit.utterance)):
            return None
        reference = self._reading.strategies_of(unit.reference, side="reference")
        said = self._reading.strategies_of(unit.utterance, side="reply")
        if isinstance(reference, Undefined) or isinstance(said, Undefined) or not reference or not said:
            return None
        return float(reference[0] == said[0])


def same_strategy(a: StrategyDistribution | None, b: StrategyDistribution | None) -> float | Undefined:
    """Calibrated probability that two utterances share a strategy, at a prior of one half; symmetric."""
    if a is None or b is None:
        return Undefined(Reason.of(ReasonCode.BELIEF_MISSING))
    if a.origin != b.origin:
        return Undefined(Reason.of(ReasonCode.BELIEFS_OF_DIFFERENT_MODELS, a=a.origin, b=b.origin))
    if a.matching is None:
        return Undefined(Reason.of(ReasonCode.CALIBRATION_MISSING, model=a.origin))
    if a.matching != b.matching:
        return Undefined(Reason.of(ReasonCode.CALIBRATIONS_DIFFER, model=a.origin))
    refused = next((each.shift for each in (a, b) if each.shift is not None and each.shift.error is None), None)
    if refused is not None:
        unknown, limit = refused.unknown_words, refused.unknown_words_limit
        return Undefined(Reason.of(ReasonCode.CORPUS_TOO_FAR, model=a.origin, unknown=unknown, limit=limit))
    raw = sum(p * b.probabilities.get(strategy, 0.0) for strategy, p in a.probabilities.items())
    raw = min(max(raw, 1e-9), 1 - 1e-9)
    slope, intercept = a.matching
    score = slope * np.log(raw / (1 - raw)) + intercept
    return float(1 / (1 + np.exp(-score)))


def pair_belief(_reference: Utterance, said: Utterance) -> float | Undefined:
    """A pair classifier's probability for a reply."""
    belief = said.same_as_reference
    if belief is None:
        return Undefined(Reason.of(ReasonCode.PAIR_BELIEF_MISSING))
    return belief.probability


def belief_of_labels(reference: Utterance, said: Utterance) -> float | Undefined:
    """Combine the distributions of two utterances into a probability."""
    return same_strategy(reference.strategy_distribution, said.strategy_distribution)


PAIR = "same_as_reference"
BY = {"marginals": belief_of_labels, "pair": pair_belief}
"""Sources of pair probabilities."""


def _rates(variant: str, tpr: float | None, fpr: float | None) -> dict[str, float]:
    if variant != "adjusted_count":
        if tpr is not None or fpr is not None:
            raise UsageError("tpr and fpr are for adjusted_count; the other variants do not take them.")
        return {}
    if tpr is None or fpr is None or not 0 <= fpr < tpr <= 1:
        raise UsageError(
            f"adjusted_count needs the model's rates on balanced pairs, 0 <= fpr < tpr <= 1, got tpr={tpr}, fpr={fpr}. "
            "Write implicit_alignment(tpr=0.85,fpr=0.17)@adjusted_count."
        )
    return {"tpr": tpr, "fpr": fpr}


def _estimator(variant: str, rates: dict[str, float]) -> Callable[[Array], Array]:
    if variant == "adjusted_count":
        return lambda sums: np.clip((_share_over_half(sums) - rates["fpr"]) / (rates["tpr"] - rates["fpr"]), 0, 1)
    return {"emq": likeliest_share, "ppi": _ppi, "thresholded": _share_over_half, "mean_probability": _mean}[variant]


def _mean(sums: Array) -> Array:
    mean: Array = (sums @ GRID) / sums.sum(axis=-1)
    return mean


def _share_over_half(sums: Array) -> Array:
    """Share over one half; the grid point at one half counts by halves."""
    weight = np.where(GRID > 0.5, 1.0, np.where(GRID == 0.5, 0.5, 0.0))
    share: Array = (sums @ weight) / sums.sum(axis=-1)
    return share


def _gradients(parts: Mapping[Hashable, Array]) -> dict[Calibration, Array]:
    if not parts:
        return {}
    sums = np.sum(list(parts.values()), axis=0)
    return {
        source: np.zeros(2) if source.matching is None else calibration_gradient(sums, source.matching, part=part)
        for source, part in parts.items()
        if isinstance(source, Calibration)
    }


def _transfers(parts: Mapping[Hashable, Array]) -> dict[TransferError, TransferLoad]:
    """Weight of each transfer error in the estimate from all parts."""
    if not parts:
        return {}
    whole = np.sum(list(parts.values()), axis=0)
    value = float(likeliest_share(whole))
    shares: dict[TransferError, float] = {}
    for source, part in parts.items():
        if isinstance(source, Calibration) and source.transfer is not None and whole.sum() > 0:
            shares[source.transfer] = shares.get(source.transfer, 0.0) + float(part.sum() / whole.sum())
    return {error: TransferLoad.of(value, share) for error, share in shares.items()}


def _ppi(sums: Array) -> Array:
    """The prediction-powered mean, cut off where the scale ends."""
    return np.clip(_unbounded_ppi(sums), 0, 1)


def _unbounded_ppi(sums: Array) -> Array:
    """Prediction-powered mean with the weight that minimises its variance, from columns of ``PowerSums``."""
    return power_tuned_mean(PowerSums.from_columns(sums))

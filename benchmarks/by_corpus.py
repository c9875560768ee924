"""Ensembles chosen by corpus: whether another than the shipped one would be, and whether it transfers better.

A part of ``benchmarks/ENCODERS.md``, which ``benchmarks/encoders.py`` writes. Each corpus of ``benchmarks/left_out.py``
is left out; candidates are compared on the others, by models that have not seen its labels, and the choice is scored on it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

import numpy as np
from scipy.optimize import minimize_scalar

from benchmarks.left_out import DOMAINS, HALVES, INSPIRED, NETWORKS, PAIRS, REDIAL, SHOP, Trial, clusters
from benchmarks.pooling import MEANS, NETWORK_TEMPERATURES, TOO_SURE, WEIGHTS, Candidate
from benchmarks.strategies import table
from trialogue.seeds import rng_for
from trialogue.stats import auc
from trialogue.stats.resampling.replicates import weight_chunks
from trialogue.strategies.base import Floats, Ints
from trialogue.strategies.learning.calibration import TEMPERATURES, shared_mass, sharpen
from trialogue.strategies.learning.dyads import Dyads, _auc

CORPORA = (INSPIRED, REDIAL, *DOMAINS, SHOP)
LINEAR = frozenset("te")  # members that are no networks
SHIPPED = Candidate(WEIGHTS[-1], "geometric", 1.5)
NETWORKS_ALONE: tuple[dict[str, float], ...] = ({"n": 1, "h": 1, "g": 1},)
CANDIDATES = (
    *(Candidate(*each) for each in product((*WEIGHTS, *NETWORKS_ALONE), MEANS, NETWORK_TEMPERATURES)),
    Candidate({"g": 1}, "arithmetic", 1.0),
)
"""Those of ``benchmarks/pooling.py``, and networks without linear models, which ReDial's 60 labels seem to favor."""
RESAMPLES = 1_000
MEASURES = ("log-likelihood", "accuracy", "AUC of pairs")
Criterion: TypeAlias = Literal["labels", "pairs"]
CRITERIA: tuple[Criterion, ...] = ("labels", "pairs")


@dataclass(frozen=True, eq=False)
class Said:
    """An ensemble's probabilities in a trial."""

    trial: Trial
    rows: Floats

    def at(self, temperature: float) -> "Said":
        return Said(self.trial, sharpen(self.rows, temperature))

    @property
    def labelled(self) -> Floats:
        return self.rows[self.trial.labelled]

    @property
    def likelihoods(self) -> Floats:
        """Log-likelihood of each label."""
        return _log_likelihoods(self.labelled, self.trial.truth)

    @property
    def right(self) -> Floats:
        """Whether the likeliest class is the label."""
        return np.asarray(self.labelled.argmax(axis=1) == self.trial.truth, dtype=np.float64)

    @property
    def chances(self) -> Floats:
        """What pairs are ordered by."""
        pairs = self.trial.pairs
        return shared_mass(self.rows[pairs.left], self.rows[pairs.right])

    @property
    def area(self) -> float:
        """AUC of the pairs."""
        return auc(self.chances, self.trial.pairs.same).value or 0.5


def _log_likelihoods(rows: Floats, truth: Ints) -> Floats:
    return np.asarray(np.log(np.clip(rows[np.arange(len(truth)), truth], 1e-12, None)))


def shares(corpora: Sequence[str]) -> Floats:
    """Shares of corpora in a mean: alike, and our domains are one corpus together."""
    raw = np.array([1 / sum(name in DOMAINS for name in corpora) if each in DOMAINS else 1.0 for each in corpora])
    return np.asarray(raw / raw.sum())


def mean_of(said: Sequence[Said], values: Sequence[float]) -> float:
    """Mean over trials that weighs every corpus alike."""
    found: dict[str, list[float]] = {}
    for each, value in zip(said, values, strict=True):
        found.setdefault(each.trial.corpus, []).append(value)
    return float(np.average([np.mean(own) for own in found.values()], weights=shares(list(found))))


def temperature_of(said: Sequence[Said]) -> float:
    """The temperature under which labels are likeliest, every corpus counting as much."""
    known = [(each.labelled, each.trial.truth) for each in said]

    def loss(log_temperature: float) -> float:
        temperature = float(np.exp(log_temperature))
        return -mean_of(said, [_log_likelihoods(sharpen(rows, temperature), truth).mean() for rows, truth in known])

    low, high = np.log(TEMPERATURES)
    return float(np.exp(minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-3}).x))


@dataclass(frozen=True, eq=False)
class Compared:
    """Candidates on the same trials, each with the temperature that suits it there."""

    temperatures: tuple[float, ...]
    labels: tuple[float, ...]
    """Mean log-likelihood."""
    pairs: tuple[float, ...]
    """Mean AUC."""

    def best(self, criterion: Criterion, among: Sequence[int] | None = None) -> int:
        """Place of the best candidate, of all or of these."""
        values = self.labels if criterion == "labels" else self.pairs
        return max(range(len(values)) if among is None else among, key=values.__getitem__)


class Field:
    """Candidates in trials: those for which networks were trained."""

    def __init__(self, trials: Iterable[Trial]) -> None:
        self.trials = [each for each in trials if each.rows.keys() >= SHIPPED.weights.keys()]
        self.members = set.intersection(*(set(each.rows) for each in self.trials))
        self.candidates = [each for each in CANDIDATES if self.members >= each.weights.keys()]
        self.shipped = self.candidates.index(SHIPPED)
        self.said = [
            [Said(trial, each.pooled(trial.rows, TOO_SURE)) for trial in self.trials] for each in self.candidates
        ]
        self._compared: dict[tuple[int, ...], Compared] = {}

    def of(self, corpus: str) -> list[int]:
        """Trials in which a choice is scored on that corpus: by models that were trained on all others."""
        hidden = corpus if corpus in DOMAINS else None
        return [at for at, each in enumerate(self.trials) if each.corpus == corpus and each.hidden == hidden]

    def corpora(self) -> list[str]:
        return [name for name in CORPORA if self.of(name)]

    def compared(self, places: Sequence[int]) -> Compared:
        """Candidates on these trials."""
        key = tuple(places)
        if key not in self._compared:
            found = [self._measured([own[at] for at in key]) for own in self.said]
            self._compared[key] = Compared(*(tuple(part) for part in zip(*found, strict=True)))
        return self._compared[key]

    def unseen_by(self, place: int) -> Compared:
        """Candidates on what a choice that is scored in a trial may look at."""
        return self.compared([at for at, each in enumerate(self.trials) if self.trials[place].is_unseen_by(each)])

    def scored(self, place: int, candidate: int) -> Said:
        """What a candidate says in a trial, at the temperature that suits it elsewhere."""
        return self.said[candidate][place].at(self.unseen_by(place).temperatures[candidate])

    @staticmethod
    def _measured(raw: Sequence[Said]) -> tuple[float, float, float]:
        temperature = temperature_of(raw)
        said = [each.at(temperature) for each in raw]
        labels = mean_of(said, [each.likelihoods.mean() for each in said])
        return temperature, labels, mean_of(said, [each.area for each in said])


@dataclass(frozen=True, eq=False)
class Gain:
    """What an ensemble scores above the shipped one on a corpus; arrays have one number for each of MEASURES."""

    chosen: tuple[int, ...]
    """Candidate in each trial."""
    value: Floats
    replicates: Floats
    """Shape (resamples, 3)."""

    def cells(self) -> list[str]:
        """Values with 95% intervals."""
        ends = np.quantile(self.replicates, [0.025, 0.975], axis=0)
        return [
            "0, the same" if not self.replicates[:, at].any() else f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"
            for at, (value, low, high) in enumerate(zip(self.value, *ends, strict=True))
        ]


def gain(field: Field, corpus: str, chosen: Sequence[int]) -> Gain:
    """Of ensembles (one for each trial of the corpus) above the shipped one; resamples draw dialogues or sentences."""
    places = field.of(corpus)
    trials = [field.trials[at] for at in places]
    count, numbers = clusters(trials)
    sides = [
        (field.scored(at, candidate), field.scored(at, field.shipped))
        for at, candidate in zip(places, chosen, strict=True)
    ]

    def statistic(weights: Floats) -> Floats:
        found = [_gains(ours, theirs, weights, own) for (ours, theirs), own in zip(sides, numbers, strict=True)]
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)

    chunks = weight_chunks(np.ones(count, np.int64), RESAMPLES, rng_for(0, "by corpus", corpus), width=8 * PAIRS)
    drawn = np.concatenate([statistic(weights) for weights in chunks])
    return Gain(tuple(chosen), statistic(np.ones((1, count)))[0], drawn)


def _gains(ours: Said, theirs: Said, weights: Floats, numbers: Ints) -> Floats:
    """One trial's gains, shape (r, 3)."""
    trial = ours.trial
    drawn = weights[:, numbers[trial.labelled]]
    total = np.maximum(drawn.sum(axis=1), 1e-12)
    labels = [(drawn @ (ours.likelihoods - theirs.likelihoods)) / total, (drawn @ (ours.right - theirs.right)) / total]
    if ours.rows is theirs.rows or np.array_equal(ours.rows, theirs.rows):
        return np.column_stack([*labels, np.zeros(len(weights))])
    areas = [_auc(_dyads(each, numbers, weights.shape[1]))(weights) for each in (ours, theirs)]
    return np.column_stack([*labels, areas[0] - areas[1]])


def _dyads(said: Said, numbers: Ints, count: int) -> Dyads:
    pairs, chances = said.trial.pairs, said.chances
    return Dyads(numbers[pairs.left], numbers[pairs.right], pairs.same, chances >= 0.5, chances, count)


def mean_gain(gains: Mapping[str, Gain]) -> Gain:
    """Over corpora, each counting as much; they are drawn independently, and are no sample of corpora."""
    each, weights = list(gains.values()), shares(list(gains))
    return Gain(
        (),
        np.average([one.value for one in each], axis=0, weights=weights),
        np.average([one.replicates for one in each], axis=0, weights=weights),
    )


def by_corpus_part(trials: Iterable[Trial], commit: str) -> str:
    """The section of the page."""
    field = Field(trials)
    corpora = field.corpora()
    rows: list[str] = []
    decided: list[bool] = []
    seen = [at for at, each in enumerate(field.candidates) if each.weights.keys() & LINEAR]
    without = mean_gain(
        {
            name: gain(field, name, [field.unseen_by(at).best("labels", seen) for at in field.of(name)])
            for name in corpora
        }
    )
    for criterion in CRITERIA:
        gains = {}
        for corpus in corpora:
            gains[corpus] = gain(field, corpus, [field.unseen_by(at).best(criterion) for at in field.of(corpus)])
            names = dict.fromkeys(shown(field.candidates[each]) for each in gains[corpus].chosen)
            rows.append(f"| {corpus} | {criterion} | {'; '.join(names)} | {' | '.join(gains[corpus].cells())} |")
            print(rows[-1], flush=True)
        mean = mean_gain(gains)
        rows.append(f"| mean | {criterion} | | {' | '.join(mean.cells())} |")
        low, high = np.quantile(mean.replicates, [0.025, 0.975], axis=0)
        decided.append(bool(low[0] > 0 and high[2] >= 0))
    return f"""{TITLE}

After commit {commit}. {about(field)}
The shipped ensemble, where it was left out ("models": training sets, whose scores are averaged):

{table(SCORE_HEAD, [score_row(field, corpus) for corpus in corpora])}
What was chosen on the others, above the shipped one:

{table(GAIN_HEAD, rows)}
By the rule above another ensemble is {"" if decided[0] else "not "}adopted. Networks alone were made candidates after
ReDial's 60 labels had been seen to favor them, so these labels had two parts in a choice of one. Without them labels choose
among {len(seen)}, with a mean gain of {without.cells()[0]} in log-likelihood, {without.cells()[1]} in accuracy and
{without.cells()[2]} in AUC. The intervals hold choices, models and temperatures fixed.

Every set of members above the shipped ensemble, mean of the {len(corpora)} corpora; each by the mean of probabilities and
the temperature that labels of the other corpora favor:

{table(SETS_HEAD, set_rows(field, corpora))}
{on_all(field, corpora)}"""


def about(field: Field) -> str:
    """What was compared, and what was not."""
    have = {(each.corpus, each.half) for each in field.trials}
    names = {
        **{
            (INSPIRED, half): f"INSPIRED {other} by models of {half}"
            for half, other in zip(HALVES, HALVES[::-1], strict=True)
        },
        **{(name, half): f"{name}, by models of {half}" for name in (REDIAL, *DOMAINS) for half in HALVES},
        (SHOP, ""): SHOP,
    }
    kinds = sum(each.corpus == SHOP for each in field.trials)
    missing = [name for key, name in names.items() if key not in have]
    missing += [f"the candidates with {name}" for name in NETWORKS if name not in field.members]
    return ABOUT.format(
        candidates=len(field.candidates),
        resamples=RESAMPLES,
        measured="; ".join(name for key, name in names.items() if key in have)
        + (f" ({kinds} kinds of goods)" if kinds else ""),
        missing="; ".join(missing) or "nothing",
    )


TITLE = "## Chosen by corpus"
ABOUT = """One corpus is left out, the best of {candidates} ensembles is chosen on the others, and that choice is scored
on the one left out beside the shipped ensemble (G above). No label that a choice is scored on was looked at in choosing or
learned by any model that is compared there. Two criteria, set before any score was seen: the mean log-likelihood of labels,
which is that of "chosen" above, and the mean AUC of pairs; corpora count alike (our domains as one). Temperatures of
ensembles are fitted to the labels of the others, too. Another ensemble would be adopted if what labels choose had a mean
gain in log-likelihood with an interval above zero, and none in AUC with one below.

Corpora: INSPIRED (a half by models of the other half; choices are made for each by models that have not seen it); ReDial's
sample (60 labels and 400 pairs); our general sentences that speak of films, and those that do not (the other domain stays in
the training, and is not chosen on); MG-ShopDial by kind of goods, where models are trained on the assistants' intents for
other goods and have no sentences of ours. Our domains were written by the authors of the other bundled sentences, and say
less about transfer than the rest. Our sentences with INSPIRED's habits are in every training set but MG-ShopDial's; dev
was in view when they were written. The shipped ensemble was composed on INSPIRED's folds and with ReDial's pairs in view,
which favors it on these two.

- Measured: {measured}.
- Not measured, since networks were not trained: {missing}.

Candidates are the sets of members, means and temperatures of networks of "chosen" above, and networks alone. Letters:
network (n), with smoothed labels (s), with context (h), with general sentences (g); linear models with context of TF-IDF (t)
and the encoder (e); weights before letters. "Arithmetic, 1.5" is a mean of probabilities after networks were flattened by
1.5. Gains are in nats a sentence, and shares; intervals are 95%, paired, of {resamples:,} draws of dialogues or (ReDial,
ours) different sentences; those of the mean take the corpora as given.
"""
SCORE_HEAD = "| left out | sentences | pairs | models | log-likelihood | accuracy | AUC of pairs |\n"
GAIN_HEAD = "| left out | chosen by | chosen on the others | log-likelihood | accuracy | AUC of pairs |\n"
SETS_HEAD = "| members | best mean | log-likelihood | accuracy | AUC of pairs |\n"


def shown(candidate: Candidate) -> str:
    """A candidate in a word."""
    parts = " ".join(name if weight == 1 else f"{weight:g}{name}" for name, weight in candidate.weights.items())
    return parts if len(candidate.weights) == 1 else f"{parts}, {candidate.mean}, {candidate.temperature:g}"


def score_row(field: Field, corpus: str) -> str:
    """How good the shipped ensemble is where it was left out."""
    places = field.of(corpus)
    said = [field.scored(at, field.shipped) for at in places]
    trials = [each.trial for each in said]
    texts = {id(each.truth): len(each.labelled) for each in trials}
    distinct = sum(texts.values()) if corpus in (INSPIRED, SHOP) else len(trials[0].labelled)
    pairs = sum(len(each.pairs.same) for each in trials) if corpus in (INSPIRED, SHOP) else len(trials[0].pairs.same)
    values = [np.mean([each.likelihoods.mean() for each in said]), np.mean([each.right.mean() for each in said])]
    values.append(np.mean([each.area for each in said]))
    return f"| {corpus} | {distinct:,} | {pairs:,} | {len(places)} | {' | '.join(f'{each:.3f}' for each in values)} |"


def set_rows(field: Field, corpora: Sequence[str]) -> list[str]:
    """Every set of members above the shipped ensemble, by the mean and temperature that labels elsewhere favor."""
    sets = dict.fromkeys(tuple(each.weights.items()) for each in field.candidates)
    rows = []
    for members in sets:
        own = [at for at, each in enumerate(field.candidates) if tuple(each.weights.items()) == members]
        gains = {}
        for corpus in corpora:
            favored = [field.unseen_by(place).labels for place in field.of(corpus)]
            gains[corpus] = gain(field, corpus, [max(own, key=labels.__getitem__) for labels in favored])
        kinds = dict.fromkeys(
            shown(field.candidates[each]).partition(", ")[2] for one in gains.values() for each in one.chosen
        )
        names = shown(field.candidates[own[0]]).partition(",")[0]
        rows.append(f"| {names} | {'; '.join(kinds)} | {' | '.join(mean_gain(gains).cells())} |")
        print(rows[-1], flush=True)
    return rows


def on_all(field: Field, corpora: Sequence[str]) -> str:
    """What would be chosen on all corpora, and how firmly."""
    places = [at for corpus in corpora for at in field.of(corpus)]
    compared = field.compared(places)
    above = redrawn(field, corpora, compared)
    wins = np.bincount(above.argmax(axis=1), minlength=len(field.candidates)) / len(above)
    low, high = np.quantile(above, [0.025, 0.975], axis=0)
    by = {criterion: shown(field.candidates[compared.best(criterion)]) for criterion in CRITERIA}
    often = [f"{shown(field.candidates[at])} ({wins[at]:.0%})" for at in np.argsort(-wins)[:3] if wins[at] > 0]
    better = ", ".join(shown(field.candidates[at]) for at in np.flatnonzero(low > 0)) or "none"
    above_zero, below_zero = int((low > 0).sum()), int((high < 0).sum())
    return f"""On all {len(corpora)} corpora labels choose "{by["labels"]}" and pairs "{by["pairs"]}" (shipped:
"{shown(SHIPPED)}"). If dialogues and sentences are drawn anew, labels choose {int((wins > 0).sum())} different
ones, the shipped one in {wins[field.shipped]:.0%} of {len(above):,} draws; most often:

- {f"{chr(10)}- ".join(often)}

Above the shipped ensemble in log-likelihood, one at a time and at temperatures of all corpora, {below_zero} of the
{len(field.candidates) - 1} others have an interval below zero and {above_zero} one above ({better}); these intervals
are not corrected for their number.
"""


def redrawn(field: Field, corpora: Sequence[str], compared: Compared) -> Floats:
    """Mean log-likelihood of each candidate above the shipped one in resamples of every corpus, shape (r, candidates)."""
    found: list[Floats] = []
    for corpus in corpora:
        places = field.of(corpus)
        count, numbers = clusters([field.trials[at] for at in places])
        weights = np.concatenate(
            list(weight_chunks(np.ones(count, np.int64), RESAMPLES, rng_for(0, "choice", corpus), width=count))
        )
        own: list[Floats] = []
        for at, groups in zip(places, numbers, strict=True):
            rows = [
                each[at].at(temperature).likelihoods
                for each, temperature in zip(field.said, compared.temperatures, strict=True)
            ]
            drawn = weights[:, groups[field.trials[at].labelled]]
            own.append((drawn @ np.column_stack(rows)) / drawn.sum(axis=1, keepdims=True))
        found.append(np.asarray(np.mean(own, axis=0)))
    mean = np.asarray(np.average(found, axis=0, weights=shares(corpora)), dtype=np.float64)
    return mean - mean[:, [field.shipped]]

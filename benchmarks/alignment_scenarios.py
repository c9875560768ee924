"""More of ``benchmarks/ALIGNMENT.md``: the bundled model, matches that go together, differences that rest on labels."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.alignment_systems import (
    KNOWING,
    PROFILES,
    RATES,
    Fold,
    Found,
    Gap,
    _Judge,
    drawn,
    gap,
    systems,
)
from benchmarks.alignment_tables import COVERAGE, ERROR, by_split, covering, missed
from trialogue.metrics.alignment.match_likelihood import Calibration, calibration_variance, share_without_each
from trialogue.metrics.fit_uncertainty import Sources, fitted_difference
from trialogue.records import Dialogue
from trialogue.stats import ClusterSums, cluster_sums
from trialogue.strategies.base import CLASSES, Floats, examples_of
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.learning.calibration import codes, same_probability
from trialogue.strategies.learning.folds import places_of

Folds = Callable[[int], Sequence[Fold]]
BLOCKS = 8  # of draws, whose means give the errors of shares
T_OF_HALF = 1.984  # Student's t for 95 % and the 99 dialogues of a half
TOGETHER = (0.1, 0.3)
LABELS, DIALOGUES = (20, 50, 100), (3, 5, 10)
POWERED_RATES = (0.05, 0.15, 0.5)


def bundled_part(dialogues: Sequence[Dialogue], draws: int) -> str:
    """The bundled model as it is shipped, its calibration from its card, on either half of INSPIRED."""
    lines = [
        "## The bundled model\n",
        f"`{default_model().origin}` as it is shipped, with the calibration of its card, which was fitted on INSPIRED dev.",
        "Systems are as above, of both kinds; for each of them as many dialogues as a half has were drawn from it with",
        "replacement. There is one model, one calibration and 99 dialogues a half: what is off with one",
        "system is off with all. So coverage is that of this very calibration, and no average over calibrations; its",
        "bracket is the error of the simulation alone (Student's t over blocks of draws). The bracket of *error* is that of",
        "the dialogues (the infinitesimal jackknife of the mean over draws); beside it stands the standard error that the",
        "card gives the calibration. On dev the calibration judges what it was fitted on: its error does not show there,",
        "nor that some sentences were written with dev in view. Test is the evidence.\n",
        "| half | true rate | systems | error | calibration's error | RMSE | coverage: dialogues | as given | width |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    covered: dict[str, str] = {}
    off: dict[str, str] = {}
    beyond: list[str] = []
    for half in ("test", "dev"):
        whole = judged([one for one in dialogues if one.source == f"inspired/{half}"])
        found = {
            kind: [
                one
                for draw in range(draws)
                for profile in PROFILES
                for one in systems(
                    anew(whole, draw) if kind else whole,
                    profile,
                    (draw % BLOCKS, int(kind), draw),
                    with_intervals=kind,
                )
            ]
            for kind in (False, True)
        }
        for rate in RATES:
            errors, known = error_of([one for one in found[False] if one.rate == rate])
            name = f"{half} at {rate:.2f}"
            reach = T_OF_HALF * errors[1]
            off[name] = f"{errors[0]:+.3f} [{errors[0] - reach:+.3f}, {errors[0] + reach:+.3f}]"
            if abs(errors[0]) > 1.96 * float(np.hypot(errors[1], known)):
                beyond.append(name)
            those = [one for one in found[True] if one.rate == rate]
            gaps = np.array([one.values["emq first"] - rate for one in those])
            covered[name] = covering(those, KNOWING[-1])
            lines.append(
                f"| {half} | {rate:.2f} | {len(those)} | {off[name]} | {known:.3f} | {np.sqrt((gaps**2).mean()):.3f} | "
                f"{covering(those, KNOWING[0])} | {covered[name]} | "
                f"{np.mean([one.width(KNOWING[-1]) for one in those]):.3f} |"
            )
        shares = " | ".join(covering(found[True], knowing) for knowing in (KNOWING[0], KNOWING[-1]))
        lines.append(f"| {half} | all | {len(found[True])} | | | | {shares} | |")
    verdict = f"Error beyond 1.96 of its standard errors, dialogues' and calibration's: {', '.join(beyond) or 'none'}."
    return "\n".join([*lines, "", f"{missed(COVERAGE, covered)} {missed(ERROR, off)} {verdict}"]) + "\n"


def judged(dialogues: Sequence[Dialogue]) -> Fold:
    """All labelled sentences of dialogues, believed by the bundled model."""
    model = default_model()
    examples = list(examples_of(dialogues))
    columns = [model.classes.index(name) for name in CLASSES]
    clear = model.probabilities([one.text for one in examples])[:, columns]
    truth = codes([one.label for one in examples], CLASSES)
    return Fold({"first": clear}, truth, places_of([one.dialogue_id for one in examples]), model.card.calibration)


def anew(whole: Fold, draw: int) -> Fold:
    """As many of the dialogues, drawn with replacement; each time that one is drawn it is a dialogue of its own."""
    rng = np.random.default_rng([draw, 11])
    every = np.unique(whole.dialogue)
    chosen = [np.flatnonzero(whole.dialogue == one) for one in rng.choice(every, len(every))]
    places = np.concatenate(chosen)
    numbers = np.repeat(np.arange(len(chosen)), [len(each) for each in chosen])
    clear = {"first": whole.clear["first"][places]}
    return Fold(clear, whole.truth[places], numbers, whole.calibration, whole.dialogue[places])


def error_of(found: Sequence[Found]) -> tuple[tuple[float, float], float]:
    """Mean error with its standard error over dialogues, and the calibration's standard error by its card."""
    error = float(np.mean([one.values["emq first"] - one.rate for one in found]))
    without = np.mean([share_without_each(one.data.sums, one.data.total) for one in found], axis=0)
    size = len(without)
    spread = float(np.sqrt((size - 1) / size * ((without - without.mean()) ** 2).sum()))
    fits = [next(iter(one.sources.parts(one.data.total))) for one in found]
    known = [
        calibration_variance(one.moved, fit.error)
        for one, fit in zip(found, fits, strict=True)
        if isinstance(fit, Calibration) and fit.error is not None
    ]
    return (error, spread), float(np.mean(known)) ** 0.5


def together_part(folds: Folds, splits: int, draws: int) -> str:
    """Systems whose matches go together within dialogues, and differences of two such systems."""
    lines = [
        "## Matches that go together within dialogues\n",
        "As above (replies with the strategies of people), but each dialogue has a rate of its own, from a beta",
        "distribution with the true rate as its mean, so that two matches of one dialogue are correlated. Systems differ in",
        "which dialogues they do well in. *Called*: of equal systems, p below .05.\n",
        "| correlation | true rate | systems | error | RMSE | coverage: dialogues | as given | width | "
        "differences: coverage | called |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    covered: dict[str, str] = {}
    for together in TOGETHER:
        found: list[Found] = []
        gaps: list[Gap] = []
        for split in range(splits):
            for number, fold in enumerate(folds(split)):
                own = [list(systems(fold, "people", (split, number, draw), together=together)) for draw in range(draws)]
                found.extend(one for each in own for one in each)
                gaps.extend(gap("people", *both) for pair in pairwise(own) for both in zip(*pair, strict=True))
        for rate in RATES:
            those = [one for one in found if one.rate == rate]
            equal = [one for one in gaps if one.rates[0] == rate]
            name = f"{together:.1f} at {rate:.2f}"
            covered[name] = covering(those, KNOWING[-1])
            errors = np.array([one.values["emq first"] - rate for one in those])
            lines.append(
                f"| {together:.1f} | {rate:.2f} | {len(those)} | {errors.mean():+.3f} | {np.sqrt((errors**2).mean()):.3f} | "
                f"{covering(those, KNOWING[0])} | {covered[name]} | "
                f"{np.mean([one.width(KNOWING[-1]) for one in those]):.3f} | {_reported(equal)} |"
            )
        shares = " | ".join(covering(found, knowing) for knowing in (KNOWING[0], KNOWING[-1]))
        lines.append(f"| {together:.1f} | all | {len(found)} | | | {shares} | | {_reported(gaps)} |")
    return "\n".join([*lines, "", missed(COVERAGE, covered)]) + "\n"


def _reported(gaps: Sequence[Gap]) -> str:
    return f"{by_split((one.split, one.covered) for one in gaps)} | {by_split((one.split, one.called) for one in gaps)}"


@dataclass(frozen=True)
class PoweredGap:
    """The difference of two equal systems of which people labelled the same pairs."""

    split: int
    labels: str
    rate: float
    covered: bool | None
    """As the product gives it; None: it gives no interval."""
    by_all: bool
    """With degrees of freedom by all dialogues."""
    width: float


def powered_part(folds: Folds, splits: int, draws: int) -> str:
    """Differences that rest on labels of people."""
    found = [
        one
        for split in range(splits)
        for number, fold in enumerate(folds(split))
        for draw in range(draws)
        for rate in POWERED_RATES
        for one in _powered(fold, (split, number, draw), rate)
    ]
    lines = [
        "## Differences with labels of people\n",
        "Two equal systems with the replies of language models, `implicit_alignment@ppi`; people labelled the same",
        "situations for both: so many random pairs of some 725, or all pairs of so many random dialogues of some 40. *By",
        "all*: Student's t for all dialogues; *as given*: degrees of freedom by Satterthwaite over dialogues with labels",
        "and without. *None*: no interval, since nothing that people labelled differs; these are left out of the shares.\n",
        "| labels | true rate | pairs | none | coverage: by all | as given | width |",
        "|---|---|---|---|---|---|---|",
    ]
    covered: dict[str, str] = {}
    for labels in dict.fromkeys(one.labels for one in found):
        for rate in POWERED_RATES:
            those = [one for one in found if (one.labels, one.rate) == (labels, rate)]
            lines.append(_powered_line(those, labels, f"{rate:.2f}", covered))
    for kind in ("labels", "dialogues"):
        lines.append(_powered_line([one for one in found if one.labels.endswith(kind)], f"all by {kind}", "all", {}))
    return "\n".join([*lines, "", missed(COVERAGE, covered)]) + "\n"


def _powered_line(found: Sequence[PoweredGap], labels: str, rate: str, covered: dict[str, str]) -> str:
    given = [one for one in found if one.covered is not None]
    covered[f"{labels} at {rate}"] = by_split((one.split, bool(one.covered)) for one in given)
    return (
        f"| {labels} | {rate} | {len(found)} | {1 - len(given) / len(found):.3f} | "
        f"{by_split((one.split, one.by_all) for one in given)} | {covered[f'{labels} at {rate}']} | "
        f"{np.mean([one.width for one in given]):.3f} |"
    )


def _powered(fold: Fold, place: tuple[int, int, int], rate: float) -> Iterator[PoweredGap]:
    from scipy.special import stdtrit

    rng = np.random.default_rng([*place, 7])
    clear, matching = fold.clear["first"], fold.calibration.matching or (1.0, 0.0)
    sides = []
    for _ in range(2):
        replies = drawn(fold, "language model", rate, rng)
        match = (fold.truth == fold.truth[replies]).astype(np.float64)
        sides.append((same_probability(clear, clear[replies], matching), match))
    for labels, known in _known(fold, rng):
        sums = [_sums(fold, f, y, known) for f, y in sides]
        sources = Sources(_Judge(Calibration("benchmark", matching, None), "ppi"))
        sources.add([None], sums[0].total[None])  # type: ignore[list-item]
        found = fitted_difference(sums[0], sums[1], (sources, sources), confidence=0.95)
        if found.interval is None or found.value is None:
            yield PoweredGap(place[0], labels, rate, None, False, 0.0)
            continue
        without = [sources.metric.leave_one_out(side.sums, side.total) for side in sums]
        gaps, size = without[0] - without[1], len(sums[0].keys)
        error = float(np.sqrt((size - 1) / size * ((gaps - gaps.mean()) ** 2).sum()))
        by_all = abs(found.value) <= float(stdtrit(size - 1, 0.975)) * error
        width = found.interval.high - found.interval.low
        yield PoweredGap(place[0], labels, rate, found.interval.contains(0.0), by_all, width)


def _known(fold: Fold, rng: np.random.Generator) -> Iterable[tuple[str, Floats]]:
    """Which pairs people labelled: some at random, or all of some dialogues."""
    for count in LABELS:
        known = np.zeros(len(fold.truth))
        known[rng.choice(len(known), min(count, len(known)), replace=False)] = 1
        yield f"{count} labels", known
    for count in DIALOGUES:
        chosen: Any = rng.choice(np.unique(fold.dialogue), count, replace=False)
        yield f"{count} dialogues", np.isin(fold.dialogue, chosen).astype(np.float64)


def _sums(fold: Fold, f: Floats, y: Floats, known: Floats) -> ClusterSums:
    rows = np.column_stack([np.ones(len(f)), f, f * f, known, known * y, known * f, known * y * f])
    return cluster_sums(rows, fold.dialogue.tolist())

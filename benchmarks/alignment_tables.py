"""What was found of systems of known alignment, as tables of ``benchmarks/ALIGNMENT.md``, with what misses its target."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from benchmarks.alignment_systems import ENDS, KNOWING, RATES, Found, Gap

COVERAGE, ERROR = ("Coverage outside .93 to .97", 0.93, 0.97), ("Error over .02", -0.02, 0.02)
"""To be met: what missing it is called, and from where to where."""


def by_split(those: Iterable[tuple[int, bool]]) -> str:
    """The share of (re-split, whether something holds) for which it does, with Student's t over the means of re-splits."""
    from scipy.special import stdtrit

    splits: dict[int, list[bool]] = defaultdict(list)
    for split, holds in those:
        splits[split].append(holds)
    means = np.array([np.mean(each) for each in splits.values()])
    text = f"{means.mean():.3f}"
    if len(means) < 2:
        return text
    reach = float(stdtrit(len(means) - 1, 0.975)) * float(means.std(ddof=1)) / len(means) ** 0.5
    return f"{text} [{max(0.0, means.mean() - reach):.3f}, {min(1.0, means.mean() + reach):.3f}]"


def covering(those: Iterable[Found], knowing: str) -> str:
    """The share of intervals that hold the true rate."""
    return by_split((one.split, one.covers(knowing)) for one in those)


def missed(met: tuple[str, float, float], cells: Mapping[str, str]) -> str:
    """A sentence: which cells, by name, miss what is to be met, as they are rounded in the tables."""
    called, low, high = met
    outside = [
        f"{name} ({cell.split()[0]})" for name, cell in cells.items() if not low <= float(cell.split()[0]) <= high
    ]
    return f"{called}: {', '.join(outside) or 'none'}."


def missed_by_systems(found: Sequence[Found], rates: Sequence[float]) -> str:
    """Which true rates miss what is to be met, by the interval of the product."""
    by_rate = {f"at a true {rate:.2f}": [one for one in found if one.rate == rate] for rate in rates}
    covered = {rate: covering(those, KNOWING[-1]) for rate, those in by_rate.items()}
    errors = {
        rate: f"{np.mean([one.values['emq first'] - one.rate for one in those]):+.3f}"
        for rate, those in by_rate.items()
    }
    return f"{missed(COVERAGE, covered)} {missed(ERROR, errors)}"


def rates_part(profile: str, found: Sequence[Found], rates: Sequence[float]) -> str:
    lines = [
        f"## Replies with the strategies of {profile}{'s' if profile != 'people' else ''}\n",
        "| true rate | systems | estimate | error | RMSE | coverage: dialogues | and few | and calibration | widths | "
        "error, calibrated by pair | thresholded says | mean probability says |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for rate in rates:
        those = [one for one in found if one.rate == rate]
        errors = np.array([one.values["emq first"] - rate for one in those])
        old = np.mean([one.values["emq, calibrated by pair"] - rate for one in those])
        naive = [np.mean([one.values[name] for one in those]) for name in ("thresholded", "mean probability")]
        covered = " | ".join(covering(those, name) for name in KNOWING)
        widths = ", ".join(f"{np.mean([one.width(name) for one in those]):.3f}" for name in KNOWING)
        lines.append(
            f"| {rate:.2f} | {len(those)} | {rate + errors.mean():.3f} | {errors.mean():+.3f} | "
            f"{np.sqrt((errors**2).mean()):.3f} | {covered} | {widths} | {old:+.3f} | {naive[0]:.3f} | {naive[1]:.3f} |"
        )
    pooled = "; ".join(f"{name} {covering(found, name)}" for name in KNOWING)
    summary = f"Over all {len(found)}: {pooled}. {missed_by_systems(found, rates)}"
    return "\n".join([*lines, "", summary]) + "\n"


def ends_part(found: Sequence[Found]) -> str:
    lines = [
        "## Ends of the scale\n",
        "Where nearly nothing matches, or nearly all, some estimates are 0 or 1, and so are nearly all resamples: the",
        "bootstrap alone then gives a point, or nothing. There the interval is that of the infinitesimal jackknife, which",
        "does not stop at the end, with Student's t and the calibration's error. Near 1 the estimate itself is too high.\n",
        "| true rate | systems | at an end | error | coverage: dialogues | and few | as given |",
        "|---|---|---|---|---|---|---|",
    ]
    for rate in ENDS:
        those = [one for one in found if one.rate == rate]
        error = np.mean([one.values["emq first"] - rate for one in those])
        at_end = np.mean([one.values["emq first"] in (0.0, 1.0) for one in those])
        covered = " | ".join(covering(those, name) for name in KNOWING)
        lines.append(f"| {rate:.2f} | {len(those)} | {at_end:.2f} | {error:+.3f} | {covered} |")
    return "\n".join([*lines, "", missed_by_systems(found, ENDS)]) + "\n"


def gaps_part(gaps: Sequence[Gap]) -> str:
    lines = [
        "## Differences of two systems\n",
        "Two systems answer the same references and are judged with one calibration. The interval is that of the",
        "infinitesimal jackknife over dialogues, paired, with Student's t; *with calibration*: plus the variance that the",
        "calibration's error gives to the difference, as the product has it. *Called*: p below .05; of equal systems 5 %",
        "should be.\n",
        "| replies like those of | true rates | pairs | RMSE | coverage: without calibration | with calibration | width | "
        "called |",
        "|---|---|---|---|---|---|---|---|",
    ]
    covered: dict[str, str] = {}
    kinds = sorted({(one.kind, one.rates) for one in gaps}, key=lambda kind: (kind[1][0] != kind[1][1], kind))
    for kind, rates in kinds:
        those = [one for one in gaps if (one.kind, one.rates) == (kind, rates)]
        name = f"{kind} {rates[0]:.2f}, {rates[1]:.2f}"
        covered[name] = by_split((one.split, one.covered) for one in those)
        lines.append(
            f"| {kind} | {rates[0]:.2f}, {rates[1]:.2f} | {len(those)} | "
            f"{np.mean([one.error**2 for one in those]) ** 0.5:.3f} | "
            f"{by_split((one.split, one.without) for one in those)} | "
            f"{covered[name]} | {np.mean([one.width for one in those]):.3f} | "
            f"{by_split((one.split, one.called) for one in those)} |"
        )
    equal = [one for one in gaps if one.rates[0] == one.rates[1]]
    lines += [
        "",
        f"Coverage over all {len(gaps)}: without calibration {by_split((one.split, one.without) for one in gaps)}, with "
        f"{by_split((one.split, one.covered) for one in gaps)}. Of {len(equal)} equal pairs "
        f"{by_split((one.split, one.called) for one in equal)} are called different. "
        f"{missed(COVERAGE, covered)}",
    ]
    return "\n".join(lines) + "\n"


def apart_part(apart: Sequence[tuple[float, float, float]]) -> str:
    lines = [
        "## What the calibration's error does to differences\n",
        "Mean standard error that the calibration's error alone gives to an estimate (on the diagonal), and to the",
        "difference of two systems judged with one calibration: small, unless they are far apart. Intervals hold both.\n",
        "| true rate | " + " | ".join(f"{rate:.2f}" for rate in RATES) + " |",
        "|---|" + "---|" * len(RATES),
    ]
    for row in RATES:
        cells = [np.mean([said for a, b, said in apart if {a, b} == {row, column}]) for column in RATES]
        lines.append(f"| {row:.2f} | " + " | ".join(f"{cell:.4f}" for cell in cells) + " |")
    return "\n".join(lines) + "\n"

"""Files and terminal text of a planned study's power."""

from pathlib import Path

from trialogue.records import Estimate
from trialogue.records.files.cells import csv_text
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import write_text
from trialogue.subjects.planning.pages.power_figure import power_figure
from trialogue.subjects.planning.study_power import DesignAlternative, PowerFindings, StudyPower, Way

WAYS: dict[Way, str] = {
    "participants": "more participants, same situations",
    "situations": "more situations, same participants",
    "both": "more of both",
}


def write_power(findings: PowerFindings, folder: Path) -> Path:
    """Write ``power.json``, ``power.csv`` and the figure (``power.svg``); returns the path of the figure."""
    write_text(folder / "power.json", to_line(findings) + "\n")
    write_text(folder / "power.csv", _csv(findings))
    if findings.curves:
        write_text(folder / "power.svg", power_figure(findings).svg)
    return folder / ("power.svg" if findings.curves else "power.csv")


def power_lines(findings: PowerFindings) -> list[str]:
    """Power of the plan and of alternatives, as lines."""
    plan = findings.plan
    lines = [
        f"{_design(plan, findings)}; {plan.simulations:,} simulated studies, {_analysis(plan)}.",
        f"Standard deviations in logits: {_variances(findings)}",
        f"  (from {findings.source}).",
        *(f"note: {note}" for note in findings.notes),
    ]
    for pair in plan.pairs:
        what = f"{pair.effect:+.2g} logits" if pair.effect else "no difference: false positives"
        lines.append(f"  {pair.a} and {pair.b} ({what}): {_share(pair.found)}")
    lines.append(f"  every difference (power): {_share(plan.every_pair)}")
    if plan.false_positive.value is not None:
        lines.append(f"  a false positive: {_share(plan.false_positive)}")
    if findings.ways:
        lines += [f"For a power of {findings.power:.0%}:", *(f"  {_way(one, findings)}" for one in findings.ways)]
    return lines


def _design(plan: StudyPower, findings: PowerFindings) -> str:
    people, systems = f"{plan.participants:,} participants", len(findings.effects)
    if plan.met is not None:
        talks = plan.met * plan.tasks
        each = f"{talks} conversation{'' if talks == 1 else 's'} each, with {plan.met} of {systems} systems"
        return f"{people}, {each}, {len(findings.thresholds) + 1} points"
    each, of = f"{plan.tasks} of {plan.situations:,} situations each", f"{plan.ratings_per_reply:.1f}"
    if plan.answers == "choices":
        return f"{people}, {each} ({of} choices per situation), between two of {systems} systems"
    return f"{people}, {each} ({of} ratings per reply), {systems} systems, {len(findings.thresholds) + 1} points"


def _analysis(plan: StudyPower) -> str:
    if (quick := plan.calibration) is None:
        return "decided as in the report"
    return (
        f"analysed by a quick test whose t is calibrated on the report's in {quick.studies} studies "
        f"(ratio {quick.ratio:.3f} ± {quick.error:.3f})"
    )


def _variances(findings: PowerFindings) -> str:
    return ", ".join(f"{name} {value:.2g}" for name, value in findings.variances.items())


def _way(one: DesignAlternative, findings: PowerFindings) -> str:
    if one.at is None:
        end = "however many participants" if one.way != "situations" else "with one judgement of each"
        return f"{WAYS[one.way]}: not enough, about {one.limit or 0.0:.0%} {end} (formula)."
    what = "choices per situation" if one.at.answers == "choices" else "ratings per reply"
    interval = one.at.every_pair.interval
    reached = interval is not None and interval.contains(findings.power)
    beside = "" if reached else "; the search ended here"
    return (
        f"{WAYS[one.way]}: {one.at.participants:,} participants, {one.at.situations:,} situations "
        f"({one.at.ratings_per_reply:.1f} {what}): {_share(one.at.every_pair)}{beside}"
    )


def _share(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"undefined: {estimate.why}"
    between = estimate.interval
    return f"{estimate.value:.0%}" + (f" ({between.low:.0%} to {between.high:.0%})" if between else "")


def _csv(findings: PowerFindings) -> str:
    """Every size with its power: simulated ones with their error, then the formula's curves."""
    head = ["way", "by", "participants", "situations", "ratings_per_reply", "power", "low", "high", "simulations"]
    rows: list[list[str | int | float | None]] = [_row("plan", findings.plan)]
    rows += [_row(one.way, one.at) for one in findings.ways if one.at is not None]
    for way, points in findings.curves.items():
        rows += [[way, "formula", people, pool, None, power, None, None, None] for people, pool, power in points]
    return csv_text(head, rows)


def _row(way: str, plan: StudyPower) -> list[str | int | float | None]:
    power, between = plan.every_pair, plan.every_pair.interval
    low, high = (between.low, between.high) if between else (None, None)
    size = (plan.participants, plan.situations, plan.ratings_per_reply)
    return [way, "simulation", *size, power.value, low, high, plan.simulations]

"""Plans of studies: the formula that says where to look, beside simulations that go through the report's analysis.

``python -m benchmarks.planning`` writes ``benchmarks/PLANNING.md``. Its last plan has the 137 people to whom the
first version of ``study power`` promised .80: it tested means of people, and replies did not vary.
"""

import sys
from pathlib import Path

from benchmarks.studies import machine
from trialogue.records import Estimate
from trialogue.subjects.planning.study_plan import StudyPlan, Variances, even_thresholds
from trialogue.subjects.planning.study_power import StudyPower, study_power

PAGE = Path(__file__).parent / "PLANNING.md"
VARYING = Variances(rater=0.8, rater_system=0.4, item=0.6, item_system=0.85)
STEADY = Variances(rater=0.8, rater_system=0.4, item=0.6, item_system=0.3)
FIVE = even_thresholds(5)
PLANS = (
    (StudyPlan((0.0, 0.8), 20, 9, 36, VARYING, FIVE), 400),
    (StudyPlan((0.0, 0.8), 20, 9, 90, VARYING, FIVE), 400),
    (StudyPlan((0.0, 0.5), 24, 9, 54, STEADY, FIVE, dropout=0.2, excluded=0.15), 400),
    (StudyPlan((0.0, 0.0, 0.9), 24, 9, 54, VARYING, FIVE), 400),
    (StudyPlan((0.0, 0.3, 0.6), 137, 9, 60, VARYING, FIVE), 200),
)


def written(estimate: Estimate) -> str:
    """A share with its Monte Carlo error."""
    if estimate.value is None or estimate.interval is None:
        return "–"
    return f"{estimate.value:.2f} [{estimate.interval.low:.2f}, {estimate.interval.high:.2f}]"


def row(plan: StudyPlan, found: StudyPower) -> str:
    """A line of the table."""
    losses = f", {plan.dropout:.0%} leave, {plan.excluded:.0%} excluded" if plan.dropout else ""
    effects = ", ".join(f"{effect:g}" for effect in plan.effects)
    inside = found.every_pair.interval is not None and found.every_pair.interval.contains(found.expected or 0.0)
    return (
        f"| {effects} | {plan.participants} × {plan.tasks} of {plan.pool}{losses} | {plan.variances.item_system:.2f} | "
        f"{written(found.every_pair)} | {found.expected or 0.0:.2f} | {'yes' if inside else 'no'} | "
        f"{written(found.false_positive)} | {found.simulations} |"
    )


def page(lines: list[str]) -> str:
    """The page with the plans that are done."""
    return "\n".join(
        [
            "# Do plans say what studies find?",
            "",
            f"{machine()}; one process. Written by",
            "`python -m benchmarks.planning`. Each simulated study goes through the analysis of",
            "`trialogue study report`; brackets are the 95 % Monte Carlo error. The formula only says where the search",
            "looks; no stated power rests on it. To 137 people the first version of `study power` promised .80.",
            "",
            "| effects, logits | people × situations of pool | SD of replies | power, simulated | formula | "
            "in the interval | false positives | studies |",
            "|---|---|---|---|---|---|---|---|",
            *lines,
            "",
        ]
    )


def main() -> None:
    """Every plan, simulated; the page grows with each."""
    lines: list[str] = []
    for plan, simulations in PLANS:
        lines.append(row(plan, study_power(plan, simulations=simulations, jobs=1)))
        print(lines[-1], file=sys.stderr, flush=True)
        PAGE.write_text(page(lines), encoding="utf-8")


if __name__ == "__main__":
    main()

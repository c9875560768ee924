"""Report section on sensitivity to counting a system's own failures as the worst outcome."""

from collections.abc import Sequence

from trialogue.findings.league import estimate_of
from trialogue.findings.records import CellValue, Section, columns
from trialogue.findings.standings import League
from trialogue.metrics.failure_sensitivity import FailureSensitivity

TITLE = "Does it matter how failures are counted?"
MAX_ROWS = 40  # a screenful; findings hold no more than a report shows


def failure_sections(found: Sequence[FailureSensitivity], leagues: Sequence[League]) -> tuple[Section, ...]:
    """Table of values and differences under both failure policies; () if nothing failed.

    Args:
        found: values and differences under both choices.
        leagues: the measures that are shown.
    """
    titles = {league.measure.name: league.measure.title for league in leagues}
    shown = [each for each in found if each.measure in titles and each.shift]
    if not shown:
        return ()
    changed = [each for each in shown if each.conclusion_differs]
    verdict = (
        f"{len(changed)} differences are significant under one way of counting only; their verdicts depend on it."
        if changed
        else "No difference is significant under only one way of counting."
    )
    return (
        Section(
            title=TITLE,
            file="failures",
            sentences=(
                "A dialogue that failed because of the system counts as the worst outcome on measures that have "
                "a worst value. The last column leaves these dialogues out instead.",
                verdict,
            ),
            columns=columns("System or pair", "Measure", "As the worst outcome", "Left out"),
            rows=tuple(_row(each, titles[each.measure]) for each in shown[:MAX_ROWS]),
        ),
    )


def _row(each: FailureSensitivity, title: str) -> tuple[CellValue, ...]:
    name = each.worst.system or ""
    if each.worst.level == "difference":
        name = f"{name} minus {each.worst.versus}"
    return (name, title, estimate_of(each.worst), estimate_of(each.left_out))

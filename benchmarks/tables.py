"""How tables of measurements are written."""

from collections.abc import Iterable, Sequence

from trialogue.findings.resampling import Resampling
from trialogue.records import Estimate

HOW = Resampling(seed=0, resamples=10_000)
"""How intervals in them are made."""


def shown(estimate: Estimate | None, digits: int = 3) -> str:
    if estimate is None or estimate.value is None:
        return "–"
    text = f"{estimate.value:.{digits}f}"
    ends = estimate.interval
    return f"{text} [{ends.low:.{digits}f}, {ends.high:.{digits}f}]" if ends else text


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(heads) + " |",
        "|" + "|".join("---" if place == 0 else "--:" for place in range(len(heads))) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
    ]

"""Meta-evaluation: turn scores and preferences into findings, independent of how a score was computed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialogue.findings.records import (
        Example,
        Findings,
        RankReversal,
        Section,
        Sensitivity,
        SharedSituations,
        Statement,
        StatementKind,
        Strength,
        SystemFacts,
        Votes,
    )
    from trialogue.findings.standings import Contrast, League, Measure, Standing

__all__ = [
    "Contrast",
    "Example",
    "Findings",
    "League",
    "Measure",
    "RankReversal",
    "Section",
    "Sensitivity",
    "SharedSituations",
    "Standing",
    "Statement",
    "StatementKind",
    "Strength",
    "SystemFacts",
    "Votes",
]

_LAZY = {
    "Example": "trialogue.findings.records",
    "Findings": "trialogue.findings.records",
    "RankReversal": "trialogue.findings.records",
    "Section": "trialogue.findings.records",
    "Sensitivity": "trialogue.findings.records",
    "SharedSituations": "trialogue.findings.records",
    "Statement": "trialogue.findings.records",
    "StatementKind": "trialogue.findings.records",
    "Strength": "trialogue.findings.records",
    "SystemFacts": "trialogue.findings.records",
    "Votes": "trialogue.findings.records",
    "Contrast": "trialogue.findings.standings",
    "League": "trialogue.findings.standings",
    "Measure": "trialogue.findings.standings",
    "Standing": "trialogue.findings.standings",
}


def __getattr__(name: str) -> Any:
    """Import a public name lazily: the records of findings take 150 ms, and ``score`` needs none."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)

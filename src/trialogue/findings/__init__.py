"""Meta-evaluation: turn scores and preferences into findings, independent of how a score was computed."""

from trialogue.findings.records import (
    Example,
    Findings,
    Flip,
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
    "Flip",
    "League",
    "Measure",
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

"""Meta-evaluation: turn scores and preferences into findings, independent of how a score was computed."""

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

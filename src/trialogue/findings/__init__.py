"""Meta-evaluation: scores and preferences to findings, without knowing how a score was made."""

from trialogue.findings.records import (
    Contrast,
    Example,
    Findings,
    Flip,
    League,
    Measure,
    Section,
    Sensitivity,
    SharedSituations,
    Standing,
    Statement,
    StatementKind,
    Strength,
    SystemFacts,
    Votes,
)

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

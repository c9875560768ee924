"""Roles of systems in an evaluation: evaluated system or baseline."""

from enum import StrEnum


class Role(StrEnum):
    """Role of a system, always declared and never inferred from its name."""

    SYSTEM = "system"
    """It is evaluated: it has a rank, and is compared with every other system."""
    BASELINE = "baseline"
    """It ignores what the user says, and shows what a score is worth: it has no rank, and each system is compared with the
    best of its kind."""

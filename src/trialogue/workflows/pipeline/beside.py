"""What stands beside the estimates of an evaluation: sections and columns that decide nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from trialogue.findings import League, Section


@dataclass(frozen=True)
class Beside:
    """Parts of findings that were found in the records, or beside their files."""

    sections: tuple[Section, ...] = ()
    """After those of the estimates."""
    judge_leagues: tuple[League, ...] = ()
    """Columns of judges."""
    warnings: tuple[str, ...] = ()
    """After those about the data."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """sha256 of further files that were read, by name."""

    def __add__(self, other: "Beside") -> "Beside":
        return Beside(
            self.sections + other.sections,
            self.judge_leagues + other.judge_leagues,
            self.warnings + other.warnings,
            {**self.inputs, **other.inputs},
        )


NOTHING_BESIDE = Beside()

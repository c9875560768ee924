"""Record of the texts of one kind of threat."""

from collections.abc import Callable
from dataclasses import dataclass

from trialogue.findings.threat import Threat


@dataclass(frozen=True)
class ThreatText:
    """The texts of one kind of threat."""

    title: str
    """Short name."""
    detected: str
    """Detection rule."""
    effect: str
    """Effect and its threshold."""
    sentence: Callable[[Threat], str]
    """Text of one threat: a clause that can follow "but" or stand as a sentence, without a full stop."""
    opens_with_names: bool = False
    """Whether the clause begins with the names of the systems, which keep their spelling at a sentence's start."""
    joins_pairs: bool = False
    """Whether one clause can name all systems of pairs that differ in nothing else."""

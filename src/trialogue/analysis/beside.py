"""What stands beside the estimates of an evaluation: sections and columns that decide nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from trialogue.analysis.infer import Estimates
from trialogue.findings import League, Section
from trialogue.findings.alignment_profile import alignment_profiles
from trialogue.findings.alignment_records import alignment_sections
from trialogue.findings.languages import with_known_labels

MAX_PROFILED = 20_000  # replies; of more, `trialogue align` says where alignment is lost
MAX_PROFILE_RESAMPLES = 1_000


@dataclass(frozen=True)
class Beside:
    """Parts of findings that were found in the records, or beside their files."""

    sections: tuple[Section, ...] = ()
    """After those of the estimates."""
    judge_leagues: tuple[League, ...] = ()
    leading: tuple[str, ...] = ()
    """Warnings before those about the data."""
    warnings: tuple[str, ...] = ()
    """After those about the data."""
    inputs: Mapping[str, str] = field(default_factory=dict)
    """sha256 of further files that were read, by name."""

    def __add__(self, other: "Beside") -> "Beside":
        return Beside(
            self.sections + other.sections,
            self.judge_leagues + other.judge_leagues,
            self.leading + other.leading,
            self.warnings + other.warnings,
            {**self.inputs, **other.inputs},
        )


NOTHING_BESIDE = Beside()


def profiles_beside(inferred: Estimates) -> Beside:
    """Strategies and turns with the lowest alignment, if Behavior Alignment was measured."""
    measured = inferred.measured
    aligned = any(league.measure.measured.metric == "behavior_alignment" for league in inferred.shown_leagues)
    if not aligned or sum(len(each.replies) for each in measured.offline) > MAX_PROFILED:
        return NOTHING_BESIDE
    resamples = min(measured.settings.resamples, MAX_PROFILE_RESAMPLES)
    offline = with_known_labels(measured.offline, measured.language_mismatches)
    profiles = alignment_profiles(offline, seed=measured.settings.seed, resamples=resamples)
    return Beside(sections=alignment_sections(profiles))

"""Named sets of variance components, estimated by the report's model on studies published with their ratings.

Measured by ``python -m benchmarks.variances``, which writes ``benchmarks/VARIANCES.md``; a test repeats the fits.
"""

from dataclasses import dataclass

from trialogue.errors import UnknownNameError
from trialogue.subjects.planning.study_plan import StudyPlan, Variances, even_thresholds


@dataclass(frozen=True)
class Preset:
    """A published study as the basis of a plan."""

    name: str
    """Name on the command line."""
    source: str
    """Source of design and variances."""
    systems: int
    participants: int
    tasks: int
    situations: int | None
    per_dialogue: int
    thresholds: tuple[float, ...]
    variances: Variances

    def plan(self, effects: tuple[float, ...]) -> StudyPlan:
        """Plan with this design and these variances."""
        return StudyPlan(
            effects=effects,
            participants=self.participants,
            tasks=self.tasks,
            situations=self.situations,
            variances=self.variances,
            thresholds=self.thresholds,
            per_dialogue=self.per_dialogue,
        )


INSPIRED2 = Preset(
    name="inspired2",
    source=(
        "INSPIRED2's study: 465 situations from 50 dialogues, four systems, three points, three raters who judged "
        "everything. Standard deviations of raters and of rater by system rest on three people"
    ),
    systems=4,
    participants=155,
    tasks=9,
    situations=465,
    per_dialogue=9,
    thresholds=(-1.791, -0.621),
    variances=Variances(
        rater=0.482, rater_system=0.266, item=1.038, item_system=0.869, dialogue=0.286, dialogue_system=0.119
    ),
)
INFACT = Preset(
    name="infact",
    source=(
        "INFACT's design (373 situations from 70 dialogues, replies of three systems, nine situations per "
        "person, five points). Its ratings are not published; standard deviations are those of "
        "INSPIRED2, a similar study; thresholds are evenly spaced"
    ),
    systems=3,
    participants=124,
    tasks=9,
    situations=373,
    per_dialogue=5,
    thresholds=even_thresholds(5),
    variances=INSPIRED2.variances,
)
PRESETS = {preset.name: preset for preset in (INSPIRED2, INFACT)}


def preset(name: str) -> Preset:
    """Get a preset by name.

    Raises:
        UnknownNameError: there is none of this name.
    """
    if name not in PRESETS:
        raise UnknownNameError("preset", name, sorted(PRESETS))
    return PRESETS[name]

"""Passport part 1: behavioral similarity of simulated and real users."""

from collections.abc import Mapping
from dataclasses import dataclass

from trialogue.findings.passport.discriminators import discriminators_of, split_half
from trialogue.findings.passport.distances import distances_of
from trialogue.findings.passport.records import Behavior, Folds, Sample
from trialogue.findings.passport.user_sample import UserSample
from trialogue.findings.realism.records import Gap
from trialogue.findings.realism.two_sample import DialogueSample, gaps
from trialogue.findings.resampling import Resampling


@dataclass(frozen=True)
class Copies:
    """Verbatim copies in simulated dialogues."""

    dialogues: int = 0
    """Simulated dialogues that are word for word among the real ones."""
    recognised: int = 0
    """Real dialogues that the users were fitted on."""
    is_fitted_on_known_text: bool | None = None
    """Whether it is recorded what the users were fitted on; None: they were not fitted on dialogues."""
    failed: int = 0
    """Simulated dialogues that ended in a failure."""


def behavior_of(real: UserSample, simulated: UserSample, titles: Mapping[str, str], resampling: Resampling) -> Behavior:
    """Distances, discriminators, their yardsticks, and every feature.

    Args:
        real: sample of real users.
        simulated: sample of simulated users.
        titles: what each feature is, in the order of the columns.
        resampling: seed, resamples, confidence.
    """
    found, folds = discriminators_of(real, simulated, titles, resampling)
    halves, is_fair = split_half(real, resampling)
    return Behavior(
        sample=Sample(real=len(real), people=real.people, simulated=len(simulated), cases=simulated.people),
        distances=distances_of(real, simulated, resampling),
        discriminators=found,
        folds=folds if found[0].auc.value is not None else Folds.PERSON,
        split_half=halves,
        is_fair=is_fair,
        gaps=_gaps(real, simulated, titles, resampling),
    )


def _gaps(
    real: UserSample, simulated: UserSample, titles: Mapping[str, str], resampling: Resampling
) -> tuple[Gap, ...]:
    sides = [DialogueSample(each.rows, each.clusters) for each in (real, simulated)]
    return tuple(gaps(sides[0], sides[1], titles, resampling))

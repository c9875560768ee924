"""Detect measured dialogues that are in the training data of a measure, by its fingerprints."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from trialogue.fingerprints import TrainingExposure
from trialogue.metrics import AnyMetric
from trialogue.records import Dialogue


@runtime_checkable
class TrainedMetric(Protocol):
    """A metric that was trained on dialogues and recognises them."""

    def training_exposure(self, dialogues: Iterable[Dialogue]) -> tuple[TrainingExposure, ...] | None:
        """Number of recognised dialogues by system; None without known training data."""
        ...


def of_unknown_training(metrics: Iterable[AnyMetric]) -> tuple[str, ...]:
    """Full names of the trained metrics without fingerprints."""
    return tuple(
        metric.measure
        for metric in metrics
        if isinstance(metric, TrainedMetric) and metric.training_exposure(()) is None
    )


def training_lines(exposures: Sequence[TrainingExposure]) -> Iterator[str]:
    """One sentence per measure that was trained on some of the dialogues, and how these were scored."""
    for measure in dict.fromkeys(each.measure for each in exposures):
        own = [each for each in exposures if each.measure == measure]
        recognised, excluded = sum(each.recognised for each in own), sum(each.excluded_count for each in own)
        systems = ", ".join(each.system for each in own)
        first = f"{measure} was trained on {recognised:,} of the dialogues (systems: {systems})."
        if recognised > excluded:
            first += (
                f" {recognised - excluded:,} of them are scored by weights fitted without these dialogues, their "
                "system and the people in them."
            )
        yield first + (f" {excluded:,} of them have no value, because no such weights exist." if excluded else "")


def unknown_training_lines(metrics: Iterable[AnyMetric]) -> Iterator[str]:
    """One sentence per trained measure with unknown training data."""
    for measure in of_unknown_training(metrics):
        yield (
            f"It is unknown whether {measure} was trained on any of these dialogues: its file has no "
            "fingerprints of its training data. Train it again to record them."
        )

"""Detection of references and replies from another corpus than that of the model's calibration data."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from trialogue.inputs.inputs import InputRecords
from trialogue.records import Record, Response, Situation, Utterance
from trialogue.records.kinds.shifts import CorpusShift
from trialogue.strategies.learning.corpus_profile import ELSEWHERE, CorpusProfile, TextTally
from trialogue.strategies.models import Model

RecordT = TypeVar("RecordT", bound=Record)


def with_shifts(material: InputRecords, model: Model) -> InputRecords:
    """Write onto strategy distributions how far the references, and each system's replies, are from the calibration data.

    Of a model without a profile (of an earlier version) nothing is known, which adds a warning.

    Args:
        material: situations and responses with the model's distributions.
        model: model that wrote them.
    """
    profile = model.card.calibration.profile
    if profile is None:
        warning = (
            f"the model {model.origin} has no profile of its calibration data, so it is unknown whether these texts are "
            "from elsewhere, where its estimates are less accurate than their intervals say. Train it again."
        )
        return replace(material, warnings=[*material.warnings, warning])
    tallies = ShiftTallies(profile)
    for record in (*material.situations, *material.responses):
        tallies.add(record)
    return replace(
        material,
        situations=list(tallies.mark(material.situations)),
        responses=list(tallies.mark(material.responses)),
    )


@dataclass
class ShiftTallies:
    """Distances from the calibration data of the references, and of each system's replies."""

    profile: CorpusProfile
    """Of the calibration data."""
    references: TextTally = field(default_factory=TextTally)
    """Of people's references together."""
    systems: dict[str, TextTally] = field(default_factory=dict)
    """Of each system's replies."""

    def add(self, record: Record) -> None:
        """Count the text of a situation's reference or of a response; other records have none."""
        if isinstance(record, Situation) and record.reference is not None:
            self._count(self.references, record.reference)
        elif isinstance(record, Response):
            self._count(self.systems.setdefault(record.system, TextTally()), record.utterance)

    @property
    def shifts(self) -> tuple[CorpusShift | None, dict[str, CorpusShift | None]]:
        """Shift of the references, and of each system's replies; None within the limits."""
        of = self.profile
        return (
            self.references.shift_from(of, error=ELSEWHERE),
            {system: tally.shift_from(of, error=ELSEWHERE) for system, tally in self.systems.items()},
        )

    def mark(self, records: Iterable[RecordT]) -> Iterator[RecordT]:
        """The records with the shifts on their distributions; all of them must have been counted before."""
        of_references, of_systems = self.shifts
        for record in records:
            if isinstance(record, Situation) and record.reference is not None:
                yield record.model_copy(update={"reference": _with_shift(record.reference, of_references)})
            elif isinstance(record, Response):
                marked = _with_shift(record.utterance, of_systems[record.system])
                yield record.model_copy(update={"utterance": marked})
            else:
                yield record

    def _count(self, tally: TextTally, utterance: Utterance) -> None:
        if utterance.strategy_distribution is not None:
            tally.add(self.profile, utterance.text, utterance.strategy_distribution.probabilities)


def _with_shift(utterance: Utterance, shift: CorpusShift | None) -> Utterance:
    belief = utterance.strategy_distribution
    if belief is None:
        return utterance
    return utterance.model_copy(update={"strategy_distribution": belief.model_copy(update={"shift": shift})})

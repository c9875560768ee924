"""What metrics share that a model was fitted for to people's answers: its file, its training dialogues and its domain.

A dialogue of the training data is scored by what was fitted without its system and without the people who met it.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.fingerprints import TrainingExposure, exposure_of
from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.metrics.satisfaction.fit import Domain
from trialogue.records import Dialogue, DomainFit, Reason, ReasonCode, Record
from trialogue.records.files.opening import open_bytes, write_text
from trialogue.records.files.validation import dotted_path, mistakes_of

ONE_SIDED = Reason.of(ReasonCode.ONE_SPEAKER_ONLY)
TRAINING_DATA = Reason.of(ReasonCode.TRAINED_ON)
PartT = TypeVar("PartT")
ModelT = TypeVar("ModelT", bound=Record)


class LearnedMetric(RatioMetric, Generic[PartT]):
    """Base of metrics by a fitted model."""

    model: Any
    """A record of what was fitted on ``everything`` and, by system, ``without`` it; ``fingerprints`` and ``domain``."""

    def part_for(self, dialogue: Dialogue) -> PartT | Undefined:
        """What was fitted without the dialogue; Undefined if it is training data and there is no such part."""
        recognised = self.model.fingerprints.recognise(dialogue)
        if recognised is None:
            everything: PartT = self.model.everything
            return everything
        return self.model.without.get(recognised.fold) or Undefined(TRAINING_DATA)

    def training_exposure(self, dialogues: Iterable[Dialogue]) -> tuple[TrainingExposure, ...]:
        """Number of recognised dialogues by system."""
        return exposure_of(self.measure, dialogues, self.model.fingerprints, out_of_fold=self.model.without)

    def domain_fit(self, dialogues: Iterable[Dialogue], *, is_measured: bool) -> DomainFit:
        """Number of dialogues in the domain."""
        domain: Domain = self.model.domain
        return domain.fit(self.measure, dialogues, is_measured=is_measured)


def model_hash(model: Record) -> str:
    """Short hash of a model."""
    return hashlib.sha256(model.model_dump_json().encode()).hexdigest()[:8]


def write_model(model: Record, path: Path | str, *, indent: int | None = None) -> None:
    """Write a model as JSON."""
    write_text(Path(path), model.model_dump_json(indent=indent) + "\n")


def read_model(path: Path | str, kind: type[ModelT], *, hint: str) -> ModelT:
    """Read a model written by ``write_model``; ``hint`` is for a file that holds none.

    Raises:
        DataError: the file holds no model of the kind.
    """
    with open_bytes(Path(path)) as stream:
        raw = stream.read()
    try:
        return kind.model_validate_json(raw)
    except ValidationError as error:
        problems = [
            Problem(one.what, file=str(path), field=dotted_path(one.place), hint=one.hint) for one in mistakes_of(error)
        ]
        raise DataError(problems, hint=hint) from error

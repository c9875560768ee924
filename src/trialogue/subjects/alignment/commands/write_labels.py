"""Write a model's strategy labels and beliefs onto the records of a file.

``trialogue align`` labels unlabelled data in memory; this writes the same labels, so that ``trialogue score`` and
``evaluate`` give its estimates without a model.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from trialogue.dask_cluster import ALONE, Workers
from trialogue.datasets import AnyRecord, Repairs
from trialogue.datasets.formats.trialogue_jsonl import TYPES
from trialogue.errors import DataError, Problem, UsageError
from trialogue.inputs.inputs import gather, situations_in, summarise_repairs
from trialogue.inputs.locations import Named, records_of
from trialogue.records import Response, read_records, write_records
from trialogue.records.files.jsonl import warn
from trialogue.records.files.opening import refuse_folder
from trialogue.strategies.base import PairClassifier, StrategyClassifier
from trialogue.strategies.classifiers.llm_labeller import LlmLabeller
from trialogue.strategies.labelling import BATCH as WHOLE_BATCH
from trialogue.strategies.labelling import Options, label_records, with_pair_beliefs
from trialogue.strategies.models import Model
from trialogue.subjects.alignment.commands.align import find_model
from trialogue.subjects.alignment.commands.shifts import ShiftTallies

BATCH = 64  # records whose texts a worker labels at once


@lru_cache(maxsize=1)
def _kept_model(model: str | None) -> Model:
    """The model in a folder, loaded once by each worker."""
    return find_model(model)


@dataclass(frozen=True)
class WriteCounts:
    """Counts of a file of labelled records."""

    records: int
    """Number of records written."""
    responses: int
    """Number of responses among them."""
    beliefs: int
    """Responses with a belief of a classifier of pairs."""


def write_labels(
    source: Named,
    out: Path,
    labeller: StrategyClassifier,
    *,
    options: Options | None = None,
    situations: Sequence[Named] = (),
    classifier: PairClassifier | None = None,
    model: str | None = None,
    workers: Workers = ALONE,
) -> WriteCounts:
    """Write a source's records with a model's labels and, on responses, a classifier's beliefs; atomically.

    Repairs of the source, and responses without a belief, are reported as warnings.

    Args:
        source: a corpus, a file, ``NAME=FILE``, or a folder of files.
        out: the file.
        labeller: labeller with calibrated probabilities.
        options: how labels are written.
        situations: files or corpora with what responses answer (of dialogues, every answered situation), where the source
            does not hold it: for their references, and for a labeller that reads what was said before.
        classifier: classifier of pairs; None: none is asked. It is asked by this process alone.
        model: folder of the labeller, from which workers load it; None: it is the bundled one.
        workers: they label texts; the file is the same for any number.

    Raises:
        UsageError: several workers, and a language model, which is asked by this process, several requests at once.
        DataError: something cannot be read, is not English, or no response has a reference that a classifier could read.
    """
    known = situations_in(gather(situations))
    repairs = Repairs()
    if workers and not (isinstance(labeller, Model) and not isinstance(labeller.raw, LlmLabeller)):
        raise UsageError("A language model is asked several requests at once by one process: leave out --jobs.")
    records = label_records(
        records_of(source, repairs),
        labeller,
        options=options,
        situations=known,
        batch=BATCH if workers else WHOLE_BATCH,
        workers=workers,
        load=partial(_kept_model, model) if workers else None,
    )
    if classifier is not None:
        records = with_pair_beliefs(records, known, classifier)
    count = _Count()
    total = _write(out, count.count(records, source, asked=classifier is not None), labeller)
    for line in summarise_repairs(repairs.problems):
        warn(Problem(line))
    if classifier is not None and (left := count.responses - count.beliefs):
        what = (
            f"{left} of {count.responses} responses have no pair probability: a side has no text, or there is "
            "no reference."
        )
        warn(Problem(what))
    return WriteCounts(total, count.responses, count.beliefs)


def _write(out: Path, records: Iterable[AnyRecord], labeller: StrategyClassifier) -> int:
    """Write records with their distance from the calibration data, which is known behind the last of them."""
    profile = labeller.card.calibration.profile if isinstance(labeller, Model) else None
    if profile is None:
        return write_records(out, records)
    tallies = ShiftTallies(profile)

    def count_texts() -> Iterator[AnyRecord]:
        for record in records:
            tallies.add(record)
            yield record

    refuse_folder(out)
    unmarked = out.with_name(f".unmarked-{os.getpid()}-{out.name}")
    try:
        total = write_records(unmarked, count_texts())
        of_references, of_systems = tallies.shifts
        if of_references is None and not any(of_systems.values()):
            unmarked.replace(out)
        else:
            write_records(out, tallies.mark(read_records(unmarked, *TYPES)))
    finally:
        unmarked.unlink(missing_ok=True)
    return total


class _Count:
    """Counts what passes by."""

    def __init__(self) -> None:
        self.responses = self.beliefs = 0

    def count(self, records: Iterable[AnyRecord], source: Named, *, asked: bool) -> Iterator[AnyRecord]:
        """The records; DataError at their end if a classifier was asked and could say nothing."""
        for record in records:
            if isinstance(record, Response):
                self.responses += 1
                self.beliefs += record.utterance.same_as_reference is not None
            yield record
        if asked and not self.beliefs:
            what = f"none of {self.responses} responses has a reference, so a pair classifier has nothing to compare."
            raise DataError(Problem(what, str(source), hint="Give the situations that they answer with --situations."))

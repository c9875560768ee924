"""Read inputs of plain texts without a record for each utterance, for measures that need no more."""

from collections.abc import Iterator, Sequence

from trialogue.datasets import AnyRecord
from trialogue.datasets.door.admission import Admission
from trialogue.datasets.formats.trialogue_jsonl import FORMAT, read_plain
from trialogue.metrics.base import AnyMetric
from trialogue.metrics.batch import BatchCountMetric, BatchSumMetric
from trialogue.metrics.fit_uncertainty import sources_of
from trialogue.records.files.jsonl import Note, Part
from trialogue.records.files.plain import PlainDialogue
from trialogue.workflows.inputs.locations import Input, name_system, reader_of


def read_only_texts(metrics: Sequence[AnyMetric]) -> bool:
    """Whether measures are functions of the texts of replies alone, and take many at once."""
    return all(
        metric.card.level == "response"
        and not metric.card.needs
        and isinstance(metric, BatchSumMetric | BatchCountMetric)
        and sources_of(metric) is None
        for metric in metrics
    )


def plain_records(given: Input, note: Note, *, part: Part | None = None) -> Iterator[AnyRecord | PlainDialogue]:
    """Read records as ``Input.records`` does; dialogues of plain texts in Trialogue's own format as such."""
    if given.corpus is not None or (given.reader or reader_of(given.path, note)) != FORMAT:
        yield from given.records(note, part=part)
        return
    admission = Admission(str(given.path))
    for record in read_plain(given.path, part, note):
        if isinstance(record, PlainDialogue):
            if given.system or record.system is None:
                record.system = given.default_system
            yield admission.plain(record)
        else:
            yield admission.record(name_system(record, given.system, given.default_system))
    admission.settle(note)

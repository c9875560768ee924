"""Origins of an input's strategy labels, to be declared where files lack them: only human labels correct a model."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, TypeVar

from trialogue.datasets import AnyRecord
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.findings.label_origins import LabelCounts
from trialogue.inputs.inputs import InputRecords
from trialogue.inputs.locations import Named, expand_folders, resolve
from trialogue.metrics import Conversation, group_by_system
from trialogue.records import (
    Dialogue,
    Labeller,
    Preference,
    Response,
    Score,
    Situation,
    StrategyLabel,
    Utterance,
    labeller_of,
)
from trialogue.records.files.jsonl import parse_line, read_lines

DECLARABLE = (Labeller.PERSON, Labeller.MODEL, Labeller.LLM, Labeller.SCRIPTED)
"""Label origins that a user can declare for labels without one."""
HOW_TO_DECLARE = (
    f"State it with --set labels_by={', '.join(DECLARABLE[:-1])} or {DECLARABLE[-1]} (in Python: "
    'labels_by=...), or in the file: "by": "person". Only labels by people can correct for the errors of a model.'
)


def declared_labeller(text: str | None) -> Labeller | None:
    """Parse the user's declaration of the labeller; None: none.

    Raises:
        UnknownNameError: it is none of ``DECLARABLE``.
    """
    if text is None:
        return None
    if text not in list(DECLARABLE):
        raise UnknownNameError("kind of labeller", text, [each.value for each in DECLARABLE])
    return Labeller(text)


KINDS: dict[str, type[AnyRecord]] = {each.kind: each for each in (Dialogue, Situation, Response, Score, Preference)}
RecordT = TypeVar("RecordT", Dialogue, Situation, Response)


def with_labellers(material: InputRecords, by: Labeller | None, given: Sequence[Named]) -> InputRecords:
    """Material with the kind of labeller on every strategy label.

    Args:
        material: what was read.
        by: who gave the labels that do not say; those that do keep theirs.
        given: what the user named, to find the place of the first label in question.

    Raises:
        DataError: labels do not say who gave them, and ``by`` is None.
    """
    parts: list[AnyRecord] = [*material.dialogues, *material.situations, *material.responses]
    count = sum(_count_undeclared(utterance) for part in parts for utterance in utterances_of(part))
    if not count:
        return material
    if by is None:
        file, line = _first_place(map(str, given))
        what = f"{count} strategy {'label does' if count == 1 else 'labels do'} not state who gave {_them(count)}"
        raise DataError(Problem(f"{what} (the first one here).", file, line, "by", hint=HOW_TO_DECLARE))
    return replace(
        material,
        dialogues=[_declare_labeller(one, by) for one in material.dialogues],
        situations=[_declare_labeller(one, by) for one in material.situations],
        responses=[_declare_labeller(one, by) for one in material.responses],
    )


def _them(count: int) -> str:
    return "it" if count == 1 else "them"


def utterances_of(record: AnyRecord) -> Iterator[Utterance]:
    """Iterate over all utterances in a record."""
    match record:
        case Dialogue():
            yield from record.utterances
        case Situation():
            yield from record.context
            if record.reference is not None:
                yield record.reference
        case Response():
            yield record.utterance


def _count_undeclared(utterance: Utterance) -> int:
    return sum(label.by is None for label in utterance.strategies or ())


def _declare_labeller(record: RecordT, by: Labeller) -> RecordT:
    match record:
        case Dialogue():
            return record.model_copy(
                update={"utterances": tuple(_declare_in_utterance(one, by) for one in record.utterances)}
            )
        case Situation():
            reference = None if record.reference is None else _declare_in_utterance(record.reference, by)
            context = tuple(_declare_in_utterance(one, by) for one in record.context)
            return record.model_copy(update={"context": context, "reference": reference})
        case Response():
            return record.model_copy(update={"utterance": _declare_in_utterance(record.utterance, by)})


def _declare_in_utterance(utterance: Utterance, by: Labeller) -> Utterance:
    if not _count_undeclared(utterance):
        return utterance
    labels = tuple(_with_labeller(label, by) for label in utterance.strategies or ())
    return utterance.model_copy(update={"strategies": labels})


def _with_labeller(label: StrategyLabel, by: Labeller) -> StrategyLabel:
    return label if label.by is not None else label.model_copy(update={"by": by})


def _first_place(given: Iterable[str]) -> tuple[str, int | None]:
    """(file, line) of the first label that does not say who gave it; the line is known for Trialogue's own format."""
    for item in map(resolve, expand_folders(given)):
        for record in item.records(lambda _problem: None):
            if any(map(_count_undeclared, utterances_of(record))):
                return str(item.path), _line(item.path)
    return "", None


def _line(path: Path) -> int | None:
    if not path.is_file():
        return None
    try:
        for number, text in read_lines(path, note=lambda _problem: None):
            try:
                record = parse_line(text, KINDS)
            except ValueError:  # no line of ours: a table, say
                continue
            if any(map(_count_undeclared, utterances_of(record))):
                return number
    except DataError:
        return None
    return None


def label_counts(conversations: Iterable[Conversation]) -> tuple[LabelCounts, ...]:
    """Two records per system whose replies have references, in alphabetical order; () without labels."""
    counts: list[LabelCounts] = []
    for system, own in sorted(group_by_system(conversations).items()):
        pairs = [
            (reply.reference, reply.utterance) for each in own for reply in each.replies if reply.reference is not None
        ]
        if pairs:
            counts.append(_count_labels(system, "reference", [reference for reference, _ in pairs]))
            counts.append(_count_labels(system, "reply", [said for _, said in pairs]))
    return tuple(counts) if any(each.by or each.unknown for each in counts) else ()


def _count_labels(system: str, side: Literal["reference", "reply"], said: Sequence[Utterance]) -> LabelCounts:
    labelled = [utterance for utterance in said if utterance.strategies]
    by = Counter(labeller_of(utterance) for utterance in labelled)
    return LabelCounts(
        system=system,
        side=side,
        by={kind: by[kind] for kind in Labeller if by[kind]},
        unknown=by[None],
        unlabelled=len(said) - len(labelled),
    )

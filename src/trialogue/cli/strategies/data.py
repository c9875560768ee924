"""Load labelled sentences for training and evaluation, and report their problems."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialogue.inputs.locations import Named
    from trialogue.records import Dialogue, Situation
    from trialogue.strategies.base import Example


def examples(data: "Sequence[Named]", origin: str, names: Path | None = None) -> "list[Example]":
    """Labelled sentences of corpora, files, and the paper's annotated ReDial sentences (a CSV of its columns).

    Of situations, those of one dialogue count as that dialogue, as far as the last of them goes.

    Raises:
        DataError: no label is of this origin, or they name strategies that do not exist; all of them at once.
    """
    from trialogue.inputs.inputs import gather
    from trialogue.inputs.names import read_names
    from trialogue.strategies.base import examples_of
    from trialogue.strategies.paper_data import ANNOTATIONS, read_annotations

    mapping = {} if names is None else read_names(names)
    released = [one for one in data if Path(str(one)).name == ANNOTATIONS]
    found = [example for one in released for example in read_annotations(str(one))]
    others = [one for one in data if one not in released]
    if others:
        material = gather(others)
        whole = {dialogue.id for dialogue in material.dialogues}
        dialogues = [
            *material.dialogues,
            *_join_situations(one for one in material.situations if one.dialogue_id not in whole),
        ]
        _check(dialogues, origin, mapping, others)
        found += examples_of(dialogues, origin=origin, mapping=mapping)
    return found


def _join_situations(situations: "Iterable[Situation]") -> "Iterator[Dialogue]":
    """Dialogues of the longest situations, with labels that stand on the references of shorter ones put in their places."""
    from trialogue.subjects.alignment.commands.planning import rebuild_dialogues

    given = [one for one in situations if one.reference is not None]
    references = {(one.dialogue_id or one.id, len(one.context)): one.reference for one in given}
    for dialogue in rebuild_dialogues(given):
        said = list(dialogue.utterances)
        for place, utterance in enumerate(said):
            reference = references.get((dialogue.id, place))
            if reference is not None and not utterance.strategies and reference.text == utterance.text:
                said[place] = reference
        yield dialogue.model_copy(update={"utterances": tuple(said)})


def _check(dialogues: "Iterable[Dialogue]", origin: str, mapping: dict[str, str], given: "Sequence[Named]") -> None:
    """Raise DataError unless there are labels of this origin and every label is known or mapped."""
    from trialogue.errors import DataError, Problem, UnknownNameError
    from trialogue.strategies.base import canonical

    labels = [
        (label.origin, label.strategy)
        for dialogue in dialogues
        for utterance in dialogue.utterances
        if utterance.speaker == "system"
        for label in utterance.strategies or ()
    ]
    by = Counter(each for each, _ in labels)
    where = ", ".join(map(str, given))
    if origin not in by:
        there = ", ".join(f"{each} ({count})" for each, count in by.most_common(5))
        none = "no system utterance of a dialogue, or of a situation with a reference, is labelled."
        what = f"no label has origin {origin!r}; " + (f"there are labels by {there}." if by else none)
        raise DataError(Problem(what, where, hint="Choose the origin with --set origin=..." if by else ""))
    problems = []
    for name, count in Counter(name for each, name in labels if each == origin).items():
        try:
            canonical(name, mapping=mapping)
        except UnknownNameError as error:
            problems.append(Problem(f"({count} times) {error}", where, hint="Give the file with --set names=FILE."))
    if problems:
        raise DataError(problems)

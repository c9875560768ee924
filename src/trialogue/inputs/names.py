"""Map strategy names in files to ours with a file of pairs; spelling variants of ours need none."""

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.inputs.inputs import InputRecords
from trialogue.records import Dialogue, Response, Situation, Utterance
from trialogue.records.files.opening import open_bytes
from trialogue.records.files.yaml_file import read_fields
from trialogue.strategies.base import CLASSES, canonical


def read_names(path: Path) -> dict[str, str]:
    """Read a mapping of other names to ours, from YAML or JSON, such as ``ask: opinion_inquiry``.

    Raises:
        DataError: it is no such file, or it maps onto strategies that do not exist; all of them at once.
    """
    import yaml

    hint = "It must contain pairs such as 'ask: opinion_inquiry'."
    if not read_fields(path, hint=hint):
        raise DataError(Problem("this file has no fields.", str(path), hint=hint))
    with open_bytes(path) as stream:
        found = yaml.load(stream.read(), Loader=yaml.BaseLoader)  # words as they are written: "no" is no truth value
    names, problems = {}, []
    for given, meant in found.items():
        try:
            names[str(given)] = canonical(str(meant))
        except UnknownNameError as error:
            problems.append(Problem(str(error), str(path), field=str(given)))
    if problems:
        raise DataError(problems)
    return names


def with_names(material: InputRecords, names: Mapping[str, str], *, spellings: bool = True) -> InputRecords:
    """Material with label names mapped to ours; unknown labels are unchanged.

    Args:
        material: material with labels.
        names: other people's names to ours.
        spellings: also other spellings of ours, such as "Opinion Inquiry"; not where labels are words of another set, in
            which "none" may be a label of its own.
    """
    known = _Names(names, spellings=spellings)
    return replace(
        material,
        dialogues=[_dialogue(dialogue, known) for dialogue in material.dialogues],
        situations=[_situation(situation, known) for situation in material.situations],
        responses=[_response(response, known) for response in material.responses],
    )


class _Names(dict[str, str]):
    """Names to ours, looked up once each."""

    def __init__(self, names: Mapping[str, str], *, spellings: bool) -> None:
        super().__init__(names)
        self._spellings = spellings

    def __missing__(self, given: str) -> str:
        """Target of an unmapped name; the name itself if unknown."""
        self[given] = given
        if self._spellings and given not in CLASSES:
            with contextlib.suppress(UnknownNameError):
                self[given] = canonical(given)
        return self[given]


def _dialogue(dialogue: Dialogue, names: Mapping[str, str]) -> Dialogue:
    return dialogue.model_copy(update={"utterances": _rename_utterances(dialogue.utterances, names)})


def _situation(situation: Situation, names: Mapping[str, str]) -> Situation:
    reference = None if situation.reference is None else _utterance(situation.reference, names)
    return situation.model_copy(
        update={"context": _rename_utterances(situation.context, names), "reference": reference}
    )


def _response(response: Response, names: Mapping[str, str]) -> Response:
    return response.model_copy(update={"utterance": _utterance(response.utterance, names)})


def _rename_utterances(utterances: Iterable[Utterance], names: Mapping[str, str]) -> tuple[Utterance, ...]:
    return tuple(_utterance(utterance, names) for utterance in utterances)


def _utterance(utterance: Utterance, names: Mapping[str, str]) -> Utterance:
    labels = utterance.strategies
    if not labels or all(names[label.strategy] == label.strategy for label in labels):
        return utterance
    renamed = tuple(label.model_copy(update={"strategy": names[label.strategy]}) for label in labels)
    return utterance.model_copy(update={"strategies": renamed})

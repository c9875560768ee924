"""Detection of references and replies from another corpus than that of the model's calibration data."""

from collections.abc import Sequence
from dataclasses import replace

from trialogue.records import Response, Situation, Utterance
from trialogue.records.kinds.shifts import CorpusShift
from trialogue.strategies.learning.corpus_profile import ELSEWHERE, CorpusProfile, shift_of
from trialogue.strategies.models import Model
from trialogue.workflows.inputs.inputs import InputRecords


def with_shifts(material: InputRecords, model: Model) -> InputRecords:
    """Write onto strategy distributions how far the references, and each system's replies, are from the calibration data.

    Of a model without a profile (of an earlier version) nothing is known, which adds a warning.

    Args:
        material: situations and responses with the model's distributions.
        model: that wrote them.
    """
    profile = model.card.calibration.profile
    if profile is None:
        warning = (
            f"the model {model.origin} has no profile of its calibration data, so it is unknown whether these texts are "
            "from elsewhere, where its estimates are less accurate than their intervals say. Train it again."
        )
        return replace(material, warnings=[*material.warnings, warning])
    references = [each.reference for each in material.situations if each.reference is not None]
    of_references = _shift(profile, references)
    replies: dict[str, list[Utterance]] = {}
    for response in material.responses:
        replies.setdefault(response.system, []).append(response.utterance)
    of_systems = {system: _shift(profile, own) for system, own in replies.items()}
    return replace(
        material,
        situations=[_with_reference(each, of_references) for each in material.situations],
        responses=[_with_reply(each, of_systems[each.system]) for each in material.responses],
    )


def _shift(profile: CorpusProfile, utterances: Sequence[Utterance]) -> CorpusShift | None:
    known = [each for each in utterances if each.strategy_distribution is not None]
    beliefs = [each.strategy_distribution.probabilities for each in known if each.strategy_distribution is not None]
    return shift_of(profile, [each.text for each in known], beliefs, error=ELSEWHERE)


def _with_reference(situation: Situation, shift: CorpusShift | None) -> Situation:
    if situation.reference is None:
        return situation
    return situation.model_copy(update={"reference": _with_shift(situation.reference, shift)})


def _with_reply(response: Response, shift: CorpusShift | None) -> Response:
    return response.model_copy(update={"utterance": _with_shift(response.utterance, shift)})


def _with_shift(utterance: Utterance, shift: CorpusShift | None) -> Utterance:
    belief = utterance.strategy_distribution
    if belief is None:
        return utterance
    return utterance.model_copy(update={"strategy_distribution": belief.model_copy(update={"shift": shift})})

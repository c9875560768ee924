"""Ratings that come in a file of their own (a study's export, say) are put onto what they rate, where measures find them."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from trialogue.records import Dialogue, Rating, Response, Score, Utterance
from trialogue.workflows.inputs.inputs import Material

Key = tuple[str | None, str | None, int | None]  # system, dialogue or situation, utterance


def attach_ratings(material: Material) -> Material:
    """The material with people's scores as ratings of its dialogues, utterances and responses.

    A rating that a record already has (of the same name by the same rater) is not doubled. Scores of what is not among the
    material are left out, and a warning counts them. Without such scores the material comes back as it is.
    """
    found = [
        score for score in material.scores if score.measure.is_judgement and score.rater and score.value is not None
    ]
    if not found:
        return material
    book = _Book(found)
    dialogues = [book.dialogue(dialogue) for dialogue in material.dialogues]
    responses = [book.response(response) for response in material.responses]
    left = len(found) - book.used
    warnings = [f"{left} of {len(found)} ratings are of nothing that was given, and left out."] if left else []
    return replace(material, dialogues=dialogues, responses=responses, warnings=[*material.warnings, *warnings])


class _Book:
    """Ratings by what they rate."""

    def __init__(self, scores: Iterable[Score]) -> None:
        self._ratings: dict[Key, list[Rating]] = defaultdict(list)
        for score in scores:
            if score.value is not None:
                rating = Rating(
                    name=score.measure.question or score.measure,
                    value=score.value,
                    rater=score.rater,
                    raters=score.raters,
                )
                self._ratings[_key(score)].append(rating)
        self.used = 0

    def dialogue(self, dialogue: Dialogue) -> Dialogue:
        """A dialogue with its ratings, and those of its utterances."""
        whole = self._with(dialogue.ratings, (dialogue.system, dialogue.id, None))
        utterances = tuple(
            self._utterance(utterance, (dialogue.system, dialogue.id, index))
            for index, utterance in enumerate(dialogue.utterances)
        )
        if whole == dialogue.ratings and utterances == dialogue.utterances:
            return dialogue
        return dialogue.model_copy(update={"ratings": whole, "utterances": utterances})

    def response(self, response: Response) -> Response:
        """A response with its ratings."""
        utterance = self._utterance(response.utterance, (response.system, response.situation_id, None))
        return response if utterance is response.utterance else response.model_copy(update={"utterance": utterance})

    def _utterance(self, utterance: Utterance, key: Key) -> Utterance:
        ratings = self._with(utterance.ratings, key)
        return utterance if ratings == utterance.ratings else utterance.model_copy(update={"ratings": ratings})

    def _with(self, there: tuple[Rating, ...], key: Key) -> tuple[Rating, ...]:
        found = self._ratings.get(key, [])
        self.used += len(found)
        known = {(rating.name, rating.rater) for rating in there}
        return (*there, *(rating for rating in found if (rating.name, rating.rater) not in known))


def _key(score: Score) -> Key:
    if score.level == "response":
        return (score.system, score.situation_id, None)
    return (score.system, score.dialogue_id, score.utterance if score.level == "utterance" else None)

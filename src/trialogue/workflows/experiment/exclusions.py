"""Apply the exclusion rules of a decision protocol."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from trialogue.findings.protocol import Exclusion
from trialogue.records import Dialogue, Rating, Response
from trialogue.workflows.inputs.inputs import InputRecords


def exclude(material: InputRecords, rules: Sequence[Exclusion]) -> tuple[InputRecords, list[str]]:
    """Records after exclusion rules, and a line per rule with the numbers of excluded dialogues and votes.

    A dialogue that failed is never left out for being short: failures are outcomes, and a rule that hides them would favor
    the systems that fail.
    """
    lines = []
    for rule in rules:
        left = replace(
            material,
            dialogues=[_drop_ratings(each, rule) for each in material.dialogues if not _leaves_out(rule, each)],
            responses=[_rated_response(each, rule) for each in material.responses],
            preferences=[each for each in material.preferences if each.rater not in rule.participants],
            scores=[each for each in material.scores if each.rater not in rule.participants],
        )
        counts = (
            (len(material.dialogues), len(left.dialogues), "dialogues"),
            (len(material.preferences), len(left.preferences), "votes"),
        )
        parts = [f"{before - after:,} of {before:,} {what}" for before, after, what in counts if after < before]
        if parts:
            lines.append(f"Excluded by the decision protocol ({_describe_rule(rule)}): {' and '.join(parts)}.")
        material = left
    return material, lines


def _leaves_out(rule: Exclusion, dialogue: Dialogue) -> bool:
    if rule.user_turns_below is not None:
        turns = sum(utterance.speaker == "user" for utterance in dialogue.utterances)
        return dialogue.fault is None and turns < rule.user_turns_below
    return dialogue.user in rule.participants


def _drop_ratings(dialogue: Dialogue, rule: Exclusion) -> Dialogue:
    """A dialogue without the ratings of people who are left out."""
    if not rule.participants:
        return dialogue
    utterances = tuple(
        utterance.model_copy(update={"ratings": _kept_ratings(utterance.ratings, rule)})
        for utterance in dialogue.utterances
    )
    return dialogue.model_copy(update={"ratings": _kept_ratings(dialogue.ratings, rule), "utterances": utterances})


def _rated_response(response: Response, rule: Exclusion) -> Response:
    if not rule.participants:
        return response
    utterance = response.utterance
    kept = utterance.model_copy(update={"ratings": _kept_ratings(utterance.ratings, rule)})
    return response.model_copy(update={"utterance": kept})


def _kept_ratings(ratings: Iterable[Rating], rule: Exclusion) -> tuple[Rating, ...]:
    return tuple(rating for rating in ratings if rating.rater not in rule.participants)


def _describe_rule(rule: Exclusion) -> str:
    if rule.user_turns_below is not None:
        return f"fewer than {rule.user_turns_below} user utterances"
    return f"participants {', '.join(rule.participants)}"

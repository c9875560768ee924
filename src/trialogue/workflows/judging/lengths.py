"""Lengths of judged texts in characters, which mean the same in every language."""

from trialogue.findings.judging.units import Key
from trialogue.records.completion import UNNAMED
from trialogue.workflows.inputs.inputs import InputRecords


def text_lengths(material: InputRecords) -> dict[Key, int]:
    """Characters of the system's text by unit: of whole dialogues, of single messages in them, and of replies."""
    lengths: dict[Key, int] = {}
    for dialogue in material.dialogues:
        system, whole = dialogue.system or UNNAMED, 0
        for place, each in enumerate(dialogue.utterances):
            if each.speaker == "system":
                whole += len(each.text)
                lengths[system, dialogue.id, None, place] = len(each.text)
        lengths[system, dialogue.id, None, None] = whole
    for reply in material.responses:
        lengths[reply.system or UNNAMED, None, reply.situation_id, None] = len(reply.utterance.text)
    return lengths

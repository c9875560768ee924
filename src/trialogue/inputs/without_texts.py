"""Reports that can be shared: nothing that somebody said, and nothing that a tool was asked or answered, is in any file."""

from collections.abc import Collection
from dataclasses import replace

from trialogue.findings import Findings
from trialogue.findings.logs.blame import own_words
from trialogue.inputs.inputs import InputRecords
from trialogue.records import Dialogue, Ending, JsonValue, Rating, Response, Situation, Utterance
from trialogue.records.dialogue import MENTIONS
from trialogue.records.files.dialogue_store import as_stored
from trialogue.records.trace import ToolCall, Trace


def with_own_words(material: InputRecords) -> InputRecords:
    """Records without what reports quote of them: recorded errors of unknown cause, and ids of people that are addresses.

    Whether an error names a tool stays, and different addresses stay different.
    """
    rated_by = (each.rater for part in (material.scores, material.preferences) for each in part)
    held = (name for each in material.dialogues for name in (each.user, *(rating.rater for rating in each.ratings)))
    addresses = sorted({name for name in (*held, *rated_by) if name is not None and "@" in name})
    # Numbers in the order of the addresses: what is computed from sorted people stays the same to the last digit.
    names = {given: f"[e-mail] {place:0{len(str(len(addresses)))}}" for place, given in enumerate(addresses, start=1)}

    def name(given: str | None) -> str | None:
        return given if given is None else names.get(given, given)

    def rename(rating: Rating) -> Rating:
        return rating.model_copy(update={"rater": name(rating.rater)})

    def change(dialogue: Dialogue) -> Dialogue:
        update: dict[str, object] = {"user": name(dialogue.user)}
        if any(each.rater in names for each in dialogue.ratings):
            update["ratings"] = tuple(map(rename, dialogue.ratings))
        if dialogue.ended_by is Ending.UNKNOWN_FAILURE:
            update["ending_detail"] = own_words(dialogue.ending_detail)
        return dialogue.model_copy(update=update)

    scores = [each.model_copy(update={"rater": name(each.rater)}) for each in material.scores]
    votes = [each.model_copy(update={"rater": name(each.rater)}) for each in material.preferences]
    return replace(
        material, dialogues=as_stored(material.dialogues).with_change(change), scores=scores, preferences=votes
    )


def without_texts(material: InputRecords) -> InputRecords:
    """Records without anything that somebody said or a tool answered, for the explorer; ids, numbers and labels stay."""
    return replace(
        material,
        dialogues=as_stored(material.dialogues).with_change(blank_dialogue),
        situations=[_blank_situation(each) for each in material.situations],
        responses=[_blank_response(each) for each in material.responses],
        preferences=[each.model_copy(update={"reason": None}) for each in material.preferences],
        warnings=[],
    )


def findings_without_texts(findings: Findings, *, quoting: Collection[str]) -> Findings:
    """Findings whose examples have no texts, without the notes that may quote what was read.

    Args:
        findings: the findings.
        quoting: those notes.
    """
    examples = (each.model_copy(update={"dialogue": blank_dialogue(each.dialogue)}) for each in findings.examples)
    kept = [each for each in findings.warnings if each not in quoting]
    if left := len(findings.warnings) - len(kept):
        kept.append(f"{left} notes on what was read are left out, since they may quote it.")
    return findings.model_copy(update={"examples": tuple(examples), "warnings": tuple(kept)})


def blank_dialogue(dialogue: Dialogue) -> Dialogue:
    """A dialogue without texts."""
    return dialogue.model_copy(
        update={
            "utterances": tuple(map(_blank, dialogue.utterances)),
            "opinions": None,
            "outcome": {},
            "need": None,
            "ending_detail": own_words(dialogue.ending_detail),
            "trace": _blank_trace(dialogue.trace),
            "meta": {},
        }
    )


def _blank_situation(situation: Situation) -> Situation:
    references = {
        "reference": situation.reference and _blank(situation.reference),
        "further_references": tuple(map(_blank, situation.further_references)),
    }
    return situation.model_copy(update={**references, "context": tuple(map(_blank, situation.context)), "meta": {}})


def _blank_response(response: Response) -> Response:
    return response.model_copy(update={"utterance": _blank(response.utterance), "meta": {}})


def _blank(said: Utterance) -> Utterance:
    """An utterance whose text says only how long it was."""
    words = len(said.text.split())
    acts = None if said.acts is None else tuple(each.model_copy(update={"slots": ()}) for each in said.acts)
    labels = said.strategies and tuple(each.model_copy(update={"text": None}) for each in said.strategies)
    times: dict[str, JsonValue] = {name: value for name, value in said.meta.items() if name == "latency_s"}
    nothing = dict.fromkeys(("thought", "claims", *MENTIONS))
    update = {"acts": acts, "strategies": labels, "trace": _blank_trace(said.trace), "meta": times}
    text = f"[{words} {'word' if words == 1 else 'words'}]" if said.text else ""
    return said.model_copy(update={**nothing, **update, "text": text})


def _blank_trace(trace: Trace | None) -> Trace | None:
    if trace is None or trace.calls is None:
        return trace
    return trace.model_copy(update={"calls": tuple(map(_blank_call, trace.calls))})


def _blank_call(call: ToolCall) -> ToolCall:
    return call.model_copy(
        update={
            "arguments": None,
            "result": None,
            "error": None if call.error is None else "error",
            "refused": None if call.refused is None else "its declared schema refuses it",
        }
    )

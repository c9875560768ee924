"""What a judge is asked about: dialogues, single replies in them, and replies to situations, as the judge sees them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from trialogue.judges.prompts import shown_text
from trialogue.judges.rubric import JudgedLevel, Reference, Rubric
from trialogue.judges.shown.transcript import Showing
from trialogue.records import Dialogue, Need, Reason, ReasonCode, Response, Situation
from trialogue.records.kinds.endings import Fault


@dataclass(frozen=True)
class Unit:
    """One unit to judge."""

    system: str | None
    """The system; not shown."""
    dialogue_id: str | None = None
    """The dialogue."""
    situation_id: str | None = None
    """The situation of a reply."""
    utterance: int | None = None
    """Index of the reply in its dialogue."""
    text: str = ""
    """What the judge sees, behind the instruction; "": it is not asked."""
    why: Reason | None = None
    """Why it is not asked."""
    is_worst: bool = False
    """Whether it has the lowest points without being asked: the dialogue failed through the system's fault."""
    masked: int = 0
    """Places in which something personal was masked."""
    anonymised: int = 0
    """Places in which a system or user was named."""


def units_of(dialogue: Dialogue, rubric: Rubric, showing: Showing) -> Iterator[Unit]:
    """Units of a dialogue: itself, or (level ``turn``) each of its replies.

    A dialogue that failed through the system's fault counts as the worst, as it does on metrics with a worst value; one that
    failed through another's is missing. Their single replies are judged like any other.
    """
    reference, lacking = _need_text(dialogue.need) if rubric.reference is Reference.NEED else ("", None)
    if rubric.level is JudgedLevel.DIALOGUE:
        yield _whole_dialogue(dialogue, rubric, showing, reference, lacking)
        return
    if rubric.reference is Reference.REPLY:
        lacking = Reason.of(ReasonCode.JUDGE_NO_REFERENCE)
    for place, said in enumerate(dialogue.utterances):
        if said.speaker == "system":
            shown = showing.show(dialogue.utterances[: place + 1], user=dialogue.user)
            why = lacking if said.text.strip() else Reason.of(ReasonCode.JUDGE_NOTHING_SHOWN)
            text = "" if why else shown_text(rubric, shown.lines, line=place + 1, reference=reference)
            yield Unit(
                dialogue.system,
                dialogue.id,
                utterance=place,
                text=text,
                why=why,
                masked=shown.masked,
                anonymised=shown.anonymised,
            )


def _whole_dialogue(
    dialogue: Dialogue, rubric: Rubric, showing: Showing, reference: str, lacking: Reason | None
) -> Unit:
    if dialogue.fault is Fault.AGENT:
        return Unit(dialogue.system, dialogue.id, is_worst=True)
    shown = showing.show(dialogue.utterances, user=dialogue.user)
    why = why_not_shown(dialogue) or lacking
    text = "" if why else shown_text(rubric, shown.lines, reference=reference)
    return Unit(dialogue.system, dialogue.id, text=text, why=why, masked=shown.masked, anonymised=shown.anonymised)


def why_not_shown(dialogue: Dialogue) -> Reason | None:
    """Why a dialogue is not judged as a whole; None: it is."""
    if dialogue.fault is not None:
        return Reason.of(ReasonCode.DIALOGUE_FAILED, fault=dialogue.fault.value)
    if not any(said.speaker == "system" and said.text.strip() for said in dialogue.utterances):
        return Reason.of(ReasonCode.JUDGE_NOTHING_SHOWN)
    return None


def units_of_responses(
    situations: Mapping[str, Situation], responses: Sequence[Response], rubric: Rubric, showing: Showing
) -> Iterator[Unit]:
    """Replies to situations, for rubrics about turns; a reply to an unknown situation has no unit."""
    for response in responses:
        situation = situations.get(response.situation_id)
        if situation is None:
            continue
        reply = response.utterance
        shown = showing.show([*situation.context, reply])
        reference, why = "", None
        if rubric.reference is Reference.REPLY:
            reference = "\n".join(showing.show([situation.reference]).lines) if situation.reference else ""
            why = None if reference else Reason.of(ReasonCode.JUDGE_NO_REFERENCE)
        elif rubric.reference is Reference.NEED:
            why = Reason.of(ReasonCode.JUDGE_NO_REFERENCE)
        if not reply.text.strip():
            why = Reason.of(ReasonCode.JUDGE_NOTHING_SHOWN)
        line = len(situation.context) + 1
        text = "" if why else shown_text(rubric, shown.lines, line=line, reference=reference)
        yield Unit(
            response.system,
            situation_id=situation.id,
            text=text,
            why=why,
            masked=shown.masked,
            anonymised=shown.anonymised,
        )


def need_of_pair(a: Dialogue, b: Dialogue, rubric: Rubric) -> tuple[str, Reason | None]:
    """(what both users wanted, why it is not known)."""
    if rubric.reference is Reference.NONE:
        return "", None
    if rubric.reference is Reference.REPLY or a.need is None or b.need is None or a.need.id != b.need.id:
        return "", Reason.of(ReasonCode.JUDGE_NO_REFERENCE)
    return _need_text(a.need)


def _need_text(need: Need | None) -> tuple[str, Reason | None]:
    """(what the user wanted, in words; why it is not known)."""
    if need is None or not (need.constraints or need.requests):
        return "", Reason.of(ReasonCode.JUDGE_NO_REFERENCE)
    lines = [
        f"{each.attribute}: {' or '.join(each.values)}{' (if possible)' if each.relaxable else ''}"
        for each in need.constraints
    ]
    if need.requests:
        lines.append(f"wants to know: {', '.join(need.requests)}")
    return "\n".join(lines), None

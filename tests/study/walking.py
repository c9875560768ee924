"""Studies in the database, and people who walk through services without pages."""

from collections.abc import Mapping, Sequence
from typing import Any

from trialogue.study.design.file import sha256_of_study
from trialogue.study.design.items import BY_TYPE, AnyItem
from trialogue.study.design.pages import Outcome, Step, phase_of
from trialogue.study.design.reading import study_of
from trialogue.study.models import Participant, Study
from trialogue.study.services import chatting, entering, launching, steps
from trialogue.study.services.launching import load

SCALE = ["Entirely meaningless", "Meaningless", "Between", "Meaningful", "Perfectly meaningful"]
TALK = [
    {"speaker": "user", "text": 'I look for something like "Troy (2004)".'},
    {"speaker": "system", "text": 'Have you seen "Gladiator (2000)"?'},
    {"speaker": "user", "text": "Yes. Something newer, please."},
]
CRITERIA = [{"name": "sense", "question": "How meaningful is it?", "scale": SCALE}]
OF_TYPE: dict[str, dict[str, Any]] = {
    "rating": {"criteria": CRITERIA},
    "preference": {"reason": "optional"},
    "realism": {},
    "labelling": {},
    "chat": {"criteria": CRITERIA, "agents": {"one": "echo"}, "chat": {"turns": 2, "at_least": 1}},
}
FRAME: dict[str, Any] = {
    "title": "Which reply makes sense?",
    "phases": ["consent", "tasks", "exit"],
    "consent": {"version": "7", "text": "You may leave at any time."},
    "items_per_participant": 3,
    "raters_per_item": 2,
    "attention": {"checks": 0, "min_seconds_per_item": 0},
}


def item(kind: str, number: int, agents: Sequence[str] = ()) -> dict[str, Any]:
    """An item of a type; of a conversation, with some agents."""
    talk = [*TALK, {"speaker": "system", "text": f"Number {number}."}]
    base: dict[str, Any] = {"key": f"item-{number}", "dialogue_id": f"d{number}"}
    replies = {"kbrd": 'Try "Dunkirk (2017)".', "redial": "No idea.", "human": f"Number {number}."}
    of_kind: dict[str, dict[str, Any]] = {
        "rating": {
            "context": [*TALK[:-1], {**TALK[-1], "text": f"{TALK[-1]['text']} Case {number}."}],
            "responses": replies,
        },
        "preference": {"context": TALK, "responses": {name: replies[name] for name in ("kbrd", "redial")}},
        "realism": {
            "agent": "bot",
            "simulator": "cir6",
            "human": {"id": f"h{number}", "messages": talk},
            "simulated": {"id": f"s{number}", "messages": talk},
        },
        "labelling": {"messages": TALK, "utterance": 1},
        "chat": {
            "agents": [*agents] or ["one"],
            "task": "Look for a thriller.",
            # the first item assigns no need
            "need": {"id": f"n{number}", "acceptable": ["heat-1995"]} if number else None,
        },
    }
    return base | of_kind[kind]


def running(
    kind: str = "rating", *, items: int = 3, name: str = "", agents_of_items: Sequence[str] = (), **more: Any
) -> Study:
    """A study that people may enter."""
    file = study_of({"study": name or kind, "type": kind, **FRAME, **OF_TYPE[kind], **more})
    made: list[AnyItem] = [BY_TYPE[kind].model_validate(item(kind, number, agents_of_items)) for number in range(items)]
    study = load(file, made, sha256_of_study(file, repr(made).encode()))
    return launching.set_state(study, "running", who="test")


def entered(study: Study, **parameters: str) -> Participant:
    """Somebody new."""
    came = entering.enter(study, parameters)
    assert came.participant is not None, came.why
    return came.participant


def now_at(person: Participant) -> Step:
    """Where somebody is."""
    step = steps.current(person)
    assert step is not None
    return step


def answers(step: Step, wanted: Mapping[str, str] | None = None) -> dict[str, list[str]]:
    """What a willing participant sends: points and options by turns, 5, a sentence; or what is wanted of a question."""
    posted = {"agree": ["yes"]} if step.kind == "consent" else {}
    for place, part in enumerate(step.parts):
        for question in part.questions:
            options = [option.value for option in question.options]
            given = options[(step.number + place) % len(options)] if options else "5" if question.number else "Because."
            posted[part.prefix + question.name] = [(wanted or {}).get(question.name, given)]
    return posted


def send(person: Participant, step: Step, wanted: Mapping[str, str] | None = None) -> Outcome:
    """Send the answers of a step; conversations are had before."""
    return steps.submit(person, step.token, answers(step, wanted))


def talk(person: Participant, step: Step, order: list[str]) -> None:
    """Say two things to everybody that a step brings."""
    while (chat := chatting.current_chat(person, step.key, order)) is not None:
        said = chatting.say(person, chat, "Hello there", turn=0, posted={})
        assert said.kind == "said"
        assert chatting.end(chat)


def walk(person: Participant, wanted: Mapping[str, str] | None = None, *, until: str = "exit") -> list[Step]:
    """Every step from where somebody is to the first of a phase, which is not answered; or to their end."""
    seen: list[Step] = []
    while (step := steps.current(person)) is not None:
        seen.append(step)
        assert len(seen) < 100
        if phase_of(step.key) == until:
            break
        if step.kind == "chat":
            talk(person, step, list(person.assignments.get(position=1).slot.order))
            step = now_at(person)
        outcome = send(person, step, wanted)
        assert outcome.kind == "stored", outcome
        person.refresh_from_db()
    person.refresh_from_db()
    return seen

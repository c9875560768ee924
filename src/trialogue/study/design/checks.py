"""Attention checks (creation, scoring, evidence from times and answers), and warnings about a study file's settings.

A check is an item of the study whose text says which answer to give; it is placed among the tasks and looks like them, and
the instruction is part of the item itself, in the same type, as platforms require. It is passed only if every answer that it
asks for is the requested one.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from statistics import median

import numpy as np

from trialogue.records import JsonValue
from trialogue.study.design.assignment import origin_of
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import (
    AnyItem,
    LabellingItem,
    Message,
    PreferenceItem,
    RatingItem,
    RealismItem,
    ShownDialogue,
)
from trialogue.study.design.questions import Option, Question, own_texts, text_in
from trialogue.study.design.validity import Rule

MAX_ALIKE = 1.0  # share of equal answers at which a session is called straight-lined
BLANK = "…"  # text of an item that shows nothing but an instruction
MIN_ANSWERS = 6  # answers below which equal ones say nothing

ASK, ASK_OF, ASK_HERE, ASK_ONCE = (own_texts()["check"][kind] for kind in ("each", "one", "here", "once"))
"""Instructions: about every reply; for one question, where others do not offer the answer; about the reply that says
so; and of items that are answered once."""


@dataclass(frozen=True)
class CheckItem:
    """A check: an item, and the answers that pass it."""

    item: AnyItem
    expected: dict[str, JsonValue]
    """Right answer by field, or by the question's name for each reply."""
    origin: str = ""
    """Origin (``assignment.origin_of``) of the item it was made from; "" for a check that shows no item of the study."""


def checks_of(study: StudyFile, items: Sequence[AnyItem], *, rng: np.random.Generator) -> list[CheckItem]:
    """The checks from which each participant gets ``study.attention.checks`` (``assignment.choose_checks``).

    They are made from the study's own items, each of another origin, and are so many that some are left which repeat nothing
    that a participant is asked about. Behind them are checks that show nothing but the instruction, for participants who
    have met every origin. None if ``demandable`` finds nothing to ask for.

    The instruction is given in every language of the study, one below the other: which one is read is not known in advance.
    """
    wanted = study.attention.checks
    if not items or not wanted or not demandable(study):
        return []
    shuffled = [items[place] for place in rng.permutation(len(items)).tolist()]
    by_origin = {origin_of(item.dialogue, item.key): item for item in reversed(shuffled)}
    sources = list(by_origin.items())[: study.items_per_participant + wanted]
    sources += [("", _without_situation(shuffled[place % len(shuffled)])) for place in range(wanted)]
    made = (_check(study, item, number, rng) for number, (_, item) in enumerate(sources, start=1))
    return [replace(check, origin=origin) for check, (origin, _) in zip(made, sources, strict=True)]


def _without_situation(item: AnyItem) -> AnyItem:
    """An item of the same form without its texts, into which an instruction can be inserted."""

    def blank(talk: ShownDialogue) -> ShownDialogue:
        return ShownDialogue(id="check", messages=(Message(speaker=talk.messages[-1].speaker, text=BLANK),))

    empty: dict[str, object] = {"meta": {}}
    if isinstance(item, RatingItem | PreferenceItem) and item.responses:
        empty |= {"context": (Message(speaker="user", text=BLANK),), "responses": dict.fromkeys(item.responses, BLANK)}
    elif isinstance(item, RatingItem):
        empty |= {"conversation": {name: blank(talk) for name, talk in item.conversation.items()}, "utterance": None}
        if item.utterance is not None:
            empty["utterance"] = 0
    elif isinstance(item, PreferenceItem):
        empty["dialogues"] = {name: blank(talk) for name, talk in (item.dialogues or {}).items()}
    elif isinstance(item, RealismItem):
        empty |= {"human": blank(item.human), "simulated": blank(item.simulated)}
    elif isinstance(item, LabellingItem):
        speaker = item.messages[item.utterance].speaker
        empty |= {"messages": (Message(speaker=speaker, text=BLANK),), "utterance": 0}
    return item.model_copy(update=empty)


def unwritten(study: StudyFile) -> list[str]:
    """Languages of a study in which a check could not be read: the study file has no text for it, and we have none."""
    given = study.attention.text
    own = set(given) if isinstance(given, dict) else set()
    if isinstance(given, str) and given:
        return []
    known = own | set(ASK)
    return [each for each in study.every_language() if not {each, each.partition("-")[0]} & known]


def demandable(study: StudyFile) -> tuple[Question, ...]:
    """The questions whose answer a check can ask for: those of which one option is chosen; none in chats.

    In rating studies, those about each reply; in others, the first question about an item.
    """
    if study.type == "chat":
        return ()
    if study.type == "rating":
        return tuple(question for question in study.criteria if question.scale or question.choice)
    return tuple(question for question in study.item_questions() if question.choice is not None)[:1]


def _check(study: StudyFile, item: AnyItem, number: int, rng: np.random.Generator) -> CheckItem:
    key, questions = f"check-{number}", demandable(study)
    first = questions[0]
    option = first.options[int(rng.integers(len(first.options)))]
    if not isinstance(item, RatingItem):
        return CheckItem(_insert_demand(item, key, _demand(study, ASK_ONCE, first, option)), {first.name: option.value})
    expected = _offered_answers(study, questions, _option_names(study, first, option))
    everywhere = len(expected) == len(questions)
    asked = _demand(study, ASK if everywhere else ASK_OF, first, option)
    if study.attention.about == "one_reply" and not item.conversation:
        return _check_one_reply(study, item, key, first, option, rng)
    if item.conversation:
        made = _ask_in_conversation(item, key, asked)
        return CheckItem(made, expected if everywhere else {first.name: _value(first, option.value)})
    names = list(item.systems)
    checked = names[int(rng.integers(len(names)))]
    responses = {name: asked if name == checked else text for name, text in item.responses.items()}
    made = item.model_copy(update={"key": key, "responses": responses, "dialogue_id": None})
    return CheckItem(made, expected if everywhere else {first.name: _value(first, option.value)})


def _check_one_reply(
    study: StudyFile, item: RatingItem, key: str, question: Question, option: Option, rng: np.random.Generator
) -> CheckItem:
    """A check about a single reply; checks show replies in the order of the item's systems."""
    names = list(item.systems)
    place = int(rng.integers(len(names)))
    responses = {**item.responses, names[place]: _demand(study, ASK_HERE, question, option)}
    made = item.model_copy(update={"key": key, "responses": responses, "dialogue_id": None})
    return CheckItem(made, {f"r{place + 1}-{question.name}": _value(question, option.value)})


def _ask_in_conversation(item: RatingItem, key: str, asked: str) -> RatingItem:
    """The item, with the instruction in place of the message that is rated, or of the end of the conversation."""
    ((system, talk),) = item.conversation.items()
    if item.utterance is not None:
        talk = talk.model_copy(update={"messages": talk.messages[: item.utterance + 1]})
    changed = {system: _replace_ending(talk, asked)}
    return item.model_copy(update={"key": key, "conversation": changed, "dialogue_id": None})


def _offered_answers(study: StudyFile, questions: Sequence[Question], name: Sequence[str]) -> dict[str, JsonValue]:
    """By question: its answer of a name; without those that do not offer it."""
    found = (
        (each, option) for each in questions for option in each.options if _option_names(study, each, option) == name
    )
    return {question.name: _value(question, option.value) for question, option in found}


def _option_names(study: StudyFile, question: Question, option: Option) -> list[str]:
    """Label of an option in each language: its number where scale points have no words."""
    return [
        text_in(option.label, language)
        if all(text_in(each.label, language) for each in question.options)
        else option.value
        for language in study.every_language()
    ]


def _demand(study: StudyFile, words: Mapping[str, str], question: Question, option: Option) -> str:
    """Instruction of the check, by language."""
    names = zip(study.every_language(), _option_names(study, question, option), strict=True)
    demands = [
        _check_text(study, words, language)
        .replace("{answer}", name)
        .replace("{question}", text_in(question.question, language))
        for language, name in names
    ]
    return "\n".join(dict.fromkeys(demands))


def _check_text(study: StudyFile, ours: Mapping[str, str], language: str) -> str:
    """The study file's text of a check in a language, or ours."""
    given = study.attention.text
    own = isinstance(given, str) or bool({language, language.partition("-")[0]} & set(given))
    return (text_in(given, language) if own else "") or text_in(dict(ours), language)


def _insert_demand(item: AnyItem, key: str, asked: str) -> AnyItem:
    """The item, with the instruction inserted into a text that participants read anyway."""
    named: dict[str, object] = {"key": key, "dialogue_id": None}
    if isinstance(item, PreferenceItem) and item.responses is not None:
        named["responses"] = {**item.responses, item.systems[0]: asked}
    elif isinstance(item, PreferenceItem) and item.dialogues is not None:
        name = item.systems[0]
        named["dialogues"] = {**item.dialogues, name: _replace_ending(item.dialogues[name], asked)}
    elif isinstance(item, RealismItem):
        named["simulated"] = _replace_ending(item.simulated, asked)
    elif isinstance(item, LabellingItem):
        marked = Message(speaker=item.messages[item.utterance].speaker, text=asked)
        named["messages"] = (*item.messages[: item.utterance], marked, *item.messages[item.utterance + 1 :])
    return item.model_copy(update=named)


def _replace_ending(talk: ShownDialogue, asked: str) -> ShownDialogue:
    last = talk.messages[-1]
    return talk.model_copy(update={"messages": (*talk.messages[:-1], Message(speaker=last.speaker, text=asked))})


def _value(question: Question, value: str) -> JsonValue:
    return int(value) if question.scale is not None else value


def is_passed(expected: Mapping[str, JsonValue], answers: Mapping[str, JsonValue]) -> bool:
    """Whether every answer is the one asked for: by its field, or by its question for each reply.

    >>> is_passed({"sense": 2}, {"r1-sense": 2, "r2-sense": 2}), is_passed({"sense": 2}, {"r1-sense": 2, "r2-sense": 5})
    (True, False)
    """
    for name, wanted in expected.items():
        given = [value for field, value in answers.items() if field == name or field.partition("-")[2] == name]
        if not given or any(value != wanted for value in given):
            return False
    return True


@dataclass(frozen=True)
class Evidence:
    """Evidence on one participant's attention."""

    failed_checks: int
    """Attention checks that they failed."""
    seconds: tuple[float, ...]
    """Time of each task."""
    answers: tuple[JsonValue, ...]
    """Points and options chosen in tasks, in order."""
    texts: tuple[str, ...] = ()
    """Free-text answers of the participant."""
    pastes: int = 0
    """Number of pastes into task fields, as reported by the browser."""
    away: float | None = None
    """Share of task time spent elsewhere, as the browser reported; None: not reported."""


def flags_of(evidence: Evidence, study: StudyFile) -> list[Rule]:
    """Rules that a participant violates; all rules, including those that do not exclude in this study."""
    limits = study.attention
    holds: dict[Rule, bool] = {
        "failed_checks": evidence.failed_checks > limits.allowed_failures,
        "too_fast": bool(evidence.seconds) and median(evidence.seconds) < limits.min_seconds_per_item,
        "too_short": bool(evidence.seconds) and sum(evidence.seconds) < 60 * limits.min_minutes,
        "straight_lining": _straight(evidence.answers),
        "same_text": most_alike(evidence.texts) > limits.same_text_at_most,
        "pasted": evidence.pastes > limits.allowed_pastes,
        "away": evidence.away is not None and evidence.away > limits.away_at_most,
    }
    return [rule for rule, held in holds.items() if held]


def _straight(answers: Sequence[JsonValue]) -> bool:
    given = [repr(answer) for answer in answers]
    return len(given) >= MIN_ANSWERS and max(map(given.count, set(given))) >= MAX_ALIKE * len(given)


def most_alike(texts: Sequence[str]) -> int:
    """Frequency of the most common text, ignoring case, spaces and final punctuation.

    >>> most_alike(["It fits.", "it  fits", "", "No idea."])
    2
    """
    words = [" ".join(text.casefold().split()).rstrip(".!?… ") for text in texts]
    return max(Counter(each for each in words if each).values(), default=0)


LEAVES = {"blur": "focus", "hidden": "visible"}  # and what brings somebody back


def time_away(events: Iterable[tuple[str, int]]) -> tuple[int, int]:
    """(milliseconds elsewhere, milliseconds in all) of one page, from what its browser noticed; (0, 0): nothing.

    A participant is elsewhere while the window has no focus or the page is not visible. The page ends with the last event,
    its submission.

    >>> time_away([("blur", 1000), ("hidden", 1200), ("visible", 4000), ("focus", 5000), ("submit", 10000)])
    (4000, 10000)
    """
    missing: set[str] = set()
    since = away = at = 0
    for kind, at in sorted(events, key=lambda event: event[1]):
        was_there = not missing
        missing |= {kind} & set(LEAVES)
        missing -= {left for left, back in LEAVES.items() if back == kind}
        if was_there and missing:
            since = at
        elif not was_there and not missing:
            away += at - since
    return away + (at - since if missing else 0), at


TEMPLATES_OWN = "Replace this with the text that your ethics board approved"


def page_languages() -> frozenset[str]:
    """Languages of the pages' own words, such as those on buttons."""
    return frozenset({"en", *(entry.name for entry in files("trialogue.study").joinpath("locale").iterdir())})


def _uncoded_outcomes(study: StudyFile) -> list[str]:
    """Outcomes that participants can reach, and that have no code."""
    reachable = {
        "completed": True,
        "no_consent": "consent" in study.phases,
        "screened_out": True,  # all places may be taken
        "failed_check": bool(study.attention.checks and demandable(study)),
    }
    return [
        outcome for outcome, is_reachable in reachable.items() if is_reachable and outcome not in study.platform.codes
    ]


def advice(study: StudyFile) -> list[str]:
    """Violations of a platform's rules by a study file, settings without effect, and missing texts."""
    found = []
    if study.consent is not None and TEMPLATES_OWN in str(study.consent.text):
        found.append(
            "The consent text is still that of the template: replace it with the text that your ethics board approved."
        )
    for language in study.every_language():
        if not page_languages() & {language, language.partition("-")[0]}:
            found.append(
                f"The interface, such as buttons, is not translated into {language!r}: it is shown in English."
            )
    # Prolific's policy on attention checks: one failed check is enough to reject only below five minutes.
    if study.platform.name == "prolific" and study.minutes >= 5 and study.rejection.failed_checks < 2:
        found.append("Prolific requires two failed checks before a submission of five minutes or more may be rejected.")
    if study.rejection.failed_checks > study.attention.checks > 0:
        found.append("There are fewer attention checks than a rejection requires: nobody can be rejected.")
    if study.platform.name == "prolific" and not study.platform.signed:
        found.append(
            "Anyone can enter a made-up Prolific id in the study's address. Secure the address on Prolific and set "
            "platform: {signed: true} to accept its signed links only."
        )
    if study.platform.name == "prolific" and (lacking := _uncoded_outcomes(study)):
        found.append(
            f"These outcomes have no completion code: {', '.join(lacking)}. Participants are asked to return "
            "their submission, or to say that they have no code. Set codes in platform."
        )
    if study.platform.name == "mturk":
        found.append("MTurk has not accepted new requesters since 2026-07-30; existing accounts continue.")
    if "consent" not in study.phases:
        found.append("The study does not ask for consent.")
    if study.attention.checks and "checks" in study.attention.model_fields_set and not demandable(study):
        found.append("No attention checks are generated: no item has a single-choice question.")
    return found

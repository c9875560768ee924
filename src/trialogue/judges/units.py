"""What a judge is asked about: dialogues, single replies in them, and replies to situations, as the judge sees them.

What a judge is shown of a conversation: lines of its two parties, without names of systems and people.

Each utterance is one numbered line, so that no text can begin a line of its own and pass for another party's. Only texts are
shown: no acts, lists, errors, or names of roles that a corpus writes. Words with which a simulated user ends a conversation
are removed, since they are said to the harness and not to the recommender.

Mask what identifies people in texts, before they are sent to a server: e-mail addresses, phone numbers, platform ids.

Names of people are not recognised: no list of names tells a participant from an actor.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trialogue.catalogue.linking.ordinary import is_ordinary
from trialogue.judges.prompts import shown_text
from trialogue.judges.rubric import JudgedLevel, Reference, Rubric
from trialogue.records import Dialogue, Need, Reason, ReasonCode, Record, Response, Situation, Utterance
from trialogue.records.kinds.endings import Fault

E_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
PHONE = re.compile(r"(?<![\w.])(?:\+|00)?\d[\d ()/.-]{6,18}\d(?![\w])")
MIN_DIGITS = 9  # of a phone number without a country code; years, prices and dates have fewer
MIN_DIGITS_ABROAD = 8
PLATFORM_ID = re.compile(r"\b(?:[0-9a-f]{24}|A[0-9A-Z]{11,20})\b")
"""Ids of Prolific (24 hexadecimal digits) and of Mechanical Turk (an A, then capitals and digits)."""


class Masked(Record):
    """A text without what identifies people, and how much was masked."""

    text: str
    """The text, with a mark such as ``[e-mail]`` in each place that was masked."""
    count: int
    """Places that were masked."""


def mask_personal(text: str) -> Masked:
    """Replace e-mail addresses, phone numbers and ids of crowd-sourcing platforms.

    >>> mask_personal("Write to ann.b@example.org or +44 20 7946 0958.").text
    'Write to [e-mail] or [phone].'
    >>> mask_personal("Blade Runner 2049 (2017), 1984, 12 Monkeys").count
    0
    """
    count = 0

    def mask_with(word: str, is_it: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
        def replace_match(match: re.Match[str]) -> str:
            nonlocal count
            if not is_it(match[0]):
                return match[0]
            count += 1
            return word

        return replace_match

    text = E_MAIL.sub(mask_with("[e-mail]", bool), text)
    text = PLATFORM_ID.sub(mask_with("[id]", _has_digits), text)
    text = PHONE.sub(mask_with("[phone]", _is_phone), text)
    return Masked(text=text, count=count)


def _has_digits(word: str) -> bool:
    """A worker's id has digits; a word in capitals, such as ABOMINATIONS, has none."""
    return any(each.isdigit() for each in word)


def _is_phone(number: str) -> bool:
    least = MIN_DIGITS_ABROAD if number.startswith(("+", "00")) else MIN_DIGITS
    return sum(each.isdigit() for each in number) >= least


STOP_WORDS = re.compile(r"\\end\b|\\giveup\b|\[END\]|\[DONE\]|\[GIVE UP\]|###(?:STOP|TRANSFER|OUT-OF-SCOPE)###")
"""With which simulated users of UserSimCRS, Concept, Trialogue and tau2-bench end a conversation."""
PARTIES = {"user": "USER", "system": "RECOMMENDER"}
SYSTEM, PERSON = "[system]", "[person]"
MIN_NAME = 3  # letters: shorter names of systems ("A", "v2") are found in too many words' places
LINES = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Shown:
    """A conversation as a judge sees it."""

    lines: tuple[str, ...]
    """One for each utterance with text, such as ``1 USER: hi``."""
    masked: int = 0
    """Places in which something personal was masked."""
    anonymised: int = 0
    """Places in which a system or a user was named."""

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)


class Showing:
    """Turns utterances into what a judge sees, the same for every dialogue of a run."""

    def __init__(self, systems: Iterable[str] = (), *, mask: bool = True) -> None:
        """Store the settings.

        Args:
            systems: names of systems, which are removed from texts where they stand as words. A name that is an ordinary
                word (``guided``, ``popular``) or shorter than three letters stays: it could not be told from the word.
            mask: whether to mask what identifies people.
        """
        names = sorted({name.strip() for name in systems}, key=lambda name: (-len(name), name))
        self.kept_names = tuple(sorted(name for name in names if name and not _is_distinctive(name)))
        """Names that stay in texts."""
        self._system = _words([name for name in names if _is_distinctive(name)])
        self._mask = mask

    def show(self, utterances: Sequence[Utterance], *, user: str | None = None) -> Shown:
        """Lines of some utterances; those without text are left out, and numbers are places from 1.

        Args:
            utterances: utterances in order.
            user: code of the user, removed where it stands as a word.
        """
        own = _words([user] if user and _is_distinctive(user) else [])
        lines, masked, anonymised = [], 0, 0
        for place, said in enumerate(utterances, start=1):
            text = STOP_WORDS.sub("", said.text) if said.speaker == "user" else said.text
            text, named = self._system(text, SYSTEM)
            text, coded = own(text, PERSON)
            if self._mask:
                found = mask_personal(text)
                text, masked = found.text, masked + found.count
            anonymised += named + coded
            text = LINES.sub(" / ", text.strip())
            if text:
                lines.append(f"{place} {PARTIES[said.speaker]}: {text}")
        return Shown(tuple(lines), masked, anonymised)


def _is_distinctive(name: str) -> bool:
    word = name.casefold()
    return len(name) >= MIN_NAME and word not in _OWN_WORDS and not is_ordinary(word)


_OWN_WORDS = frozenset({"system", "user", "human", "recommender", "assistant", "bot", "agent", "person", "baseline"})


def _words(names: Sequence[str]) -> Callable[[str, str], tuple[str, int]]:
    """Replaces names that stand as words, whatever their case; returns (text, how many)."""
    if not names:
        return lambda text, _word: (text, 0)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)
    return lambda text, word: pattern.subn(word, text)


@dataclass(frozen=True)
class Unit:
    """One unit to judge."""

    system: str | None
    """The system; not shown."""
    dialogue_id: str | None = None
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

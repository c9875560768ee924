"""Templates of user utterances, extracted from real ones, with slots for items and attribute values.

A ``Phrasebook`` holds templates by user label, with ``{item}`` for a title, ``{genre}`` (or the attribute's
name) for an attribute value, and ``{thing}`` and ``{things}`` for the noun of the domain. It is built
from annotated dialogues and needs no catalogue afterwards.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from trialogue.catalogue import Catalogue
from trialogue.catalogue.linking.ordinary import is_ordinary
from trialogue.records import Dialogue, JsonValue, Mention, Utterance
from trialogue.simulation.actions import KDD2020, ActionSpace

ITEM = "item"
"""The slot of a title."""

NOUNS = ("thing", "things", "do", "done")
"""Slots of the words of a domain, which are the same for all users."""

LIKE, DISLIKE, SEEN, UNSEEN, PLAIN = "like", "dislike", "seen", "unseen", ""
"""Stance of a text towards an item: a good or bad opinion, known or unknown, or none."""

INDIFFERENT = "indifferent"
"""Stance of a user without an opinion: a text of stance ``PLAIN``."""

ANY = "any"
"""Stance that any text of the act satisfies."""

OPENING = "<opening>"
"""Label of first messages in a phrasebook, whatever their act; and the stance of a user who begins."""

LONGEST = 300  # characters of a template; what is longer is a story about one item
EVEN = 10  # messages of a dialogue whose texts count once each
TITLE_WORDS = 3
OFTEN = 3  # dialogues in which a text without a slot must occur to be more than one person's title, misspelt


def _any_of(words: str, *, start: str = r"\b", end: str = r"\b") -> re.Pattern[str]:
    """A pattern that finds any of some expressions, which stand in lines and are separated by commas."""
    return re.compile(f"{start}(?:{'|'.join(re.split(', *', ' '.join(words.split())))}){end}", re.IGNORECASE)


_DISLIKE = _any_of(
    r"""dis+like\w*, hate\w*, boring, bored, awful, terrible, horrible, bad, worse, worst, disappoint\w*, waste, weak, slow,
    pass, skip, could be better, not (?:good|great|into|my|for|interested|really|so|a fan|this|that one),
    no(?:ne)? (?:of|interest), no {\w+, not {\w+, (?:don.?t|do not|didn.?t|did not) (?:\w+ )?(?:like|want|care|enjoy)"""
)
_UNSEEN = _any_of(
    r"""no, nope, nah, not yet, never, i haven.?t, haven.?t, i have not, not seen, i didn.?t, i don.?t know (?:it|that)""",
    start=r"^\W*",
    end=r"\b(?!.*\b(?:thanks?|like)\b)",
)
_SEEN = _any_of(
    r"""(?:seen|saw|watched|know|read) (?:it|that|this|them|those|these|both|all), (?:seen|watched) (?:already|before)"""
)
_LIKE = _any_of(
    r"""lik(?:e|ed|es), lov(?:e|ed|es), good, great, nice, cool, super, wow, fantastic, wonderful, amazing, excellent,
    perfect, enjoy\w*, fun, funny, favou?rite, favou?rites, awesome, brilliant,
    (?:wi)?ll (?:watch|try|see|read|take|give|check),
    sounds, looks, interest\w+, go with, going with, want to, best"""
)
_REASON = _any_of(
    r"""because, for the, it(?:'s| is| was| has), as it, the (?:story|plot|acting|music|humou?r), i like the""",
    start="^",
)
_NOUN = re.compile(r"\b(movie|film)(s?)\b", re.IGNORECASE)
_SLOT = re.compile(r"\{([^{}]*)\}")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_KNOWN = frozenset(
    ["imdb", "tmdb", "pls", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
)
_ABUSE = _any_of(r"fuck\w*, shit\w*, bitch\w*, cunt\w*, asshole\w*")  # real users say it to agents; ours need not

Span = tuple[int, int, str]
"""Start, end and slot of a piece of text."""
Values = list[tuple[str, re.Pattern[str]]]
"""Attributes, each with a pattern of its values."""


class Linker(Protocol):
    """Protocol of linkers that find items in a text, such as ``catalogue.TitleLinker``."""

    def find(self, text: str) -> tuple[Mention, ...]:
        """Items named in a text, in order."""
        ...


def stance(text: str) -> str:
    """Stance of a text towards an item, by its words: ``DISLIKE``, ``UNSEEN``, ``SEEN``, ``LIKE`` or ``PLAIN``.

    >>> texts = ("No, not yet", "I don't like it", "I liked that", "Watched it already", "Who directed it?")
    >>> [stance(text) for text in texts]
    ['unseen', 'dislike', 'like', 'seen', '']
    """
    text = text.replace("{do}", "watch").replace("{done}", "seen")
    if _DISLIKE.search(text):
        return DISLIKE
    if _UNSEEN.search(text):
        return UNSEEN
    if _SEEN.search(text):
        return SEEN
    return LIKE if _LIKE.search(text) else PLAIN


@dataclass(frozen=True, slots=True)
class Phrase:
    """One template of an utterance."""

    text: str
    """Text, with slots in braces."""
    count: float = 1
    """Frequency; a wording of several of one text has its share."""
    stance: str = PLAIN
    """Stance towards an item."""

    @property
    def slots(self) -> tuple[str, ...]:
        """Names of the slots in order."""
        return tuple(_SLOT.findall(self.text))

    def reweight(self, factor: float) -> "Phrase":
        """The phrase, so many times as frequent."""
        return replace(self, count=self.count * factor)


@dataclass(frozen=True)
class Phrasebook:
    """Phrases by user label, those of real users first in order of appearance."""

    phrases: Mapping[str, tuple[Phrase, ...]] = field(default_factory=dict)

    def phrases_of(self, label: str) -> tuple[Phrase, ...]:
        """The phrases of a label; () if there are none."""
        return self.phrases.get(label, ())

    def to_json(self) -> JsonValue:
        """As plain JSON values: [text, count, stance] by label."""
        return {label: [[p.text, p.count, p.stance] for p in phrases] for label, phrases in self.phrases.items()}

    @classmethod
    def from_json(cls, data: Any) -> "Phrasebook":
        """Inverse of ``to_json``; ValueError, TypeError or AttributeError for anything else."""
        return cls(
            {
                str(label): tuple(Phrase(str(text), _count(count), str(says)) for text, count, says in phrases)
                for label, phrases in data.items()
            }
        )


def _count(count: Any) -> float:
    """A frequency as it was written."""
    return count if isinstance(count, int) else float(count)


def extract(
    dialogues: Iterable[Dialogue],
    *,
    catalogue: Catalogue | None = None,
    linker: Linker | None = None,
    attributes: Sequence[str] = ("genre",),
    space: ActionSpace = KDD2020,
    recurring: bool = False,
) -> Phrasebook:
    """Extract phrases from the user utterances of annotated dialogues.

    Slots are those that the acts annotate; in utterances without any, titles found by the linker and attribute values
    of the catalogue. A text is left out if it keeps a name that became no slot, is abusive, or very long. Of acts that
    tell a preference, texts without a slot are kept only if users said them in at least three dialogues ("1"), if they
    begin like a reason ("because it is funny"), or if somebody looked for items in them and found none (``mentions`` is
    empty): all others may name something that a user with another profile would not.

    Args:
        dialogues: annotated dialogues.
        catalogue: where attribute values are from; None: only annotated slots.
        linker: finds titles; None: only annotated ones.
        attributes: whose values become slots.
        space: which labels tell a preference.
        recurring: for users with styles of their own: count every dialogue alike, however long; take over texts of three
            dialogues, whatever their words ("No Reminder Needed!"); and count a message of up to three words that tells a
            preference and has no slot as a title that the linker does not know.
    """
    values = _values(catalogue, attributes) if catalogue is not None else []
    said: dict[tuple[str, str], _Said] = {}
    for dialogue in dialogues:
        users = [utterance for utterance in dialogue.utterances if utterance.speaker == "user"]
        weight = round(EVEN / len(users), 4) if recurring and users else 1
        for place, utterance in enumerate(users):
            if (found := _replace_by_slots(utterance, values, linker)) is None:
                continue
            for label in (found[0], OPENING) if place == 0 else (found[0],):
                seen = said.setdefault((label, found[1]), _Said())
                seen.count += weight
                seen.dialogues.add(dialogue.id)
                seen.looked = seen.looked or utterance.mentions is not None
    phrases: dict[str, dict[str, Phrase]] = {}
    for (label, text), seen in said.items():
        informs = label in space.informs
        is_recurring = recurring and len(seen.dialogues) >= OFTEN and not _ABUSE.search(text)
        if not is_recurring and not _can_be_anyones(text, seen, informs=informs):
            if not (recurring and informs and _may_be_title(text)):
                continue
            text = "{" + ITEM + "}"
        own = phrases.setdefault(label, {})
        before = own[text].count if text in own else 0
        own[text] = Phrase(text, seen.count + before, stance(text))
    return Phrasebook({label: tuple(found.values()) for label, found in phrases.items()})


def _may_be_title(text: str) -> bool:
    return len(text.split()) <= TITLE_WORDS and not _SLOT.search(text) and not text.strip().isdigit()


@dataclass(slots=True)
class _Said:
    """Properties of a text."""

    count: float = 0
    dialogues: set[str] = field(default_factory=set)
    looked: bool = False


def _can_be_anyones(text: str, said: _Said, *, informs: bool) -> bool:
    """Whether another user could say a text, of another item, to another agent."""
    left = _SLOT.sub(" ", text)
    if not left.replace("’", "'").replace("…", "").isascii() or "??" in left or "http" in left or left[:1] == "/":
        return False
    if not text.strip() or len(text) > LONGEST or _ABUSE.search(left):
        return False
    if any(word[0].isupper() and not _is_plain(word) for word in _WORD.findall(left)):
        return False
    if not informs or said.looked or len(said.dialogues) >= OFTEN:
        return True
    has_content = any(slot not in NOUNS for slot in _SLOT.findall(text)) or _REASON.match(text) is not None
    return has_content and all(_is_plain(word) for word in _WORD.findall(left))


def _is_plain(word: str) -> bool:
    """Whether a word is one of everyday talk, and so no name that the linker has missed."""
    word = word.lower().replace("’", "'")
    return word in _KNOWN or all(is_ordinary(part) for part in word.split("'"))


def _replace_by_slots(utterance: Utterance, values: Values, linker: Linker | None) -> tuple[str, str] | None:
    """(label, text with slots) of an annotated utterance; None without a label."""
    act = next((act for act in utterance.acts or () if act.intent), None)
    if act is None:
        return None
    spans = [(s.start, s.end, s.slot) for s in act.slots if s.start is not None and s.end is not None]
    if not spans:
        spans = _title_spans(utterance, linker)
        spans += _value_spans(utterance.text, values, spans)
    return act.intent, _with_slots(utterance.text, spans)


def _title_spans(utterance: Utterance, linker: Linker | None) -> list[Span]:
    found = utterance.mentions
    if found is None:
        found = linker.find(utterance.text) if linker is not None else ()
    return [(m.start, m.end, ITEM) for m in found if m.start is not None and m.end is not None]


def _with_slots(text: str, spans: Sequence[Span]) -> str:
    pieces, at = [], 0
    for start, end, slot in sorted(spans):
        if start >= at:
            pieces += [_nouns(text[at:start]), "{" + slot + "}"]
            at = end
    return "".join([*pieces, _nouns(text[at:])])


def _nouns(text: str) -> str:
    text = text.replace("{", "(").replace("}", ")")
    return _NOUN.sub(lambda found: "{things}" if found[2] else "{thing}", text)


def _values(catalogue: Catalogue, attributes: Sequence[str]) -> Values:
    """(attribute, pattern of all its values, longest first); attributes without a value are left out."""
    found = []
    for attribute in attributes:
        values = sorted(catalogue.values_of(attribute), key=lambda value: (-len(value), value))
        if values:
            joined = "|".join(re.escape(value) for value in values)
            found.append((attribute, re.compile(rf"(?<!\w)(?:{joined})(?!\w)", re.IGNORECASE)))
    return found


def _value_spans(text: str, values: Values, taken: Sequence[Span]) -> list[Span]:
    spans: list[Span] = []
    for attribute, pattern in values:
        for found in pattern.finditer(text):
            if all(found.end() <= start or found.start() >= end for start, end, _ in (*taken, *spans)):
                spans.append((found.start(), found.end(), attribute))
    return spans

"""Which attributes an agent's turn asks about: by the option it declares, the slots of its acts, or its words.

The words are English, beside the names that the catalogue itself gives to attributes and their values, in any language. A
question about anything else asks about none of them.

What users who answer questions about attributes say: values of their target and fixed sentences, never its title.

Each fixed sentence has a second wording without a word of the first, for targets whose title is in the first (*Movies*).
None has more than four words, so that saying it in every turn is not taken for a loop of the user.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

from trialogue.agents.base import Turn
from trialogue.catalogue import Catalogue
from trialogue.catalogue.domains import spoken_name
from trialogue.catalogue.item import names_of, normalise_words, plurals_of
from trialogue.records import Mention, Utterance
from trialogue.records.kinds.acts import paper_label
from trialogue.simulation.dialogue import KNOWN
from trialogue.simulation.users.needs import values_of
from trialogue.simulation.users.world import TitleDetector

Wordings = tuple[str, ...]

OPENING: Wordings = ("Hello, I am looking for {domain}.", "Recommend something")
NO_INFORMATION: Wordings = ("No information.", "Unknown")
ALREADY_SAID: Wordings = ("I have said that.", "Already told")
REFUSAL: Wordings = ("No, something else, please.", "Not that one")
ACCEPTANCE = "Yes, that is it!"
"""Said when the agent has named the target, so that it gives nothing away."""
LACKING = "no information"


def wordings_hash() -> str:
    """Twelve hex digits that change with any of the sentences."""
    sentences = (OPENING, NO_INFORMATION, ALREADY_SAID, REFUSAL, ACCEPTANCE, LACKING)
    return hashlib.sha256(repr(sentences).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question about attributes."""

    wordings: Wordings
    """Ways to say it, of which the first that gives nothing away is said."""
    withheld: int = 0
    """Values left out because they would have named the target."""


def answer_with(values: Mapping[str, Sequence[str]], title: TitleDetector) -> Answer:
    """Answer with the target's values, separated by commas.

    Args:
        values: by attribute asked about; an attribute may have none. With several attributes, each is named.
        title: the target's.
    """
    kept = {name: _tellable(given, title) for name, given in values.items()}
    withheld = sum(len(given) - len(kept[name]) for name, given in values.items())
    if not any(kept.values()):
        return Answer(NO_INFORMATION, withheld)
    plain = ", ".join(value for given in kept.values() for value in given)
    listed = "; ".join(f"{name}: {', '.join(given) or LACKING}" for name, given in kept.items())
    ways = (f"{plain}.",) if len(kept) == 1 else (f"{listed}.", f"{plain}.")
    return Answer((*ways, *NO_INFORMATION), withheld)


def _tellable(values: Sequence[str], title: TitleDetector) -> tuple[str, ...]:
    """Values that neither by themselves nor after those before them name the target."""
    kept: list[str] = []
    for value in values:
        if not title.names(value) and not title.names(", ".join((*kept, value))):
            kept.append(value)
    return tuple(kept)


def join_sentences(parts: Sequence[Wordings], title: TitleDetector) -> str:
    """The parts, each in the first wording that does not name the target in its place; one without such is left out."""
    text = ""
    for wordings in parts:
        texts = (f"{text} {wording}".strip() for wording in wordings)
        text = next((each for each in texts if not title.names(each)), text)
    return text


OPTION = "option"
"""Key in the ``meta`` of an agent's turn or message for the option it chose: a letter, the name of an attribute, or
``RECOMMEND``."""
RECOMMEND = "recommend"
"""The last option: the agent recommends."""
MAX_ATTRIBUTES = len(ascii_uppercase) - 1
LONGEST_OPTION = 100  # characters of a reply that can be an option and nothing else
_MARKS = " \t\n.:;,!?()[]{}\"'*-"

_ASKING = frozenset({"Elicit", "Inquire", "Clarify"})
"""Acts whose slots are asked for."""
_KIND = tuple(f"{word} of" for word in ("kind", "kinds", "type", "types", "sort", "sorts"))
"""Asks about the attribute that users talk about by default."""
_SENTENCE = re.compile(r"[^.?!\n？！。؟]+[.?!？！。؟]*")
_WORD = re.compile(r"\w+(?:[-'’&]\w+)*")
_REQUEST = re.compile(
    r"\b(?:please|specify|tell me|let me know|which|what|who|could you|can you|do you|would you|are you|any preferences?|"
    r"name (?:a|an|the|your|one|some)|your favou?rites?|i (?:need|want|would like) to know|i'd like to know)\b",
    re.IGNORECASE,
)
_QUESTION_MARKS = "?？؟"
_UNSPACED = 0x2E80  # code points from which on scripts do not put spaces between words


@dataclass(frozen=True, slots=True)
class Question:
    """What an agent's turn asks."""

    attributes: tuple[str, ...] = ()
    """Attributes it asks about, in the user's order; () if none that the user can talk about."""
    is_recommendation: bool = False
    """Whether the agent declares that it chose to recommend."""


class QuestionParser:
    """Understanding of questions about attributes of one catalogue."""

    def __init__(self, catalogue: Catalogue, attributes: Sequence[str], *, main: str) -> None:
        """Prepare the words.

        Args:
            catalogue: whose values are known.
            attributes: those that can be asked about, in the order of the options A, B, C, ...
            main: the attribute that "what kind of" asks about, if it is one of them.
        """
        self.attributes = tuple(attributes)
        options = (*attributes, RECOMMEND)
        self._options = {name.upper(): name for name in options} | dict(zip(ascii_uppercase, options, strict=False))
        self._phrases: dict[str, set[str]] = defaultdict(set)
        self._unspaced: dict[str, set[str]] = defaultdict(set)
        for name in attributes:
            self._add_words(names_of(spoken_name(name)), name)
            self._add_words(_KIND if name == main else (), name)
            values = {value for item in catalogue.values() for value in values_of(item, name)}
            self._add_words((form for value in values for form in plurals_of(value)), name)
        self._longest = max((phrase.count(" ") + 1 for phrase in self._phrases), default=0)

    def _add_words(self, phrases: Iterable[str], attribute: str) -> None:
        for phrase in phrases:
            if any(ord(character) >= _UNSPACED for character in phrase):
                self._unspaced[phrase.casefold()].add(attribute)
            else:
                self._phrases[normalise_words(phrase)].add(attribute)

    def question_in(self, turn: Turn, mentions: Sequence[Sequence[Mention]]) -> Question:
        """The question of a turn.

        A declared option comes first, then the slots of acts that ask, then words; messages whose declared acts are known
        and do not ask hold no question. What is asked for in several messages of a burst is asked for together.

        Args:
            turn: the agent's.
            mentions: items that each message names, whose titles are no words of a question.
        """
        option = self._option_of(turn, mentions)
        if option is not None:
            return self._of_option(option)
        asked: set[str] = set()
        for said, items in zip(turn.utterances, mentions, strict=True):
            declared = self._asked_by_acts(said)
            asked |= self._asked_in(said.text, items) if declared is None else declared
        return Question(tuple(name for name in self.attributes if name in asked))

    def _option_of(self, turn: Turn, mentions: Sequence[Sequence[Mention]]) -> str | None:
        """The declared option, or a turn that is a letter or name of one and nothing else; None: neither."""
        for meta in (turn.meta, *(said.meta for said in turn.utterances)):
            declared = meta.get(OPTION)
            if isinstance(declared, str) and declared.strip():
                return declared.strip().upper()
        text = " ".join(said.text for said in turn.utterances)
        words = text[:LONGEST_OPTION].strip(_MARKS).upper()
        return words if words in self._options and not any(mentions) and len(text) <= LONGEST_OPTION else None

    def _of_option(self, option: str) -> Question:
        chosen = self._options.get(option)
        if chosen == RECOMMEND:
            return Question(is_recommendation=True)
        return Question() if chosen is None else Question((chosen,))

    def _asked_by_acts(self, said: Utterance) -> set[str] | None:
        """Attributes in the slots of asking acts; None: the acts do not say whether or what is asked."""
        if not said.acts:
            return None
        labels = [paper_label(act.intent, of_user=False) for act in said.acts]
        slots = [
            slot.slot for act, label in zip(said.acts, labels, strict=True) if label in _ASKING for slot in act.slots
        ]
        if slots:
            return {
                name
                for slot in slots
                for name in self._phrases.get(normalise_words(slot), ())
                if name in self.attributes
            }
        if _ASKING.isdisjoint(labels) and all(act.intent in KNOWN for act in said.acts):
            return set()
        return None

    def _asked_in(self, text: str, mentions: Sequence[Mention]) -> set[str]:
        """Attributes that the words of a message ask about; a sentence with a title asks about the item."""
        asked: set[str] = set()
        for sentence in _SENTENCE.finditer(_without_titles(text, mentions)):
            words = sentence[0]
            is_question = words.rstrip()[-1:] in _QUESTION_MARKS if words.strip() else False
            if TITLE not in words and (is_question or _REQUEST.search(words)):
                asked |= self._attributes_in(words)
        return asked

    def _attributes_in(self, text: str) -> set[str]:
        tokens = [normalise_words(word) for word in _WORD.findall(text)]
        found: set[str] = set()
        for length in range(1, self._longest + 1):
            for start in range(len(tokens) - length + 1):
                found |= self._phrases.get(" ".join(tokens[start : start + length]), set())
        lower = text.casefold()
        return found.union(*(names for word, names in self._unspaced.items() if word in lower))


TITLE = "\ufffc"
"""Stands for a title in a text."""


def _without_titles(text: str, mentions: Sequence[Mention]) -> str:
    """A text with one mark in place of each title that has a place in it."""
    for each in sorted(mentions, key=lambda mention: -(mention.start or 0)):
        if each.start is not None and each.end is not None and 0 <= each.start < each.end <= len(text):
            text = f"{text[: each.start]}{TITLE}{text[each.end :]}"
    return text

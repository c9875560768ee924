"""Templates ready to be filled, and hand-written ones in words of any domain for acts that no corpus has one for.

They are in ``bundled/acts.txt``; a file of the same form gives users other phrases. Slots: ``{item}`` a title,
``{value}`` a value of any attribute that users talk about, ``{genre}`` (or the attribute's name) one of this attribute,
``{thing}``, ``{things}``, ``{do}`` and ``{done}`` the words of the domain, ``{attribute}`` the name of a value's attribute.
"""

import importlib.resources
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import exp
from pathlib import Path

from trialogue.catalogue.domains import spoken_name, word_class
from trialogue.errors import DataError, Problem
from trialogue.records import ActOrigin, DialogueAct, Utterance
from trialogue.records.files.jsonl import read_lines, share
from trialogue.simulation.actions import ActionSpace
from trialogue.simulation.language.phrases import OPENING, Phrase, Phrasebook, stance
from trialogue.simulation.random_source import RandomSource, Weighted


class Template:
    """A phrase split at its slots: text, slot, text, ..."""

    __slots__ = ("_label", "_ready", "_variants", "is_number", "key", "pieces", "slots", "text", "weight")

    def __init__(self, phrase: Phrase, words: Mapping[str, str], label: str, *, key: str | None = None) -> None:
        """Insert the domain's words and split.

        Args:
            phrase: what is said.
            words: word by slot, for slots that are the same for all users.
            label: the act it is said for.
            key: what other wordings of the same have in common, none of which is said again; None: the text.
        """
        text = phrase.text
        for slot, word in words.items():
            text = text.replace("{" + slot + "}", word)
        parts = text.replace("}", "{").split("{")
        self.key = text if key is None else key
        self.text, self.weight = text, float(phrase.count)
        self.pieces, self.slots = tuple(parts[::2]), tuple(parts[1::2])
        self.is_number = text.strip().isdigit()  # a choice from a list, which people make again and again
        self._label = label
        self._ready: Utterance | None = None
        self._variants: dict[str, Utterance] = {}

    @property
    def ready(self) -> Utterance | None:
        """The utterance, if it has no slots; immutable, so that dialogues can share it."""
        if self._ready is None and not self.slots:
            self._ready = self._utterance(self.text)
        return self._ready

    def variant(self, text: str) -> Utterance:
        """The utterance of a template without slots in another case or punctuation; few exist, so all are kept."""
        found = self._variants.get(text)
        if found is None:
            found = self._variants[text] = self._utterance(text)
        return found

    def _utterance(self, text: str) -> Utterance:
        acts = (DialogueAct(intent=self._label),)
        return share(Utterance(speaker="user", text=text, acts=acts, acts_by=ActOrigin.DECLARED, mentions=()))


class Choice:
    """Templates of one act, weighted by frequency and, for terse or wordy users, by length."""

    __slots__ = ("_table", "is_from_list", "keys", "templates")

    def __init__(self, templates: Sequence[Template], verbosity: float) -> None:
        self.templates = tuple(templates)
        numbers = sum(template.weight for template in templates if template.is_number)
        self.is_from_list = 2 * numbers > sum(template.weight for template in templates)
        """Whether people mostly answer with a number."""
        self.keys = frozenset(template.key for template in templates)
        factors = _factors([len(template.text.split()) for template in templates], verbosity)
        weights = [template.weight * factor for template, factor in zip(templates, factors, strict=True)]
        self._table = Weighted(dict(zip(self.templates, weights, strict=True)))

    def draw(self, rng: RandomSource) -> Template:
        """Sample a template."""
        return self._table.draw(rng)


def _factors(lengths: Sequence[int], verbosity: float) -> list[float]:
    """exp(verbosity) to the power of how many standard deviations a length is above the mean; 1 where all are equal."""
    mean = sum(lengths) / len(lengths)
    spread = (sum((length - mean) ** 2 for length in lengths) / len(lengths)) ** 0.5
    return [exp(verbosity * (length - mean) / spread) if spread else 1.0 for length in lengths]


WISH = "<wish>"
"""The label of phrases that go with any act that tells a preference, for what a corpus has no words for."""

SHORT_WISH = "<short wish>"
"""The same in a word or two, for users who write as people do."""

NO_MATTER = "<no preference>"
"""The label of phrases that answer a question about an attribute that a user has no wish for."""

OF_CLASS = "<{}>"
"""The label of phrases for values of a class of attributes (``catalogue.domains.WordClass``)."""

VALUE = "value"
"""The slot of a value of any attribute that users talk about."""


FALLBACK = "Okay"
"""Text for acts of unknown labels."""


@cache
def hand_written_phrases() -> Mapping[str, tuple[Phrase, ...]]:
    """Hand-written phrases by label of the paper's action space, and opening phrases under ``OPENING``."""
    return _bundled_phrases("acts.txt")


@cache
def template_phrases() -> Phrasebook:
    """The hand-written phrases with a few that contain typos among them, as the paper's users have (KDD 2020, sec. 4.4)."""
    written = hand_written_phrases()
    slips = _bundled_phrases("typos.txt")
    labels = [label for label in written if not label.startswith("<") or label == OPENING]
    return Phrasebook({label: (*written[label], *slips.get(label, ())) for label in labels})


def _bundled_phrases(name: str) -> Mapping[str, tuple[Phrase, ...]]:
    text = (importlib.resources.files("trialogue.simulation") / "bundled" / name).read_text(encoding="utf-8")
    return _sections(enumerate(text.splitlines(), start=1), name).phrases


def preference_phrases(*, short: bool = False) -> tuple[Phrase, ...]:
    """Hand-written phrases for any act that states a preference; with ``short``, those of a word or two, too."""
    written = hand_written_phrases()
    return (*written.get(WISH, ()), *(written.get(SHORT_WISH, ()) if short else ()))


def phrases_of_class(attribute: str) -> tuple[Phrase, ...]:
    """Hand-written phrases that tell a value of an attribute of any domain, with a slot for it.

    >>> [phrase.text for phrase in phrases_of_class("price range")][:2]
    ['something {price range}', 'the price should be {price range}']
    """
    written = hand_written_phrases().get(OF_CLASS.format(word_class(attribute)), ())
    named = ((each, each.text.replace("{attribute}", spoken_name(attribute))) for each in written)
    return tuple(
        Phrase(text.replace("{value}", "{" + attribute + "}"), each.count, each.stance) for each, text in named
    )


def no_preference_phrases(attribute: str) -> tuple[Phrase, ...]:
    """Hand-written phrases that say that an attribute does not matter.

    >>> no_preference_phrases("price range")[0].text
    'any price is fine'
    """
    written = hand_written_phrases().get(NO_MATTER, ())
    return tuple(Phrase(each.text.replace("{attribute}", spoken_name(attribute)), each.count) for each in written)


def read_phrases(path: Path | str) -> Phrasebook:
    """Read custom phrases: ``[Label]`` starts a section, every other line is a phrase; ``#`` starts a comment.

    Raises:
        DataError: a line before the first section, a slot with a brace missing, or nothing at all.
    """
    book = _sections(((number, line.rstrip("\r\n")) for number, line in read_lines(Path(path))), str(path))
    if not book.phrases:
        raise DataError(Problem("this file has no phrases.", str(path), hint="Write '[Disclose]', then lines of text."))
    return book


def _sections(lines: Iterable[tuple[int, str]], file: str) -> Phrasebook:
    found: dict[str, list[Phrase]] = {}
    problems: list[Problem] = []
    label = ""
    for number, line in lines:
        line = line.strip()
        if line.startswith("[") and line.endswith("]"):
            label = line[1:-1].strip()
        elif line and not line.startswith("#"):
            if not label:
                problems.append(Problem("this line is before the first section, such as [Disclose].", file, number))
            elif re.sub(r"\{[\w -]+\}", "", line).count("{") or re.sub(r"\{[\w -]+\}", "", line).count("}"):
                problems.append(Problem(f"a slot is a name in braces, such as {{item}}; got {line!r}.", file, number))
            found.setdefault(label, []).append(Phrase(line, 1, stance(line)))
    if problems:
        raise DataError(problems)
    return Phrasebook({name: tuple(phrases) for name, phrases in found.items()})


_BY_ROLE = {
    "opening": "Non-disclose",
    "disclose": "Disclose",
    "complete": "Complete",
    "seen": "Note-yes",
    "unseen": "Note",
    "like": "Note-end",
    "dislike": "Note-dislike",
    "neutral": "Note-speechless",
    "another": "Similar",
    "review": "Disclose-review",
}
_BY_NAME = {"YES": "Note-yes", "NO": "Note", "DONT-KNOW": "Non-disclose-review", "DONT_KNOW": "Non-disclose-review"}


def written_for(label: str, space: ActionSpace) -> tuple[Phrase, ...]:
    """Hand-written phrases for a label: its own, those of its role in the space, or those of a similar label.

    A label of another naming ("REVEAL.REFINE") is worded by its last known part. One that nothing is known of gets
    ``FALLBACK``, so that there is always something to say.
    """
    phrases = hand_written_phrases()
    if label in phrases:
        return phrases[label]
    for role, known in _BY_ROLE.items():
        if getattr(space.roles, role) == label:
            return phrases[known]
    for part in reversed(label.replace("_", "-").split(".")):
        known = _BY_NAME.get(part) or part.capitalize()
        if known in phrases:
            return phrases[known]
    return (Phrase(FALLBACK),)

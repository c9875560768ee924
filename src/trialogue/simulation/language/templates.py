"""Phrase templates prepared for generation: split at their slots, with domain words inserted, and sampling weights."""

from collections.abc import Mapping, Sequence
from math import exp

from trialogue.records import ActOrigin, DialogueAct, Utterance
from trialogue.simulation.language.phrases import Phrase
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
        return Utterance(speaker="user", text=text, acts=acts, acts_by=ActOrigin.DECLARED, mentions=())


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

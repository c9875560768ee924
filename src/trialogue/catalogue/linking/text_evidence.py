"""A part of a tokenised text, with the look-ups that evidence about its words is made of."""

from collections.abc import Sequence

from trialogue.catalogue.layout import Part
from trialogue.catalogue.linking.titles import Token

ENDS_SENTENCE = frozenset('.!?:;…\n"“(')


class TextEvidence:
    """A part of a tokenised text with cached lookups for evidence."""

    def __init__(self, text: str, tokens: Sequence[Token], part: Part, *, whole: "TextEvidence | None" = None) -> None:
        """Hold a part of a text.

        Args:
            text: the whole text.
            tokens: the words of the part.
            part: its bounds and what kind of part it is.
            whole: the evidence of the whole text, whose use of capitals counts; None: the part is all of it.
        """
        self.text = text
        self.tokens = tokens
        self.part = part
        self._whole = whole
        self._count, self._shouts = len(tokens), None if len(tokens) > 2 else False
        self._uses_capitals: bool | None = None
        self.words = [text[start:end] for _, start, end in tokens]
        """The words as they are written."""

    def word(self, place: int) -> str:
        """Word at an index as written; "" outside."""
        return self.words[place] if 0 <= place < self._count else ""

    def form(self, place: int) -> str:
        """Word at an index in normalised form; "" outside."""
        return self.tokens[place][0] if 0 <= place < self._count else ""

    def gap(self, place: int) -> str:
        """Text between the word at an index and the preceding one (or the beginning, or the end)."""
        start = self.tokens[place - 1][2] if place > 0 else self.part.start
        return self.text[start : self.tokens[place][1] if place < self._count else self.part.end]

    def has_capital(self, place: int) -> bool:
        """Whether the word at an index is capitalised; "I" does not count."""
        word = self.words[place] if 0 <= place < self._count else ""
        return word[:1].isupper() and word != "I"

    def starts_sentence(self, place: int) -> bool:
        """Whether the word at an index starts a sentence or the text."""
        return place <= 0 or not ENDS_SENTENCE.isdisjoint(self.gap(place))

    @property
    def shouts(self) -> bool:
        """Whether every word is capitalised, so that capitals carry no evidence; False for one or two words."""
        if self._whole is not None:
            return self._whole.shouts
        if self._shouts is None:  # a cached_property takes a lock each
            firsts = [word[0] for word in self.words if len(word) > 1 and word[0].isalpha()]
            self._shouts = len(firsts) > 2 and not any(map(str.islower, firsts))
        return self._shouts

    @property
    def uses_capitals(self) -> bool:
        """Whether any word except "I" is capitalised."""
        if self._whole is not None:
            return self._whole.uses_capitals
        if self._uses_capitals is None:
            self._uses_capitals = any(word[0].isupper() and word != "I" for word in self.words)
        return self._uses_capitals

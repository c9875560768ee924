"""Check that texts are in a language that the model supports.

It would label texts in any other language as well, wrongly and without a warning.
"""

from collections.abc import Iterable

from trialogue.errors import DataError, Problem
from trialogue.languages import ENGLISH, LanguageGuess, TextSample, count_words, language_name, language_of
from trialogue.strategies.base import Example, StrategyClassifier

SURE_WORDS = 100  # of one speaker, after which the language is fixed; of fewer, at the end


def languages_of(labeller: StrategyClassifier) -> tuple[str, ...] | None:
    """ISO 639 codes of the languages that a labeller supports; English by default, None for any."""
    languages: tuple[str, ...] | None = getattr(labeller, "languages", ENGLISH)
    return languages


def languages_in(examples: Iterable[Example]) -> tuple[str, ...] | None:
    """Languages of training data: one, None if there are several, English if unidentified."""
    guess = language_of(example.text for example in examples)
    if guess.code is None:
        return ENGLISH
    return (guess.code,) if guess.is_clear else None


class LanguageCheck:
    """Checks the language of each speaker incrementally, and raises if the model does not support it."""

    def __init__(self, labeller: StrategyClassifier) -> None:
        self._made_for, self._origin = languages_of(labeller), labeller.origin
        self._speakers: dict[str | None, _Speaker] = {}

    def hear(self, who: str | None, texts: Iterable[str]) -> None:
        """Add texts of a speaker (None: unknown); duplicates count once.

        Raises:
            DataError: it makes a hundred words or more, in another language.
        """
        if self._made_for is None:
            return
        speaker = self._speakers.setdefault(who, _Speaker())
        for text in texts:
            speaker.add(text)
        if speaker.words >= SURE_WORDS and not speaker.is_known:
            self._check(who, speaker)

    def finish(self) -> None:
        """Check the remaining speakers with little text; too little to identify is accepted.

        Raises:
            DataError: somebody said twenty words or more in another language.
        """
        for who, speaker in self._speakers.items():
            if not speaker.is_known:
                self._check(who, speaker)

    def _check(self, who: str | None, speaker: "_Speaker") -> None:
        guess = speaker.settle()
        if self._made_for is None or guess.code is None or (guess.code in self._made_for and guess.is_clear):
            return
        language = language_name(guess.code) if guess.is_clear else "several languages"
        made_for = " and ".join(map(language_name, self._made_for))
        what = (
            f"{who or 'This text'} is in {language} ({guess.words} words), and {self._origin} is a model for "
            f"{made_for}."
        )
        raise DataError(Problem(what, hint="To use the model anyway, add --any-language (Python: any_language=True)."))


class _Speaker:
    """Texts of one speaker, until the language is known."""

    def __init__(self) -> None:
        self.words = 0
        self.is_known = False
        self._texts: set[str] = set()
        self._sample = TextSample()

    def add(self, text: str) -> None:
        if not self.is_known and text not in self._texts:
            self._texts.add(text)
            self._sample.add(text)
            self.words += count_words(text)

    def settle(self) -> LanguageGuess:
        """The language; nothing more is taken in."""
        self.is_known = True
        self._texts.clear()
        return self._sample.guess()

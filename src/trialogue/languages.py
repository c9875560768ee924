"""Language identification of a writer from all of their texts together.

A single chat message is too short to identify its language ("ok", a film's title), twenty words are enough: see
``benchmarks/LANGUAGE.md``. Too little text is a result of its own, and so are texts in several languages. Offline and
deterministic; the model (py3langid, 140 languages) is loaded at first use.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from trialogue.language_identification import SCRIPTS, language_identifier, languages_of_script

ENGLISH = ("en",)
"""Default language of models and word lists."""

MIN_WORDS = (
    20  # of different texts: then one text in a hundred is not identified, of ten words six (benchmarks/LANGUAGE.md)
)
MIN_WORDS_OF_SCRIPT = 5  # of an alphabet that few languages share: it tells more than the words
MIN_SHARE = 0.8  # of the words: of less in one language, the texts are in several
BLOCK_WORDS = 10  # classified at a time: fewer tell too little, more would hide a second language
MIN_PROBABILITY = 0.5  # of a language, for a block; lists of films' titles and made-up words have .03 to .4
MAX_TEXTS = 500  # of up to twice as many a sample is classified: more change nothing and cost time
MAX_CHARACTERS = 1_000  # of a text
_ALL_CHECKSUMS = 1 << 32
NO_LANGUAGE = "zxx"  # what the model calls code, identifiers and the like

# Scripts that put no space between words: Thai to Khmer, kana, Han. Korean and Vietnamese have spaces.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9d\U00020000-\U0003ffff]"
)
_SPACE_WITHIN = re.compile(f"(?<={_UNSPACED.pattern})[^\\S\\n]+(?={_UNSPACED.pattern})")
LONGEST_WORD = 6  # characters a space, at most, where spaces separate words: 1.6 in Chinese, 4.5 in Thai
_MARKS = "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0970-\u0dff"  # vowels that follow a letter
_WORD = re.compile(rf"(?:[^\W\d_]|[{_MARKS}])+(?:['’](?:[^\W\d_]|[{_MARKS}])+)*")

NAMES = dict(
    pair.split(":")
    for pair in """
    ar:Arabic bg:Bulgarian bn:Bengali ca:Catalan cs:Czech da:Danish de:German el:Greek en:English es:Spanish et:Estonian
    eu:Basque fa:Persian fi:Finnish fr:French gl:Galician he:Hebrew hi:Hindi hr:Croatian hu:Hungarian id:Indonesian
    it:Italian ja:Japanese ko:Korean lt:Lithuanian lv:Latvian ms:Malay nl:Dutch nn:Norwegian no:Norwegian pl:Polish
    pt:Portuguese ro:Romanian ru:Russian sk:Slovak sl:Slovenian sr:Serbian sv:Swedish sw:Swahili ta:Tamil te:Telugu th:Thai
    tl:Tagalog tr:Turkish uk:Ukrainian ur:Urdu vi:Vietnamese wuu:Chinese yue:Chinese zh:Chinese am:Amharic gu:Gujarati
    hy:Armenian ka:Georgian kn:Kannada ml:Malayalam mr:Marathi ne:Nepali pa:Punjabi si:Sinhala
    """.split()  # noqa: SIM905 - shorter than a page of pairs
)
"""English names of the languages that texts are most often in, by ISO 639 code."""


def with_spaces(text: str) -> str:
    """Text with spaces around every character of a script without spaces, so that each counts as a word.

    >>> with_spaces("看 Heat 吗?").split()
    ['看', 'Heat', '吗', '?']
    """
    return _UNSPACED.sub(r" \g<0> ", text)


def language_name(code: str) -> str:
    """English name of a language, for sentences.

    >>> language_name("de"), language_name("kik")
    ('German', "language 'kik'")
    """
    return NAMES.get(code, f"language {code!r}")


@dataclass(frozen=True)
class LanguageGuess:
    """Detected language of a speaker's texts."""

    code: str | None
    """ISO 639 code of the language that most of the words are in; None where there is too little text to tell."""
    share: float
    """Share of the words that are in it, among those whose language can be identified; 0 where there is none."""
    words: int
    """Number of words in distinct texts; in scripts without spaces, each character counts as one."""
    has_spaces: bool
    """Whether most of it is written with spaces between words, unlike Chinese, Japanese and Thai, or segmented so."""

    @property
    def is_enough(self) -> bool:
        """Whether there is enough text for detection."""
        return self.code is not None

    @property
    def is_clear(self) -> bool:
        """Whether nearly all of the text is in one language."""
        return self.code is not None and self.share >= MIN_SHARE


def language_of(texts: Iterable[str]) -> LanguageGuess:
    """Detect the language of one speaker's texts; of very many, a sample is read.

    >>> language_of(["Ich suche einen lustigen Film.", "Hast du Fargo gesehen?", "Nein, worum geht es denn da überhaupt?",
    ...              "Um einen Mann, der seine Frau entführen lässt."]).code
    'de'
    >>> language_of(["Fargo"]).is_enough
    False
    """
    sample = TextSample()
    for text in texts:
        sample.add(text)
    return sample.guess()


class TextSample:
    """Different texts of one speaker, of very many a sample by their checksums: which ones they are depends neither on their
    order nor on how they were divided among samples that are merged."""

    def __init__(self) -> None:
        self._texts: dict[str, None] = {}
        self._bound = _ALL_CHECKSUMS

    def add(self, text: str) -> None:
        """Add a text."""
        text = text[:MAX_CHARACTERS]
        if self._bound == _ALL_CHECKSUMS or _checksum(text) < self._bound:
            self._texts[text] = None
            self._thin()

    def add_all(self, texts: Sequence[str]) -> None:
        """Add texts, in order."""
        if self._bound < _ALL_CHECKSUMS:  # most are not of the sample
            texts = self._select(texts)
        for text in texts:
            self.add(text)

    def _select(self, texts: Sequence[str]) -> Sequence[str]:
        bound, most, crc32 = self._bound, MAX_CHARACTERS, zlib.crc32
        try:
            return [text for text in texts if crc32(text[:most].encode()) < bound]
        except UnicodeEncodeError:  # half a surrogate pair
            return [text for text in texts if _checksum(text[:most]) < bound]

    def merge(self, other: "TextSample") -> None:
        """Add the texts of another sample, as if they followed these."""
        self._bound = min(self._bound, other._bound)
        self._texts = {text: None for text in (*self._texts, *other._texts) if self._keeps(text)}
        self._thin()

    def _thin(self) -> None:
        """Keep those with the lower half of checksums, until there are few enough."""
        while len(self._texts) > 2 * MAX_TEXTS:
            self._bound //= 2
            self._texts = {text: None for text in self._texts if self._keeps(text)}

    def _keeps(self, text: str) -> bool:
        return self._bound == _ALL_CHECKSUMS or _checksum(text) < self._bound

    def guess(self) -> LanguageGuess:
        """Detect the language of the texts; duplicates count once."""
        counts, spaced, unspaced = self._count()
        known = _known_languages(counts)
        code = max(known, key=lambda each: counts[each], default=None)
        share = counts[code] / counts.total() if code else 0.0
        has_spaces = unspaced <= spaced or self._spaces_within() * LONGEST_WORD >= unspaced
        return LanguageGuess(code, share, spaced + unspaced, has_spaces=has_spaces)

    def _spaces_within(self) -> int:
        """Spaces between characters of scripts that have none, within texts: segmented ones have one after each word."""
        return sum(len(_SPACE_WITHIN.findall(text)) for text in self._texts)

    def main_languages(self) -> tuple[str, ...]:
        """ISO 639 codes of the one language of the texts, or of all that a fifth of the words or more are in, in order.

        Empty where there is too little text to tell, or no language has a fifth.
        """
        counts, _, _ = self._count()
        known = _known_languages(counts)
        shares = {code: counts[code] / counts.total() for code in known}
        clear = [code for code in known if shares[code] >= MIN_SHARE]
        return tuple(clear or [code for code in known if shares[code] >= 1 - MIN_SHARE])

    def _count(self) -> tuple[Counter[str | None], int, int]:
        """Words by language, of those whose language can be identified; all words with spaces, and without."""
        counts: Counter[str | None] = Counter()
        spaced = unspaced = 0
        for block in _blocks(self._texts):
            with_spaces, without = _count_words(block)
            spaced, unspaced = spaced + with_spaces, unspaced + without
            of_script = languages_of_script(block)
            if with_spaces + without >= (MIN_WORDS_OF_SCRIPT if of_script else BLOCK_WORDS):
                counts[_classify(block, of_script)] += with_spaces + without
        counts.pop(None, None)
        return counts, spaced, unspaced


_OF_SCRIPTS = frozenset(code for codes in SCRIPTS.values() for code in codes)


def _known_languages(counts: Counter[str | None]) -> list[str]:
    """Languages of enough words, in order; of an alphabet of their own, fewer are enough."""
    of_scripts = sum(count for code, count in counts.items() if code in _OF_SCRIPTS)
    is_enough = counts.total() >= MIN_WORDS or of_scripts >= max(MIN_WORDS_OF_SCRIPT, MIN_SHARE * counts.total())
    return sorted(filter(None, counts)) if is_enough else []


def _checksum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _blocks(texts: Iterable[str]) -> Iterator[str]:
    """Concatenations of texts that are long enough to be classified; a short remainder is added to the last one."""
    blocks: list[list[str]] = [[]]
    size = 0
    for text in texts:
        if size >= BLOCK_WORDS:
            blocks.append([])
            size = 0
        blocks[-1].append(text)
        size += count_words(text)
    if size < BLOCK_WORDS and len(blocks) > 1:
        blocks[-2].extend(blocks.pop())
    return (" ".join(block) for block in blocks)


def count_words(text: str) -> int:
    """Number of words between spaces that are not numbers; characters in scripts without spaces.

    >>> count_words("Fargo (1996) is good"), count_words("我喜欢 Fargo")
    (3, 4)
    """
    return sum(_count_words(text))


def _count_words(text: str) -> tuple[int, int]:
    """Words between spaces, and characters of scripts without them."""
    rest, characters = _UNSPACED.subn(" ", text)
    return len(_WORD.findall(rest)), characters


def _classify(text: str, of_script: Sequence[str] = ()) -> str | None:
    """The language of a text of ten words or more; None if it has none, or it is not identified.

    Of the languages of an alphabet it is the likeliest one, or that of most writers where none is likely.
    """
    if len(of_script) == 1:
        return of_script[0]
    code, probability = language_identifier().classify(text)
    if of_script:
        return str(code) if code in of_script and probability >= MIN_PROBABILITY else of_script[0]
    return None if code == NO_LANGUAGE or probability < MIN_PROBABILITY else str(code)

"""Parts of a tokenised text, and what the words around a title in its clause say about it."""

from collections.abc import Iterator, Sequence

from trialogue.catalogue.layout import Part
from trialogue.catalogue.linking.ordinary import word_set
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


SEEN = word_set("seen see saw watch watched watching rewatch rewatched")
CALLED = word_set("called titled named entitled movie film movies films trailer show")
JUDGED = word_set("like liked love loved enjoy enjoyed prefer hated favorite favorites favourite")
OFFERED = word_set("recommend suggest try consider out of about than heard for")
JOINED = word_set("and or in is was with including to from on the")
FILM = word_set("movie film movies films trailer trailers series franchise trilogy flick flicks")
GOES_ON = word_set("is was are were has had starring stars by from with directed came comes again yet too")
JOINING = word_set("and or as well plus then also")
LINKS = frozenset({"of", "for", "from"})  # small words inside names: "Game of Thrones", "Bad Boys for Life"
ADVISED = word_set("recommend recommended suggest suggested try watch consider check rewatch see")
BEFORE_NUMBERS = SEEN | CALLED | JUDGED | ADVISED
ENDS_NUMBER = frozenset(".,!?;)\"”’'*")
LARGEST_COUNT = 12  # numbers up to it count things, or choose among them: "I've seen 3.", "I'd take 2"
APPOSITION = word_set("a an the directed starring another one")
IS = word_set("is was s are were remains has had stars starring follows tells features came won")
KINDS_OF_FILM = word_set(
    "classic classics comedy comedies drama dramas thriller thrillers romance romcom story tale masterpiece sequel remake "
    "documentary musical western cartoon animation anime adaptation show book novel biopic horror mystery adventure "
    "choice choices pick picks option recommendation suggestion watch gem hit blockbuster cinema rated oscar"
)
TOLD_OF_FILMS = word_set(
    "by helmed directed about set based starring out released streaming available written made shot filmed"
)
FILM_PEOPLE = word_set(
    "actor actors actress actresses director directors filmmaker filmmakers singer writer author guy man"
)
PRAISE = word_set(
    "great good best amazing awesome excellent fantastic wonderful brilliant hilarious funny scary fun lovely beautiful "
    "terrific perfect favorite favourite underrated overrated boring sad interesting entertaining nice worth"
)
LONGEST_PREDICATE = 8  # words behind a title in which it is said what it is


def predicates(around: TextEvidence, behind: int) -> Iterator[str]:
    """What the clause behind the words says about them, if it is what is said about films."""
    gap = around.gap(behind).strip(" '’")
    is_said = around.form(behind) in IS and not gap
    if not is_said and not (gap == "," and around.form(behind) in APPOSITION):
        return
    is_praised = False
    for place in range(behind + 1, min(behind + LONGEST_PREDICATE, len(around.tokens))):
        if around.gap(place).strip(" '’,-"):
            break
        if around.form(place) in FILM_PEOPLE:
            return
        if around.form(place) in FILM or around.form(place) in KINDS_OF_FILM:
            yield "said to be a film"
            return
        if place == behind + 1 and around.form(place) in TOLD_OF_FILMS:
            yield "said to be a film"
            return
        is_praised = is_praised or around.form(place) in PRAISE
    if is_praised:
        yield "praised"


def ends_longer_name(around: TextEvidence, first: int) -> bool:
    """Whether a capitalised word or an owner stands before the words: "Trip" in "Girls Trip", "Game" in "Gerald's Game"."""
    if around.starts_sentence(first) or around.gap(first).strip():
        return False
    return around.has_capital(first - 1) or around.form(first - 1) == "s"


def is_number_after_cue(around: TextEvidence, first: int, behind: int) -> bool:
    """Whether a number stands where a title would, and counts nothing: "I recommend 300.", not "I saw 300 films"."""
    place = first
    while (
        first - place < LONGEST_PREDICATE
        and place > 1
        and around.form(place - 1) in ("and", "or")
        and around.form(place - 2).isdigit()
    ):
        place -= 2  # "300 or 1917"
    cue = around.form(place - 1) if place and not around.gap(place).strip(" \"'“‘*") else ""
    number = around.form(first)
    if cue not in BEFORE_NUMBERS or not (number.isascii() and number.isdigit()) or int(number[:9]) <= LARGEST_COUNT:
        return False
    gap, form = around.gap(behind), around.form(behind)
    ends = behind == len(around.tokens) or (gap[:1] in ENDS_NUMBER and gap[-1:].isspace())
    return ends or (not gap.strip() and (form in GOES_ON or form in ("and", "or")))


def has_article_before(around: TextEvidence, first: int) -> bool:
    """Whether a capitalised article makes the words another title: "The Heat" is not "Heat"."""
    word = around.word(first - 1)
    return word in ("The", "A", "An", "THE", "AN") and around.has_capital(first) and not around.gap(first).strip()

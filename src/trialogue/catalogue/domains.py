"""What a catalogue is about, by the names of its attributes: the words for its items, and what people say of them.

Films, books, restaurants, songs, games and products are recognised; anything else consists of "items". Nothing here reads
titles or descriptions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from types import MappingProxyType

from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.item import OTHER_TITLES, RANGE, normalise_words, number_in
from trialogue.catalogue.linking.ordinary import word_set
from trialogue.errors import DataError, Problem

SPOKEN = 5  # attributes that users of a catalogue without ratings talk about; people name two to four in a dialogue
LONGEST_VALUE = 30  # characters of the median value of an attribute that is said aloud; longer ones are descriptions
SHARED = 1.2  # items for each value, at least: values of nearly unique attributes are names of the item


@dataclass(frozen=True)
class Domain:
    """Words for the items of a domain, and for using them.

    >>> Domain(thing="book", things="books", do="read", done="read").done
    'read'
    """

    thing: str = "movie"
    """Singular noun for an item of the domain."""
    things: str = "movies"
    """Plural of ``thing``."""
    do: str = "watch"
    """Verb phrase for using an item: "I will watch it" ..."""
    done: str = "seen"
    """... and having done so: "I have seen it"."""
    is_story: bool = True
    """Whether an item has a plot, or a maker that one asks for: it can be boring, or come out in a year."""

    @property
    def words(self) -> dict[str, str]:
        """Word by slot."""
        return {"thing": self.thing, "things": self.things, "do": self.do, "done": self.done}


DOMAINS: Mapping[str, Domain] = MappingProxyType(
    {
        "film": Domain(),
        "book": Domain("book", "books", "read", "read"),
        "song": Domain("song", "songs", "listen to", "heard"),
        "game": Domain("game", "games", "play", "played"),
        "restaurant": Domain("restaurant", "restaurants", "try", "tried", is_story=False),
        "product": Domain("product", "products", "buy", "bought", is_story=False),
        "item": Domain("item", "items", "take", "had", is_story=False),
    }
)
"""Domains by name."""
_SIGNS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "film": word_set("director directors star stars starring actor actors cast screenwriter runtime"),
        "book": word_set("author authors isbn publisher pages page count"),
        "restaurant": word_set("cuisine cuisines dishes michelin"),
        "song": word_set("artist artists album singer bpm"),
        "game": word_set("platform platforms developer developers players"),
        "product": word_set("price brand colour color material size category product sku manufacturer weight"),
    }
)
"""Names of attributes by which a domain is recognised; the one with the most of them, the first of equal ones."""


class WordClass(StrEnum):
    """How values of an attribute are said, in the order in which people ask for them."""

    TYPE = "type"
    """What kind of thing: "I need a jacket"."""
    QUALITY = "quality"
    """An adjective or a genre: "something red"."""
    MAKER = "maker"
    """"something by Jane Austen"."""
    RANGE = "range"
    """"between $20 and $50"."""
    OTHER = "other"
    """Only with the attribute's name: "the size should be M"."""


_CLASSES: Mapping[WordClass, frozenset[str]] = MappingProxyType(
    {
        WordClass.RANGE: frozenset(["price range", "cost range"]),
        WordClass.MAKER: word_set(
            "author authors writer artist brand maker manufacturer director designer publisher developer studio band"
        ),
        WordClass.TYPE: frozenset(
            ["type", "category", "categories", "product type", "product category", "kind", "department", "class"]
        ),
        WordClass.QUALITY: word_set(
            "genre genres colour color material cuisine style mood topic subject theme flavour flavor tag tags"
        ),
    }
)


def word_class(attribute: str) -> WordClass:
    """How values of an attribute are said, by its name.

    >>> [str(word_class(name)) for name in ("price range", "pages range", "brand", "Product_Type", "colour", "size")]
    ['range', 'other', 'maker', 'type', 'quality', 'other']
    """
    name = normalise_words(attribute)
    return next((kind for kind, names in _CLASSES.items() if name in names), WordClass.OTHER)


def spoken_name(attribute: str) -> str:
    """Name of an attribute in a sentence.

    >>> spoken_name("Price range"), spoken_name("product_type")
    ('price', 'product type')
    """
    return normalise_words(attribute).removesuffix(RANGE)


def domain_name(catalogue: Catalogue) -> str:
    """Name of a catalogue's domain, a key of ``DOMAINS``; films where only genres are known, as in MovieLens."""
    names = {normalise_words(name).removesuffix(RANGE) for name in catalogue.attributes}
    counts = {domain: len(names & signs) for domain, signs in _SIGNS.items()}
    best = max(counts, key=lambda domain: counts[domain])
    if counts[best]:
        return best
    return "film" if names & {"genre", "genres"} else "item"


def domain_of(catalogue: Catalogue) -> Domain:
    """Words for a catalogue's items."""
    return DOMAINS[domain_name(catalogue)]


def main_attribute(catalogue: Catalogue) -> str:
    """Default attribute that users talk about: ``genre``, or the one whose values most items share.

    Raises:
        DataError: no item has an attribute.
    """
    if "genre" in catalogue.attributes:
        return "genre"
    shared: Mapping[str, float] = {
        name: sum(counts.values()) / len(counts)
        for name in catalogue.attributes
        if name != OTHER_TITLES and (counts := catalogue.values_of(name))
    }
    if not shared:
        what = f"none of the {len(catalogue)} items has an attribute to talk about."
        raise DataError(Problem(what, hint="Give items a genre, category, cuisine or similar attribute."))
    return max(shared, key=lambda name: shared[name])


def check_tells_apart(catalogue: Catalogue, attributes: Sequence[str]) -> None:
    """Raise DataError if no value of these attributes is shared by several items but not by all: needs could not be said."""
    counts = [catalogue.values_of(name) for name in attributes]
    if not any(len(each) > 1 and sum(each.values()) > len(each) for each in counts):
        what = f"no attribute of these {len(catalogue)} items has values that several of them share, but not all"
        hint = "Without ratings, users look for attributes: add a column such as type, brand, colour or price."
        raise DataError(Problem(f"{what} (users would talk about {', '.join(attributes)}).", hint=hint))


def spoken_attributes(catalogue: Catalogue) -> tuple[str, ...]:
    """Attributes that users can word and that tell items apart, at most five: first what kind of item it is.

    Left out are those that nearly every item has a value of its own of, numbers (their ranges stand for them), long texts,
    and other titles. Where none is left: the ``main_attribute``.

    Raises:
        DataError: no item has an attribute.
    """
    found: dict[str, float] = {}
    for name in catalogue.attributes:
        counts = catalogue.values_of(name)
        if name == OTHER_TITLES or len(counts) < 2:
            continue
        is_number = sum(number_in(value) is not None for value in counts) * 2 > len(counts)
        shared = sum(counts.values()) / len(counts)
        if not is_number and shared >= SHARED and median(map(len, counts)) <= LONGEST_VALUE:
            found[name] = shared
    ranked = sorted(found, key=lambda name: (list(WordClass).index(word_class(name)), -found[name], name))
    return tuple(ranked[:SPOKEN]) or (main_attribute(catalogue),)

"""Items with attributes, ratings by users, and the linker that finds item titles in text, for any domain.

``Item`` and ``Catalogue`` hold what can be recommended, ``Ratings`` who rated what, and ``TitleLinker`` finds items in text.
``layout_of`` divides a reply into sentences and slots (items of lists, cells, values), whether or not a title is known.
"""

from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.item import OTHER_TITLES, Item
from trialogue.catalogue.layout import Layout, Part, ReplyLayout, filling_of, layout_of, plain_text
from trialogue.catalogue.linking.card import LINKER_CARD, LinkerCard
from trialogue.catalogue.linking.linker import Candidate, TitleLinker
from trialogue.catalogue.linking.titles import ParsedTitle, Token, parse_title, title_key, tokens
from trialogue.catalogue.ratings import Ratings, Scale
from trialogue.catalogue.ratings_file import read_ratings

__all__ = [
    "LINKER_CARD",
    "OTHER_TITLES",
    "Candidate",
    "Catalogue",
    "Item",
    "Layout",
    "LinkerCard",
    "ParsedTitle",
    "Part",
    "Ratings",
    "ReplyLayout",
    "Scale",
    "TitleLinker",
    "Token",
    "filling_of",
    "layout_of",
    "parse_title",
    "plain_text",
    "read_ratings",
    "title_key",
    "tokens",
]

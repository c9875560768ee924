"""Items with attributes, ratings by users, and the linker that finds item titles in text, for any domain.

``Item`` and ``Catalogue`` hold what can be recommended, ``Ratings`` who rated what, and ``TitleLinker`` finds items in text.
``layout_of`` divides a reply into sentences and slots (items of lists, cells, values), whether or not a title is known.
``TitleCheck`` finds titles that a catalogue lacks, ``ClaimCheck`` what a text says of items.
"""

from typing import TYPE_CHECKING

from trialogue.catalogue.catalogue import Catalogue
from trialogue.catalogue.domains import DOMAINS, Domain, domain_of, main_attribute, spoken_attributes, spoken_name
from trialogue.catalogue.item import OTHER_TITLES, Item, names_of, normalise_words, plurals_of
from trialogue.catalogue.layout import Layout, Part, ReplyLayout, filling_of, layout_of, plain_text
from trialogue.catalogue.linking.linker import Candidate, TitleLinker
from trialogue.catalogue.linking.titles import ParsedTitle, Token, parse_title, title_key, tokens
from trialogue.catalogue.ratings import Ratings, Scale, read_ratings
from trialogue.extras import importer

if TYPE_CHECKING:
    from trialogue.catalogue.presenting.check import TitleCheck as TitleCheck
    from trialogue.catalogue.presenting.claims import ClaimCheck as ClaimCheck
    from trialogue.catalogue.presenting.presented import Presented as Presented
    from trialogue.catalogue.presenting.presented import presented_titles as presented_titles

__all__ = [
    "DOMAINS",
    "OTHER_TITLES",
    "Candidate",
    "Catalogue",
    "ClaimCheck",
    "Domain",
    "Item",
    "Layout",
    "ParsedTitle",
    "Part",
    "Presented",
    "Ratings",
    "ReplyLayout",
    "Scale",
    "TitleCheck",
    "TitleLinker",
    "Token",
    "domain_of",
    "filling_of",
    "layout_of",
    "main_attribute",
    "names_of",
    "normalise_words",
    "parse_title",
    "plain_text",
    "plurals_of",
    "presented_titles",
    "read_ratings",
    "spoken_attributes",
    "spoken_name",
    "title_key",
    "tokens",
]

__getattr__ = importer(
    __name__,
    {  # their patterns would take a tenth of the start of every worker of a simulation
        "trialogue.catalogue.presenting.check": "TitleCheck",
        "trialogue.catalogue.presenting.claims": "ClaimCheck",
        "trialogue.catalogue.presenting.presented": "Presented presented_titles",
    },
)

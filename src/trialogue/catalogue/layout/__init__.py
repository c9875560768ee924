"""Layout of replies: where sentences and the items of lists, tables and JSON stand in a text; knows nothing about titles."""

from trialogue.catalogue.layout.fillings import Layout, Part, ReplyLayout, filling_of, layout_of
from trialogue.catalogue.layout.plain import PlainText, plain_text

__all__ = ["Layout", "Part", "PlainText", "ReplyLayout", "filling_of", "layout_of", "plain_text"]

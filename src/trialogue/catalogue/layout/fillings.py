"""What fills a slot: its text without the marks around it and the year and the description behind it."""

import re

from trialogue.catalogue.layout.parts import Layout, Part

YEAR = r"(?:,?\s*[\[(（]?\d{4}年?[\])）]?(?!\w))?"
"""Pattern of a year, in brackets or not, or of nothing."""

_STOP = re.compile(
    rf"""[!?…]*\s*(?P<closing>["'”’»」』》〉】*]+)?{YEAR}\s*["'”’»*]*\s*
    (?:\Z|[(（\[|;/=~•…]|(?<=\s)[-–—]+(?=\s)|[–—]|-\s|:(?!\d)|\.(?!\w)|,\s+(?:the|an?|l[aeo]s?|il|el|die|der|das)\s*(?:[(\[]|\Z)
      |(?<=\s)(?:starring|stars|directed|by|featuring|is|was|because)\s
      |(?P<may_go_on>[,!?]+\s))
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OPENING = re.compile(r"[\s\"*'“‘«「『《〈【(\[]*")
_QUOTED = re.compile(r"[\"*'“‘«「『《〈【]")
_WORD = re.compile(r"\w+")


def stop_behind(text: str, part: Part, end: int) -> int | None:
    """Offset of what follows, if what fills a slot may end at an offset; None if the words go on.

    It is the end of the slot where a closing mark or a description follows, and else (behind "," "!" or "?") that of words
    which may be the rest of a name.

    Args:
        text: the text of a ``ReplyLayout``.
        part: the slot.
        end: offset behind a word in it.
    """
    found = _STOP.match(text, end, part.end)
    if found is None:
        return None
    is_closed = found["closing"] and _QUOTED.search(text, part.start, end)
    return found.end() if found["may_go_on"] and not is_closed else part.end


def filling_of(text: str, part: Part) -> tuple[int, int]:
    """Offsets of what fills a slot; of prose, all of it.

    >>> from trialogue.catalogue.layout.parts import layout_of
    >>> laid_out = layout_of("1. **Heat** (1995) - a crime film\\n2. Up, 2009")
    >>> [laid_out.text[slice(*filling_of(laid_out.text, part))] for part in laid_out.slots]
    ['Heat', 'Up']
    """
    if part.layout is Layout.PROSE:
        return part.start, part.end
    opening = _OPENING.match(text, part.start, part.end)
    start = opening.end() if opening else part.start
    ends = (word.end() for word in _WORD.finditer(text, start, part.end))
    return start, next((end for end in ends if stop_behind(text, part, end) is not None), part.end)

"""Inline markup of replies: emphasis, links, code and HTML become stars and line breaks, in place.

What is read is a text of the same length, so that offsets stay. All ways of marking words become the same stars: whether a
title stands in bold, in italics, in code or in a link makes no difference to what is found.
"""

import re

_INLINE = "a|b|strong|i|em|u|cite|q|code|mark|ins|del|s|span|small|font|tt|kbd"
_ITEM = "li|td|dt|dd|h[1-6]|option"
_BLOCK = "th|ul|ol|dl|tr|table|thead|tbody|p|div|br|hr|section|article|blockquote|pre|body|html|caption|select"
_MARKUP = re.compile(
    rf"""(?P<fence>^[ \t]*(?:```+|~~~+)[ \t]*\w*[ \t]*$)
    | (?P<rule>^[ \t]*(?:[-_*=][ \t]*){{3,}}$)
    | <(?:(?P<item>{_ITEM})|/?(?P<block>{_ITEM}|{_BLOCK}))(?:\s[^<>]{{0,500}})?/?>
    | <(?P<closing>/)?(?P<inline>{_INLINE})(?:\s[^<>]{{0,500}})?>
    | !?\[(?P<linked>[^\[\]\n]{{1,300}})\]\((?=[^()\s]*[/.\#])(?:[^()\s]|\([^()\s]*\)){{1,500}}(?:[ ]"[^"\n]*")?\)
    | (?P<stars>\*{{2,3}}|__|~~|`+)
    | (?<![\w*])\*(?![\s*])(?P<starred>[^*\n]{{1,200}})(?<!\s)\*(?![\w*])
    | (?<!\w)_(?![\s_])(?P<underlined>[^_\n]{{1,200}})(?<!\s)_(?!\w)
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_MAYBE_MARKUP = re.compile(r"[<\[*_`~]|^[ \t]*[-=]{3}", re.MULTILINE)


def starred_markup(text: str) -> str:
    """A text of the same length in which markup is stars, line breaks, bullets (of HTML's items) and spaces.

    >>> starred_markup("Try **Heat** or [Joker](http://x.org/1)!")
    'Try  *Heat*  or *Joker*                !'
    """
    return _MARKUP.sub(_star_of, text) if _MAYBE_MARKUP.search(text) else text


def _star_of(found: re.Match[str]) -> str:
    length = found.end() - found.start()
    if found["fence"] is not None or found["rule"] is not None:
        return " " * length
    if found["item"] is not None:
        return "\n•".ljust(length)
    if found["block"] is not None:
        return "\n".ljust(length)
    if found["inline"] is not None:
        return "*".ljust(length) if found["closing"] else "*".rjust(length)
    if found["linked"] is not None:
        opening = "!" if found[0].startswith("!") else ""
        return (" " * len(opening) + "*" + starred_markup(found["linked"]) + "*").ljust(length)
    if found["stars"] is not None:
        after = found.string[found.end() : found.end() + 1]
        return "*".rjust(length) if after.strip() and _opens(found) else "*".ljust(length)
    return f"*{found['starred'] or found['underlined']}*"


def _opens(found: re.Match[str]) -> bool:
    before = found.string[found.start() - 1] if found.start() else ""
    return not before or not (before.isalnum() or before in ".,!?:;)]”’\"'")

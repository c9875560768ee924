"""Chunks: JSON in scripts, safe whatever the dialogues hold.

A chunk is one call with two texts, the chunk's name and its JSON. The JSON is a string of JavaScript and not a literal of
it: it is read by ``JSON.parse``, which is faster and gives a key such as ``__proto__`` no meaning.
"""

import json
from json.encoder import encode_basestring
from pathlib import Path
from typing import NamedTuple

import msgspec

from trialogue.records.base import JsonValue
from trialogue.records.files.opening import open_replacing
from trialogue.render.text import printable

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)
_ENCODER_OF_TEXTS = msgspec.json.Encoder()
# In a string between single quotes. "<" could end a script element or begin a comment where somebody puts a chunk into a
# page; the two separators end a line in JavaScript before 2019.
_ESCAPES = {b"\\": b"\\\\", b"'": b"\\'", b"<": b"\\x3c"}  # the first one first
_ESCAPES |= {separator.encode(): escaped for separator, escaped in (("\u2028", b"\\u2028"), ("\u2029", b"\\u2029"))}


class Json(NamedTuple):
    """What is JSON already: rows whose parts recur are put together from the texts of these."""

    text: str


def to_json(content: JsonValue) -> str:
    """As short as JSON is written.

    Raises:
        ValueError: a number that JSON does not know.
    """
    return _ENCODER.encode(content)


def texts_to_json(content: JsonValue) -> str:
    """``to_json`` of what holds no numbers but integers, several times faster.

    >>> texts_to_json(["é", [1, None]])
    '["é",[1,null]]'
    """
    return _ENCODER_OF_TEXTS.encode(content).decode()  # 1e-05 is "1e-5" there


def chunk_text(name: str, content: JsonValue | Json) -> str:
    """A chunk as a script. Characters that UTF-8 cannot hold become U+FFFD.

    Args:
        name: of the chunk.
        content: what it holds; of a ``Json`` nothing is looked at any more.

    >>> chunk_text("text-0", ["</script>", "it's"])
    'Explorer.receive("text-0", \\'["\\\\x3c/script>","it\\\\\\'s"]\\');\\n'
    """
    return _chunk(name, content).decode()


def _chunk(name: str, content: JsonValue | Json) -> bytes:
    text = (content.text if isinstance(content, Json) else to_json(content)).encode("utf-8", "replace")
    for character, escaped in _ESCAPES.items():  # one after the other: str.translate takes ten times as long
        text = text.replace(character, escaped)
    return b"Explorer.receive(\"%b\", '%b');\n" % (name.encode(), text)


def write_chunk(folder: Path, name: str, content: JsonValue | Json) -> None:
    """Write a chunk under its name, whole or not at all."""
    with open_replacing(folder / f"{name}.js") as stream:
        stream.write(_chunk(name, content))


def plain(text: str) -> str:
    """A text of the records as it is shown; of the same length, so that places in it stay right."""
    return text if text.isascii() and text.isprintable() else printable(text)


def shown_json(text: str) -> str:
    """JSON of a text of the records as it is shown."""
    written = encode_basestring(text)
    is_plain = written.isascii() and "\\" not in written and "\x7f" not in written  # faster than to look at the text
    return written if is_plain else encode_basestring(plain(text))


def utf16_place(text: str, place: int) -> int:
    """A place in a text as JavaScript counts: characters beyond U+FFFF are two.

    >>> utf16_place("a\\U0001f600b", 2), utf16_place("abc", 2)
    (3, 2)
    """
    return place if text.isascii() else len(text[:place].encode("utf-16-le", "surrogatepass")) // 2

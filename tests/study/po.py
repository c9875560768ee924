"""Catalogs of translations, read without gettext: .po as text, .mo with Python's own reader."""

import ast
import gettext
from pathlib import Path
from typing import NamedTuple

LOCALE = Path(__file__).parents[2] / "src" / "trialogue" / "study" / "locale"


class Message(NamedTuple):
    """One message of a catalog."""

    text: str
    plural: str
    translated: tuple[str, ...]
    fuzzy: bool


def messages(path: Path) -> list[Message]:
    """The messages of a .po file, its header left out."""
    found = []
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        lines = block.splitlines()
        fields: dict[str, str] = {}
        key = ""
        for line in (line for line in lines if not line.startswith("#")):
            word, quote, rest = line.partition('"')
            key = word.strip() or key  # a line without a word goes on with the one before
            fields[key] = fields.get(key, "") + ast.literal_eval(quote + rest)
        if fields.get("msgid"):
            translated = tuple(text for key, text in fields.items() if key.startswith("msgstr"))
            fuzzy = any(line.startswith("#,") and "fuzzy" in line for line in lines)
            found.append(Message(fields["msgid"], fields.get("msgid_plural", ""), translated, fuzzy))
    return found


def compiled(path: Path) -> gettext.GNUTranslations:
    """A .mo file."""
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)

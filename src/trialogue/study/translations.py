"""Message catalogs of the study pages: completeness checks, creation, and compilation for Django.

A catalog is ``locale/LANGUAGE/LC_MESSAGES/django.po``; the English texts are in the code. Annotation guidelines are a
separate file, ``design/guidelines/LANGUAGE.yaml``.
"""

import ast
import gettext
import re
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files.opening import write_text

HERE = Path(__file__).parent
LOCALE = HERE / "locale"
FILE = Path("LC_MESSAGES") / "django.po"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%")
LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z][A-Za-z]{1,3})?")
MAGIC = 0x950412DE  # of .mo files, see the manual of GNU gettext
_CALLS = {"gettext": 1, "gettext_lazy": 1, "_": 1, "ngettext": 2}
_STRING = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_MARKED = re.compile(rf"\b(n?gettext(?:_lazy)?|_)\(\s*u?({_STRING})(?:\s*,\s*u?({_STRING}))?")


@dataclass(frozen=True)
class Message:
    """One text of a catalog."""

    text: str
    plural: str = ""
    """Its plural; "": it has none."""
    translated: tuple[str, ...] = ()
    """Its forms in the other language."""
    fuzzy: bool = False
    """Whether a person has yet to look at it."""
    line: int = 0


@dataclass
class Catalog:
    """A file of translations."""

    path: Path
    forms: int
    """Number of plural forms of the language."""
    messages: list[Message] = field(default_factory=list)
    header: str = ""


def languages() -> list[str]:
    """Languages with a catalog.

    >>> "de" in languages()
    True
    """
    return sorted(path.parents[1].name for path in LOCALE.glob(f"*/{FILE}"))


def path_of(language: str) -> Path:
    """The catalog of a language.

    Raises:
        UsageError: this is no language code.
    """
    if not LANGUAGE.fullmatch(language):
        raise UsageError(f"{language!r} is not a language code; expected a code such as fr, pt_BR or zh_Hans.")
    return LOCALE / language / FILE


def used_texts() -> dict[str, str]:
    """Every text of the pages that can be translated, with its plural ("" for none)."""
    from django.utils.translation.template import templatize

    found: dict[str, str] = {}
    sources = [*sorted(HERE.glob("pages/**/*.py")), *sorted(HERE.glob("staff/**/*.py")), *sorted(HERE.glob("web/*.py"))]
    sources += [HERE / "recruiting" / "preflight.py"]
    for path in sources:
        found |= dict(_calls(ast.parse(path.read_text(encoding="utf-8"))))
    for path in sorted(HERE.glob("templates/**/*.html")):
        for each in _MARKED.finditer(templatize(path.read_text(encoding="utf-8"))):
            plural = ast.literal_eval(each[3]) if each[1].startswith("n") and each[3] else ""
            found[ast.literal_eval(each[2])] = plural
    return found


def _calls(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Texts that Python code marks."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            texts = [each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            count = _CALLS[node.func.id]
            if len(texts) >= count:
                yield texts[0], texts[1] if count == 2 else ""


def read_catalog(path: Path) -> Catalog:
    """A catalog.

    Raises:
        DataError: it cannot be read, or a line of it cannot be understood.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(Problem(f"the catalog cannot be read ({error}).", str(path))) from error
    catalog = Catalog(path, 2)
    fields: dict[str, str] = {}
    key, start, fuzzy = "", 1, False
    for number, line in enumerate([*lines, ""], start=1):
        if not line.strip():
            _keep(catalog, fields, start, fuzzy=fuzzy)
            fields, key, fuzzy, start = {}, "", False, number + 1
        elif line.startswith("#"):
            fuzzy = fuzzy or (line.startswith("#,") and "fuzzy" in line)
        else:
            word, quote, rest = line.partition('"')
            key = word.strip() or key
            try:
                text = ast.literal_eval(quote + rest)
            except (SyntaxError, ValueError) as error:
                raise DataError(Problem("the line has no text in quotes.", str(path), number)) from error
            fields[key] = fields.get(key, "") + str(text)
    return catalog


def _keep(catalog: Catalog, fields: Mapping[str, str], line: int, *, fuzzy: bool) -> None:
    if not fields:
        return
    forms = tuple(text for key, text in fields.items() if key.startswith("msgstr"))
    if fields.get("msgid"):
        catalog.messages.append(Message(fields["msgid"], fields.get("msgid_plural", ""), forms, fuzzy, line))
        return
    catalog.header = forms[0] if forms else ""
    if found := re.search(r"nplurals\s*=\s*(\d+)", catalog.header):
        catalog.forms = int(found[1])


def problems_of(catalog: Catalog, texts: Mapping[str, str]) -> list[Problem]:
    """Everything that keeps a language from being complete.

    Texts without a translation, unused translations, missing placeholders, and a compiled catalog that differs.
    """
    found: list[Problem] = []
    counts = Counter(message.text for message in catalog.messages)
    file = str(catalog.path)
    found += [Problem(f"there is no entry for {text!r}.", file) for text in texts if text not in counts]
    for message in catalog.messages:
        for what in _wrong(message, catalog, texts, counts):
            found.append(Problem(f"{message.text!r}: {what}", file, message.line))
    path = catalog.path.with_suffix(".mo")
    if not found and not (path.is_file() and path.read_bytes() == _compile(catalog)):
        found.append(
            Problem("the compiled catalog is missing or out of date.", file, hint="Compile it with --compile.")
        )
    return found


def _wrong(message: Message, catalog: Catalog, texts: Mapping[str, str], counts: Mapping[str, int]) -> Iterator[str]:
    if message.text not in texts:
        yield "no page uses this text; remove the entry."
        return
    if counts[message.text] > 1:
        yield "it occurs twice."
    if message.fuzzy:
        yield "the entry is marked fuzzy: check it and remove the mark."
    needed = catalog.forms if texts[message.text] else 1
    if len(message.translated) != needed or not all(each.strip() for each in message.translated):
        yield f"it needs {needed} translated form{'s' if needed > 1 else ''}."
        return
    wanted = set(PLACEHOLDER.findall(message.plural or message.text))
    allowed = wanted | set(PLACEHOLDER.findall(message.text))
    for each in message.translated:
        if unknown := set(PLACEHOLDER.findall(each)) - allowed:
            yield f"the English text has no placeholder {', '.join(sorted(unknown))}."
    if lost := wanted - set(PLACEHOLDER.findall(message.translated[-1])):
        yield f"the translation lacks {', '.join(sorted(lost))}."


def compile_catalog(catalog: Catalog) -> Path:
    """Write the .mo file that Django reads; fuzzy and empty entries are left out."""
    path = catalog.path.with_suffix(".mo")
    path.write_bytes(_compile(catalog))
    return path


def _compile(catalog: Catalog) -> bytes:
    """A .mo file: texts in the order of their bytes, each by length and place, no hash table."""
    pairs = {"": catalog.header}
    for message in catalog.messages:
        if not message.fuzzy and message.translated and all(message.translated):
            key = f"{message.text}\0{message.plural}" if message.plural else message.text
            pairs[key] = "\0".join(message.translated)
    rows = sorted((key.encode(), text.encode()) for key, text in pairs.items())
    start = 28 + 16 * len(rows)
    tables, blob = [b"", b""], b""
    for side in (0, 1):
        for row in rows:
            tables[side] += struct.pack("<II", len(row[side]), start + len(blob))
            blob += row[side] + b"\0"
    head = struct.pack("<7I", MAGIC, 0, len(rows), 28, 28 + 8 * len(rows), 0, start)
    return head + tables[0] + tables[1] + blob


def new_catalog(language: str) -> Path:
    """An empty catalog of every text, to be filled in.

    Raises:
        UsageError: the catalog exists, or this is no language code.
    """
    path = path_of(language)
    if path.exists():
        raise UsageError(f"{path} already exists.")
    header = f"Language: {language}\\nContent-Type: text/plain; charset=utf-8\\n"
    header += "Plural-Forms: nplurals=2; plural=(n != 1);\\n"
    blocks = [f'msgid ""\nmsgstr "{header}"']
    for text, plural in used_texts().items():
        forms = f'msgid_plural {_quote(plural)}\nmsgstr[0] ""\nmsgstr[1] ""' if plural else 'msgstr ""'
        blocks.append(f"msgid {_quote(text)}\n{forms}")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "\n\n".join(blocks) + "\n")
    return path


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def compiled_messages(path: Path) -> gettext.GNUTranslations:
    """A compiled catalog, as Python reads it."""
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)

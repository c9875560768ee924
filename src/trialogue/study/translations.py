"""Message catalogs of the study pages: completeness checks, creation, and compilation for Django.

A catalog is ``locale/LANGUAGE/LC_MESSAGES/django.po``; the English texts are in the code. Annotation guidelines are a
separate file, ``design/guidelines/LANGUAGE.yaml``. For contributors: ``python -m trialogue.study.translations fr --new``
writes a catalog with every text; without ``--new`` it is checked, and with ``--compile`` compiled.
"""

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from polib import POEntry, POFile, pofile

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.files.opening import write_text

HERE = Path(__file__).parent
LOCALE = HERE / "locale"
FILE = Path("LC_MESSAGES") / "django.po"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%")
LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Z][A-Za-z]{1,3})?")
LINE = re.compile(r'\s*|#.*|(msg\w+(\[\d+\])?\s+)?".*"\s*')
_CALLS = {"gettext": 1, "gettext_lazy": 1, "_": 1, "ngettext": 2}
_STRING = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_MARKED = re.compile(rf"\b(n?gettext(?:_lazy)?|_)\(\s*u?({_STRING})(?:\s*,\s*u?({_STRING}))?")


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


def read_catalog(path: Path) -> POFile:
    """A catalog.

    Raises:
        DataError: it cannot be read, or a line of it cannot be understood.
    """
    try:
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), start=1):
            if not LINE.fullmatch(line):  # which polib cuts instead of refusing it
                raise DataError(Problem("the line has no text in quotes.", str(path), number))
        return pofile(text, wrapwidth=0)
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(Problem(f"the catalog cannot be read ({error}).", str(path))) from error


def problems_of(catalog: POFile, path: Path, texts: Mapping[str, str]) -> list[Problem]:
    """Everything that keeps a language from being complete.

    Texts without a translation, unused translations, missing placeholders, and a compiled catalog that differs.
    """
    found: list[Problem] = []
    counts = Counter(entry.msgid for entry in catalog)
    forms = re.search(r"nplurals\s*=\s*(\d+)", catalog.metadata.get("Plural-Forms", ""))
    found += [Problem(f"there is no entry for {text!r}.", str(path)) for text in texts if text not in counts]
    for entry in catalog:
        for what in _wrong(entry, int(forms[1]) if forms else 2, texts, counts):
            found.append(Problem(f"{entry.msgid!r}: {what}", str(path), entry.linenum))
    compiled = path.with_suffix(".mo")
    if not found and not (compiled.is_file() and compiled.read_bytes() == catalog.to_binary()):
        what = "the compiled catalog is missing or out of date."
        found.append(Problem(what, str(path), hint="Compile it with --compile."))
    return found


def _wrong(entry: POEntry, forms: int, texts: Mapping[str, str], counts: Mapping[str, int]) -> Iterator[str]:
    if entry.msgid not in texts:
        yield "no page uses this text; remove the entry."
        return
    if counts[entry.msgid] > 1:
        yield "it occurs twice."
    if entry.fuzzy:
        yield "the entry is marked fuzzy: check it and remove the mark."
    translated = [*entry.msgstr_plural.values()] or [entry.msgstr]
    needed = forms if texts[entry.msgid] else 1
    if len(translated) != needed or not all(each.strip() for each in translated):
        yield f"it needs {needed} translated form{'s' if needed > 1 else ''}."
        return
    wanted = set(PLACEHOLDER.findall(entry.msgid_plural or entry.msgid))
    allowed = wanted | set(PLACEHOLDER.findall(entry.msgid))
    for each in translated:
        if unknown := set(PLACEHOLDER.findall(each)) - allowed:
            yield f"the English text has no placeholder {', '.join(sorted(unknown))}."
    if lost := wanted - set(PLACEHOLDER.findall(translated[-1])):
        yield f"the translation lacks {', '.join(sorted(lost))}."


def compile_catalog(catalog: POFile, path: Path) -> Path:
    """Write the .mo file that Django reads; fuzzy and empty entries are left out."""
    compiled = path.with_suffix(".mo")
    compiled.write_bytes(catalog.to_binary())
    return compiled


def new_catalog(language: str) -> Path:
    """An empty catalog of every text, to be filled in.

    Raises:
        UsageError: the catalog exists, or this is no language code.
    """
    path = path_of(language)
    if path.exists():
        raise UsageError(f"{path} already exists.")
    catalog = POFile(wrapwidth=0)
    catalog.metadata = {
        "Language": language,
        "Content-Type": "text/plain; charset=utf-8",
        "Plural-Forms": "nplurals=2; plural=(n != 1);",
    }
    for text, plural in used_texts().items():
        catalog.append(POEntry(msgid=text, msgid_plural=plural, msgstr_plural={0: "", 1: ""} if plural else {}))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, str(catalog))
    return path


def main(words: Sequence[str] | None = None) -> int:
    """Check the catalogs of all languages or of one, and print what is wrong; 1 if a text is missing."""
    parser = argparse.ArgumentParser(prog="python -m trialogue.study.translations")
    parser.add_argument("language", nargs="?")
    for option in ("--new", "--compile"):
        parser.add_argument(option, action="store_true")
    given = parser.parse_args(words)
    if given.new:
        sys.stdout.write(f"{new_catalog(given.language or '')}\n")
        return 0
    texts, missing = used_texts(), 0
    for name in [given.language] if given.language else languages():
        catalog = read_catalog(path_of(name))
        if given.compile:
            compile_catalog(catalog, path_of(name))
        problems = problems_of(catalog, path_of(name), texts)
        missing += len(problems)
        lines = [f"{name}: {len(texts)} texts, {len(problems)} problems", *(f"  {problem}" for problem in problems)]
        sys.stdout.write("\n".join(lines) + "\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

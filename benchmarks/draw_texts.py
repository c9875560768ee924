"""Draw sentences and messages for an independent editor (benchmarks/TEXTS.md).

    python -m benchmarks.draw_texts SEED

Half of the 60 sentences are from README and docs, a quarter each from the help of commands and from what
``trialogue demo`` prints and reports. The 30 messages are those of ``docs/messages.py``, one of each place in the
source. Tables, code, headings, links alone, commands and quoted dialogue are not drawn. Spare draws (+) follow, in
order, for what is still no prose of ours.
"""

import contextlib
import html
import io
import random
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from trialogue.cli.app import app

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^[ ]*(```|~~~|:::+).*?^[ ]*\1[ ]*$", re.MULTILINE | re.DOTALL)
END = re.compile(r"(?<=[.!?:])(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)(?<!al\.)(?<!p\.)[\"”)*_`]*\s+(?=[A-Z`*\[\"“(])")
BLOCKS = r"p|div|li|h\d|section|summary|details|ul|ol|dl|dt|dd|figcaption|figure|header|footer|nav|title|br|body|main"
Item = tuple[str, str]
"""Where a text stands, and the text."""


def sentences(text: str) -> Iterator[str]:
    """The sentences of a paragraph with at least four words."""
    for one in END.split(re.sub(r"\s+", " ", text).strip()):
        if len(re.findall(r"[A-Za-z]{2,}", one)) >= 4:
            yield one


def of_docs() -> Iterator[Item]:
    """README and docs without the index of messages and pages that are made by ``make docs``."""
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = FENCE.sub("\n\n", path.read_text(encoding="utf-8").partition("\n## All messages\n")[0])
        lines = [
            "" if re.match(r"\s*(\||#|!\[)", line) else re.sub(r"^\s*([-*]|\d+\.)\s", "\n", line)
            for line in text.splitlines()
        ]
        if "rooms" not in path.parts:
            for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
                yield from ((str(path.relative_to(ROOT)), one) for one in sentences(paragraph))


def of_help(command: Any, name: str) -> Iterator[Item]:
    """The help of a command, of its options and of the commands below it."""
    yield from ((name, one) for one in sentences(re.sub(r"[\b\f]", "", command.help or "")))
    for option in command.params:
        text = getattr(option, "help", None) or ""
        yield from ((f"{name} {option.opts[-1]}", one) for one in sentences(text))
    for word, below in sorted(getattr(command, "commands", {}).items()):
        yield from of_help(below, f"{name} {word}")


def of_demo() -> Iterator[Item]:
    """What ``trialogue demo`` prints, and its report."""
    with tempfile.TemporaryDirectory() as folder:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            app(["demo", "--out", f"{folder}/demo"])
        for page in sorted(Path(folder).rglob("report.html")):
            text = re.sub(r"<(script|style|svg|table)\b.*?</\1>", "\n\n", page.read_text("utf-8"), flags=re.DOTALL)
            text = html.unescape(re.sub(r"<[^>]+>", "", re.sub(rf"</?({BLOCKS})\b[^>]*>", "\n\n", text)))
            for paragraph in re.split(r"\n\s*\n", text):
                yield from (("report.html", one) for one in sentences(paragraph))
        for paragraph in re.split(r"\n\s*\n|\n(?=- )", printed.getvalue()):
            yield from (("terminal", one) for one in sentences(paragraph))


def of_messages() -> Iterator[Item]:
    """One message of each place that makes one; not the texts of threats and answers, which reports show."""
    sys.path.insert(0, str(ROOT / "docs"))
    from messages import Source  # type: ignore[import-not-found]

    places: dict[str, str] = {}
    for one in Source().messages():
        if not one.source.startswith("findings"):
            places[one.source] = max(places.get(one.source, ""), one.shown, key=len)
    yield from places.items()


def main(seed: int) -> None:
    draw = random.Random(seed)
    frames = [
        ("D", list(of_docs()), 30, 15),
        ("H", list(dict.fromkeys(of_help(typer.main.get_command(app), "trialogue"))), 15, 8),
        ("R", list(dict.fromkeys(of_demo())), 15, 20),
        ("M", list(of_messages()), 30, 15),
    ]
    for letter, items, wanted, spare in frames:
        for place, (where, text) in enumerate(draw.sample(items, min(wanted + spare, len(items))), 1):
            mark = "" if place <= wanted else "+"
            print(f"{letter}{mark}{place - wanted if mark else place} [{where}] {text}")


if __name__ == "__main__":
    main(int(sys.argv[1]))

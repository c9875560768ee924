"""The page on messages: worked examples (``troubleshooting.yaml``, run), and an index of all messages (``messages.py``)."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from messages import Message, Source

PAGE = Path(__file__).parent / "troubleshooting.md"
PROGRESS = re.compile(r"\[ *[\d.]+ s\] ")
LONGEST = 700  # characters of a line of output; instead of a longer one, the page has its template
HEAD = """# Troubleshooting

Search this page for the part of your message that is not a name or a number of yours. Every message of Trialogue is here:
common ones with a worked example, all others in [the index](#all-messages). An error states the problem, what was given and
what to do, and ends with exit code 2. Notes and progress go to standard error, results to standard output.
"""
INDEX_HEAD = """## All messages

Sorted by area. `‹…›` stands for a name, number or text of yours; `[…]` is printed only in some cases; `(… | …)` is
printed in one of these forms.
"""
AREAS: dict[str, tuple[str, ...]] = {
    "Commands and options": (
        "cli",
        "plugins",
        "extras",
        "workflows",
        "render",
        "reproduce",
        "dask_cluster",
        "arguments",
    ),
    "Files, corpora and catalogues": ("datasets", "records", "catalogue", "inputs", "cli.data"),
    "Metrics and statistics": (
        "subjects",
        "analysis",
        "metrics",
        "stats",
        "findings",
        "fingerprints",
        "subjects.comparison.commands.measures",
    ),
    "Agents": ("agents", "transport", "cli.agents"),
    "Simulations and tasks": (
        "simulation",
        "tasks",
        "simulating",
        "cli.simulate",
        "cli.users",
        "subjects.simulated_users.commands",
    ),
    "Language models and judges": ("llm", "judges", "subjects.judging.commands", "cli.judging"),
    "Strategies and alignment": (
        "strategies",
        "subjects.alignment.labelling",
        "subjects.alignment.commands",
        "cli.strategies",
    ),
    "Studies": ("study", "subjects.people.commands", "cli.study"),
    "Threats to validity": ("findings.threats",),
    "Undefined values": ("records.reasons",),
}
"""Areas of the index, and the rooms or modules whose messages are in each; the longest name decides."""
Entry = dict[str, Any]
Outputs = Callable[[Entry], dict[str, list[str]]]
"""The lines that each command of an entry prints."""


@cache
def messages() -> tuple[Message, ...]:
    """All messages of the source, and the reasons of undefined values."""
    from trialogue.long_work import few_collections
    from trialogue.records import ReasonCode

    reasons = (
        Message(re.sub(r"\{(\w+)(?::[\w ]+\|([^}]+)|[^}]*)\}", placeholder, code.text), "records.reasons")
        for code in ReasonCode
    )
    with few_collections():  # millions of nodes, all of which stay
        return (*Source().messages(), *reasons)


def placeholder(fact: re.Match[str]) -> str:
    """A fact of a reason's template in plain words; of ``{n:reply|replies}``, the number and the noun."""
    return f"‹{fact[1].replace('_', ' ')}›" + (f" {fact[2]}" if fact[2] else "")


@cache
def areas() -> tuple[Entry, ...]:
    """The areas of the worked examples, each with its entries (or rows of a table)."""
    return tuple(yaml.safe_load(PAGE.with_suffix(".yaml").read_text(encoding="utf-8")))


def page(outputs: Outputs) -> str:
    """The whole page."""
    parts = [HEAD]
    for area in (*areas(), {"area": "All messages", "entries": [{"title": name} for name in AREAS]}):
        titles = [one["title"] for one in area.get("entries", [{"title": area["area"]}])]
        parts.append(f"**{area['area']}**: " + " · ".join(f"[{title}](#{anchor(title)})" for title in titles) + "\n")
    for area in areas():
        parts.append(f"## {area['area']}\n")
        parts += [section(one, outputs) for one in area.get("entries", ())]
        if "rows" in area:
            rows = [f"| {row['you see']} | {row['because']} |" for row in area["rows"]]
            parts.append("\n".join(["| you see | because |", "|---|---|", *rows, ""]))
    return "\n".join([*parts, INDEX_HEAD, *index()])


def anchor(title: str) -> str:
    """The anchor of a heading, as a forge makes it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def section(entry: Entry, outputs: Outputs) -> str:
    """One worked example: the files, the commands with what they print, and what to do."""
    parts = [f"### {entry['title']}"]
    for name, text in entry.get("files", {}).items():
        language = {"jsonl": "json", "txt": "text", "csv": "text"}.get(name.rpartition(".")[2], name.rpartition(".")[2])
        parts.append(f"`{name}`:\n\n```{language} file={name}\n{text.rstrip()}\n```")
    is_cut = True
    if "run" in entry:
        printed = outputs(entry)
        lines = [
            line for command in entry["run"] for line in (f"$ {command}", *shown(entry, command, printed[command]))
        ]
        parts.append("```console\n" + "\n".join(lines) + "\n```")
        is_cut = lines[-1] == "..." and not entry.get("show")
    if is_cut:
        parts.append("\n".join(code(one.shown) for one in templates_of(entry)[:1]))
    return "\n\n".join([*parts, entry["why"].strip()]) + "\n"


def shown(entry: Entry, command: str, lines: Sequence[str]) -> Iterator[str]:
    """The lines of an output that the page shows: those that the entry asks for, of an error all; ``...`` for others."""
    is_last, starts = command == entry["run"][-1], tuple(entry.get("show", ()))
    gap = False
    for line in (one for one in lines if one.strip() and not PROGRESS.match(one)):
        is_asked = line.strip().startswith(starts) if starts else "# exit code" in command
        if is_last and is_asked and len(line) <= LONGEST:
            yield from ("...",) * gap
            yield line
            gap = False
        else:
            gap = True
    yield from ("...",) * gap


def templates_of(entry: Entry) -> list[Message]:
    """The messages of the source of an entry that have the words of its title, the shortest first."""
    words = [part.strip() for part in entry["title"].split("...")]
    found = [one for one in messages() if one.source == entry["source"] and all(part in one.shown for part in words)]
    return sorted(found, key=lambda one: len(one.shown))


def outputs_kept(entry: Entry) -> dict[str, list[str]]:
    """The outputs that the kept page shows."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n### {entry['title']}\n")[2].partition("\n### ")[0]
    block = re.search(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    printed: dict[str, list[str]] = {command: [] for command in entry["run"]}
    for line in block[1].splitlines() if block else ():
        if line.startswith("$ "):
            lines = printed.setdefault(line[2:], [])
        else:
            lines.append("x" * (LONGEST + 1) if line == "..." else line)
    return printed


def outputs_fresh(entry: Entry) -> dict[str, list[str]]:
    """The kept outputs, if they still show the message of the entry; else those of now."""
    printed = outputs_kept(entry)
    text = " ".join(line for lines in printed.values() for line in lines if len(line) <= LONGEST)
    is_stale = not text or not (entry["source"] == "click" or any(one.is_in(text) for one in templates_of(entry)))
    return outputs_now(entry) if is_stale or list(printed) != entry["run"] else printed


def outputs_now(entry: Entry) -> dict[str, list[str]]:
    """What the commands print when they are run, in an empty folder with the files of the entry."""
    printed = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in entry.get("files", {}).items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        for command in entry["run"]:
            program, *words = shlex.split(command.partition("   # ")[0])
            start = [sys.executable, *(["-m", "trialogue"] if program == "trialogue" else [])]
            given = {**os.environ, "COLUMNS": "120"}
            done = subprocess.run([*start, *words], cwd=folder, env=given, capture_output=True, text=True, check=False)
            printed[command] = [*done.stdout.splitlines(), *done.stderr.splitlines()]
    return printed


def index() -> Iterator[str]:
    """All messages by area, sorted by their first words; one that another only continues is not listed by itself."""
    for area in AREAS:
        texts = sorted({one.shown for one in messages() if area_of(one) == area})
        longest = [text for text, after in zip(texts, [*texts[1:], ""], strict=True) if not after.startswith(text)]
        by_words = sorted(longest, key=lambda text: re.findall(r"\w+", re.sub(r"‹.*?›", "", text).lower()))
        yield "\n".join([f"### {area}\n", *(f"- {code(text)}" for text in by_words), ""])


def area_of(message: Message) -> str:
    """The area of a message, by the longest name of a room or module that it is from."""
    source = message.source.replace(":", ".") + "."
    return max(
        AREAS, key=lambda area: max((len(name) for name in AREAS[area] if source.startswith(f"{name}.")), default=0)
    )


def code(text: str) -> str:
    """A text in the marks of code, which no mark in it ends."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"

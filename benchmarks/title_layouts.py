"""Layouts in which replies list titles: how language models, people and programs write "these five films"."""

import json
from collections.abc import Callable, Sequence
from html import escape

Render = Callable[[Sequence[str]], str]
"""A list of titles as a reply."""

INTRODUCTION = "Here are some films you might enjoy:"
ENDING = "Let me know what you think!"
SUFFIXES = (
    "a story that stays with you long after the credits",
    "well worth an evening",
    "great performances and a clever script, and it never drags",
    "directed with a sure hand",
    "one of my favorites of its kind",
)
CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


def _lines(mark: Callable[[int], str], write: Callable[[str, int], str] = lambda title, place: title) -> Render:
    """One title a line, behind a mark, between an introduction and an ending."""

    def render(titles: Sequence[str]) -> str:
        rows = [f"{mark(place)}{write(title, place)}" for place, title in enumerate(titles)]
        return "\n".join((INTRODUCTION, "", *rows, "", ENDING))

    return render


def _numbered(template: str) -> Callable[[int], str]:
    return lambda place: template.replace("N", str(place + 1))


def _wrapped(opening: str, closing: str) -> Callable[[str, int], str]:
    return lambda title, place: f"{opening}{title}{closing}"


def _described(separator: str, opening: str = "", closing: str = "") -> Callable[[str, int], str]:
    return lambda title, place: f"{opening}{title}{closing}{separator}{SUFFIXES[place % len(SUFFIXES)]}"


def _joined(separator: str, before: str = "I recommend ", last: str | None = None, after: str = ".") -> Render:
    def render(titles: Sequence[str]) -> str:
        final = separator if last is None else last
        head, tail = titles[:-1], titles[-1]
        return before + (separator.join(head) + final if head else "") + tail + after

    return render


def _one_line(template: str) -> Render:
    mark = _numbered(template)
    return lambda titles: "Try these: " + " ".join(mark(place) + title for place, title in enumerate(titles))


def _table(titles: Sequence[str]) -> str:
    rows = [f"| {place} | {title} | {SUFFIXES[place % len(SUFFIXES)]} |" for place, title in enumerate(titles, 1)]
    return "\n".join((INTRODUCTION, "", "| # | Film | Why |", "|---|:---|---|", *rows, "", ENDING))


def _html(tag: str) -> Render:
    def render(titles: Sequence[str]) -> str:
        return f"<p>{INTRODUCTION}</p><{tag}>" + "".join(f"<li>{escape(t)}</li>" for t in titles) + f"</{tag}>"

    return render


def _html_table(titles: Sequence[str]) -> str:
    rows = "".join(f"<tr><td>{n}</td><td>{escape(t)}</td></tr>" for n, t in enumerate(titles, 1))
    return f"<table><tr><th>#</th><th>Title</th></tr>{rows}</table>"


def _json_list(titles: Sequence[str]) -> str:
    return json.dumps(list(titles))


def _json_objects(titles: Sequence[str]) -> str:
    found = [{"title": t, "reason": SUFFIXES[n % len(SUFFIXES)]} for n, t in enumerate(titles)]
    return json.dumps({"recommendations": found}, ensure_ascii=False)


def _json_fenced(titles: Sequence[str]) -> str:
    body = json.dumps([{"rank": n, "title": t} for n, t in enumerate(titles, 1)], indent=2, ensure_ascii=False)
    return f"{INTRODUCTION}\n\n```json\n{body}\n```\n\n{ENDING}"


def _fields(titles: Sequence[str]) -> str:
    rows = [f"Title: {t}\nWhy: {SUFFIXES[n % len(SUFFIXES)]}\n" for n, t in enumerate(titles)]
    return "\n".join((INTRODUCTION, "", *rows))


def _headings(titles: Sequence[str]) -> str:
    rows = [f"### {n}. {t}\nThis is {SUFFIXES[n % len(SUFFIXES)]}.\n" for n, t in enumerate(titles, 1)]
    return "\n".join((INTRODUCTION, "", *rows, ENDING))


LAYOUTS: dict[str, Render] = {
    "1. Heat": _lines(_numbered("N. ")),
    "1) Heat": _lines(_numbered("N) ")),
    "(1) Heat": _lines(_numbered("(N) ")),
    "#1 Heat": _lines(_numbered("#N ")),
    "#1: Heat": _lines(_numbered("#N: ")),
    "1 - Heat": _lines(_numbered("N - ")),
    "1: Heat": _lines(_numbered("N: ")),
    "[1] Heat": _lines(_numbered("[N] ")),
    "① Heat": _lines(lambda place: f"{CIRCLED[place]} "),
    "1️⃣ Heat": _lines(lambda place: f"{(place + 1) % 10}\ufe0f\u20e3 "),
    "**1.** Heat": _lines(_numbered("**N.** ")),
    "a) Heat": _lines(lambda place: f"{chr(97 + place)}) "),
    "- Heat": _lines(lambda place: "- "),
    "* Heat": _lines(lambda place: "* "),
    "+ Heat": _lines(lambda place: "+ "),
    "• Heat": _lines(lambda place: "• "),
    "– Heat": _lines(lambda place: "– "),
    "  - Heat": _lines(lambda place: "  - "),
    "🎬 Heat": _lines(lambda place: "🎬 "),
    "> Heat": _lines(lambda place: "> "),
    "- [ ] Heat": _lines(lambda place: "- [ ] "),
    "bare lines": _lines(lambda place: ""),
    "1. **Heat**": _lines(_numbered("N. "), _wrapped("**", "**")),
    "1. *Heat*": _lines(_numbered("N. "), _wrapped("*", "*")),
    "1. _Heat_": _lines(_numbered("N. "), _wrapped("_", "_")),
    '1. "Heat"': _lines(_numbered("N. "), _wrapped('"', '"')),
    "1. “Heat”": _lines(_numbered("N. "), _wrapped("“", "”")),
    "1. 'Heat'": _lines(_numbered("N. "), _wrapped("'", "'")),
    "1. `Heat`": _lines(_numbered("N. "), _wrapped("`", "`")),
    "- [Heat](url)": _lines(lambda place: "- ", _wrapped("[", "](https://example.org/films/12)")),
    "1. [**Heat**](url)": _lines(_numbered("N. "), _wrapped("[**", "**](https://example.org/films/12)")),
    "1. Heat - description": _lines(_numbered("N. "), _described(" - ")),
    "1. Heat – description": _lines(_numbered("N. "), _described(" – ")),
    "1. Heat: description": _lines(_numbered("N. "), _described(": ")),
    "1. **Heat**: description": _lines(_numbered("N. "), _described(": ", "**", "**")),
    "1. **Heat:** description": _lines(_numbered("N. "), _described(" ", "**", ":**")),
    "- **Heat** - description": _lines(lambda place: "- ", _described(" - ", "**", "**")),
    "1. Heat, description": _lines(_numbered("N. "), _described(", ")),
    "1. Heat (description)": _lines(_numbered("N. "), lambda t, n: f"{t} ({SUFFIXES[n % len(SUFFIXES)]})"),
    "**Heat**": _lines(lambda place: "", _wrapped("**", "**")),
    "### 1. Heat": _headings,
    "table": _table,
    "HTML <ul>": _html("ul"),
    "HTML <ol>": _html("ol"),
    "HTML table": _html_table,
    "HTML <br>": lambda titles: "<br>".join((INTRODUCTION, *titles)),
    "HTML <b>": lambda titles: "Try " + ", ".join(f"<b>{escape(title)}</b>" for title in titles) + ".",
    "JSON list": _json_list,
    "JSON objects": _json_objects,
    "JSON in a fence": _json_fenced,
    "Title: Heat": _fields,
    "1. Heat 2. Joker": _one_line("N. "),
    "1) Heat 2) Joker": _one_line("N) "),
    "(1) Heat (2) Joker": _one_line("(N) "),
    "Heat, Joker and Alien": _joined(", ", last=" and "),
    "Heat, Joker, and Alien": _joined(", ", last=", and "),
    "Heat and Joker and Alien": _joined(" and "),
    "Heat / Joker": _joined(" / ", before="", after=""),
    "Heat; Joker": _joined("; "),
    "Heat | Joker": _joined(" | ", before="", after=""),
    "Heat, Joker": _joined(", ", before="", after=""),
    '"Heat", "Joker"': lambda titles: _joined(", ", last=" and ")([f'"{title}"' for title in titles]),
    "**Heat**, **Joker**": lambda titles: _joined(", ", last=" and ")([f"**{title}**" for title in titles]),
    "*Heat*, *Joker*": lambda titles: _joined(", ", last=" and ")([f"*{title}*" for title in titles]),
}
"""Layouts by an example of each."""

"""Tables of text as LaTeX (booktabs), Markdown and HTML."""

import html
from collections.abc import Sequence

from trialogue.render.text import one_line

Rows = Sequence[Sequence[str]]
LONG, PARAGRAPH = 40, r"p{.3\linewidth}"  # characters from which a cell is a paragraph, and how wide its column is
_ESCAPED = {
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "α": r"$\alpha$",
    "ρ": r"$\rho$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    "–": "--",
} | {char: f"\\{char}" for char in "&%$#_{}"}


def escape_latex(text: str) -> str:
    r"""Escape text for LaTeX.

    >>> escape_latex("50 % of a_b & {c}")
    '50 \\% of a\\_b \\& \\{c\\}'
    >>> escape_latex("a<b|c")
    'a\\textless{}b\\textbar{}c'
    """
    return "".join(_ESCAPED.get(char, char) for char in one_line(text))


def latex_table(heads: Sequence[str], rows: Rows) -> str:
    """A booktabs ``tabular``, every cell escaped; columns with long texts break them into lines."""
    lines = [" & ".join(map(escape_latex, line)) for line in (heads, *rows)]
    longest = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    return tabular("".join(PARAGRAPH if length > LONG else "l" for length in longest), lines[:1], [lines[1:]])


def tabular(columns: str, heads: Sequence[str], groups: Rows) -> str:
    """A booktabs ``tabular`` of lines that are LaTeX already, a rule above each group."""
    rules = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *(f"{head} \\\\" for head in heads)]
    for group in groups:
        rules += [r"\midrule", *(f"{row} \\\\" for row in group)]
    return "\n".join([*rules, r"\bottomrule", r"\end{tabular}"])


def markdown_table(heads: Sequence[str], rows: Rows) -> str:
    """A GitHub Markdown table, the first column to the left and the others to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "".join(f"| {' | '.join(_in_a_cell(cell) for cell in line)} |\n" for line in lines)


def plain_markdown(text: str) -> str:
    """Text that ends no line and opens no HTML.

    >>> plain_markdown("a <b>\\n& c")
    'a &lt;b> &amp; c'
    """
    return one_line(text).replace("&", "&amp;").replace("<", "&lt;")


def html_table(heads: Sequence[str], rows: Rows) -> str:
    """An HTML table for notebooks, the first cell of each row a heading."""
    top = "".join(f"<th>{html.escape(head)}</th>" for head in heads)
    body = "".join(
        f"<tr><th>{html.escape(row[0])}</th>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row[1:])}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _in_a_cell(text: str) -> str:
    return plain_markdown(text).replace("|", r"\|")

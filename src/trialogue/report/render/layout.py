"""Render sections of other analyses: lists by system, and tables of numbers or words."""

import re
from collections.abc import Sequence

MAX_NUMBER = 40  # characters of a cell that is still read as a number, its interval and a word
_NUMBER = re.compile(r"[<>~+−-]?\s*[.\d\[]|—$")


def passages(sentences: Sequence[str], systems: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Sentences in order as (system or "", text); sentences about one system are grouped.

    >>> passages(["In short.", "aria: good.", "bolt: bad.", "That is all."], ["aria", "bolt"])
    [[('', 'In short.')], [('aria', 'good.'), ('bolt', 'bad.')], [('', 'That is all.')]]
    """
    found: list[list[tuple[str, str]]] = []
    for sentence in sentences:
        named = [system for system in systems if system and sentence.startswith(f"{system}: ")]
        system = max(named, key=len, default="")
        said = (system, sentence[len(system) + 2 :] if system else sentence)
        if system and found and found[-1][0][0]:
            found[-1].append(said)
        else:
            found.append([said])
    return found


def columns_of_words(rows: Sequence[Sequence[str]]) -> frozenset[int]:
    """Columns that hold words: those with mostly non-numeric, multi-line or long cells.

    >>> sorted(columns_of_words([["aria", "0.7 [0.5, 0.9]", "too few"], ["bolt", "—", "too few"]]))
    [0, 2]
    """
    columns = list(zip(*rows, strict=False))
    return frozenset(place for place, cells in enumerate(columns) if _words(cells))


def _words(cells: Sequence[str]) -> bool:
    if any("\n" in cell or len(cell) > MAX_NUMBER for cell in cells):
        return True
    return 2 * sum(_NUMBER.match(cell) is None for cell in cells) > len(cells)

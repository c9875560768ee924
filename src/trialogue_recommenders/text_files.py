"""Read the text files of the agents: sections of lines, so that phrases can be read and changed without code."""

from functools import cache
from importlib.resources import files


@cache
def lines_of(name: str) -> tuple[str, ...]:
    """Lines of a bundled file, such as ``kinds``, without blank lines and comments (#)."""
    text = files("trialogue_recommenders").joinpath(f"texts/{name}.txt").read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line.strip() and not line.startswith("#"))


@cache
def sections_of(name: str) -> dict[str, tuple[str, ...]]:
    r"""Lines of a file by section ("[greeting]"); ``\n`` in a line is a line break.

    >>> sections_of("signs")["no"][:2]
    ('^{aside}no(?! idea| preference| matter| clue| problem)', '^{aside}nope')
    """
    found: dict[str, tuple[str, ...]] = {}
    section = ""
    for line in lines_of(name):
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
            found[section] = ()
        else:
            found[section] += (line.replace("\\n", "\n"),)
    return found

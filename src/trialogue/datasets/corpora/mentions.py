"""Locate item titles in texts of corpora that list them or mark them with quotes.

This only finds titles that the corpus declares. Finding titles in arbitrary text is the title linker's task.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from trialogue.records import Mention, MentionedBy

YEAR = re.compile(r"\s*\((?:\d{4}[^()]*)?\)\s*$")  # "(1999)", "(2012 film)", and the "()" of an unknown year
ALIAS = re.compile(r"\s*\([^()]*\)\s*$")  # "(Wo hu cang long)"
MARKED = re.compile(
    r"""["@](?P<dated>[^"@]*?\(\d{4}[^()"]*\)) \s*"?   # "Troy  (2004)", the closing quote may be missing
      | "(?P<plain>\s*[A-Z0-9][^"]*?)"                  # "A Wrinkle in Time ", capitalised: not "so-so"
    """,
    re.VERBOSE,
)


def tidy_title(title: str) -> str:
    """Normalise spaces in a title, with one before the year.

    >>> tidy_title("The Shining  (1980)"), tidy_title("The Patriot(2000)"), tidy_title("Thelma ")
    ('The Shining (1980)', 'The Patriot (2000)', 'Thelma')
    """
    return re.sub(r"(?<=\S)\s*(\(\d{4})", r" \1", " ".join(title.split()))


def forms(title: str) -> Iterator[str]:
    """Forms of a title, most exact first: as it is, without its year, and also without its alternative title.

    >>> list(forms("Crouching Tiger, Hidden Dragon (Wo hu cang long) (2000)"))[1:]
    ['Crouching Tiger, Hidden Dragon (Wo hu cang long)', 'Crouching Tiger, Hidden Dragon']
    """
    title = title.strip()
    yield title
    for suffix in (YEAR, ALIAS):
        shorter = suffix.sub("", title)
        if shorter and shorter != title:
            yield shorter
            title = shorter


def locate(title: str, text: str, *, start: int = 0) -> tuple[int, int] | None:
    """(Start, end) offsets of a title in a text from ``start`` on, at word boundaries; None if absent.

    The exact form comes before the form without year, the same case before any other. Composed and decomposed accents,
    kinds of spaces and invisible characters make no difference.

    >>> locate("Elf (2003)", "Find yourself an elf: Elf!")
    (22, 25)
    """
    from trialogue.catalogue.layout import plain_text  # here: a table without titles needs no catalogue

    plain = plain_text(text)
    begins = start if plain.edges is None else bisect_left(plain.edges, (start, 0))
    lowered = plain.text.lower()
    for form in forms(plain_text(title).text):
        at = _find(form, plain.text, begins)
        if at < 0 and len(lowered) == len(plain.text):  # a few letters grow when lowered, and offsets with them
            at = _find(form.lower(), lowered, begins)
        if at >= 0:
            return plain.original(at, at + len(form))
    return None


def locate_titles(titles: Iterable[str], text: str) -> tuple[Mention, ...]:
    """Mentions of the titles that a corpus lists for a text, with offsets where they are found.

    A title given twice is looked for twice.
    """
    mentions = []
    behind: dict[str, int] = {}
    for title in titles:
        span = locate(title, text, start=behind.get(title, 0))
        start, end = span if span else (None, None)
        behind[title] = end if end is not None else len(text)
        mentions.append(Mention(title=title, start=start, end=end))
    return tuple(mentions)


def find_quoted_titles(text: str) -> tuple[Mention, ...]:
    """Mentions of titles in quotes, as in INFACT's files; offsets exclude the quotes.

    A title with a year may lack its closing quote, or open with @; one without a year must be capitalised.

    >>> [mention.title for mention in find_quoted_titles('Like "Troy  (2004)" or "Star Trek (2009) . It is "so-so".')]
    ['Troy (2004)', 'Star Trek (2009)']
    """
    mentions = []
    for match in MARKED.finditer(text):
        group = "dated" if match["dated"] is not None else "plain"
        if title := tidy_title(match[group]):
            start, end = match.span(group)
            mentions.append(Mention(title=title, start=start, end=end, origin="quoted", by=MentionedBy.QUOTED))
    return tuple(mentions)


def _find(needle: str, text: str, start: int) -> int:
    at = text.find(needle, start)
    while at >= 0:
        end = at + len(needle)
        if not (at and text[at - 1].isalnum()) and not (end < len(text) and text[end].isalnum()):
            return at
        at = text.find(needle, at + 1)
    return -1

"""Titles of measures that stand in one report: each its own, and in the words of its reader.

Two measures may differ in the case of a question or in a parameter alone. One title would then head two columns of a table,
and a sentence could mean either.
"""

from collections import defaultdict
from collections.abc import Iterable

from trialogue.findings.standings import League, Measure
from trialogue.records import MeasureName

SIMULATED = "simulated users"
"""What a title calls them where there is one kind, whose name says nothing to a reader."""


LEVELS = {"dialogue": "of dialogues", "response": "of replies"}
"""What people answered a question about."""


def titles_of(measures: Iterable[Measure]) -> dict[str, str]:
    """Title of each measure by its name; with what sets it apart only where another one has the same, up to case and marks.

    >>> same = {"title": "Hits", "by": "metric", "better": "higher", "unit": ""}
    >>> list(titles_of([Measure(name="hits(k=1)@any|v1", **same), Measure(name="hits(k=5)@any|v1", **same)]).values())
    ['Hits (k = 1)', 'Hits (k = 5)']
    """
    known = {measure.name: measure for measure in measures}
    kinds = {measure.users for measure in known.values()} - {None}
    titles = {name: _with_users(measure, len(kinds) > 1) for name, measure in known.items()}
    alike: dict[str, list[str]] = defaultdict(list)
    for name, title in titles.items():
        alike[_letters(title)].append(name)
    for names in alike.values():
        if len(names) > 1:
            titles |= _told_apart({name: (titles[name], known[name].measured) for name in names})
    return titles


def with_titles(leagues: Iterable[League]) -> tuple[League, ...]:
    """Leagues whose measures have titles of their own."""
    leagues = tuple(leagues)
    titles = titles_of(league.measure for league in leagues)
    return tuple(league.model_copy(update={"measure": retitle(league.measure, titles)}) for league in leagues)


def retitle(measure: Measure, titles: dict[str, str]) -> Measure:
    """A measure with its title among others."""
    return measure.model_copy(update={"title": titles[measure.name]})


def _with_users(measure: Measure, has_several: bool) -> str:
    if measure.users is None:
        return measure.plain_title
    return f"{measure.plain_title} ({measure.users if has_several else SIMULATED})"


def _told_apart(alike: dict[str, tuple[str, MeasureName]]) -> dict[str, str]:
    """Titles with the settings that differ, or the question as asked and of what; numbered where all that is alike."""
    has_levels = len({measured.level for _, measured in alike.values()}) > 1
    settings = [measured.settings for _, measured in alike.values()]
    differing = [
        key
        for key in dict.fromkeys(key for each in settings for key in each)
        if len({each.get(key) for each in settings}) > 1
    ]
    found: dict[str, str] = {}
    taken: dict[str, int] = {}
    for name, (title, measured) in alike.items():
        told = ", ".join(measured.settings[key] for key in differing if key in measured.settings)
        version = f"version {measured.version}" if measured.version else str(measured)
        apart = f"“{measured.question}”" if measured.question is not None else told or measured.detail or version
        apart = LEVELS[measured.level] if has_levels and measured.level else apart
        text = f"{title} ({apart})"
        taken[_letters(text)] = number = taken.get(_letters(text), 0) + 1
        found[name] = text if number == 1 else f"{text} #{number}"
    return found


def _letters(text: str) -> str:
    """What two titles that a reader takes for one have in common."""
    return "".join(each for each in text.casefold() if each.isalnum()) or text

"""Shorten long system names for display by eliding the middle, keeping them distinct.

Machine-readable files (``findings.json``, the tables) keep every name whole.
"""

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from trialogue.findings import Findings
from trialogue.findings.agreement.records import AgreementFindings
from trialogue.report.text import columns, one_line, shorten

LONGEST = 60  # columns of a name in a sentence or a table of the page; half a line

if TYPE_CHECKING:
    from trialogue.findings.board.records import BoardFindings
    from trialogue.findings.comparison.records import Comparison

Shown = TypeVar("Shown", Findings, AgreementFindings, "Comparison", "BoardFindings")


def short_names(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """Display name by name; names that would look alike get numbers.

    >>> list(short_names(["a" * 9 + "1" + "b" * 9, "a" * 9 + "2" + "b" * 9, "c"], 8).values())
    ['aaaa…bbb', 'aa…bb #2', 'c']
    """
    known = list(dict.fromkeys(names))
    found = {name: name for name in known if columns(one_line(name)) <= longest}
    taken = {one_line(name) for name in found}
    numbers: dict[str, int] = {}
    for name in known:
        if name in found:
            continue
        text = cut = shorten(name, longest)
        number = numbers.get(cut, 1)  # of the last one that was cut alike
        while text in taken:
            number += 1
            mark = f" #{number}"
            text = shorten(name, max(longest - len(mark), 3)) + mark
        numbers[cut] = number
        taken.add(text)
        found[name] = text
    return {name: found[name] for name in known}


def with_short_names(findings: Shown, longest: int = LONGEST) -> Shown:
    """Findings with shortened names, also within sentences; the same object if there are no long names."""
    shown = {name: text for name, text in short_names(_names(findings), longest).items() if name != text}
    if not shown:
        return findings
    longest_first = sorted(shown, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    return type(findings).model_validate(_replace_names(findings.model_dump(), pattern, shown))


def _names(findings: "Findings | AgreementFindings | Comparison | BoardFindings") -> list[str]:
    match findings:
        case Findings():
            leagues = [each for league in findings.leagues for each in (*league.standings, *league.baselines)]
            votes = findings.votes.strengths if findings.votes is not None else ()
            return [
                *(facts.system for facts in findings.systems),
                *(standing.system for standing in leagues),
                *(strength.system for strength in votes),
            ]
        case AgreementFindings():
            return [one.system for ranking in findings.rankings for one in ranking.systems]
    from trialogue.findings.board.records import BoardFindings  # here: a report of systems needs neither

    if isinstance(findings, BoardFindings):
        return [name for row in findings.rows for name in (row.name, row.version, row.system)]
    return [findings.before, findings.after]


def _replace_names(value: Any, pattern: re.Pattern[str], shown: Mapping[str, str]) -> Any:
    match value:
        case str():
            return pattern.sub(lambda found: shown[found[0]], value)
        case dict():
            return {
                _replace_names(key, pattern, shown): _replace_names(each, pattern, shown) for key, each in value.items()
            }
        case list() | tuple():
            return [_replace_names(each, pattern, shown) for each in value]
    return value

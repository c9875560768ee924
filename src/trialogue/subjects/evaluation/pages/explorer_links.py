"""Links from the report's numbers to the dialogues behind them; "" everywhere where there is no explorer."""

from dataclasses import dataclass

from trialogue.findings import Findings
from trialogue.render.explorer.links import link
from trialogue.render.explorer.threats import threat_rows
from trialogue.render.long_names import LONGEST
from trialogue.render.measures import all_leagues, system_names
from trialogue.render.text import short_names

MAX_THREATS = 12  # links; the explorer's menu has all


@dataclass(frozen=True)
class ExplorerLinks:
    """Explorer links for the template, by display names of systems."""

    there: bool
    """Whether there is an explorer."""
    names: dict[str, str]
    """A system's whole name, by the one that is shown."""
    parts: dict[str, str]
    """The explorer's part, by measure; "" for any."""
    primary: str
    """The measure that the answer rests on; "" for none."""
    threats: tuple[tuple[str, str], ...]
    """(text, address) of threats that are about some dialogues."""

    def start_page(self) -> str:
        """The explorer without a filter."""
        return link() if self.there else ""

    def answer(self, a: str, b: str) -> str:
        """Two systems by the measure that the answer rests on."""
        return self.pair(a, b, self.primary)

    def system(self, name: str) -> str:
        """The rows of a system."""
        return link(systems=[self._full_name(name)]) if self.there else ""

    def cell(self, system: str, measure: str) -> str:
        """The rows of a system that have a value of a measure."""
        if not self.there:
            return ""
        return link(systems=[self._full_name(system)], part=self.parts.get(measure, ""), measure=measure)

    def pair(self, a: str, b: str, measure: str) -> str:
        """The rows of two systems, by a measure."""
        if not self.there:
            return ""
        return link(systems=[self._full_name(a), self._full_name(b)], part=self.parts.get(measure, ""), measure=measure)

    def dialogue(self, system: str, name: str) -> str:
        """One dialogue, of whatever part."""
        return link(opened=["", self._full_name(system), name]) if self.there else ""

    def _full_name(self, name: str) -> str:
        return self.names.get(name, name)


def explorer_links(findings: Findings, *, there: bool) -> ExplorerLinks:
    """The links of a report.

    Args:
        findings: findings with the systems' whole names.
        there: whether there is an explorer.
    """
    leagues = all_leagues(findings)
    shown = {text: name for name, text in short_names(system_names(findings), LONGEST).items()}
    parts = {league.measure.name: league.measure.users or "" for league in leagues}
    threats = tuple((rows.text, link(threat=rows.key)) for rows in threat_rows(findings)[:MAX_THREATS]) if there else ()
    return ExplorerLinks(there, shown, parts, findings.primary or "", threats)

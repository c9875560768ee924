"""Map speaker names in tables to user or system: well-known names, and those declared in the mapping."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from trialogue.datasets.json_documents import ParseReport
from trialogue.records import Speaker

_USER = "user usr seeker initiator human customer client person participant searcher"
_SYSTEM = "system sys recommender respondent assistant asst agent bot chatbot crs recommendersystem ai model wizard rec"
PREFIXED = re.compile(r"\s*([^\s:][^:\n]{0,24}?)\s*:\s+(.*)$", re.DOTALL)
"""A text that says whose it is: ``User: hello``."""
OBVIOUS: dict[str, Speaker] = {
    **dict.fromkeys(_USER.split(), "user"),
    **dict.fromkeys(_SYSTEM.split(), "system"),
}


@dataclass
class Speakers:
    """Known speaker names, and unknown ones with their counts and first lines."""

    explained: Mapping[str, Speaker]
    unknown: dict[str, tuple[int, int]] = field(default_factory=dict)

    def resolve(self, name: str, line: int) -> Speaker | None:
        """The speaker of a name; None, and recorded, if unknown.

        >>> speakers = Speakers({"Alice": "user"})
        >>> speakers.resolve("Alice", 1), speakers.resolve("CHAT-BOT:", 2), speakers.resolve("Bob", 3)
        ('user', 'system', None)
        >>> list(speakers.unknown)
        ['Bob']
        """
        known = self.peek(name)
        if known is None:
            times, first = self.unknown.get(name, (0, line))
            self.unknown[name] = (times + 1, first)
        return known

    def peek(self, name: str) -> Speaker | None:
        """The speaker of a name; None if unknown, which is not recorded. ``*`` explains all other names."""
        return self.explained.get(name) or self.explained.get(name.strip()) or obvious(name) or self.explained.get("*")

    def settle(self, column: str, report: ParseReport) -> None:
        """Report all unknown names at once."""
        if self.unknown:
            seen = ", ".join(f"{name!r} ({times}×)" for name, (times, _) in list(self.unknown.items())[:10])
            example = ", ".join(f"{name}: user" for name in list(self.unknown)[:2])
            hint = f"Map them to roles, for example: speakers: {{{example}}}"
            line = min(first for _, first in self.unknown.values())
            report.wrong(f"unknown speakers, neither user nor system: {seen}.", column, line=line, hint=hint)


@lru_cache(maxsize=1024)  # a table has few names and many rows
def obvious(name: str) -> Speaker | None:
    """The speaker of a well-known name, ignoring case and punctuation; None for any other."""
    return OBVIOUS.get(re.sub(r"[\W_]+", "", name).lower())

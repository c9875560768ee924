"""Title linker with a cache, since agents repeat few sentences with many titles."""

from trialogue.records import Mention
from trialogue.simulation.language.phrases import Linker

LONGEST = 20_000  # characters in which titles are looked for; a list of 200 titles has some 6,000
REMEMBERED = 20_000  # texts whose titles are kept


class CachingLinker:
    """Caching wrapper around a linker; thread-safe."""

    def __init__(self, linker: Linker) -> None:
        self._linker = linker
        self._found: dict[str, tuple[Mention, ...]] = {}

    def find(self, text: str) -> tuple[Mention, ...]:
        """Items named in the first 20,000 characters of a text, in order."""
        found = self._found.get(text)
        if found is None:
            if len(self._found) >= REMEMBERED:
                self._found.clear()
            found = self._found[text] = tuple(self._linker.find(text[:LONGEST]))
        return found

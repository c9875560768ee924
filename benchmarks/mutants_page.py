"""The page about mutants."""

from pathlib import Path

PAGE = Path(__file__).parent / "MUTANTS.md"


def page(*a, **k):
    return ""

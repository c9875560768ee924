"""Style and persona of language-model users: typing errors, and personas from a file."""

from collections.abc import Callable
from pathlib import Path

from trialogue.errors import DataError, Problem
from trialogue.seeds import rng_for
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.language.typos import add_typos
from trialogue.simulation.random_source import RandomSource


def read_personas(path: Path) -> tuple[str, ...]:
    """Read personas from a text file, one per non-empty line.

    Raises:
        DataError: the file cannot be read, or holds none.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(Problem(f"cannot be read: {error.strerror or error}.", str(path))) from error
    except UnicodeDecodeError as error:
        raise DataError(Problem(f"byte {error.start} is not UTF-8.", str(path))) from error
    found = tuple(line.strip() for line in text.splitlines() if line.strip())
    if not found:
        raise DataError(Problem("holds no persona.", str(path), hint="Write one persona on each line."))
    return found


def persona_of(personas: tuple[str, ...], case: str, *, seed: int) -> str:
    """Persona of a case, the same for every agent; "" without personas."""
    return RandomSource(rng_for(seed, case, "persona")).pick(personas) if personas else ""


def typist(rate: float, linker: Linker, rng: RandomSource) -> Callable[[str], str] | None:
    """Function that adds typos outside titles, with the user's own random numbers; None for a rate of 0."""
    if not rate:
        return None

    def type_around_titles(text: str) -> str:
        spans = [
            (each.start, each.end) for each in linker.find(text) if each.start is not None and each.end is not None
        ]
        pieces, at = [], 0
        for start, end in sorted(spans):
            if start >= at:
                pieces += [add_typos(text[at:start], rate, rng), text[start:end]]
                at = end
        return "".join([*pieces, add_typos(text[at:], rate, rng)])

    return type_around_titles

"""Definitions of the thirteen strategies and ``no_strategy``: when they apply, and which one they are mistaken for.

The names and the idea of each are those of Hayati et al. (EMNLP 2020), who labelled INSPIRED with them; the wording, the
tests against neighbours and every bundled example are ours. The corpus' conventions decide where a definition alone would
not: a bare film title is encouragement, a bare actor's name credibility, "you're welcome" no strategy.
"""

import importlib.resources
from functools import cache
from typing import Any

from trialogue.records import Record, read_records
from trialogue.strategies.base import Example


class Neighbor(Record):
    """A strategy that is taken for another, and how to tell."""

    strategy: str
    """Name of the strategy that this one is taken for."""
    how: str
    """Distinction, as a sentence about the other strategy."""


class Strategy(Record):
    """One strategy of the taxonomy."""

    name: str
    """Its name in labels, such as ``"opinion_inquiry"``."""
    title: str
    """Its name in prose."""
    definition: str
    """Definition: the recommender's behavior."""
    use: str
    """When it is the right label."""
    avoid: str
    """When it is not, though it may look so."""
    neighbors: tuple[Neighbor, ...]
    """Strategies often confused with it, most frequent first."""


@cache
def taxonomy_fields() -> dict[str, dict[str, Any]]:
    """Texts of every strategy by its name, from ``bundled/taxonomy.yaml``."""
    import yaml

    text = (importlib.resources.files("trialogue.strategies") / "bundled" / "taxonomy.yaml").read_text("utf-8")
    loaded: dict[str, dict[str, Any]] = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return loaded


TAXONOMY: dict[str, Strategy] = {
    name: Strategy(
        name=name,
        title=name.replace("_", " "),
        neighbors=tuple(Neighbor(strategy=other, how=how) for other, how in texts["neighbors"].items()),
        **{field: texts[field] for field in ("definition", "use", "avoid")},
    )
    for name, texts in taxonomy_fields().items()
}


def bundled_examples() -> tuple[Example, ...]:
    """The bundled labelled sentences, all invented by Trialogue's authors: habitual and general ones.

    At least 45 of each of the 13 strategies and ``no_strategy``. Stock phrases ("Me too!") occur in any corpus of such
    talk; nothing longer was taken from one.
    """
    return habitual_examples() + general_examples()


@cache
def habitual_examples() -> tuple[Example, ...]:
    """Examples written while consulting INSPIRED dev, following the corpus' labelling conventions."""
    return _read_bundled("examples.jsonl")


@cache
def general_examples() -> tuple[Example, ...]:
    """Examples written from the definitions above, without sight of any corpus, over many topics and domains."""
    return _read_bundled("general.jsonl")


def _read_bundled(name: str) -> tuple[Example, ...]:
    resource = importlib.resources.files("trialogue.strategies") / "bundled" / name
    with importlib.resources.as_file(resource) as path:
        return tuple(read_records(path, Example))

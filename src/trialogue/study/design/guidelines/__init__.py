"""Annotation guidelines of the thirteen strategies and ``no_strategy``, in every available language.

English is that of ``trialogue.strategies.taxonomy``, with the first of our labelled sentences as examples. Another language
is a file beside this one, such as ``de.yaml``, with the same fields for every strategy.
"""

from functools import cache
from importlib.resources import files

from pydantic import TypeAdapter

from trialogue.records import Record
from trialogue.study.design.questions import Words

EXAMPLES = 4  # of a strategy, of our own labelled sentences
ENGLISH = "en"


class Guideline(Record):
    """Annotation guideline of a strategy, in one language."""

    title: str
    """Name of the strategy in this language."""
    definition: str
    """Definition: the recommender's behavior."""
    use: str
    """When it is the right label."""
    avoid: str
    """When it is not, though it may look so."""
    neighbors: dict[str, str]
    """Strategies often confused with this one, each with a sentence on the distinction."""
    examples: tuple[str, ...]
    """Example sentences with this label."""


_file: TypeAdapter[dict[str, Guideline]] = TypeAdapter(dict[str, Guideline])


@cache
def languages() -> tuple[str, ...]:
    """Languages with guidelines, English first.

    >>> languages()
    ('en', 'de')
    """
    entries = files(__name__).iterdir()
    return (ENGLISH, *sorted(entry.name.removesuffix(".yaml") for entry in entries if entry.name.endswith(".yaml")))


@cache
def guidelines(language: str = ENGLISH) -> dict[str, Guideline]:
    """Guidelines by the strategy's name: in a language, its parent (``de`` for ``de-at``), or English."""
    for name in (language, language.partition("-")[0]):
        if name in languages() and name != ENGLISH:
            import yaml

            return _file.validate_python(yaml.safe_load((files(__name__) / f"{name}.yaml").read_text(encoding="utf-8")))
    return _english()


@cache
def _english() -> dict[str, Guideline]:
    from trialogue.strategies.taxonomy import bundled_examples, taxonomy_fields

    examples: dict[str, list[str]] = {}
    for example in bundled_examples():
        if len(examples.setdefault(example.label, [])) < EXAMPLES:
            examples[example.label].append(example.text)
    return {
        name: Guideline(
            title=name.replace("_", " ").capitalize(),
            examples=tuple(examples.get(name, ())),
            **{field: texts[field] for field in ("definition", "use", "avoid", "neighbors")},
        )
        for name, texts in taxonomy_fields().items()
    }


def in_every_language(strategy: str, field: str) -> Words:
    """A text of a strategy's guideline by language; ``field``: ``title``, ``definition``, ``use`` or ``avoid``."""
    return {language: str(getattr(guidelines(language)[strategy], field)) for language in languages()}

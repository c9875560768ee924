"""When a label is the right one: what the study file says of it, or what we say of the thirteen strategies."""

from functools import cache
from typing import Any

from trialogue.study.design.questions import Option, said

EXAMPLES = 4  # of a strategy, from our own labelled sentences


def guideline_of(option: Option, language: str) -> dict[str, Any]:
    """Definition, examples and limits of a label; those of the study file first."""
    ours = _ours().get(option.value, {})
    return {
        "definition": said(option.help, language) or ours.get("definition", ""),
        "use": said(option.use, language) or ours.get("use", ""),
        "avoid": said(option.avoid, language) or ours.get("avoid", ""),
        "examples": [said(each, language) for each in option.examples] or ours.get("examples", []),
        "neighbors": ours.get("neighbors", []),
    }


@cache
def _ours() -> dict[str, dict[str, Any]]:
    """Guidelines of the thirteen strategies and ``no_strategy``, by name."""
    from trialogue.strategies.taxonomy import TAXONOMY, bundled_examples

    examples: dict[str, list[str]] = {}
    for example in bundled_examples():
        if len(examples.setdefault(example.label, [])) < EXAMPLES:
            examples[example.label].append(example.text)
    return {
        name: {
            "definition": strategy.definition,
            "use": strategy.use,
            "avoid": strategy.avoid,
            "examples": examples.get(name, []),
            "neighbors": [{"title": TAXONOMY[each.strategy].title, "how": each.how} for each in strategy.neighbors],
        }
        for name, strategy in TAXONOMY.items()
    }

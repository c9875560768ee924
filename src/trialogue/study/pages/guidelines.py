"""When a label is the right one: what the study file says of it, or what we say of the thirteen strategies."""

from typing import Any

from trialogue.study.design.guidelines import guidelines
from trialogue.study.design.questions import Option, said


def guideline_of(option: Option, language: str) -> dict[str, Any]:
    """Definition, examples and limits of a label; those of the study file first."""
    ours = guidelines(language)
    known = ours.get(option.value)
    return {
        "definition": said(option.help, language) or (known.definition if known else ""),
        "use": said(option.use, language) or (known.use if known else ""),
        "avoid": said(option.avoid, language) or (known.avoid if known else ""),
        "examples": [said(each, language) for each in option.examples] or list(known.examples if known else ()),
        "neighbors": [{"title": ours[other].title, "how": how} for other, how in known.neighbors.items()]
        if known
        else [],
    }

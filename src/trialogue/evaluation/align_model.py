"""Does the model fit what is aligned? Strategies that it does not know, and references that it knows by heart."""

from collections import Counter
from collections.abc import Iterator

from trialogue.errors import DataError, Problem
from trialogue.evaluation.labelling import by_people
from trialogue.evaluation.material import Material
from trialogue.strategies.models import Model
from trialogue.strategies.names import CLASSES


def check_strategies(material: Material, model: Model) -> None:
    """Raise DataError where people's labels of references name strategies of ours that the model does not know.

    Whatever stands in such a place, the model could not say that a reply does the same.
    """
    said = [one.reference for one in material.situations if one.reference is not None and by_people(one.reference)]
    names = Counter(label.strategy for each in said for label in each.strategies or () if label.probability is None)
    unknown = {name: names[name] for name in CLASSES if name in names and name not in model.classes}
    if unknown:
        listed = ", ".join(f"{name} ({count} {'time' if count == 1 else 'times'})" for name, count in unknown.items())
        raise DataError(
            Problem(
                f"people labelled references with strategies that the model {model.origin} does not know: {listed}. "
                f"It knows {', '.join(model.classes)}.",
                hint="Take the bundled model, or train one on sentences of all these strategies.",
            )
        )


def strategies_lacking(model: Model) -> Iterator[str]:
    """A sentence where the model knows only some of our strategies."""
    known = [name for name in CLASSES if name in model.classes]
    if len(known) < len(CLASSES):
        lacking = ", ".join(name for name in CLASSES if name not in model.classes)
        yield (
            f"the model {model.origin} knows {len(known) or 'none'} of the {len(CLASSES)} strategies: where others are used "
            f"({lacking}), it takes them for one that it knows, and two such replies may seem to match."
        )

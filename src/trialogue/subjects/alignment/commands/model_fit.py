"""Check that a strategy model fits the data: strategies it does not know, and references in its training data."""

from collections import Counter
from collections.abc import Iterator

from trialogue.errors import DataError, Problem
from trialogue.fingerprints import fingerprint, known_texts
from trialogue.inputs.inputs import InputRecords
from trialogue.records import has_ground_truth
from trialogue.strategies.base import CLASSES
from trialogue.strategies.models import Model, training_fingerprints
from trialogue.strategies.sentences import sentences


def check_strategies(material: InputRecords, model: Model) -> None:
    """Raise DataError if human labels of references name strategies that the model does not know.

    Whatever stands in such a place, the model could not say that a reply does the same.
    """
    said = [
        one.reference for one in material.situations if one.reference is not None and has_ground_truth(one.reference)
    ]
    names = Counter(label.strategy for each in said for label in each.strategies or () if label.is_ground_truth)
    unknown = {name: names[name] for name in CLASSES if name in names and name not in model.classes}
    if unknown:
        listed = ", ".join(f"{name} ({count} {'time' if count == 1 else 'times'})" for name, count in unknown.items())
        raise DataError(
            Problem(
                f"people labelled references with strategies that the model {model.origin} does not know: {listed}. "
                f"It knows {', '.join(model.classes)}.",
                hint="Use the bundled model, or train one on sentences of all these strategies.",
            )
        )


def strategies_lacking(model: Model) -> Iterator[str]:
    """Sentence about strategies that the model does not know."""
    known = [name for name in CLASSES if name in model.classes]
    if len(known) < len(CLASSES):
        lacking = ", ".join(name for name in CLASSES if name not in model.classes)
        yield (
            f"the model {model.origin} knows {len(known) or 'none'} of the {len(CLASSES)} strategies: it "
            f"mistakes the others ({lacking}) for one that it knows, and two such replies may seem to match."
        )


def seen_references(material: InputRecords, model: Model) -> Iterator[str]:
    """A warning if the model was trained on these references, or on their corpus.

    What a model was trained on is kept beside it. Of one that an earlier version wrote, only its corpora are known.
    """
    fingerprints = training_fingerprints(model)
    if fingerprints is not None:
        yield from known_references(material, "the model", fingerprints)
    elif shared := sorted({one.source for one in material.situations if one.source} & set(model.card.sources)):
        yield _memorised_line("the model", f"{', '.join(shared)}, which these situations come from")


def known_references(material: InputRecords, who: str, fingerprints: frozenset[str]) -> Iterator[str]:
    """A warning if the training fingerprints of ``who`` contain the references."""
    found = known_texts(fingerprints, _pieces(material, fingerprints))
    if found.is_memorised:
        yield _memorised_line(who, f"{found.counts} of the references")


def _memorised_line(who: str, what: str) -> str:
    return (
        f"{who} was trained on {what}: it has memorised the references, and implicit alignment may be off "
        "by far more than its interval suggests. Train it on other dialogues."
    )


def _pieces(material: InputRecords, fingerprints: frozenset[str]) -> Iterator[str]:
    """The sentences of the references; one that was trained on as a whole is one."""
    for one in material.situations:
        if one.reference is not None:
            text = one.reference.text
            yield from [text] if fingerprint(text) in fingerprints else sentences(text)

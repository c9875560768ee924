"""Label and calibrate with a language model: labellers by name, cost in advance, and agreement with people."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from trialogue.datasets import Repairs
from trialogue.inputs.inputs import gather, situations_in
from trialogue.inputs.locations import Named, records_of
from trialogue.records import Dialogue, Estimate, Labeller
from trialogue.strategies.base import Context, Example, Floats, data_hash, ordered_classes
from trialogue.strategies.classifiers.llm_labeller import LabellingCost, LlmLabeller, labeller_options, named_path
from trialogue.strategies.evaluation.results import kappa_between_people
from trialogue.strategies.labelling import Options, label_records
from trialogue.strategies.learning.training import calibrate
from trialogue.strategies.models import Model, load_model


def find_language_model(given: str) -> LlmLabeller | Model:
    """Labeller of ``llm:FILE.yaml`` or ``llm:openai:MODEL``, or the calibrated one in a folder, ``llm:FOLDER``.

    Raises:
        UsageError, DataError: neither of them, or mistakes in the file.
    """
    folder = named_path(given)
    return load_model(folder) if folder.is_dir() else LlmLabeller(labeller_options(given))


@dataclass(eq=False)
class _Collector:
    """Labeller that answers nothing and keeps what it was asked."""

    labeller: LlmLabeller
    texts: list[str] = field(default_factory=list)
    contexts: list[Context] = field(default_factory=list)
    name: str = "llm"
    languages: tuple[str, ...] | None = None
    labeller_kind: Labeller = Labeller.LLM

    @property
    def classes(self) -> tuple[str, ...]:
        return self.labeller.classes

    @property
    def origin(self) -> str:
        return self.labeller.origin

    @property
    def uses_context(self) -> bool:
        return self.labeller.uses_context

    def probabilities(self, texts: Sequence[str], contexts: Sequence[Context] | None = None) -> Floats:
        self.texts += texts
        self.contexts += contexts if contexts is not None else [()] * len(texts)
        return np.full((len(texts), len(self.classes)), np.nan)


def raw_labeller(labeller: LlmLabeller | Model) -> LlmLabeller:
    """The language model of a labeller, calibrated or not."""
    raw = labeller.raw if isinstance(labeller, Model) else labeller
    assert isinstance(raw, LlmLabeller)
    return raw


def labelling_cost(
    source: Named, labeller: LlmLabeller | Model, *, options: Options | None = None, situations: Sequence[Named] = ()
) -> LabellingCost:
    """Cost of labelling a source, without a request.

    Args:
        source: a corpus, a file, ``NAME=FILE``, or a folder of files.
        labeller: labeller that would be asked.
        options: options for labelling.
        situations: situations that responses answer, where the source does not hold them.
    """
    raw = raw_labeller(labeller)
    collector = _Collector(raw)
    known = situations_in(gather(situations))
    for _ in label_records(records_of(source, Repairs()), collector, options=options, situations=known):
        pass
    return raw.cost(collector.texts, collector.contexts)


@dataclass(frozen=True)
class CalibratedLabeller:
    """A calibrated language model and its agreement with people."""

    model: Model
    between_people: Estimate
    """Cohen's kappa of two people on the sentences that a second person labelled."""


def calibrate_language_model(
    labeller: LlmLabeller, examples: Sequence[Example], dialogues: Sequence[Dialogue], *, origin: str, seed: int = 0
) -> CalibratedLabeller:
    """Calibrate a language model on people's labels; nothing is trained.

    Args:
        labeller: not calibrated.
        examples: labelled sentences.
        dialogues: dialogues that they are from, for a second person's labels.
        origin: whose labels the examples have.
        seed: random seed for the pairs and the intervals.
    """
    marked = for_examples(labeller, examples)
    return CalibratedLabeller(
        calibrate(marked, examples, seed=seed), kappa_between_people(dialogues, origin=origin, seed=seed)
    )


def for_examples(labeller: LlmLabeller, examples: Sequence[Example]) -> LlmLabeller:
    """The labeller that chooses among the strategies of the examples and is marked as calibrated on them."""
    classes = ordered_classes(example.label for example in examples)
    return replace(labeller, classes=classes, calibrated_on=data_hash(examples))

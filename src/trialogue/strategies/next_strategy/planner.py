"""Plan the next strategy of a human recommender, and word it as an instruction for a language model.

Choosing the most probable strategy every time gives a recommender that uses only two or three; ``Plan.draw`` samples from
the distribution and so keeps the human distribution of strategies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import Dialogue, Situation, Utterance
from trialogue.strategies.next_strategy.sequence import UNLABELLED, SequenceModel, Tokens, next_distribution, tokens_of
from trialogue.strategies.taxonomy import taxonomy_fields

INSTRUCTIONS: dict[str, str] = {name: texts["instruction"] for name, texts in taxonomy_fields().items()}
"""The instruction of a language model for each strategy; the wording is ours."""


def instruction_for(strategy: str, *, texts: Mapping[str, str] = INSTRUCTIONS) -> str:
    """The instruction that makes a language model use a strategy in its next sentence.

    Raises:
        UnknownNameError: there is no text for it.
    """
    if strategy not in texts:
        raise UnknownNameError("instruction for the strategy", strategy, texts)
    return texts[strategy]


@dataclass(frozen=True)
class Plan:
    """Predicted next strategies of a human recommender."""

    probabilities: dict[str, float]
    """Probability of each strategy, in descending order; they sum to 1."""
    history: Tokens
    """The behaviors that it rests on."""
    origin: str
    """Origin of the model that predicted them."""

    @property
    def best(self) -> str:
        """The most probable strategy."""
        return next(iter(self.probabilities))

    @property
    def unlabelled_count(self) -> int:
        """System utterances of the history without labels: the more, the less the plan knows."""
        return self.history.count(UNLABELLED)

    def draw(self, rng: np.random.Generator) -> str:
        """A strategy as one of many people might choose it."""
        names, shares = list(self.probabilities), np.array(list(self.probabilities.values()))
        return names[int(rng.choice(len(names), p=shares / shares.sum()))]

    def instruction(
        self, strategy: str | None = None, *, others: int = 2, texts: Mapping[str, str] = INSTRUCTIONS
    ) -> str:
        """A piece of a prompt that makes a language model say the next sentence as a human recommender would.

        Args:
            strategy: the one to use, such as a drawn one; None: the most probable.
            others: how many other strategies are named, as what people also do here.
            texts: what is said for each strategy.

        Raises:
            UnknownNameError: the strategy is none of the plan's, or has no text.
            UsageError: ``others`` is negative.
        """
        chosen = self.best if strategy is None else strategy
        if chosen not in self.probabilities:
            raise UnknownNameError("strategy", chosen, self.probabilities)
        if others < 0:
            raise UsageError(f"others must be 0 or more, got {others}.")
        lines = [f"In your next sentence: {instruction_for(chosen, texts=texts)}"]
        lines.append(
            f"({_strategy_words(chosen)}: {self.probabilities[chosen]:.0%} of human recommenders would do this here."
        )
        rest = [name for name in self.probabilities if name != chosen][:others]
        also = ", ".join(f"{_strategy_words(name)} {self.probabilities[name]:.0%}" for name in rest)
        return " ".join(lines) + (f" Also usual: {also}.)" if also else ")")


def _strategy_words(strategy: str) -> str:
    return strategy.replace("_", " ")


def plan_next(model: SequenceModel, so_far: Dialogue | Situation | Sequence[Utterance]) -> Plan:
    """Predict a human recommender's next strategies after a dialogue, or in a situation (ignoring its reference).

    If the system spoke last, the plan is for another sentence of the same turn. A dialogue without utterances is one that
    begins. Of classes that are equally probable the first of the model's comes first.
    """
    history = tokens_of(_utterances(so_far), user=model.user)
    row = next_distribution(model, history)
    order = np.argsort(-row, kind="stable")
    return Plan({model.classes[place]: float(row[place]) for place in order.tolist()}, history, model.origin)


def _utterances(so_far: Dialogue | Situation | Sequence[Utterance]) -> Sequence[Utterance]:
    if isinstance(so_far, Dialogue):
        return so_far.utterances
    return so_far.context if isinstance(so_far, Situation) else so_far

"""Plan the next strategy of a human recommender, and word it as an instruction for a language model.

Choosing the most probable strategy every time gives a recommender that uses only two or three; ``Plan.draw`` samples from
the distribution and so keeps the human distribution of strategies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import NO_STRATEGY, Dialogue, Situation, Utterance
from trialogue.strategies.next_strategy.sequence import UNLABELLED, SequenceModel, Tokens, next_distribution, tokens_of

INSTRUCTIONS: dict[str, str] = {
    "acknowledgment": (
        "Show in a few words that you heard what the seeker just said: take it in or confirm it. Add nothing of your own."
    ),
    "credibility": (
        "Give one fact about the film under discussion that could be looked up and bears on what the seeker wants: plot, "
        "cast, director, year, awards, or what critics say. State it without judging, and only if you are sure of it."
    ),
    "encouragement": (
        "Move the seeker towards one film: put it forward as the one to watch, or back their choice, and speak to them "
        "directly. Do not describe the film."
    ),
    "experience_inquiry": (
        "Ask one question about what the seeker has seen or done: whether they know a certain film, or what they watched "
        "last. Do not ask how they liked it."
    ),
    "offer_help": (
        "Say what you are going to do for the seeker, or offer to do it, such as looking for a film or sending a trailer. "
        "Name no film yet."
    ),
    "opinion_inquiry": (
        "Ask one question about the seeker's taste or judgment: a favorite genre, actor or film, or what they made of one."
    ),
    "personal_experience": (
        "Share an experience with a film, such as when you watched it, or that you do not know it. If you are a program, do "
        "not invent experiences: report what people said about watching it."
    ),
    "personal_opinion": (
        "Give your own judgment of the film, actor or genre under discussion, in plain words. Do not tell the seeker to "
        "watch anything."
    ),
    "preference_confirmation": (
        "Ask one yes-or-no question that confirms a wish of the seeker, or asks whether your proposal suits them."
    ),
    "rephrase_preference": (
        "Say back in your own words what the seeker likes or wants, as a statement, so that they can correct you."
    ),
    "self_modeling": (
        "Set an example: say what you would choose to watch, or always come back to. If you are a program, speak of what "
        "you would pick, not of evenings you never had."
    ),
    "similarity": (
        "Agree with what the seeker just said about their taste or view, and show that you share it. Bring up nothing new."
    ),
    "transparency": (
        "Say or ask what this conversation is for: whether they want a film suggested, may be asked some questions, or need "
        "anything else."
    ),
    NO_STRATEGY: (
        "Keep the conversation going without recommending or asking about films: greet, thank, make small talk or say "
        "goodbye, whichever fits."
    ),
}
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
    """The model."""

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

"""Who gave a label, a rating, an act or a mention: closed kinds, so that nothing is read from a name or a missing number.

``StrategyLabel.origin`` and ``Rating.rater`` stay the free names that corpora use; these types say of what kind the one
behind the name is. None stands for a file that does not say.
"""

from enum import StrEnum


class Labeller(StrEnum):
    """The kind of whoever labelled a strategy."""

    PERSON = "person"
    """A person read the text: the only labels that correct a model."""
    MODEL = "model"
    """A trained classifier."""
    LLM = "llm"
    """A large language model that was asked."""
    SCRIPTED = "scripted"
    """A script that walked a labelling study: a rehearsal of one with people."""
    INVENTED = "invented"
    """The authors of invented texts, who invented their labels with them."""

    @property
    def is_ground_truth(self) -> bool:
        """Whether a model is held against it: labels of people and, where a study is rehearsed, what stands in for them.

        Labels of an LLM are another model's guesses, however plainly they are written.
        """
        return self in (Labeller.PERSON, Labeller.SCRIPTED, Labeller.INVENTED)


class ActOrigin(StrEnum):
    """Who says what an utterance does."""

    DECLARED = "declared"
    """The speaker's own program, which knows what it meant."""
    ANNOTATED = "annotated"
    """People who read the dialogue, or the corpus' authors."""
    RECOGNISED = "recognised"
    """The simulated user that was addressed: what rests on these acts rests on its understanding."""


class MentionedBy(StrEnum):
    """How an item was found in a text."""

    ANNOTATED = "annotated"
    """By the corpus."""
    QUOTED = "quoted"
    """By the marks that the corpus puts around titles."""
    DECLARED = "declared"
    """By the agent, which says what it names."""
    SIMULATED = "simulated"
    """By the simulated user that wrote the text."""
    LINKED = "linked"
    """By a linker, whose signature is the origin."""

"""Quality gates: the closed list of faults that the user side of any dialogue is checked for."""

from enum import StrEnum


class Gate(StrEnum):
    """Fault of the user's side, never of the agent's."""

    TARGET_LEAKED = "target_leaked"
    """The user named an item that satisfies the need before the agent did."""
    ASSISTANT_ROLE = "assistant_role"
    """The user speaks as an assistant or recommender, of being a model, or of instructions and roles."""
    PREMATURE_STOP = "premature_stop"
    """The user left as content though the agent had named nothing that satisfies the need, or after one message."""
    ENDLESS_THANKS = "endless_thanks"
    """Three messages of the user in a row that do nothing but thank and say goodbye."""
    LOOP = "loop"
    """The user said the same, in nearly the same words, three times."""
    TRUNCATED = "truncated"
    """A message of the user is empty, or breaks off."""
    NEED_CONTRADICTED = "need_contradicted"
    """The user rejected an item that meets the need, or asked for something that contradicts it."""

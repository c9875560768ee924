"""Write and parse the ``source`` field of simulated dialogues. No other module does."""

from trialogue.records import Dialogue

SIMULATED = "simulated/"


def source_of_users(users: str) -> str:
    """The source of dialogues with simulated users of a kind.

    >>> source_of_users("cir6-pkg")
    'simulated/cir6-pkg'
    """
    return f"{SIMULATED}{users}"


def users_of_source(dialogue: Dialogue) -> str | None:
    """The kind of simulated users that took part in a dialogue; None where it was not simulated, or nobody recorded it."""
    source = dialogue.source or ""
    return source.removeprefix(SIMULATED) if source.startswith(SIMULATED) else None

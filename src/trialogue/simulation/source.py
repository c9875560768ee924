"""Write and parse the ``source`` field of simulated dialogues. No other module does."""

from trialogue.records import Dialogue

SIMULATED = "simulated/"


def source_of_users(users: str) -> str:
    """``source`` of dialogues with a kind of simulated users.

    >>> source_of_users("cir6-pkg")
    'simulated/cir6-pkg'
    """
    return f"{SIMULATED}{users}"


def users_of_source(dialogue: Dialogue) -> str | None:
    """Kind of simulated users in a dialogue; None if it was not simulated, or not recorded."""
    source = dialogue.source or ""
    return source.removeprefix(SIMULATED) if source.startswith(SIMULATED) else None

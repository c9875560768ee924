"""Names of agents that replay the recorded dialogues of a system. No other module writes or reads them."""

REPLAY = "replay:"


def replay_of(system: str) -> str:
    """Name of a replay of a system.

    >>> replay_of("kelly")
    'replay:kelly'
    """
    return f"{REPLAY}{system}"


def replayed_system(name: str) -> str:
    """The system that an agent replays; any other agent's own name.

    >>> replayed_system("replay:kelly"), replayed_system("kelly")
    ('kelly', 'kelly')
    """
    return name.removeprefix(REPLAY)

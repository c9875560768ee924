"""Dialogues with a message to be labelled that could be out of view."""

LONG = [
    {"speaker": "system" if n % 2 else "user", "text": f"Words about film number {n}. " * (1 + n % 4)}
    for n in range(21)
]
MARKED: dict[str, tuple[list[dict[str, str]], int]] = {
    "at the end of a long dialogue": (LONG, 20),
    "within it": (LONG, 5),
    "at its beginning": (LONG, 0),
    "alone": (LONG[:1], 0),
    "longer than a screen": ([*LONG[:9], {"speaker": "system", "text": "Very many words. " * 300}], 9),
    "after a message longer than a screen": ([{"speaker": "user", "text": "Very many words. " * 300}, LONG[1]], 1),
}
"""Dialogue and index of the message, by where it stands."""

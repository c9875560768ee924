"""The version of this branch: somebody broke the list of films, so it crashes after the first recommendation."""

import released


def reply(message, history):
    """The next reply; raises an error from the third on."""
    replies = sum(utterance.speaker == "system" for utterance in history)
    if replies > 1:
        raise LookupError("films")
    return released.reply(message, history)

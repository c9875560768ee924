"""Dialogues of acts alone: ``acted("u:Disclose", "a:List")``."""

from trialogue.records import Dialogue, DialogueAct, Mention, Utterance

SPEAKERS = {"u": "user", "a": "system"}


def said(word: str) -> Utterance:
    """An utterance from ``u:Label`` or ``a:Label``; ``u:`` has an act of no kind, ``u`` none; ``a:List=Film`` names it."""
    speaker, colon, rest = word.partition(":")
    label, equals, title = rest.partition("=")
    acts = None if not colon else (DialogueAct(intent=label),) if label else ()
    mentions = (Mention(title=title),) if title else () if equals else None
    return Utterance.model_validate(
        {"speaker": SPEAKERS[speaker], "text": label or "...", "acts": acts, "mentions": mentions}
    )


def acted(*words: str, name: str = "d", system: str = "A", ended_by: str | None = None) -> Dialogue:
    """A dialogue of such utterances."""
    return Dialogue(id=name, utterances=tuple(map(said, words)), system=system, ended_by=ended_by)

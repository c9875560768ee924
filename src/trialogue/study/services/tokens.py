"""Signed tokens of pages, which prevent answers for another participant or item."""

from django.core import signing

SALT = "trialogue.step"


def token_for(participant_id: int, step: str) -> str:
    """The token of a participant's step."""
    return signing.dumps([participant_id, step], salt=SALT, compress=False)


def step_in(token: str, participant_id: int) -> str | None:
    """The step that a token names; None if it is forged, damaged or another's."""
    try:
        owner, step = signing.loads(token, salt=SALT)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return step if owner == participant_id and isinstance(step, str) else None

"""Privacy notice: data stored about a participant beside answers, and the way to have them erased."""

from django.utils.translation import gettext

from trialogue.study.models import Identity, Participant
from trialogue.study.services.reading import file_of

PLATFORMS = {"prolific": "Prolific", "mturk": "MTurk", "connect": "Connect", "sona": "SONA"}


def has_id(participant: Participant) -> bool:
    """Whether an id of a platform or of a laboratory is stored with them."""
    return Identity.objects.filter(participant=participant).exists()


def stored_id(participant: Participant) -> str:
    """Notice that the platform id is stored, why and where; "" if none is."""
    if not has_id(participant):
        return ""
    return gettext(
        "%(id)s is stored separately from your answers, so that you can be paid, take part only once, and come"
        " back later. It is never published with the results."
    ) % {"id": _id_label(participant)}


def erased_how(participant: Participant) -> str:
    """Instructions for erasing everything, for participants with an id."""
    return gettext(
        "To have your answers and your ID deleted, use the receipt code from the last page, or write to "
        "%(contact)s and state your ID."
    ) % {"contact": _contact(participant)}


def receipt_text(participant: Participant) -> str:
    """Purpose of the receipt code, and alternatives."""
    if not has_id(participant):
        return gettext(
            "Keep this code in case you want your answers deleted later. We do not know your name and cannot "
            "find them without it."
        )
    return gettext(
        "With this code you can have your answers deleted later. %(id)s is stored separately from them: "
        "without the code, write to %(contact)s and state your ID to have everything deleted."
    ) % {"id": _id_label(participant), "contact": _contact(participant)}


def _id_label(participant: Participant) -> str:
    platform = PLATFORMS.get(file_of(participant.study).platform.name)
    if platform is None:
        return gettext("The ID from your link")
    return gettext("Your %(platform)s ID") % {"platform": platform}


def _contact(participant: Participant) -> str:
    return file_of(participant.study).contact or gettext("the study team")

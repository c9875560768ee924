"""What is stored about somebody besides their answers, and how they have it erased: said at consent and at the end."""

from django.utils.translation import gettext

from trialogue.study.models import Identity, Participant
from trialogue.study.services.reading import file_of

PLATFORMS = {"prolific": "Prolific", "mturk": "MTurk", "connect": "Connect", "sona": "SONA"}


def has_id(participant: Participant) -> bool:
    """Whether an id of a platform or of a laboratory is stored with them."""
    return Identity.objects.filter(participant=participant).exists()


def stored_id(participant: Participant) -> str:
    """That their id is stored, what for, and where; "" where none is."""
    if not has_id(participant):
        return ""
    return gettext(
        "%(id)s is stored, apart from your answers: so that you can be paid and take part once, and so that you can come "
        "back. Results are published without it."
    ) % {"id": _id_label(participant)}


def erased_how(participant: Participant) -> str:
    """How somebody with an id has everything erased."""
    return gettext(
        "To have your answers and your id erased, use the receipt code from the last page, or write to %(contact)s and name "
        "your id."
    ) % {"contact": _contact(participant)}


def receipt_text(participant: Participant) -> str:
    """What the receipt code is for, and whether there is another way."""
    if not has_id(participant):
        return gettext(
            "Keep this code if you may want to have your answers deleted later; we do not know your name and could not find "
            "them otherwise."
        )
    return gettext(
        "With this code you can have your answers deleted later. %(id)s is stored, too, apart from them: without "
        "the code, write to %(contact)s and name your id to have everything erased."
    ) % {"id": _id_label(participant), "contact": _contact(participant)}


def _id_label(participant: Participant) -> str:
    platform = PLATFORMS.get(file_of(participant.study).platform.name)
    if platform is None:
        return gettext("The id from your link")
    return gettext("Your %(platform)s id") % {"platform": platform}


def _contact(participant: Participant) -> str:
    return file_of(participant.study).contact or gettext("those who run the study")

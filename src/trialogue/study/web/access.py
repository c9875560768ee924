"""Identify participants by a code in a signed session cookie, renewed at every entry."""

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from trialogue.study.models import Participant, Study
from trialogue.study.services import rows

KEY, RECEIPTS = "participants", "receipts"


def study_of(slug: str) -> Study:
    """The study of an address.

    Raises:
        Http404: there is none.
    """
    return get_object_or_404(Study.objects.defer("configuration"), slug=slug)


def participant_of(request: HttpRequest, study: Study) -> Participant | None:
    """Participant of this browser in a study; None if there is none, or their data were erased."""
    code = request.session.get(KEY, {}).get(study.slug)
    return rows.person(code, study.slug) if code else None


def study_and_person(request: HttpRequest, slug: str) -> tuple[Study, Participant | None]:
    """The study of an address and who this browser is in it, read at once.

    Raises:
        Http404: there is no such study.
    """
    code = request.session.get(KEY, {}).get(slug)
    found = rows.person(code, slug) if code else None
    return (found.study, found) if found else (study_of(slug), None)


def remember(request: HttpRequest, participant: Participant) -> None:
    """This browser is the participant from now on; a session that was planted before is worth nothing."""
    known = {**request.session.get(KEY, {}), participant.study.slug: participant.code}
    request.session.cycle_key()
    request.session[KEY] = known


def forget(request: HttpRequest, study: Study) -> None:
    """End the participant's session in this browser."""
    known = {slug: code for slug, code in request.session.get(KEY, {}).items() if slug != study.slug}
    request.session[KEY] = known


def keep_receipt(request: HttpRequest, study: Study, receipt: str) -> None:
    """Keep the receipt code for the last page; the database holds only its hash."""
    request.session[RECEIPTS] = {**request.session.get(RECEIPTS, {}), study.slug: receipt}


def receipt_of(request: HttpRequest, study: Study) -> str:
    """The receipt code; "" where another browser has it."""
    return str(request.session.get(RECEIPTS, {}).get(study.slug, ""))

"""Monitoring endpoints: health and progress of the study, without personal data."""

import hmac
from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.db.models import Count, Max, Sum
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from trialogue.study.models import Assignment, Item, Participant, Study, Submission


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """200 while the database answers, else 503."""
    try:
        works = Study.objects.exists()
    except (DatabaseError, InterfaceError):
        works = False
    return JsonResponse({"status": "ok" if works else "no database"}, status=200 if works else 503)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Numbers in the text format of Prometheus, for clients with the token of ``TRIALOGUE_METRICS_TOKEN``.

    Raises:
        Http404: there is no token, or another was sent.
    """
    expected = f"Bearer {settings.METRICS_TOKEN}"
    if not settings.METRICS_TOKEN or not hmac.compare_digest(
        request.headers.get("Authorization", "").encode("utf-8", "replace"), expected.encode()
    ):
        raise Http404
    return HttpResponse("".join(_lines()), content_type="text/plain; version=0.0.4; charset=utf-8")


def _lines() -> Iterator[str]:
    yield "# HELP trialogue_participants Participants by state.\n# TYPE trialogue_participants gauge\n"
    people = Participant.objects.values_list("study__slug", "state").annotate(number=Count("pk"))
    for study, state, number in people.order_by("study__slug", "state"):
        yield f'trialogue_participants{{study="{study}",state="{state}"}} {number}\n'
    yield "# HELP trialogue_slots Ratings by state.\n# TYPE trialogue_slots gauge\n"
    slots = Assignment.objects.values_list("item__study__slug", "state").annotate(number=Count("pk"))
    for study, state, number in slots.order_by("item__study__slug", "state"):
        yield f'trialogue_slots{{study="{study}",state="{state}"}} {number}\n'
    yield "# HELP trialogue_slots_needed Ratings to collect.\n# TYPE trialogue_slots_needed gauge\n"
    for study in Study.objects.order_by("slug"):
        tasks = Item.objects.filter(study=study, kind=Item.Kind.TASK)
        yield f'trialogue_slots_needed{{study="{study.slug}"}} {tasks.aggregate(all=Sum("needed"))["all"] or 0}\n'
    yield "# HELP trialogue_last_answer_seconds Time of the last answer, in seconds since the epoch.\n"
    yield "# TYPE trialogue_last_answer_seconds gauge\n"
    last = Submission.objects.values_list("participant__study__slug").annotate(last=Max("received_at"))
    for study, at in last.order_by("participant__study__slug"):
        yield f'trialogue_last_answer_seconds{{study="{study}"}} {at.timestamp():.0f}\n'

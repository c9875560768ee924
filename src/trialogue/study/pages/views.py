"""Views beside the steps: arriving, a turn of a chat, withdrawing, receipts, health and progress.

Django forms of participant pages, except answers.

Answers are not Django forms: ``design.questions`` defines and validates them, for pages, bots and services alike, and
``pages.fields`` renders them.
"""

import hmac
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import Count, Max, Sum
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from trialogue.study.design.platforms import Arrival
from trialogue.study.design.questions import text_in
from trialogue.study.models import OVER, Assignment, Chat, Item, Participant, Study, Submission
from trialogue.study.pages.contents import INVALID, frame, languages_of, show
from trialogue.study.services import asking, chatting, entering, leaving, rows, steps
from trialogue.study.services import leaving as ends
from trialogue.study.services.rows import file_of, secret_hash
from trialogue.study.web.middleware import (
    MTURK,
    activate_language,
    keep_receipt,
    page,
    participant_of,
    remember,
    study_and_person,
    study_of,
    too_many,
)
from trialogue.study.web.throttle import BY_ADDRESS, BY_LOGIN, BY_PERSON, WINDOW, address, seconds_to_wait_for

if TYPE_CHECKING:
    from django.views.generic import FormView

    AnyForm = FormView[Any]
else:  # Django's classes take no parameters while they run
    from django.views.generic import FormView as AnyForm

SOMEBODY_ELSE = "somebody_else"  # the button of a person at a computer where another has not finished
GOING_ON = ("arrived", "consented", "screened", "active")


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The address without a study: the study, if there is only one that runs."""
    running = list(Study.objects.filter(state=Study.State.RUNNING)[:2])
    if len(running) == 1:
        query = request.META.get("QUERY_STRING", "")
        return redirect(f"{running[0].slug}/{'?' + query if query else ''}")
    text = gettext("Please use the link you received to open the study.")
    return page(request, gettext("Which study?"), text, status=200)


@require_http_methods(["GET", "HEAD", "POST"])
def arrive(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the study's landing page; a click enters it."""
    study = study_of(slug)
    if wait := seconds_to_wait_for("address", address(request), BY_ADDRESS):
        return too_many(request, wait)
    language = activate_language(request, languages_of(study))
    came = entering.arrival_of(study, _parameters(request))
    here = _known_participant(request, study, came)
    if request.method == "POST" and not came.preview:
        other = SOMEBODY_ELSE in request.POST and not came.id  # several people at one computer
        return redirect("study:step", slug=slug) if here and not other else _enter(request, study, language)
    if here is None and not came.preview and (refused := _refusal(study, came)):
        return refusal_page(request, study, refused, language)
    return _landing_page(request, study, came, language, returning=here is not None)


def _parameters(request: HttpRequest) -> dict[str, str]:
    return {name: str(value) for name, value in request.GET.items()}


def _known_participant(request: HttpRequest, study: Study, came: Arrival) -> Participant | None:
    """Participant of this browser's session if they match the arrival: the same id, or no id and not finished."""
    participant = participant_of(request, study)
    if participant is None:
        return None
    if came.id:
        same = secret_hash("identity", f"{study.pk}:{came.id}") == participant.identity_hash
        return participant if same else None
    return participant if participant.state in GOING_ON and not came.wrong else None


def _refusal(study: Study, came: Arrival) -> str:
    """Reason why no new participant is admitted; "" if admitted. Shown before consent and reading."""
    if came.wrong:
        return came.wrong
    known = came.id and secret_hash("identity", f"{study.pk}:{came.id}")
    if known and study.participants.filter(identity_hash=known).exists():
        return ""
    return entering.closed_why(study)


def _enter(request: HttpRequest, study: Study, language: str) -> HttpResponse:
    entered = entering.enter(study, _parameters(request), language=language)
    if entered.participant is None:
        return refusal_page(request, study, entered.why, language)
    steps.begin_chats(entered.participant)
    remember(request, entered.participant)
    if entered.receipt:
        keep_receipt(request, study, entered.receipt)
    return redirect("study:step", slug=study.slug)


def _landing_page(request: HttpRequest, study: Study, came: Arrival, language: str, *, returning: bool) -> HttpResponse:
    file = file_of(study)
    mturk = "turkSubmitTo" in request.GET or came.preview
    context: dict[str, Any] = {
        **frame(request, study, language=language),
        "action": request.get_full_path(),
        "heading": text_in(file.title, language),
        "welcome": text_in(file.instructions, language) if came.preview else "",
        "minutes": round(file.minutes),
        "tasks": file.tasks_per_participant,
        "returning": returning,
        "somebody_else": SOMEBODY_ELSE if returning and not came.id else "",
        "looking": came.preview,
        "framed": mturk and not came.preview and "open" not in request.GET,
        "open_url": f"{request.get_full_path()}&open=1",
    }
    response = render(request, "study/arrive.html", context)
    if mturk:
        response.platform_hosts = MTURK  # type: ignore[attr-defined]
    return response


def refusal_page(request: HttpRequest, study: Study, why: str, language: str) -> HttpResponse:
    """The page for those who cannot come in; nothing about them is stored."""
    nothing = gettext("No information about you was stored.")
    said_of: dict[str, tuple[str, str]] = {
        "full": (
            gettext("All places are taken"),
            gettext("Thank you for your interest! The last places are taken or being filled right now."),
        ),
        "paused": (gettext("The study is paused"), gettext("Please come back later, using the same link.")),
        "closed": (gettext("The study is closed"), gettext("Thank you for your interest!")),
        "taken": (
            gettext("You have already taken part"),
            gettext(
                "Someone with your ID has already taken part in another session. Each person can take part only once."
            ),
        ),
        "unsigned": (
            gettext("This link is incomplete"),
            gettext("Please use the link exactly as you received it. It may also have expired."),
        ),
        "expired": (
            gettext("This link has expired"),
            gettext("Please open the study again from the platform to get a new link."),
        ),
        "unchecked": (
            gettext("Your link cannot be verified right now"),
            gettext("Please try again in a minute with the same link."),
        ),
        "no_id": (
            gettext("This link is incomplete"),
            gettext("It does not contain your ID. Please open the study from the platform, or copy the whole link."),
        ),
    }
    heading, text = said_of.get(why, said_of["closed"])
    return page(request, heading, f"{text}\n\n{nothing}", status=200, **frame(request, study, language=language))


@require_POST
def chat(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a message, request the reply again, or end the conversation."""
    study, participant = study_and_person(request, slug)
    if participant is None:
        return redirect("study:arrive", slug=slug)
    if wait := seconds_to_wait_for("person", participant.code, BY_PERSON):
        return too_many(request, wait)
    page = rows.page_in(request.POST.get("token", ""), participant.pk)
    if page is None:
        raise PermissionDenied
    going_on = _current_chat(request, participant, page.step)
    if going_on is None:  # another tab is further
        return redirect("study:step", slug=slug)
    entering.note_activity(participant)
    response = _act_on(request, study, participant, going_on)
    steps.begin_chats(participant)  # the next one, if this is over
    return response


def _current_chat(request: HttpRequest, participant: Participant, key: str) -> Chat | None:
    """The conversation that a form is of, if that is still the current one."""
    if participant.step >= len(participant.plan) or participant.plan[participant.step] != key:
        return None
    shows = asking.item_at(participant, key)
    current = chatting.current_chat(participant, key, shows.order) if shows else None
    return current if current and str(current.number) == request.POST.get("chat") else None


def _act_on(request: HttpRequest, study: Study, participant: Participant, going_on: Chat) -> HttpResponse:
    act = request.POST.get("act", "say")
    if act == "end":
        chatting.end(going_on, at_least=file_of(study).chat.at_least)
        return redirect("study:step", slug=study.slug)
    if act == "stop" and chatting.answer(participant, going_on).kind == "down":
        _give_up(participant)
        return redirect("study:step", slug=study.slug)
    said = (
        chatting.answer(participant, going_on)
        if act in ("answer", "stop")
        else _store_message(request, participant, going_on)
    )
    if said.kind not in ("invalid", "down"):
        return redirect("study:step", slug=study.slug)
    step = asking.step_of(participant, going_on.step)
    if said.kind == "down":
        return show(request, study, step, down=gettext("The recommender is not responding at the moment."))
    given = {"": said.answers} if said.answers else {}
    return show(request, study, step, given=given, said_before=request.POST.get("say", ""))


def _give_up(participant: Participant) -> None:
    """The system does not answer: the way ends here, and the slots are free for others."""
    with transaction.atomic():
        locked = Participant.objects.select_for_update().get(pk=participant.pk)
        if locked.state not in OVER:
            leaving.fail(locked, "unavailable")


def _store_message(request: HttpRequest, participant: Participant, going_on: Chat) -> chatting.MessageOutcome:
    turn = request.POST.get("turn", "")
    posted = {name: [str(each) for each in request.POST.getlist(name)] for name in request.POST}
    number = int(turn) if turn.isascii() and turn.isdigit() and len(turn) < 6 else 0
    return chatting.say(participant, going_on, request.POST.get("say", ""), turn=number, posted=posted)


class ReceiptForm(forms.Form):
    """A receipt code."""

    receipt = forms.CharField(max_length=64)


@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for confirmation, then withdraw the participant."""
    study, participant = study_and_person(request, slug)
    if participant is None:
        return redirect("study:receipt", slug=slug)
    if request.method == "POST":
        ends.withdraw(participant)
        return redirect("study:step", slug=slug)
    language = activate_language(request, languages_of(study))
    going_on = participant.state in GOING_ON
    context = {
        **frame(request, study, language=language),
        "heading": gettext("Leave the study?"),
        "text": gettext("If you leave now, all your answers will be deleted. This cannot be undone.")
        + "\n\n"
        + gettext(
            "You can also close this page and come back later with the same link. Your place is reserved for a while."
        ),
        "button": gettext("Leave and delete my answers"),
        "back_url": reverse("study:step", args=[slug]) if going_on else "",
    }
    return render(request, "study/withdraw.html", context)


class Receipt(AnyForm):
    """Withdraw with the receipt code, from any browser, also long after the end."""

    form_class = ReceiptForm
    template_name = "study/withdraw.html"
    study: Study
    language: str

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        """The study, in the reader's language."""
        super().setup(request, *args, **kwargs)
        self.study = study_of(kwargs["slug"])
        self.language = activate_language(request, languages_of(self.study))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """A code, unless this address gave too many wrong ones."""
        wait = _seconds_blocked(request, count=False)
        return too_many(request, wait) if wait else super().post(request, *args, **kwargs)

    def form_valid(self, form: ReceiptForm) -> HttpResponse:
        """Outcome: deleted, or unknown code."""
        participant = entering.find_by_receipt(self.study, form.cleaned_data["receipt"])
        if participant is None:
            return self.form_invalid(form)
        ends.withdraw(participant)
        text = gettext("All your answers have been deleted. Thank you for taking part.")
        around = frame(self.request, self.study, language=self.language)
        return page(self.request, gettext("Your answers are deleted"), text, status=200, **around)

    def form_invalid(self, form: ReceiptForm) -> HttpResponse:
        """The page again; the guess counts."""
        _seconds_blocked(self.request, count=True)
        wrong = gettext("No answers were found for this code. Please check each letter and digit.")
        context = self.get_context_data(form=form, receipt_wrong=wrong, failed=True)
        return self.render_to_response(context, status=INVALID)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Form of the page."""
        return super().get_context_data(
            **frame(self.request, self.study, language=self.language),
            heading=gettext("Delete my answers"),
            text=gettext("Enter your receipt code. All your answers will be deleted immediately."),
            button=gettext("Delete my answers"),
            ask_receipt=True,
            **kwargs,
        )


def _seconds_blocked(request: HttpRequest, *, count: bool) -> int:
    """Seconds until an address that gave wrong codes may try again."""
    return seconds_to_wait_for("receipt", address(request), 5 * BY_LOGIN, window=5 * WINDOW, count=count)


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

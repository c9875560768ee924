"""View of a chat turn: store the message, ask the system, store and show its reply."""

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from trialogue.study.models import OVER, Chat, Participant, Study
from trialogue.study.pages.show import show
from trialogue.study.services import asking, chatting, entering, leaving, steps, tokens
from trialogue.study.services.reading import file_of
from trialogue.study.web.access import study_and_person
from trialogue.study.web.error_pages import too_many
from trialogue.study.web.throttle import BY_PERSON, seconds_to_wait_for


@require_POST
def chat(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a message, request the reply again, or end the conversation."""
    study, participant = study_and_person(request, slug)
    if participant is None:
        return redirect("study:arrive", slug=slug)
    if wait := seconds_to_wait_for("person", participant.code, BY_PERSON):
        return too_many(request, wait)
    page = tokens.page_in(request.POST.get("token", ""), participant.pk)
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

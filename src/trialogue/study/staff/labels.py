"""Labels on which annotators disagree get a final one, from a member of staff who sees all of theirs."""

from collections import Counter
from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from trialogue.study.design.items import LabellingItem, from_stored
from trialogue.study.design.questions import Question, said
from trialogue.study.models import Adjudication, Assignment, Item, Study
from trialogue.study.pages.contents import written
from trialogue.study.pages.guidelines import guideline_of
from trialogue.study.pages.messages import around
from trialogue.study.staff.access import MANAGE, record, staff, who
from trialogue.study.staff.codes import number_in
from trialogue.study.staff.frame import LANGUAGES, asked, shown
from trialogue.study.web.languages import speak


@require_http_methods(["GET", "HEAD", "POST"])
@staff(MANAGE)
def labels(request: HttpRequest, study: Study) -> HttpResponse:
    """The next message whose labels differ; what was decided, stored."""
    question = next((each for each in asked(study) if each.name == "label"), None)
    if request.method == "POST" and question is not None:
        problem = _decide(request, study, question)
        if not problem:
            return redirect(request.path)
    else:
        problem = ""
    disputed = list(_disputed(study, question)) if question else []
    later = number_in(request.GET.get("after", ""))
    first = next((each for each in disputed if each.pk > later), disputed[0] if disputed else None)
    decided = Adjudication.objects.filter(item__study=study).count()
    context: dict[str, Any] = {
        "heading": gettext("Which label is right?"),
        "eyebrow": gettext("%(open)s to decide, %(decided)s decided") % {"open": len(disputed), "decided": decided},
        "problem": problem,
        "done": "" if first else gettext("There is no message whose labels differ."),
    }
    if first and question:
        context |= _question(study, first, question, speak(request, LANGUAGES))
    return shown(request, "decide.html", study, **context)


def _disputed(study: Study, question: Question) -> Any:
    """Items with all their answers, not all the same, and no decision."""
    complete = study.items.filter(kind=Item.Kind.TASK, adjudication__isnull=True).annotate(
        done=Count("assignments", filter=Q(assignments__state=Assignment.State.DONE))
    )
    for item in complete.filter(done__gte=2).order_by("pk"):
        if item.done >= item.needed and len(Counter(_given(item, question))) > 1:
            yield item


def _given(item: Item, question: Question) -> list[str]:
    answers = item.assignments.filter(state=Assignment.State.DONE).order_by("pk")
    return [str(each) for each in answers.values_list(f"submission__answers__{question.name}", flat=True)]


def _question(study: Study, item: Item, question: Question, language: str) -> dict[str, Any]:
    content = from_stored(item.content)
    lines = content.shown(()) if isinstance(content, LabellingItem) else None
    options = [
        {
            "value": option.value,
            "title": said(option.label, language),
            "help": guideline_of(option, language)["definition"],
        }
        for option in question.options
    ]
    given = [
        {"who": gettext("Annotator %(number)s") % {"number": place}, "what": written(question, label, language)}
        for place, label in enumerate(_given(item, question), 1)
    ]
    return {
        "shown_heading": gettext("The conversation"),
        "around": around(lines.lines, lines.asked_about) if lines else None,
        "given": given,
        "question": said(question.question, language),
        "options": options,
        "control": "radio",
        "key": item.pk,
        "skip_url": f"{reverse('study:staff-labels', args=[study.slug])}?after={item.pk}",
    }


def _decide(request: HttpRequest, study: Study, question: Question) -> str:
    """Store a decision; what is wrong with it, or ""."""
    label = request.POST.get("decision", "")
    if label not in [option.value for option in question.options]:
        return gettext("Please choose one of the labels.")
    with transaction.atomic():
        item = get_object_or_404(study.items, pk=number_in(request.POST.get("key", "")), kind=Item.Kind.TASK)
        decision = {"answers": {question.name: label}, "by": who(request)}
        Adjudication.objects.update_or_create(item=item, defaults=decision)
        record(request, study, "adjudicated", item=item.key, label=label)
    return ""

"""Adjudication of disputed labels by a member of staff who sees all annotators' labels."""

from collections import Counter
from typing import Any, ClassVar

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext

from trialogue.study.design.items import LabellingItem, from_stored
from trialogue.study.design.questions import Question, text_in
from trialogue.study.models import Adjudication, Assignment, Item, Study
from trialogue.study.pages.contents import answer_text, guideline_of
from trialogue.study.pages.messages import split_around
from trialogue.study.services.management.counting import counted_assignments, counting_people
from trialogue.study.staff.access import MANAGE, login_of, record
from trialogue.study.staff.forms import LabelForm, number_in
from trialogue.study.staff.frame import questions_of
from trialogue.study.staff.views.base import StaffForm


class Labels(StaffForm):
    """Show the next message with conflicting labels, and store the submitted decision."""

    permission: ClassVar[str] = MANAGE
    form_class = LabelForm
    template_name = "study/staff/decide.html"

    @property
    def question(self) -> Question | None:
        """The labelling question; None in a study without labels."""
        return next((each for each in questions_of(self.study) if each.name == "label"), None)

    def get_form_kwargs(self) -> dict[str, Any]:
        """With the labels of the study."""
        labels = [option.value for option in self.question.options] if self.question else []
        return {**super().get_form_kwargs(), "labels": labels}

    def form_valid(self, form: LabelForm) -> HttpResponse:
        """Store the decision; the next one."""
        label = form.cleaned_data["decision"]
        with transaction.atomic():
            item = get_object_or_404(self.study.items, pk=form.cleaned_data["key"], kind=Item.Kind.TASK)
            decision = {"answers": {"label": label}, "by": login_of(self.request)}
            Adjudication.objects.update_or_create(item=item, defaults=decision)
            record(self.request, self.study, "adjudicated", item=item.key, label=label)
        return redirect(self.request.path)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """A message with its labels, and how many are left."""
        study, question = self.study, self.question
        disputed = list(_disputed_items(study, question)) if question else []
        later = number_in(self.request.GET.get("after", ""))
        first = next((each for each in disputed if each.pk > later), disputed[0] if disputed else None)
        decided = Adjudication.objects.filter(item__study=study).count()
        context: dict[str, Any] = {
            "heading": gettext("Which label is right?"),
            "eyebrow": gettext("%(open)s to decide, %(decided)s decided") % {"open": len(disputed), "decided": decided},
            "done": "" if first else gettext("All messages have consistent labels."),
        }
        if first and question:
            context |= _question(study, first, question, self.language)
        return super().get_context_data(**context, **kwargs)


def _disputed_items(study: Study, question: Question) -> Any:
    """Items with all their answers, not all the same, and no decision."""
    counted = Counter(each.item_id for each in counted_assignments(study))
    for item in study.items.filter(pk__in=counted, adjudication__isnull=True).order_by("pk"):
        if counted[item.pk] >= max(2, item.needed) and len(set(_given_labels(item, question))) > 1:
            yield item


def _given_labels(item: Item, question: Question) -> list[str]:
    """Labels that count."""
    answers = item.assignments.filter(state=Assignment.State.DONE, participant__in=counting_people(item.study))
    return [
        str(each) for each in answers.order_by("pk").values_list(f"submission__answers__{question.name}", flat=True)
    ]


def _question(study: Study, item: Item, question: Question, language: str) -> dict[str, Any]:
    content = from_stored(item.content)
    lines = content.show(()) if isinstance(content, LabellingItem) else None
    options = [
        {
            "value": option.value,
            "title": text_in(option.label, language),
            "help": guideline_of(option, language)["definition"],
        }
        for option in question.options
    ]
    given = [
        {"who": gettext("Annotator %(number)s") % {"number": place}, "what": answer_text(question, label, language)}
        for place, label in enumerate(_given_labels(item, question), 1)
    ]
    return {
        "shown_heading": gettext("The conversation"),
        "around": split_around(lines.lines, lines.asked_about) if lines else None,
        "given": given,
        "question": text_in(question.question, language),
        "options": options,
        "control": "radio",
        "key": item.pk,
        "skip_url": f"{reverse('study:staff-labels', args=[study.slug])}?after={item.pk}",
    }

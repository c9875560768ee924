"""Disputed labels that a member of staff settles, and explanations that two code blind to each other, with kappa."""

from collections import Counter
from typing import Any, ClassVar

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext

from trialogue.study.design.items import LabellingItem, from_stored
from trialogue.study.design.questions import Question, text_in
from trialogue.study.models import Adjudication, Assignment, Coding, Item, Study, Submission
from trialogue.study.pages.contents import answer_text, guideline_of
from trialogue.study.pages.fragments import split_around
from trialogue.study.services.deciding import counted_assignments, counting_people
from trialogue.study.staff.base import MANAGE, StaffForm, login_of, questions_of, record
from trialogue.study.staff.dashboard import kappa_of_two
from trialogue.study.staff.forms import CODES, CodesForm, LabelForm, number_in


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


CODERS = 2


class Codes(StaffForm):
    """Show the next uncoded explanation for this coder, and store the submitted codes."""

    permission: ClassVar[str] = MANAGE
    form_class = CodesForm
    template_name = "study/staff/decide.html"

    def form_valid(self, form: CodesForm) -> HttpResponse:
        """Keep the codes; not of a third coder, nor a second opinion of the same."""
        by = login_of(self.request)
        with transaction.atomic():
            submission = get_object_or_404(
                Submission.objects.select_for_update(), pk=form.cleaned_data["key"], participant__study=self.study
            )
            coders = set(submission.codings.values_list("by", flat=True))
            if by not in coders and len(coders) < CODERS:
                Coding.objects.create(submission=submission, codes=form.codes(), by=by)
                record(self.request, self.study, "coded", explanation=submission.pk)
        return redirect(self.request.path)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """An explanation, and how many are left."""
        study = self.study
        mine = set(_codings(study).filter(by=login_of(self.request)).values_list("submission_id", flat=True))
        explained = [each for each in _explained_submissions(study) if each.pk in mine or each.codings.count() < CODERS]
        waiting = [each for each in explained if each.pk not in mine]
        later = number_in(self.request.GET.get("after", ""))
        first = next((each for each in waiting if each.pk > later), waiting[0] if waiting else None)
        counts = {"done": len(explained) - len(waiting), "all": len(explained)}
        context: dict[str, Any] = {
            "heading": gettext("What is the explanation about?"),
            "eyebrow": gettext("%(done)s of %(all)s coded by you") % counts,
            "measure": agreement(study),
            "done": "" if first else gettext("You have coded everything."),
        }
        if first:
            context |= _coded_question(study, first)
        return super().get_context_data(**context, **kwargs)


def code_names() -> dict[str, tuple[str, str]]:
    """Name and meaning of each code."""
    return {
        "realisticity": (gettext("Realisticity"), gettext("how natural or human-like it sounds")),
        "engagement": (
            gettext("Engagement"),
            gettext("whether the user is involved, asks questions and stays interested"),
        ),
        "emotion": (gettext("Emotion"), gettext("feelings: joy, irritation, politeness")),
        "response": (gettext("Response"), gettext("whether answers fit the conversation so far")),
        "grammar": (gettext("Grammar"), gettext("language, spelling, punctuation")),
        "length": (gettext("Length"), gettext("how long or short the messages or the conversation are")),
    }


def _coded_question(study: Study, submission: Submission) -> dict[str, Any]:
    options = [{"value": code, "title": name, "help": meant} for code, (name, meant) in code_names().items()]
    return {
        "shown_heading": gettext("Explanation"),
        "quote": explanation(submission),
        "question": gettext("Codes"),
        "help": gettext("Choose all that apply, or none."),
        "options": options,
        "control": "checkbox",
        "key": submission.pk,
        "skip_url": f"{reverse('study:staff-codes', args=[study.slug])}?after={submission.pk}",
    }


def _codings(study: Study) -> Any:
    return Coding.objects.filter(submission__participant__study=study)


def _explained_submissions(study: Study) -> list[Submission]:
    found = Submission.objects.filter(participant__study=study, assignment__isnull=False).order_by("pk")
    return [each for each in found.prefetch_related("codings") if explanation(each)]


def explanation(submission: Submission) -> str:
    """The explanation that came with a judgement; "" without."""
    return str(submission.answers.get("reason") or "")


def agreement(study: Study) -> str:
    """Kappa of the two coders for each code, in a line; "" before both coded anything."""
    by: dict[str, dict[str, list[str]]] = {}
    for submission, coder, given in _codings(study).values_list("submission_id", "by", "codes"):
        by.setdefault(coder, {})[str(submission)] = given
    coders = sorted(by, key=lambda coder: (-len(by[coder]), coder))[:CODERS]
    if len(coders) < CODERS:
        return ""
    names, values = code_names(), []
    for code in CODES:
        first, second = ({key: str(code in given) for key, given in by[coder].items()} for coder in coders)
        estimate = kappa_of_two(first, second)
        if estimate.n:
            value = f"{estimate.value:.2f}" if estimate.value is not None else gettext("undefined")
            values.append(f"{names[code][0]} {value}")
    return gettext("Cohen’s kappa between the two coders: %(values)s") % {"values": ", ".join(values)} if values else ""
